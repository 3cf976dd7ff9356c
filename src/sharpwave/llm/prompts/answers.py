"""From the answer to `prompts.facts` to candidates for the gate.

A model may invent, misquote and misnumber. What counts is only what can be found in the words of
the turn it names; the rest is dropped, each with a reason.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sharpwave.llm.prompts import facts
from sharpwave.llm.prompts.quotes import find_quote
from sharpwave.llm.prompts.transcript import Line
from sharpwave.types.records import USER, Kind, Statement
from sharpwave.types.statements import Candidate, Extraction

EXTRACTOR = f"prompts.{facts.NAME} {facts.VERSION}"

# Guards, not knobs: a statement that is longer than this is none.
MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 1000

_DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", re.ASCII)
_USER_WORDS = frozenset({"user", "the user", "i", "me", "myself"})


class Dropped(NamedTuple):
    """What the model said that is of no use, and why."""

    kind: Kind
    text: str
    reason: str


class Converted(NamedTuple):
    """The usable part of an answer."""

    extractions: tuple[Extraction, ...]
    """One a turn, in the order of the turns."""
    dropped: tuple[Dropped, ...]


def convert(output: facts.Output, turns: Sequence[Line]) -> Converted:
    """Candidates for each turn; the turns are the same as in the prompt."""
    kept: list[list[Candidate]] = [[] for _ in turns]
    dropped = []
    for kind, item in _items(output):
        try:
            candidate = _candidate(kind, item, _turn(item, turns))
        except _Useless as reason:
            dropped.append(Dropped(kind, item.text[:MAX_TEXT_CHARS], str(reason)))
        else:
            kept[item.turn - 1].append(candidate)
    return Converted(tuple(Extraction(tuple(found)) for found in kept), tuple(dropped))


def predicate_name(text: str) -> str:
    """A predicate as the registry writes them.

    >>> [predicate_name(text) for text in ("lives in", "livesIn", "Lives-In!")]
    ['lives_in', 'lives_in', 'lives_in']
    """
    spaced = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", text)
    return re.sub(r"[\W_]+", "_", spaced).strip("_").lower()


_Item = facts.Fact | facts.Task | facts.Note


class _Useless(Exception):
    """The reason to drop something."""


def _items(output: facts.Output) -> list[tuple[Kind, _Item]]:
    return [
        *((Kind.FACT, fact) for fact in output.facts),
        *((Kind.TASK, task) for task in output.tasks),
        *((Kind.NOTE, note) for note in output.notes),
    ]


def _turn(item: _Item, turns: Sequence[Line]) -> Line:
    if not 1 <= item.turn <= len(turns):
        raise _Useless(f"there is no turn {item.turn}")
    return turns[item.turn - 1]


def _candidate(kind: Kind, item: _Item, turn: Line) -> Candidate:
    span = find_quote(item.quote, turn.text)
    if span is None:
        raise _Useless(f"the quote is not in turn {item.turn}")
    text = _words(item.text, "text", MAX_TEXT_CHARS)
    found = Candidate(kind, text, span, _share(item.confidence), EXTRACTOR)
    if isinstance(item, facts.Fact):
        return _with_statement(found, item, turn)
    if isinstance(item, facts.Task):
        return replace(found, status=item.status, due=_end(item.due, "due", turn))
    return found


def _with_statement(found: Candidate, fact: facts.Fact, turn: Line) -> Candidate:
    valid_from = _start(fact.valid_from, "valid_from", turn)
    valid_to = _end(fact.valid_to, "valid_to", turn)
    if valid_from and valid_to and valid_to <= valid_from:
        raise _Useless("it ends before it begins")
    corrected = (fact.instead_of or "").strip()
    return replace(
        found,
        statement=_statement(fact),
        mode=fact.mode,
        instead_of=_words(corrected, "instead_of", MAX_NAME_CHARS) if corrected else None,
        valid_from=valid_from,
        valid_to=valid_to,
    )


def _statement(fact: facts.Fact) -> Statement:
    subject = _words(fact.subject, "subject", MAX_NAME_CHARS)
    return Statement(
        USER if subject.lower() in _USER_WORDS else subject,
        predicate_name(_words(fact.predicate, "predicate", MAX_NAME_CHARS)) or _no("predicate"),
        _words(fact.object, "object", MAX_NAME_CHARS),
    )


def _words(text: str, what: str, most_chars: int) -> str:
    words = " ".join(text.split())
    if not words:
        return _no(what)
    if len(words) > most_chars:
        raise _Useless(f"{what} has {len(words)} characters; at most {most_chars} are a statement")
    return words


def _no(what: str) -> str:
    raise _Useless(f"{what} is empty")


def _share(confidence: float) -> float:
    return 0.0 if math.isnan(confidence) else min(max(confidence, 0.0), 1.0)


def _start(date: str | None, what: str, turn: Line) -> datetime | None:
    """The first moment of the year, month or day."""
    period = _period(date, what, turn)
    return period and period[0]


def _end(date: str | None, what: str, turn: Line) -> datetime | None:
    """The first moment after the year, month or day: what lasts until then includes it."""
    period = _period(date, what, turn)
    return period and period[1]


def _period(date: str | None, what: str, turn: Line) -> tuple[datetime, datetime] | None:
    """What a date stands for, where the turn was said; a time of day is one moment."""
    if date is None or not date.strip():
        return None
    named = _DATE.fullmatch(date.strip())
    try:
        if named is None:
            begin = end = _local(datetime.fromisoformat(date.strip()), turn)
        else:
            year, month, day = (int(part) if part else None for part in named.groups())
            first = datetime(year or 0, month or 1, day or 1)
            begin, end = (_local(moment, turn) for moment in (first, _next(first, month, day)))
        return begin.astimezone(UTC), end.astimezone(UTC)
    except (ValueError, OverflowError):
        raise _Useless(f"{what} is no date: {date[:40]!r}") from None


def _local(moment: datetime, turn: Line) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=turn.at.tzinfo or UTC)


def _next(first: datetime, month: int | None, day: int | None) -> datetime:
    if day:
        return first + timedelta(days=1)
    if month and month < 12:
        return first.replace(month=month + 1)
    return first.replace(year=first.year + 1, month=1)
