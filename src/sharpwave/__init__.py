"""Memory for AI assistants and agents that learns while it sleeps."""

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
