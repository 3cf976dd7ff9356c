"""People of the Everyday format: half a year of talk each, with labels, and what they ask later.

`../shared/EVERYDAY.md` and `training/corpus/GUIDE.md` say what the fields mean. A `need` is a list
of groups of alternatives; a text meets it if it holds an alternative of every group.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from evals.sets import files_of, in_form

SET = "everyday"
MODES = ("holds", "ended", "planned", "negated", "event")
KINDS = ("current", "history", "list", "person", "time", "inference", "absent")

Need = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Label:
    """Something to keep of a turn, or, under `wrong`, not to keep."""

    say: str
    need: Need
    mode: str = ""
    due: date | None = None


@dataclass(frozen=True, slots=True)
class PersonTurn:
    """A turn, with what a good assistant would keep of it."""

    id: str
    session: str
    role: str
    text: str
    starts: datetime
    """When its session began."""
    facts: tuple[Label, ...] = ()
    tasks: tuple[Label, ...] = ()
    rules: tuple[Label, ...] = ()
    wrong: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonQuestion:
    """What the person asks later; without an answer if it was never mentioned."""

    id: str
    at: datetime
    text: str
    kind: str
    answer: Need
    outdated: Need
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HelpRequest:
    """A request for which known things matter that it does not mention."""

    id: str
    at: datetime
    text: str
    must: tuple[Label, ...]
    must_not: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """One file."""

    id: str
    name: str
    language: str
    turns: tuple[PersonTurn, ...]
    questions: tuple[PersonQuestion, ...]
    helps: tuple[HelpRequest, ...]


def meets(need: Need, text: str) -> bool:
    """True if the text holds an alternative of every group, ignoring case.

    >>> meets((("tabs",), ("never", "not")), "Do not use Tabs")
    True
    """
    lowered = text.lower()
    return bool(need) and all(any(part.lower() in lowered for part in group) for group in need)


def load(data: Path) -> list[Person]:
    """Everybody in a file, a folder, or the folder of all sets."""
    people = []
    for file in files_of(SET, data):
        with in_form(SET, file):
            people.append(person(json.loads(file.read_text("utf-8"))))
    return people


KEPT_APART = 4
"""Of the people of a corpus, one in so many is never trained on."""


def is_kept_apart(person_id: str) -> bool:
    """Which part of a corpus a person belongs to, fixed by the id."""
    return hashlib.blake2b(person_id.encode()).digest()[0] % KEPT_APART == 0


def moment(text: str) -> datetime:
    """A time as written in a file, in UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


def person(raw: dict[str, Any]) -> Person:
    """A person from the content of a file."""
    turns = [
        PersonTurn(
            turn["id"],
            session["id"],
            turn["role"],
            turn["text"],
            moment(session["at"]),
            *(_labels(turn.get(kind, ())) for kind in ("facts", "tasks", "rules", "wrong")),
        )
        for session in raw["sessions"]
        for turn in session["turns"]
    ]
    questions = [
        PersonQuestion(
            each["id"],
            moment(each["at"]),
            each["text"],
            each["kind"],
            _need(each["answer"]),
            _need(each.get("not", ())),
            tuple(each["evidence"]),
        )
        for each in raw["questions"]
    ]
    helps = [
        HelpRequest(
            each["id"],
            moment(each["at"]),
            each["text"],
            _labels(each["must"]),
            _labels(each.get("must_not", ())),
        )
        for each in raw["helps"]
    ]
    language = raw.get("language", "en")
    return Person(raw["id"], raw["name"], language, tuple(turns), tuple(questions), tuple(helps))


def _labels(raw: Sequence[dict[str, Any]]) -> tuple[Label, ...]:
    return tuple(
        Label(
            each.get("say") or each.get("why", ""),
            _need(each["need"]),
            each.get("mode", ""),
            date.fromisoformat(each["due"]) if each.get("due") else None,
        )
        for each in raw
    )


def _need(raw: Sequence[Sequence[str]]) -> Need:
    return tuple(tuple(group) for group in raw)
