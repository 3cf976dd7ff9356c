"""Conversations with questions about them: LoCoMo, REALTALK and LongMemEval, in one form.

Ids of the data stay outside the memory: gold session ids of LongMemEval contain the word "answer".
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.sets import ADVERSARIAL, JSON, JSON_LINES, files_of, in_form, turn_ids, unpacked
from sharpwave.errors import InvalidInput

_SESSION = re.compile(r"session_(\d+)")
_DATES = ("%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S", "%Y/%m/%d (%a) %H:%M")
ABSTAIN = "_abs"
"""LongMemEval marks questions without an answer so, in their ids."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, as it is remembered."""

    id: str
    text: str
    role: str
    speaker: str | None
    session: str
    at: datetime
    candidate: bool = True
    """False if it is remembered, but not among what is ranked."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, what it rests on, and when it is asked."""

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]
    asked_at: datetime
    answerable: bool = True
    held_out: bool = True
    """False if something of ours was trained on it."""
    answer: str = ""
    """The gold answer; never shown to the memory."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation of one user, in order, and the questions about it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Talks:
    """All conversations of a set, and a digest of the files they come from."""

    set: str
    talks: tuple[Talk, ...]
    digest: str


def load(name: str, path: Path) -> Talks:
    """Read a set from a file, from its folder, or from the folder of all sets."""
    if name not in _LOADERS:
        raise InvalidInput(f"there is no set {name!r}; there are: {', '.join(_LOADERS)}")
    pattern, read = _LOADERS[name]
    files = files_of(name, path, pattern)
    digest = hashlib.blake2b(b"".join(file.read_bytes() for file in files), digest_size=8)
    with in_form(name, path):
        return Talks(name, tuple(read([unpacked(file) for file in files])), digest.hexdigest())


def _locomo(contents: Sequence[bytes]) -> Iterator[Talk]:
    for sample in (sample for content in contents for sample in json.loads(content)):
        yield _chat(sample["sample_id"], sample["conversation"], "text", sample["qa"])


def _realtalk(contents: Sequence[bytes]) -> Iterator[Talk]:
    for chat in map(json.loads, contents):
        yield _chat(" and ".join(chat["name"].values()), chat, "clean_text", chat["qa"])


def _chat(name: str, content: Mapping[str, Any], text: str, asked: Sequence[Any]) -> Talk:
    """A conversation of two people; each question that has known evidence."""
    turns = [
        Turn(
            id=turn["dia_id"],
            text=turn[text],
            role="user",
            speaker=turn["speaker"],
            session=f"session {number}",
            at=began + timedelta(seconds=30 * place),
        )
        for number, began, said in _sessions(content)
        for place, turn in enumerate(said)
        if turn[text]
    ]
    known = {turn.id for turn in turns}
    after = max(turn.at for turn in turns) + timedelta(days=1)
    questions = []
    for place, qa in enumerate(asked):
        evidence = tuple(id_ for id_ in turn_ids(qa["evidence"]) if id_ in known)
        category = str(qa["category"])
        if evidence:
            questions.append(
                Question(
                    f"{name}:{place}",
                    qa["question"],
                    category,
                    evidence,
                    after,
                    answerable=category != ADVERSARIAL,
                    answer=str(qa.get("answer", "")),
                )
            )
    return Talk(name, tuple(turns), tuple(questions))


def _sessions(content: Mapping[str, Any]) -> Iterator[tuple[int, datetime, Sequence[Any]]]:
    """Number, beginning and turns of each session, in order."""
    numbers = sorted(int(match[1]) for match in map(_SESSION.fullmatch, content) if match)
    for number in numbers:
        yield number, _moment(content[f"session_{number}_date_time"]), content[f"session_{number}"]


def _longmemeval(contents: Sequence[bytes]) -> Iterator[Talk]:
    """One conversation a question; turns of the user are ranked, all are remembered."""
    lines = [
        json.loads(line) for content in contents for line in content.splitlines() if line.strip()
    ]
    places = {id_: place for place, id_ in enumerate(sorted(q["question_id"] for q in lines))}
    for line in lines:
        yield _haystack(line, held_out=places[line["question_id"]] % 2 == 0)


def _haystack(line: Mapping[str, Any], held_out: bool) -> Talk:
    turns: list[Turn] = []
    evidence: list[str] = []
    dated = zip(map(_moment, line["haystack_dates"]), line["haystack_sessions"], strict=True)
    for number, (began, said) in enumerate(sorted(dated, key=lambda session: session[0])):
        for place, turn in enumerate(said):
            if not turn["content"].strip():
                continue
            at = began + timedelta(seconds=30 * place)
            by_user = turn["role"] == "user"
            one = Turn(
                f"{number}:{place}", turn["content"], turn["role"], None, str(number), at, by_user
            )
            turns.append(one)
            if by_user and turn.get("has_answer"):
                evidence.append(one.id)
    question = Question(
        line["question_id"],
        line["question"],
        line["question_type"],
        tuple(evidence),
        _moment(line["question_date"]),
        answerable=not line["question_id"].endswith(ABSTAIN),
        held_out=held_out,
        answer=str(line.get("answer", "")),
    )
    return Talk(line["question_id"], tuple(turns), (question,))


def _moment(text: str) -> datetime:
    for form in _DATES:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f"{text!r} is not a date of a known form")


_LOADERS = {
    "locomo": (JSON, _locomo),
    "realtalk": (JSON, _realtalk),
    "longmemeval": (JSON_LINES, _longmemeval),
}
NAMES = tuple(_LOADERS)
