"""Memory for AI assistants and agents that learns while it sleeps."""

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
    from sharpwave.settings import Settings
    from sharpwave.types.answers import Forgotten, Recalled, Receipt, Recollection, Stats
    from sharpwave.types.records import Kind, Record, Role, Source
    from sharpwave.types.said import Said
    from sharpwave.types.work.experience import Action, Advice, TaskRun
    from sharpwave.wiring import load_settings

__version__ = "0.1.0"

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
    "NotFound",
    "ProviderError",
    "Recalled",
    "Receipt",
    "Recollection",
    "Record",
    "Role",
    "Said",
    "Settings",
    "SharpwaveError",
    "Source",
    "Stats",
    "StorageError",
    "TaskRun",
    "UsageError",
    "load_settings",
]

# Where each name lives. It is imported when it is first used: a hook, which takes a few
# milliseconds, must not wait for everything that a memory needs.
_HOMES = {
    "sharpwave.aio": ("AsyncMemory",),
    "sharpwave.errors": (
        *("Conflict", "InvalidInput", "InvalidSettings", "NotFound"),
        *("ProviderError", "SharpwaveError", "StorageError", "UsageError"),
    ),
    "sharpwave.memory": ("Memory",),
    "sharpwave.settings": ("Settings",),
    "sharpwave.types.answers": ("Forgotten", "Recalled", "Receipt", "Recollection", "Stats"),
    "sharpwave.types.records": ("Kind", "Record", "Role", "Source"),
    "sharpwave.types.said": ("Said",),
    "sharpwave.types.work.experience": ("Action", "Advice", "TaskRun"),
    "sharpwave.wiring": ("load_settings",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """A public name, imported when it is first used."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'sharpwave' has no attribute {name!r}")
    found: object = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names, also those that nobody has used yet."""
    return sorted({*globals(), *__all__})
