"""What the evaluations of recall have in common: their options, progress, and what they write."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from evals import stores, talks
from evals.recall import Plan
from sharpwave import load_settings
from sharpwave.interfaces.cli import output
from sharpwave.settings.tree import Settings

SHARED = Path("../shared/data")
STDOUT = Path("-")

Data = Annotated[Path, typer.Option("--data", help="A file of the set, or a folder with it.")]
Out = Annotated[
    Path | None,
    typer.Option("--json", help="Write everything here, question by question; - prints it."),
]
Page = Annotated[Path | None, typer.Option("--report", help="Write a page with charts here.")]
Peers = Annotated[
    list[str] | None, typer.Option("--peer", help=f"Beside us: {', '.join(stores.NAMES)} or all.")
]
Limit = Annotated[int | None, typer.Option(help="The first conversations only.", min=1)]


Sleep = Annotated[
    bool, typer.Option("--sleep", help="Let the memory sleep before it is asked anything.")
]

Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        help="Remember in this database (postgresql://…) instead of in files: each conversation is "
        "a new user there, forgotten at the end.",
    ),
]

Set = Annotated[str, typer.Option("--set", help=f"Which set: {', '.join(talks.NAMES)}.")]


def plan(
    out: Path | None,
    limit: int | None,
    peers: Sequence[str] = (),
    name: str = "",
    sleep: bool = False,
    database: str | None = None,
) -> Plan:
    """How to measure: with the settings of this machine, and notes of what is done beside `out`."""
    chosen = load_settings()
    # The file lives for one conversation: nothing is lost if the power goes.
    store = chosen.store.model_copy(update={"synchronous": "OFF"})
    settings = Settings.model_validate(chosen.model_copy(update={"store": store}).model_dump())
    return Plan(tuple(peers), settings, limit, _notes(out, name), sleep, database)


def tell(text: str) -> None:
    """Progress, beside what is printed."""
    typer.echo(f"… {text}", err=True)


def keep(result: dict[str, Any], out: Path | None, names: Sequence[str]) -> bool:
    """Write the result where it is wanted; True if it was printed, so that nothing else need be."""
    if out is None:
        return False
    text = json.dumps(result, indent=1)
    if out == STDOUT:
        print(text)
        return True
    out.write_text(text, "utf-8")
    for name in names:
        if (notes := _notes(out, name)) is not None:
            notes.unlink(missing_ok=True)
    output.say(f"written to {out}")
    return False


def publish(page: str, to: Path | None) -> None:
    """Write the page where it is wanted."""
    if to is not None:
        to.write_text(page, "utf-8")
        output.console.print(f"report in {to}", markup=False)


def _notes(out: Path | None, name: str) -> Path | None:
    if out is None or out == STDOUT:
        return None
    return out.with_name(f"{out.name}.{name}.progress")
