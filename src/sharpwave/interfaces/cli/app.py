"""Remember, recall, and look after a memory file."""

import json
import sys
from typing import Annotated

import typer
from rich.console import Console

from sharpwave import __version__
from sharpwave.errors import SharpwaveError
from sharpwave.interfaces.cli import (
    care,
    demo,
    evaluate,
    evaluate_extraction,
    evaluate_privacy,
    evaluate_writing,
    knowing,
    moving,
    remembering,
    settling,
)
from sharpwave.interfaces.cli.agents import evaluate as evaluate_experience
from sharpwave.interfaces.cli.agents import working
from sharpwave.interfaces.cli.evals import feedback as feedback_evals
from sharpwave.interfaces.cli.evals import recall as recall_evals
from sharpwave.interfaces.cli.exit_codes import EXIT_CODES

app = typer.Typer(
    name="sharpwave",
    no_args_is_help=True,
    add_completion=False,
    help=__doc__,
    rich_markup_mode=None,
)
for command in (
    demo.demo,
    remembering.remember,
    remembering.recall,
    remembering.context,
    remembering.forget,
    knowing.profile,
    knowing.facts,
    knowing.history,
    knowing.conflicts,
    knowing.resolve,
    knowing.tasks,
    knowing.notes,
    knowing.related,
    knowing.explain,
    settling.quarantine,
    settling.consent,
    settling.jobs,
    settling.work,
    moving.export,
    moving.import_,
    moving.backup,
    moving.restore,
    care.stats,
    care.verify,
    care.doctor,
    care.reembed,
    care.rekey,
    care.scrub,
    working.experience,
    working.advise,
    working.import_log,
):
    app.command(command.__name__.rstrip("_").replace("_", "-"))(command)
evaluate_privacy.register(evaluate.app)
recall_evals.register(evaluate.app)
feedback_evals.register(evaluate.app)
evaluate_writing.register(evaluate.app)
evaluate_experience.register(evaluate.app)
evaluate_extraction.register(evaluate.app)
app.add_typer(evaluate.app)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback(help=__doc__)
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Options before the command."""


def main() -> None:
    """Run a command; an error of ours becomes one line on stderr and an exit code."""
    try:
        app()
    except SharpwaveError as error:
        if "--json" in sys.argv:
            print(json.dumps({"error": {"code": error.code, "message": str(error)}}))
        Console(stderr=True).print(f"error: {error}", style="red", markup=False, highlight=False)
        sys.exit(EXIT_CODES.get(error.code, 1))
    except KeyboardInterrupt:
        sys.exit(130)
