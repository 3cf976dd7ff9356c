"""Memory for AI assistants and agents that learns while it sleeps.

Names are imported when the first of them is used, so that what needs none of them, such as
`sharpwave --help`, does not wait for NumPy and the rest.
"""
# ruff: noqa: F403, F405 - the type checker reads the names of public.py

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharpwave.aio import AsyncMemory
    from sharpwave.public import *

__version__ = "0.1.0"

__all__ = [
    "LLM",
    "Action",
    "Advice",
    "AsyncMemory",
    "Behavior",
    "Clock",
    "Conflict",
    "Context",
    "Contradiction",
    "Decision",
    "Embedder",
    "Entity",
    "Explanation",
    "Fact",
    "FactInput",
    "FeedbackReceipt",
    "Forgotten",
    "Insight",
    "IntentModel",
    "InvalidInput",
    "InvalidSettings",
    "Kind",
    "Memory",
    "Message",
    "MessageLabels",
    "NotFound",
    "Note",
    "Preference",
    "ProviderError",
    "RecallQuery",
    "Recalled",
    "Receipt",
    "Recollection",
    "Record",
    "Relation",
    "Report",
    "Reranker",
    "Role",
    "RuleInput",
    "Settings",
    "SharpwaveError",
    "Skill",
    "SkillChoice",
    "Source",
    "Stats",
    "StorageError",
    "Task",
    "TaskInput",
    "TaskRun",
    "UsageError",
    "load_settings",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object
    if name == "Memory":  # most programs need no other name
        from sharpwave.memory import Memory as value
    elif name == "AsyncMemory":  # needs asyncio, which others do without
        from sharpwave.aio import AsyncMemory as value
    elif name == "Settings":
        from sharpwave.settings import Settings as value
    elif name == "load_settings":
        from sharpwave.wiring import load_settings as value
    else:
        from sharpwave import public

        value = getattr(public, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
