"""`sharpwave eval steering`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from evals import steering as measured
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson

SHARED = Path("../shared/data")


def register(app: typer.Typer) -> None:
    """Add the command of this file to `sharpwave eval`."""
    app.command("steering")(steering)


def steering(
    data: Annotated[Path, typer.Option("--data", help="The folder with the public sets.")] = SHARED,
    held_out: Annotated[
        Path | None, typer.Option("--held-out", help="Sentences of your own, in a TSV file.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="The first turns of each set.", min=1)] = None,
    json: AsJson = False,
) -> None:
    """What users ask for good: found where it is said, and nowhere else."""
    report = measured.measure(data, held_out, limit)
    if json:
        output.as_json(report)
        return
    _show_judged("examples", report.examples)
    _show_judged("negatives", report.negatives)
    for one in report.ordinary:
        for text, found in one.signalled:
            output.say(f"{one.name}: {text[:160]!r} -> {found}")
        output.say(
            f"{one.name}: {len(one.signalled)} of {one.turns} ordinary turns signal something, "
            f"{one.per_thousand:.2f} in a thousand; median {one.median_ms:.2f} ms of CPU a turn"
        )
    if stated := report.stated:
        output.say(
            f"stated preferences: {stated.either} of {stated.total} caught "
            f"({stated.either / stated.total:.1%}); {stated.as_rule} as rules, "
            f"{stated.as_fact} as facts or notes"
        )
    if report.held_out:
        _show_judged("held out", report.held_out)


def _show_judged(title: str, found: Sequence[measured.JudgedExample]) -> None:
    table = Table("expected", "found", "rule", "expected rule", "alike", title=title)
    for one in found:
        alike = f"{one.likeness:.2f}" if one.example.rule else ""
        wrong = not one.is_right_type or (bool(one.example.rule) and not one.is_right_rule)
        shown = (one.example.type, " ".join(one.types), one.rule or "-", one.example.rule or "")
        table.add_row(*map(Text, shown), alike, style="red" if wrong else None)
    output.console.print(table)
    ruled = [one for one in found if one.example.rule]
    right = sum(one.is_right_type for one in found)
    rules = f", rule right {sum(one.is_right_rule for one in ruled)}/{len(ruled)}" if ruled else ""
    output.say(f"{title}: type right {right}/{len(found)}{rules}")
