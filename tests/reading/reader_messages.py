"""Everyday messages with what is worth keeping of each, and a count of what a memory keeps.

`python -m tests.reading.reader_messages` shows what is read wrong; `--unseen` of the second file.
"""

import sys
import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sharpwave import Memory
from sharpwave.testing import FrozenClock

DATA = Path(__file__).parent / "data"
SAID = datetime(2026, 3, 9, 9, tzinfo=UTC)


class Wanted(NamedTuple):
    """One thing that a message says: its kind, words of it, and the day of a task."""

    kind: str
    words: tuple[str, ...]
    day: str | None


class EverydayMessage(NamedTuple):
    """A message, and what is worth keeping of it."""

    text: str
    keeps: tuple[Wanted, ...]


class Kept(NamedTuple):
    """Something that a memory learned."""

    kind: str
    text: str
    day: str | None = None


class Score(NamedTuple):
    """What was found of what is worth keeping, and messages without any of which nothing was."""

    found: int
    wanted: int
    left_alone: int
    empty: int
    wrong: tuple[str, ...]


def messages(name: str) -> list[EverydayMessage]:
    """The messages of a file."""
    rows = tomllib.loads((DATA / name).read_text("utf-8"))["message"]
    return [
        EverydayMessage(
            row["text"],
            tuple(
                Wanted(one["kind"], tuple(one["words"]), one.get("day"))
                for one in row.get("keeps", ())
            ),
        )
        for row in rows
    ]


def kept(memory: Memory) -> list[Kept]:
    """All that was learned, by kind; notes are kept like rules."""
    behavior = memory.behavior
    rules = {one.id: one.rule for one in [*behavior.rules(), *behavior.pending()]}
    return [
        *(Kept("fact", one.text) for one in memory.facts.list()),
        *(
            Kept("task", one.title, one.due.date().isoformat() if one.due else None)
            for one in memory.tasks.list()
        ),
        *(
            Kept("rule", rule)
            for rule in [*rules.values(), *(one.text for one in behavior.notes())]
        ),
    ]


def score(memory: Memory, said: list[EverydayMessage]) -> Score:
    """Let a user of their own say each message, and compare what is kept."""
    found = wanted = left_alone = empty = 0
    wrong: list[str] = []
    for number, message in enumerate(said):
        own = memory.user(f"user-{number}")
        own.remember(message.text)
        learned = kept(own)
        if not message.keeps:
            empty += 1
            left_alone += not learned
            wrong += [f"{message.text!r}: {learned}"] if learned else []
            continue
        for one in message.keeps:
            wanted += 1
            is_found = any(_is(one, each) for each in learned)
            found += is_found
            wrong += [] if is_found else [f"{message.text!r}: {one} not in {learned}"]
    return Score(found, wanted, left_alone, empty, tuple(wrong))


def _is(wanted: Wanted, learned: Kept) -> bool:
    said = learned.text.casefold()
    return (
        wanted.kind == learned.kind
        and all(word.casefold() in said for word in wanted.words)
        and wanted.day in {None, learned.day}
    )


def main() -> None:
    """Print what is read wrong."""
    name = "reader_messages_unseen.toml" if "--unseen" in sys.argv else "reader_messages.toml"
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(f"{folder}/m.db", clock=FrozenClock(SAID)) as memory,
    ):
        made = score(memory, messages(name))
    print(
        f"{made.found} of {made.wanted}; {made.left_alone} of {made.empty}", *made.wrong, sep="\n"
    )


if __name__ == "__main__":
    main()
