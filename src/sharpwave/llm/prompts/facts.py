"""From turns to facts, tasks and notes [WR-02]."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from pydantic import BaseModel, Field

from sharpwave.llm.prompts.transcript import RULE, TranscriptLine, block, find_quote
from sharpwave.types.llm import Prompt
from sharpwave.types.records import USER, Kind, Statement
from sharpwave.types.statements import Candidate, Extraction, Mode, TaskStatus
from sharpwave.types.times import due_in, period_of

FACTS = "facts"
FACTS_VERSION = "1"
FACTS_TOKENS = 4000


class ExtractedFact(BaseModel):
    """One statement that a turn makes."""

    turn: int = Field(description="Number of the turn that says it.")
    quote: str = Field(description="The exact words of that turn that say it.")
    subject: str = Field(description="Who or what it is about.")
    predicate: str = Field(description="How subject and object are related, in snake_case.")
    object: str = Field(description="The value, as short as possible.")
    text: str = Field(description="The statement as one plain sentence in the third person.")
    mode: Mode = Field(Mode.HOLDS, description="holds, ended or denied.")
    instead_of: str | None = Field(None, description="The earlier value that this one corrects.")
    valid_from: str | None = Field(None, description="Since when: YYYY, YYYY-MM or YYYY-MM-DD.")
    valid_to: str | None = Field(None, description="Until when: YYYY, YYYY-MM or YYYY-MM-DD.")
    confidence: float = Field(description="How sure it is that the turn says this, 0 to 1.")


class ExtractedTask(BaseModel):
    """An objective that a turn sets, changes or completes."""

    turn: int = Field(description="Number of the turn that says it.")
    quote: str = Field(description="The exact words of that turn that say it.")
    text: str = Field(description="What is to be done, as one plain sentence.")
    status: TaskStatus = Field(TaskStatus.ACTIVE, description="active, done or stalled.")
    due: str | None = Field(None, description="By when: YYYY-MM-DD.")
    confidence: float = Field(description="How sure it is that the turn says this, 0 to 1.")


class ExtractedNote(BaseModel):
    """Something to keep in mind when helping this person."""

    turn: int = Field(description="Number of the turn it follows from.")
    quote: str = Field(description="The exact words of that turn it follows from.")
    text: str = Field(description="The note as one plain sentence.")
    confidence: float = Field(description="How sure it is that it follows, 0 to 1.")


class FactsOutput(BaseModel):
    """All that the turns say."""

    facts: list[ExtractedFact] = Field([], description="Statements worth remembering.")
    tasks: list[ExtractedTask] = Field([], description="Objectives and open loops.")
    notes: list[ExtractedNote] = Field([], description="How to help this person better.")


def render(turns: Sequence[TranscriptLine], predicates: Collection[str], nonce: str) -> Prompt:
    """The prompt; `predicates` are those of the registry, and `nonce` is new every time."""
    system = _SYSTEM.format(rule=RULE, predicates=", ".join(predicates), user=USER)
    question = f"{block(turns, nonce)}\n\nWhat do these turns say?"
    return Prompt(FACTS, FACTS_VERSION, system, question, FACTS_TOKENS)


_SYSTEM = """\
You read a conversation and write down what it says that is worth remembering for months.

{rule}

facts: lasting statements about people, places, things and their relations.
- subject: "{user}" for whoever speaks in the turns of role {user}; for all others a name, or a
  relation such as "{user}'s sister".
- predicate: one of these where it fits, else a short one of your own in snake_case: {predicates}.
- mode: "holds" if it is true; "ended" if it was and is no more; "denied" if it is not true.
- valid_from, valid_to: only if the turn says so. Work out "last summer" from the date of the turn.
tasks: what someone wants to do or get done, with its status.
notes: at most two, on how to help this person better.

For each of them:
- turn and quote: the number of the turn, and the exact words that say it, copied letter by letter
  from its text. What cannot be quoted must be left out.
- confidence: 0.9 or more if it is said plainly, about 0.6 if it is hedged ("maybe", "I think").

Leave out questions, hypotheses, jokes, quotations of others, small talk and what only the assistant
suggested. One statement each: split what is joined. Empty lists are a good answer."""


EXTRACTOR = f"prompts.{FACTS} {FACTS_VERSION}"

# Guards, not knobs: a statement that is longer than this is none.
MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 1000

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


def convert(output: FactsOutput, turns: Sequence[TranscriptLine]) -> Converted:
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


_Item = ExtractedFact | ExtractedTask | ExtractedNote


class _Useless(Exception):
    """The reason to drop something."""


def _items(output: FactsOutput) -> list[tuple[Kind, _Item]]:
    return [
        *((Kind.FACT, fact) for fact in output.facts),
        *((Kind.TASK, task) for task in output.tasks),
        *((Kind.NOTE, note) for note in output.notes),
    ]


def _turn(item: _Item, turns: Sequence[TranscriptLine]) -> TranscriptLine:
    if not 1 <= item.turn <= len(turns):
        raise _Useless(f"there is no turn {item.turn}")
    return turns[item.turn - 1]


def _candidate(kind: Kind, item: _Item, turn: TranscriptLine) -> Candidate:
    span = find_quote(item.quote, turn.text)
    if span is None:
        raise _Useless(f"the quote is not in turn {item.turn}")
    text = _words(item.text, "text", MAX_TEXT_CHARS)
    sure = 0.0 if math.isnan(item.confidence) else min(max(item.confidence, 0.0), 1.0)
    found = Candidate(kind, text, span, sure, EXTRACTOR)
    if isinstance(item, ExtractedFact):
        return _with_statement(found, item, turn)
    if isinstance(item, ExtractedTask):
        return replace(found, status=item.status, due=_due(item.due, turn))
    return found


def _due(date: str | None, turn: TranscriptLine) -> datetime | None:
    period = _period(date, "due", turn)
    return period and due_in(*(moment.astimezone(turn.at.tzinfo) for moment in period))


def _with_statement(found: Candidate, fact: ExtractedFact, turn: TranscriptLine) -> Candidate:
    begins = _period(fact.valid_from, "valid_from", turn)
    ends = _period(fact.valid_to, "valid_to", turn)
    valid_from = begins and begins[0]
    valid_to = ends and ends[1]  # what lasts until a day includes it
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


def _statement(fact: ExtractedFact) -> Statement:
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


def _period(date: str | None, what: str, turn: TranscriptLine) -> tuple[datetime, datetime] | None:
    """What a date stands for, where the turn was said; a time of day is one moment."""
    if date is None or not date.strip():
        return None
    try:
        return period_of(date, turn.at.tzinfo)
    except ValueError as error:
        raise _Useless(f"{what} is {error}") from None
