"""`export-insights`: what was learned, a file for each month [XPT-04]."""

import json as to_json
from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer

from sharpwave import upkeep
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose
from sharpwave.interfaces.cli.files.writing import write
from sharpwave.types.experience import Insight

_FOLDER = "exports"


def export_insights(
    to: Annotated[
        Path | None, typer.Argument(help="A folder; `exports` beside the memory if left out.")
    ] = None,
    month: Annotated[str | None, typer.Option(help="Only this one, such as 2026-11.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Write the lessons that hold to insights-YYYY-MM.json, by the month they were last drawn."""
    chosen = choose(db, user, settings, json)
    folder = to or upkeep.file_of(chosen.settings).parent / _FOLDER
    by_month: dict[str, list[Insight]] = defaultdict(list)
    with chosen.open_existing() as memory:
        for insight in memory.insights():
            by_month[f"{insight.last_updated:%Y-%m}"].append(insight)
    wanted = sorted(by_month) if month is None else [month]
    files = {name: folder / f"insights-{name}.json" for name in wanted if by_month.get(name)}
    for name, file in files.items():
        write(
            file, to_json.dumps(by_month[name], ensure_ascii=False, indent=2, default=output.plain)
        )
    if json:
        output.as_json({"files": [str(file) for file in files.values()]})
    for name, file in files.items() if not json else ():
        output.say(f"{len(by_month[name])} lessons: {file}")
    if not files and not json:
        output.say("There are no lessons to write.")
