"""`sharpwave eval pii`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from evals import pii as sensitive
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson
from sharpwave.types.privacy import CLASS_OF

SHARED = Path("../shared/data")


def register(app: typer.Typer) -> None:
    """Add the commands of this file to `sharpwave eval`."""
    app.command("pii")(pii)


def pii(
    data: Annotated[Path, typer.Option("--data", help="The folder with the public sets.")] = SHARED,
    names: Annotated[
        str, typer.Option("--finders", help="Which, with commas.")
    ] = "sharpwave,SEC-10,presidio",
    examples: Annotated[
        int, typer.Option(help="Show this many everyday findings of each type.", min=0)
    ] = 0,
    json: AsJson = False,
) -> None:
    """Sensitive content: what is found, missed and taken for it; injections that are flagged."""
    asked = [name.strip() for name in names.split(",") if name.strip()]
    report = sensitive.compare(
        asked, data, examples, lambda text: None if json else typer.echo(f"… {text}", err=True)
    )
    if json:
        output.as_json(report)
        return
    for note in report.notes:
        output.say(f"note: {note}")
    _scores("the half, by template, that the rules were not developed on", report.held)
    _scores("whole set", report.whole)
    _scores("keys, passwords and PINs of our own making", report.secrets)
    left = report.secrets_left
    output.say(f"after redaction {left['left']} of {left['of']} of these secrets are still there")
    _everyday(report.everyday)
    _flagged(report.injections)
    if report.cpu_ms is not None:
        output.say(f"redaction of a turn of about 60 words: {report.cpu_ms:.3f} ms CPU, median")


def _scores(title: str, scored: Sequence[sensitive.Scored]) -> None:
    """A row for each type and finder; exact spans, and F1 for any overlap.

    Names and places are left out for finders that do not look for them.
    """
    table = Table(
        "finder", "type", "marked", "found", "precision", "recall", "F1", "overlap F1", title=title
    )
    for one in scored:
        looked_for = {
            kind: quality
            for kind, quality in one.types.items()
            if quality.found or CLASS_OF[kind] in sensitive.STRUCTURED
        }
        for kind, quality in (("micro", one.micro), *looked_for.items()):
            numbers = (quality.precision, quality.recall, quality.f1, quality.overlap_f1)
            counts = (str(quality.gold), str(quality.found))
            table.add_row(one.finder, str(kind), *counts, *(f"{each:.3f}" for each in numbers))
    output.console.print(table)


def _everyday(found: Sequence[sensitive.EverydayFindings]) -> None:
    kinds = sorted({kind for one in found for kind in one.per_thousand})
    title = "findings per 1,000 everyday turns"
    table = Table("type", *(f"{one.finder}, {one.set} ({one.turns})" for one in found), title=title)
    for kind in kinds:
        table.add_row(kind.value, *(f"{one.per_thousand.get(kind, 0):.2f}" for one in found))
    output.console.print(table)
    for one in found:
        for kind, shown in one.examples.items():
            for text in shown:
                output.say(f"{one.finder}, {one.set}, {kind.value}: {text}")


def _flagged(found: Sequence[sensitive.Flagged]) -> None:
    table = Table("texts", "number", "flagged", "share", title="flagged as orders to the assistant")
    for one in found:
        share = one.flagged / one.texts if one.texts else 0.0
        table.add_row(one.set, str(one.texts), str(one.flagged), f"{share:.1%}")
    output.console.print(table)
