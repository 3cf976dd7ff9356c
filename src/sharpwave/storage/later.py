"""Stores and upkeep that a memory in a file does without: each is loaded when it is first used.

`later.postgres.PostgresStore(...)`
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharpwave.storage.postgres import moving, moving_back
    from sharpwave.storage.postgres import store as postgres
    from sharpwave.storage.postgres.catalog import catalog
    from sharpwave.storage.sqlite.files import kept, restore, salvage

PLACES = {
    "moving": "postgres.moving",
    "moving_back": "postgres.moving_back",
    "postgres": "postgres.store",
    "catalog": "postgres.catalog.catalog",
    "kept": "sqlite.files.kept",
    "restore": "sqlite.files.restore",
    "salvage": "sqlite.files.salvage",
}
"""Where each is in the room, as the imports above say it to the type checker."""


def __getattr__(name: str) -> ModuleType:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = import_module(f"sharpwave.storage.{PLACES[name]}")
    globals()[name] = found
    return found
