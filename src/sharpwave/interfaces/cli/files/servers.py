"""`migrate-store`: from a file to a server, or back."""

from typing import Annotated

import typer

from sharpwave import upkeep
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, SettingsFile, choose


def migrate_store(
    source: Annotated[str, typer.Argument(help="A memory file, or postgresql://role@host/name.")],
    to: Annotated[str, typer.Argument(help="An empty database, or a new file.")],
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Copy a memory from a file to PostgreSQL or back, all of it or nothing, checked."""
    chosen = choose(source, None, settings, json)
    with output.progress("Moving", json) as bar:
        moved = upkeep.move(chosen.settings, to, bar)
    if json:
        output.as_json(moved._asdict())
    else:
        output.say(
            f"Moved {moved.memories} memories of {moved.users} users; the source is as it was."
        )
        output.say(
            "Name the new place from now on (SHARPWAVE_POSTGRES__URL or SHARPWAVE_PATH), and write "
            "to the old one no more."
        )
