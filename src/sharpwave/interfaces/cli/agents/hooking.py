"""`hook`: what a coding agent reports, done here and now; `interfaces/hooks` says what."""

import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from sharpwave.interfaces.cli.context import Database, SettingsFile, User
from sharpwave.interfaces.hooks import alone
from sharpwave.interfaces.hooks.client import note
from sharpwave.interfaces.hooks.meeting_point import MeetingPoint, meeting_point


def hook(
    event: Annotated[str, typer.Argument(help="Such as UserPromptSubmit; its JSON is on stdin.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
) -> None:
    """Serve a hook of Claude Code: capture what happened, print what is remembered."""
    point = point_of(db, user, settings)
    try:
        alone.serve(event, sys.stdin.read(), point, db=db, user=user, settings=_text(settings))
    except Exception:  # noqa: BLE001 - whatever goes wrong here must not disturb the host
        note(point, traceback.format_exc())


def point_of(db: str | None, user: str | None, settings: Path | None) -> MeetingPoint:
    """Where hooks with these options meet their server."""
    return meeting_point(db, user, _text(settings))


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
