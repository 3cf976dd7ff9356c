"""The options that every command shares, and how they open a memory."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from sharpwave import Memory, Settings, load_settings, upkeep
from sharpwave.errors import InvalidInput

Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        help="The memory: a file, or postgresql://role@host/name.",
        show_default="in your data folder",
    ),
]
User = Annotated[str | None, typer.Option("--user", "-u", help="Whose memory.")]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="A TOML settings file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the shared options chose."""

    settings: Settings
    as_json: bool

    def open(self) -> Memory:
        """Open the chosen memory, or make it."""
        return Memory.open(settings=self.settings)

    def open_existing(self) -> Memory:
        """Open the chosen memory, which must be there."""
        upkeep.require_memory(self.settings)
        return self.open()


def moment(text: str | None) -> datetime | None:
    """A date or time that was typed; without a zone it is meant in UTC."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{text!r} is not a date such as 2026-05-01") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def choose(db: str | None, user: str | None, settings_file: Path | None, as_json: bool) -> Chosen:
    """Settings from file and environment, with the options on top."""
    arguments: dict[str, Any] = {} if user is None else {"user": user}
    settings = load_settings(settings_file, **arguments)
    return Chosen(settings if db is None else upkeep.at_place(settings, db), as_json)
