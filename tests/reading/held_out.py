"""How much of the held-out statements is found, and how much of what is found was said."""

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evals.extraction import case_line
from sharpwave import Kind
from sharpwave.reading.extract import extract
from sharpwave.types.records import USER
from sharpwave.types.statements import Candidate, Spoken

HELD_OUT = Path(__file__).with_name("held_out.toml")
AT = datetime(2024, 3, 5, tzinfo=UTC)
GATE = 0.7
ALIKE = 0.6
"""Objects are the same if they share this much of their words."""
_WORD = re.compile(r"[^\W_]+(?:['.@/-][^\W_]+)*")
_EMPTY = frozenset("a an the their my our your in on at to".split())


@dataclass
class Score:
    """Of `wanted` lines `right` were found; `found` counts all that were found."""

    wanted: int = 0
    right: int = 0
    found: int = 0
    asked: int = 0
    exact: int = 0
    false: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.right / self.wanted

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0


def line(one: Candidate) -> str:
    if one.kind is Kind.TASK:
        return f"task | {one.text} | {one.status}"
    if one.kind is Kind.NOTE:
        return f"note | {one.text}"
    return case_line(one)


def lines(text: str) -> list[str]:
    """All that passes the gate, as the cases write it."""
    found = extract(text, Spoken(USER, AT)).candidates
    return [line(one) for one in found if one.confidence >= GATE]


def alike(one: str, other: str) -> bool:
    """True if two lines say the same: all parts equal, but the words of the object mostly."""
    ours, theirs = one.split(" | "), other.split(" | ")
    at = 1 if ours[0] in {"task", "note"} else 2
    if len(ours) != len(theirs) or len(ours) <= at:
        return False
    rest = [part.casefold() for part in ours[:at] + ours[at + 1 :]]
    if rest != [part.casefold() for part in theirs[:at] + theirs[at + 1 :]]:
        return False
    first, second = _words(ours[at]), _words(theirs[at])
    return first == second or len(first & second) >= ALIKE * max(len(first), len(second))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - _EMPTY


def score(path: Path = HELD_OUT) -> Score:
    """Read every sentence of the file."""
    return scored(tomllib.loads(path.read_text("utf-8")), lines)


def scored(table: dict[str, Any], read: Callable[[str], list[str]]) -> Score:
    """Read every sentence of a table."""
    total = Score()
    for text, wanted in _said(table):
        found = read(text)
        missed = [one for one in wanted if not any(alike(one, other) for other in found)]
        extra = [one for one in found if not any(alike(one, other) for other in wanted)]
        total.wanted += len(wanted)
        total.right += len(wanted) - len(missed)
        total.found += len(wanted) - len(missed) + len(extra)
        total.asked += 1
        total.exact += not missed and not extra
        total.missed += [f"{text}  {one}" for one in missed]
        total.extra += [f"{text}  {one}" for one in extra]
    for several in table["silent"].values():
        total.false += [f"{text}  {one}" for text in several for one in read(text)]
    return total


def _said(table: dict[str, dict[str, list[list[str]]]]) -> Iterator[tuple[str, list[str]]]:
    for rows in table["said"].values():
        for text, *wanted in rows:
            yield text, wanted
