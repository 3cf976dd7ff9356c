"""`sharpwave eval experience`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from evals import experience as learned
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson

SHARED = Path("../shared/data")


def register(app: typer.Typer) -> None:
    """Add the command of this file to `sharpwave eval`."""
    app.command("experience")(experience)


def experience(
    data: Annotated[Path, typer.Option("--data", help="The folder with the public sets.")] = SHARED,
    json: AsJson = False,
) -> None:
    """Learned on half of the runs of an agent: next tools, warnings, success of the rest."""
    report = learned.compare(data, lambda text: None if json else typer.echo(f"… {text}", err=True))
    if json:
        output.as_json(report)
        return
    for half in report.halves:
        title = f"{half.split}: learned on {half.learned} runs, tested on {half.tested}"
        table = Table("next tool", "steps", "accuracy@1", "accuracy@3", title=title)
        for one in half.next_tool:
            table.add_row(one.name, str(one.steps), f"{one.at_1:.3f}", f"{one.at_3:.3f}")
        output.console.print(table)
        warned = half.warnings
        output.say(
            f"failed runs that a warning named beforehand: {warned.named:.1%} of "
            f"{warned.failed_runs} (by parameter {warned.named_parameter:.1%}); runs that went "
            f"well and were warned of a step they took: {warned.false_alarms:.1%} of "
            f"{warned.good_runs}; {warned.per_run:.1f} warnings a run"
        )
        output.say(
            f"success foretold from the first message: AUROC {half.success_auroc:.3f}; once the "
            f"user has said everything: {half.success_auroc_later:.3f}"
        )
