"""`sharpwave eval prompts`."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from evals.prompts import PromptScore, cases, measure
from sharpwave import load_settings, upkeep
from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, SettingsFile


def register(app: typer.Typer) -> None:
    """Add the commands of this file to `sharpwave eval`."""
    app.command("prompts")(prompts)


def prompts(
    only: Annotated[list[str] | None, typer.Option("--only", help="Just this prompt.")] = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Ask the configured language models a few cases of every prompt; costs some cents at most."""
    known = sorted({case.prompt.name for case in cases()})
    for name in only or ():
        if name not in known:
            raise InvalidInput(f"there is no prompt {name!r}; there are {', '.join(known)}")
    chosen = [case for case in cases() if not only or case.prompt.name in only]
    with output.steps("asking", json) as tell:
        scores = measure(upkeep.language_model(load_settings(settings)), chosen, tell)
    if json:
        output.as_json([asdict(one) for one in scores])
    else:
        _show(scores)


def _show(scores: list[PromptScore]) -> None:
    table = Table("prompt", "model", "asked", "in form", "right", "tokens", "seconds", box=None)
    for one in scores:
        counts = (str(one.asked), str(one.answered), str(one.right))
        tokens = f"{one.input_tokens} + {one.output_tokens}"
        table.add_row(one.prompt, Text(one.model), *counts, tokens, f"{one.seconds:.1f}")
    output.console.print(table)
    for problem in dict.fromkeys(one.problem for one in scores if one.problem):
        output.say(problem)
