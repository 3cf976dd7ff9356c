"""`hook`: what a coding agent reports, done here and now; `interfaces/hooks` says what."""

import json
import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from sharpwave import Memory
from sharpwave.interfaces.cli.context import Database, SettingsFile, User, choose
from sharpwave.interfaces.hooks import events, listener
from sharpwave.interfaces.hooks.client import note
from sharpwave.interfaces.hooks.meeting_point import MeetingPoint, meeting_point
from sharpwave.interfaces.mcp.visit import Visit
from sharpwave.settings import Settings
from sharpwave.types.doors.access import Principal, Scope

HOOK = "hook"


def hook(
    event: Annotated[str, typer.Argument(help="Such as UserPromptSubmit; its JSON is on stdin.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
) -> None:
    """Serve a hook of Claude Code: capture what happened, print what is remembered."""
    point = point_of(db, user, settings)
    try:
        told = json.load(sys.stdin)
        chosen = choose(db, user, settings, as_json=False)
        with chosen.open() as memory:
            answer = answering(memory, chosen.settings)
            listener.take_in(point.missed, answer)
            if text := answer(event, told):
                print(text)
    except Exception:  # noqa: BLE001 - whatever goes wrong here must not disturb the host
        note(point, traceback.format_exc())


def point_of(db: str | None, user: str | None, settings: Path | None) -> MeetingPoint:
    """Where hooks with these options meet their server."""
    return meeting_point(db, user, None if settings is None else str(settings))


def answering(memory: Memory, settings: Settings) -> listener.Answer:
    """What answers hooks from an open memory. Hooks come from the user's own machine."""
    visit = Visit(memory, Principal(memory.user_id, frozenset(Scope), HOOK), settings)
    return lambda event, told: events.answer(event, told, visit)
