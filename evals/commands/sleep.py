"""`sharpwave eval summaries`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from evals import summaries as quoted
from sharpwave import load_settings
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson


def register(app: typer.Typer) -> None:
    """Add the commands of this file to `sharpwave eval`."""
    app.command("summaries")(summaries)


def summaries(
    data: Annotated[
        Path, typer.Option("--data", help="LoCoMo: a file, or a folder with it.")
    ] = Path("../shared/data/locomo"),
    json: AsJson = False,
) -> None:
    """Summaries of sessions at a quarter of their tokens, beside lead, TextRank and chance."""
    found = list(quoted.sessions(data))
    scores = quoted.measure(found, load_settings())
    if json:
        output.as_json({name: asdict(score) for name, score in scores.items()})
        return
    asked = sum(len(session.asked) for session in found)
    output.say(f"{len(found)} sessions; {asked} of their turns are asked about later")
    table = Table("", "turns kept", "ROUGE-1", "ROUGE-2", "tokens", box=None)
    for name, score in scores.items():
        figures = (score.kept, score.rouge_1, score.rouge_2, score.tokens)
        table.add_row(name, *(f"{figure:.3f}" for figure in figures))
    output.console.print(table)
