"""`conflict`: statements that contradict each other; what holds, and whether there is a question.

Conversations of our own, three kinds for each thing [EVL-03]:

    newer      the user says later that it changed: the new value holds, no question
    weaker     the assistant says another value: the user's holds, no question
    unclear    the user denies the next day what was said: nothing is sure, a question

`right` is the share in which what holds is what should, `asked` that in which there is a question
to settle it. Beside it stands what a memory gets right that believes whatever was said last.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.table import Table

from evals import cli
from evals.cli import Json, Limit
from evals.recall import ConversationClock
from sharpwave import Memory, Message, Settings

NEWER, WEAKER, UNCLEAR = "newer", "weaker", "unclear"
_BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Contested:
    """Something that has one value at a time, and how people speak of it."""

    stated: str
    changed: str
    denied: str
    by_another: str
    values: tuple[str, ...]


THINGS = (
    Contested("I live in {}.", "I moved to {}.", "I do not live in {}.", "You live in {}.",
              ("Lisbon", "Oslo", "Ghent")),
    Contested("I work at {}.", "I work at {} now.", "I do not work at {}.", "You work at {}.",
              ("Brightwell", "Norfield", "Casparo")),
    Contested("My name is {}.", "Actually, my name is {}.", "My name is not {}.",
              "Your name is {}.", ("Imogen", "Beatriz", "Yuki")),
    Contested("My favourite drink is {}.", "My favourite drink is {} now.",
              "My favourite drink is not {}.", "Your favourite drink is {}.",
              ("kombucha", "espresso", "rooibos")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConflictOutcome:
    """What became of one conversation."""

    kind: str
    first: str
    second: str
    holds: tuple[str, ...]
    """Of the two values, those that are taken for true in the end."""
    asked: bool
    right: bool
    last_right: bool
    """Whether believing what was said last would be right."""


def measure(settings: Settings, limit: int | None = None) -> dict[str, Any]:
    """Every conversation, or the first few; shares by kind."""
    done = [_outcome(settings, *conversation) for conversation in list(_conversations())[:limit]]
    kinds = {
        kind: [outcome for outcome in done if outcome.kind == kind]
        for kind in (NEWER, WEAKER, UNCLEAR)
    }
    return {
        "kinds": {kind: _shares(some) for kind, some in kinds.items() if some},
        "conversations": [asdict(outcome) for outcome in done],
    }


def _conversations() -> Iterator[tuple[str, Contested, str, str]]:
    """Kind, thing and two values; the kinds take turns."""
    for thing in THINGS:
        for place, value in enumerate(thing.values):
            other = thing.values[(place + 1) % len(thing.values)]
            for kind in (NEWER, WEAKER, UNCLEAR):
                yield kind, thing, value, other


def _outcome(
    settings: Settings, kind: str, thing: Contested, first: str, second: str
) -> ConflictOutcome:
    clock = ConversationClock()
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(f"{folder}/memory.db", settings=settings, clock=clock) as memory:
            for days, said in enumerate(_said(kind, thing, first, second)):
                clock.set(_BEGIN + timedelta(days=days))
                memory.remember(said)
            facts = memory.facts.list()
            holds = tuple(v for v in (first, second) if any(v == fact.object for fact in facts))
            asked = bool(memory.facts.conflicts())
    wanted = {NEWER: (second,), WEAKER: (first,), UNCLEAR: ()}[kind]
    right = holds == wanted and asked == (kind == UNCLEAR)
    return ConflictOutcome(kind, first, second, holds, asked, right, last_right=kind == NEWER)


def _said(kind: str, thing: Contested, first: str, second: str) -> tuple[Message, Message]:
    later = {
        NEWER: Message(thing.changed.format(second)),
        WEAKER: Message(thing.by_another.format(second), role="assistant"),
        UNCLEAR: Message(thing.denied.format(first)),
    }
    return Message(thing.stated.format(first)), later[kind]


def _shares(some: list[ConflictOutcome]) -> dict[str, float]:
    return {
        "conversations": len(some),
        "right": sum(outcome.right for outcome in some) / len(some),
        "asked": sum(outcome.asked for outcome in some) / len(some),
        "last_wins": sum(outcome.last_right for outcome in some) / len(some),
    }


# --- the command ----------------------------------------------------------------------------------


def conflict(limit: Limit = None, as_json: Json = False) -> None:
    """What holds when statements contradict each other, and whether one is asked."""
    result = measure(cli.settings_to_measure(), limit)
    if as_json:
        cli.print_json(result)
        return
    table = Table("statements", "conversations", "right", "asked", "right if the last is believed")
    for kind, shares in result["kinds"].items():
        row = (f"{shares[name]:.2f}" for name in ("right", "asked", "last_wins"))
        table.add_row(kind, f"{shares['conversations']:.0f}", *row)
    cli.console.print(table)
