"""`python -m evals` lists what can be measured; `python -m evals locomo --help` says how."""

import io
import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout

import typer

from evals import (
    abstention,
    answers,
    conflict,
    context,
    embedders,
    everyday,
    experience,
    extraction,
    feedback,
    pii,
    prompts,
    recall,
    recorded,
    reflective,
    remarks,
    rerank,
    restated,
    results,
    skills,
    steering,
    summaries,
    temporal,
    update,
)
from sharpwave import NotFound, SharpwaveError, UsageError

COMMANDS = (
    recall.locomo,
    recall.realtalk,
    recall.longmemeval,
    everyday.everyday,
    recorded.recorded,
    answers.answers,
    abstention.abstention,
    context.context,
    update.update,
    remarks.remarks,
    restated.restated,
    conflict.conflict,
    reflective.reflective,
    extraction.extraction,
    temporal.temporal,
    pii.pii,
    steering.steering,
    skills.skills,
    feedback.feedback,
    experience.experience,
    summaries.summaries,
    prompts.prompts,
    embedders.embedders,
    embedders.languages,
    rerank.rerank,
)

app = typer.Typer(
    name="evals",
    no_args_is_help=True,
    help="Measure Sharpwave and its parts, beside others, on public data. With --save, write the "
    "figures to evals/results.json.",
    add_completion=False,
    rich_markup_mode=None,
)
for command in COMMANDS:
    app.command()(command)


def main() -> None:
    """Run a command; an error of ours becomes one line on stderr and an exit code."""
    try:
        if "--save" in sys.argv:
            _measure_and_save(sys.argv[1:])
        else:
            app()
    except SharpwaveError as error:
        if "--json" in sys.argv:
            print(json.dumps({"error": {"code": error.code, "message": str(error)}}))
        print(f"error: {error}", file=sys.stderr)
        sys.exit(3 if isinstance(error, NotFound) else 2 if isinstance(error, UsageError) else 1)


def _measure_and_save(arguments: Sequence[str]) -> None:
    """Run a command, and write the figures that it prints as JSON to the file of results."""
    results.measured_by(arguments, results.load())
    words = [word for word in arguments if word not in results.IGNORED]
    with redirect_stdout(io.StringIO()) as printed:
        try:
            app([*words, "--json"])
        except SystemExit as done:
            if done.code:
                raise
    for name in results.save(words, json.loads(printed.getvalue())):
        print(f"saved: {name}")


if __name__ == "__main__":
    main()
