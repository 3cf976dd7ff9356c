"""Rooms that most programs never enter: each is loaded when it is first used.

`Memory` knows every room, but a recall should not wait for what only a night, an import or a
connection to a server needs.

    later.cycle.sleep(...)
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharpwave.facades.remote import client as client
    from sharpwave.sleep import cycle as cycle
    from sharpwave.sleep import journal as journal
    from sharpwave.sleep import look as look
    from sharpwave.sleep import undo as undo
    from sharpwave.sleep.when import idle as idle
    from sharpwave.sleep.when import schedule as schedule
    from sharpwave.sleep.when import watch as watch

PLACES = {
    "client": "facades.remote.client",
    "importing": "importers.flow",
    "logs": "importers.agents.flow",
    "cycle": "sleep.cycle",
    "journal": "sleep.journal",
    "look": "sleep.look",
    "undo": "sleep.undo",
    "idle": "sleep.when.idle",
    "schedule": "sleep.when.schedule",
    "watch": "sleep.when.watch",
}
"""Where each is in the package."""


def __getattr__(name: str) -> ModuleType:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = import_module(f"sharpwave.{PLACES[name]}")
    globals()[name] = found
    return found
