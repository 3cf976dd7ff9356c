"""Output of commands: JSON for programs, tables and short sentences for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sharpwave.interfaces.reasons import WHY_NOT, grouped
from sharpwave.types.answers import Decision, Receipt
from sharpwave.types.records import State, Trust

if TYPE_CHECKING:
    from sharpwave.types.answers import Recollection
    from sharpwave.types.known import Fact

_UNLIMITED = 100_000
"""Width if the output is not a terminal: nothing is truncated for programs."""
console = Console(highlight=False, width=None if sys.stdout.isatty() else _UNLIMITED)
_BAR_WIDTH = 12
_TERMS = 4
_SHOWN_CHARS = 300
ID_CHARS = 26


def as_json(value: Any) -> None:
    """Print an answer as one JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=plain), flush=True)


def say(text: str) -> None:
    """Print a text unchanged, without markup or line wrapping."""
    console.print(text, markup=False, soft_wrap=True)


def receipt(stored: Receipt) -> None:
    """Print what was stored and learned."""
    for id_ in stored.ids:
        say(f"Remembered as {id_}.")
    for note in stored.notes:
        say(f"note: {note}")
    for outcome in stored.learned:
        reason = f"  ({outcome.reason})" if outcome.reason else ""
        say(f"  {outcome.verdict.value:10} {outcome.text}{reason}")
    for outcome in stored.rules:
        say(f"  {outcome.verdict.value:10} rule: {outcome.text}")


def rows(table: Table, nothing: str) -> None:
    """Print a table, or a sentence if it has no rows; ids are not truncated."""
    for column in table.columns:
        if column.header == "id":
            column.no_wrap, column.min_width = True, ID_CHARS
    console.print(table) if table.row_count else say(nothing)


def facts(found: Iterable[Fact]) -> None:
    """Print facts, one per row."""
    table = Table("fact", "holds", "sure", "id", box=None)
    for fact in found:
        holds = f"{fact.valid_from:%Y-%m-%d} …"
        if fact.valid_to is not None:
            holds += f" {fact.valid_to:%Y-%m-%d}"
        if fact.state is not State.ACTIVE:
            holds += f" ({fact.state.value})"
        sure = f"{fact.confidence:.2f} ({fact.seen_count}x)"
        table.add_row(Text(fact.text), holds, sure, fact.id)
    rows(table, "No such fact is known.")


def recollection(found: Recollection, explain: bool = False) -> None:
    """Print recalled items, best first, with a bar for each score and its main terms.

    With `explain` all terms, grouped in plain words, and the nearest misses.
    """
    for note in found.notes:
        say(f"note: {note}")
    say(f"{found.decision.value} ({found.confidence:.2f}): {found.rationale}")
    if not found.items:
        say(f"Nothing found among {found.searched} memories of this user.")
    elif found.decision is Decision.ABSTAIN:
        say("The nearest, though they are hardly about it:")
    top = found.items[0].score if found.items else 0.0
    for rank, item in enumerate(found.items, start=1):
        text = item.text if len(item.text) <= _SHOWN_CHARS else item.text[:_SHOWN_CHARS] + "…"
        speaker = item.record.speaker or item.record.role or item.record.kind
        line = Table.grid(padding=(0, 1))
        line.add_row(f"{rank:2}", Text(text, style="bold"))
        share = item.score / top if top else 0.0
        outdated_note = f" (no longer so: {'; '.join(item.outdated)})" if item.outdated else ""
        since = " (no longer so)" if item.outdated_by else outdated_note
        why = f"{item.record.valid_from:%Y-%m-%d} {speaker}{since}  {bar(share, _BAR_WIDTH)}  "
        shown = grouped(item.terms) if explain else item.terms
        why += _why(shown, None if explain else _TERMS)
        line.add_row("", Text(f"{why}  [{item.record.id}]", style="dim"))
        console.print(line)
    if explain:
        _left_out(found)


def _left_out(recollection: Recollection) -> None:
    """Print the nearest misses, each with its reason."""
    if not recollection.left_out:
        return
    ranks = {item.record.id: rank for rank, item in enumerate(recollection.items, start=1)}
    table = Table("score", "why", "what", title="Left out", title_justify="left", box=None)
    for omitted in recollection.left_out:
        rank = ranks.get(omitted.instead or "")
        why = WHY_NOT[omitted.why] + (f" {rank}" if rank else "")
        score = "" if omitted.score is None else f"{omitted.score:.2f}"
        table.add_row(score, why, Text(" ".join(omitted.text.split()), overflow="ellipsis"))
    console.print()
    console.print(table)


@contextmanager
def steps(title: str, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A status line on stderr for the current step of a long task."""
    err_console = Console(stderr=True)
    if quiet or not err_console.is_terminal:
        yield lambda step: None
        return
    with err_console.status(title) as status:
        yield lambda step: status.update(f"{title}: {step}")


@contextmanager
def progress(title: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr for a long task."""
    from rich import progress as bars  # noqa: PLC0415 - few commands take long

    with bars.Progress(
        bars.TextColumn(title),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=quiet,
        transient=True,
    ) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


def _why(terms: Mapping[str, float], count: int | None) -> str:
    """The terms with the largest absolute values, with their sign."""
    ranked = sorted(terms.items(), key=lambda term: -abs(term[1]))
    return ", ".join(f"{name.replace('_', ' ')} {value:+.2f}" for name, value in ranked[:count])


def bar(share: float, width: int) -> str:
    """A share from 0 to 1 as a bar of `width` characters."""
    full = round(min(max(share, 0.0), 1.0) * width)
    return "█" * full + "░" * (width - full)


def plain(value: Any) -> object:
    """A value as JSON-compatible data; the default of `as_json`."""
    if is_dataclass(value) and not isinstance(value, type):
        values = {field.name: getattr(value, field.name) for field in fields(value)}
        # A number to json, which never asks how to write it.
        return {
            name: item.name.lower() if isinstance(item, Trust) else item
            for name, item in values.items()
        }
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (Path, bytes)):
        return value.hex() if isinstance(value, bytes) else str(value)
    raise TypeError(f"cannot print {type(value).__name__}")
