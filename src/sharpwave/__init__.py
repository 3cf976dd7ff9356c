"""Memory for AI assistants and agents that learns while it sleeps.

A name is imported when it is first used, so that what needs none of them, such as `sharpwave
--help`, does not wait for NumPy and the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharpwave.aio import AsyncMemory
    from sharpwave.errors import (
        Conflict,
        InvalidInput,
        InvalidSettings,
        NotFound,
        ProviderError,
        SharpwaveError,
        StorageError,
        UsageError,
    )
    from sharpwave.memory import Memory
    from sharpwave.settings.tree import Settings
    from sharpwave.types.answers import Forgotten, Recalled, Receipt, Recollection, Stats
    from sharpwave.types.experience import Action, Advice, TaskRun
    from sharpwave.types.message import Message
    from sharpwave.types.records import Kind, Record, Role, Source
    from sharpwave.wiring import load_settings

__version__ = "0.1.0"

_PLACES = {
    "Action": "types.experience",
    "Advice": "types.experience",
    "AsyncMemory": "aio",
    "Conflict": "errors",
    "Forgotten": "types.answers",
    "InvalidInput": "errors",
    "InvalidSettings": "errors",
    "Kind": "types.records",
    "Memory": "memory",
    "Message": "types.message",
    "NotFound": "errors",
    "ProviderError": "errors",
    "Recalled": "types.answers",
    "Receipt": "types.answers",
    "Recollection": "types.answers",
    "Record": "types.records",
    "Role": "types.records",
    "Settings": "settings",
    "SharpwaveError": "errors",
    "Source": "types.records",
    "Stats": "types.answers",
    "StorageError": "errors",
    "TaskRun": "types.experience",
    "UsageError": "errors",
    "load_settings": "wiring",
}

__all__ = [
    "Action",
    "Advice",
    "AsyncMemory",
    "Conflict",
    "Forgotten",
    "InvalidInput",
    "InvalidSettings",
    "Kind",
    "Memory",
    "Message",
    "NotFound",
    "ProviderError",
    "Recalled",
    "Receipt",
    "Recollection",
    "Record",
    "Role",
    "Settings",
    "SharpwaveError",
    "Source",
    "Stats",
    "StorageError",
    "TaskRun",
    "UsageError",
    "load_settings",
]


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
