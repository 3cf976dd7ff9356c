"""What reflection finds: in examples of steering, in ordinary turns, in stated preferences.

A rule is right if its content words (stems, without stop words) are those that were expected: by
Dice's coefficient at least `RIGHT`. Each pair is in the report, so that everybody can judge.
"""

import gzip
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from sharpwave import Memory
from sharpwave.errors import NotFound
from sharpwave.evals.writing.conversations import content_words, locomo_talks
from sharpwave.formulas.text import likeness
from sharpwave.types.steering import Signal

RIGHT = 0.75
_NOTHING = "none"


class Example(NamedTuple):
    """A message, the type it is of (or none), the rule if one is expected, the answer before."""

    text: str
    type: str
    rule: str | None = None
    previous: str | None = None


class Judged(NamedTuple):
    """What was found in an example."""

    example: Example
    found: tuple[Signal, ...]

    @property
    def types(self) -> list[str]:
        """Types of all that was found; for nothing, none."""
        return sorted({one.type.removeprefix("behavioral_") for one in self.found}) or [_NOTHING]

    @property
    def is_right_type(self) -> bool:
        """Every signal is of the type that was expected."""
        return self.types == [self.example.type]

    @property
    def rule(self) -> str:
        """All that was found, as one text."""
        return ", ".join(one.rule for one in self.found)

    @property
    def likeness(self) -> float:
        """How far the words of the rule are those expected."""
        return likeness(content_words(self.rule), content_words(self.example.rule or ""))

    @property
    def is_right_rule(self) -> bool:
        """The words are those expected."""
        return self.likeness >= RIGHT


class Ordinary(NamedTuple):
    """What was found in turns that people said to one another or to an assistant."""

    name: str
    turns: int
    signalled: list[tuple[str, str]]
    """Turns in which something was found, each with it."""
    median_ms: float
    """CPU time of one turn."""

    @property
    def per_thousand(self) -> float:
        """Turns with a signal, of a thousand."""
        return 1000 * len(self.signalled) / self.turns if self.turns else 0.0


class Stated(NamedTuple):
    """Preferences that people state: how many become a rule, a fact or note, or either."""

    total: int
    as_rule: int
    as_fact: int
    either: int
    missed: list[str]


class Report(NamedTuple):
    """All of it."""

    examples: list[Judged]
    negatives: list[Judged]
    ordinary: list[Ordinary]
    stated: Stated | None
    held_out: list[Judged]


def measure(data: Path, held_out: Path | None, limit: int | None) -> Report:
    """Judge every set that is there; `limit` takes the first turns of ordinary talk only."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "m.db") as memory:
        positives, negatives = _examples(data)
        return Report(
            examples=[_judged(memory, one, f"e{n}") for n, one in enumerate(positives)],
            negatives=[_judged(memory, one, f"n{n}") for n, one in enumerate(negatives)],
            ordinary=[
                _ordinary(memory, name, turns[:limit]) for name, turns in _talk(data).items()
            ],
            stated=_stated(memory, data, limit),
            held_out=[_judged(memory, one, f"h{n}") for n, one in enumerate(_own(held_out))],
        )


def _judged(memory: Memory, example: Example, user: str) -> Judged:
    own = memory.user(user)
    found = own.reflect(example.text, previous_assistant_message=example.previous)
    return Judged(example, found.signals)


def _examples(data: Path) -> tuple[list[Example], list[Example]]:
    file = data / "cases" / "loom_spec16_examples.json"
    if not file.exists():
        raise NotFound(f"no {file}; say where the sets are with --data")
    read: dict[str, Any] = json.loads(file.read_text("utf-8"))
    positives = [
        Example(
            one["utterance"],
            one["expected_type"].removeprefix("behavioral_"),
            one.get("expected_rule"),
        )
        for one in read["positives"]
    ]
    return positives, [Example(one["utterance"], _NOTHING) for one in read["negatives"]]


def _own(file: Path | None) -> Iterator[Example]:
    """Lines of type, rule, message and the answer before, between tabs."""
    if file is None:
        return
    for line in file.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            type_, rule, text, *previous = line.split("\t")
            yield Example(text, type_, rule or None, previous[0] if previous else None)


def _talk(data: Path) -> dict[str, list[tuple[str, str | None]]]:
    """Ordinary turns with the turn before, each set by its name."""
    found = {
        "locomo": [
            (turn.text, turn.spoken.previous) for talk in locomo_talks(data) for turn in talk.turns
        ]
    }
    turns: dict[str, str | None] = {}
    for file in sorted(data.glob("longmemeval/*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                for session in json.loads(line)["haystack_sessions"]:
                    turns |= dict(_of_the_user(session))
    return found | ({"longmemeval": list(turns.items())} if turns else {})


def _of_the_user(session: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str | None]]:
    previous = None
    for turn in session:
        if turn["role"] == "user":
            yield turn["content"], previous
        previous = turn["content"]


def _ordinary(memory: Memory, name: str, turns: Sequence[tuple[str, str | None]]) -> Ordinary:
    times, signalled = [], []
    for number, (text, previous) in enumerate(turns):
        own = memory.user(f"{name}{number}")
        start = time.process_time()
        found = own.reflect(text, previous_assistant_message=previous)
        times.append(time.process_time() - start)
        if found.signals:
            rules = "; ".join(f"{one.type[11:]}: {one.rule}" for one in found.signals)
            signalled.append((text, rules))
    return Ordinary(name, len(turns), signalled, 1000 * median(times or [0.0]))


def _stated(memory: Memory, data: Path, limit: int | None) -> Stated | None:
    file = data / "preferences" / "prefeval_explicit_dev.json"
    if not file.exists():
        return None
    said = [one["preference"] for one in json.loads(file.read_text("utf-8"))][:limit]
    as_rule = as_fact = either = 0
    missed = []
    for number, text in enumerate(said):
        own = memory.user(f"p{number}")
        rule = bool(own.remember(text).rules)
        fact = bool(own.notes()) or any(one.type in _KINDS for one in own.facts())
        as_rule, as_fact, either = as_rule + rule, as_fact + fact, either + (rule or fact)
        if not (rule or fact):
            missed.append(text)
    return Stated(len(said), as_rule, as_fact, either, missed)


_KINDS = frozenset({"preference", "constraint", "health"})
