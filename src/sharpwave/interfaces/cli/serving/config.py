"""`config`: the settings that hold, and where each comes from."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave import upkeep
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose


def config(
    everything: Annotated[bool, typer.Option("--all", help="Defaults too.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show the settings that hold, and where each comes from; secrets are not shown."""
    chosen = choose(db, user, settings, json)
    given = [name for name, value in {"path": db, "user": user}.items() if value is not None]
    found = upkeep.explain_settings(chosen.settings, settings, given)
    shown = [one for one in found if everything or json or one.source != "default"]
    if json:
        output.as_json({"path": upkeep.file_of(chosen.settings), "settings": shown})
        return
    output.say(f"The memory is in {upkeep.place_of(chosen.settings)}")
    table = Table("setting", "value", "from", box=None)
    for one in shown:
        table.add_row(one.name, Text(str(one.value)), one.source)
    output.console.print(table if shown else "Every setting has its default; --all shows them.")
