"""`sharpwave eval temporal`: measures of what is made of a text before it is stored."""

from typing import Annotated

import typer
from rich.table import Table

from evals import temporal as by_time
from evals.commands.vectors import SHARED, Data
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson


def register(app: typer.Typer) -> None:
    """Add the commands of this file to `sharpwave eval`."""
    app.command("temporal")(temporal)


def temporal(
    data: Data = SHARED,
    missed: Annotated[
        bool, typer.Option("--missed", help="List what is resolved wrongly.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Time expressions resolved as the reference does, beside dateparser."""
    found = by_time.compare(data)
    if json:
        output.as_json(found)
        return
    for note in found.notes:
        output.say(f"note: {note}")
    table = Table("type", "of", *(each.name for each in found.results))
    first = found.results[0]
    for name, count in first.types.items():
        table.add_row(name, str(count.of), *(_percent(each.types[name]) for each in found.results))
    targeted = " + ".join(by_time.TARGETED)
    for title, field in ((targeted, "targeted"), ("all", "overall")):
        counts = [getattr(each, field) for each in found.results]
        table.add_row(title, str(counts[0].of), *(_percent(count) for count in counts))
    wrong = [each.found_in_error for each in found.results]
    table.add_row(
        "texts with none, found one", str(wrong[0].of), *(str(one.right) for one in wrong)
    )
    table.add_row("CPU ms a text", "", *(f"{each.cpu_ms:.3f}" for each in found.results))
    output.console.print(table)
    for line in found.missed if missed else ():
        output.say(line)


def _percent(count: by_time.Count) -> str:
    return f"{count.share * 100:.1f} %"
