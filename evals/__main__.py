"""`python -m evals` lists what can be measured; `python -m evals locomo --help` says how."""

import json
import sys

import typer

from evals import (
    abstention,
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
    rerank,
    restated,
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
    abstention.abstention,
    context.context,
    update.update,
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
    help="Measure Sharpwave and its parts, beside others, on public data.",
    add_completion=False,
    rich_markup_mode=None,
)
for command in COMMANDS:
    app.command()(command)


def main() -> None:
    """Run a command; an error of ours becomes one line on stderr and an exit code."""
    try:
        app()
    except SharpwaveError as error:
        if "--json" in sys.argv:
            print(json.dumps({"error": {"code": error.code, "message": str(error)}}))
        print(f"error: {error}", file=sys.stderr)
        sys.exit(3 if isinstance(error, NotFound) else 2 if isinstance(error, UsageError) else 1)


if __name__ == "__main__":
    main()
