"""What the commands share: their options, and how they print."""

import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sharpwave import Settings, load_settings

SHARED = Path("../shared/data")

Data = Annotated[
    Path,
    typer.Option("--data", help="A file of the set, a folder with it, or the folder of all sets."),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as one JSON object and nothing else.")
]
Limit = Annotated[int | None, typer.Option("--limit", help="The first so many only.", min=1)]
Page = Annotated[Path | None, typer.Option("--report", help="Write a page with charts here.")]
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume", help="Note finished conversations here; the next run goes on after them."
    ),
]
Sleep = Annotated[bool, typer.Option("--sleep", help="Let the memory sleep before the questions.")]

console = Console(highlight=False)


def say(text: str) -> None:
    """Print a sentence; brackets in it are not markup."""
    console.print(text, markup=False)


def say_notes(notes: Iterable[str]) -> None:
    """Print what was left out, and why."""
    for note in notes:
        say(f"note: {note}")


def report_progress(text: str) -> None:
    """Print what is being done, on stderr."""
    typer.echo(f"… {text}", err=True)


def print_json(result: Any) -> None:
    """Print a result as one JSON object."""
    print(json.dumps(result, ensure_ascii=False, indent=1, default=_plain))


def write_page(page: str, file: Path | None) -> None:
    """Write a page of charts, if a file is named for it."""
    if file is not None:
        file.write_text(page, "utf-8")
        report_progress(f"report in {file}")


def split(names: str) -> list[str]:
    """The names in a list with commas."""
    return [name.strip() for name in names.split(",") if name.strip()]


def settings_to_measure() -> Settings:
    """The settings of this machine, without syncing: the files live as long as a conversation."""
    chosen = load_settings()
    store = chosen.store.model_copy(update={"synchronous": "OFF"})
    return Settings.model_validate(chosen.model_copy(update={"store": store}).model_dump())


def _plain(value: Any) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.name.lower()
    raise TypeError(f"cannot print {type(value).__name__}")
