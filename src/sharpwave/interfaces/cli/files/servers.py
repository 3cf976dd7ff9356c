"""`migrate-store`: from a file to a server."""

from pathlib import Path
from typing import Annotated

import typer

from sharpwave import upkeep
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, SettingsFile, choose


def migrate_store(
    file: Annotated[Path, typer.Argument(help="The memory file.")],
    url: Annotated[str, typer.Argument(help="postgresql://role@host/database, which is empty.")],
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Copy a memory file to an empty PostgreSQL database, all of it or nothing, checked."""
    chosen = choose(file, None, settings, json)
    with output.progress("Moving", json) as bar:
        moved = upkeep.move(chosen.settings, url, bar)
    if json:
        output.as_json(moved._asdict())
    else:
        output.say(
            f"Moved {moved.memories} memories of {moved.users} users; the file is as it was."
        )
        output.say("Set SHARPWAVE_POSTGRES__URL from now on, and write to the file no more.")
