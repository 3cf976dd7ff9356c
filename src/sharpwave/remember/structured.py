"""Step 3 too: what callers understood of the turns and hand over as facts and tasks.

A quote that stands in the user's own words makes a claim the user's word, resting on that turn.
Everything else is the caller's claim: it rests on the turn it came with, but neither has its trust
nor counts as another sighting. All of it passes the same gate, and settles as what was read does.
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import cache, partial
from typing import NamedTuple

from sharpwave.errors import StorageError
from sharpwave.knowledge.draft import Extracted, slot_of_statement
from sharpwave.knowledge.predicates import NOTED, is_known, predicate_name, same_object, sentence
from sharpwave.ports import UserStore
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.reading.candidates import dated
from sharpwave.reading.extract import extract
from sharpwave.reading.quotes import (
    EARLIER_TURNS,
    NEGATION,
    NOT_FOUND,
    NOT_SAID,
    Located,
    OwnWords,
    as_claimed,
    carrier,
    claims_note,
    is_named,
    same_text,
)
from sharpwave.settings.privacy import Policy
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.records import ACTIVE, FACTS, USER, Kind, Record, Statement, Trust
from sharpwave.types.statements import Candidate, Mode, Span, Spoken, TaskStatus, TimeSpan
from sharpwave.types.storing import Order, Stated
from sharpwave.types.structured import FactInput, Structure, TaskInput
from sharpwave.types.times import due_in, period_of
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)
EXTRACTOR, VERSION = "structured", 1
NOWHERE = Span(0, 0)
"""The span of what is not quoted."""
REPLACED_SHARE = 0.5
"""What was read of a stretch goes if what is handed over quotes so much of it."""
NOTHING_TO_REST_ON = "nothing is learned from what a tool, a page or a file says"
FAILED = "nothing was learned from the facts and tasks of this call: a rule failed"
NOT_STORED = "the message it came with was not stored"
_MODES = {"ended": Mode.ENDED, "negated": Mode.DENIED}
_USER_WORDS = frozenset({"user", "the user", "i", "me", "myself"})
_OF_USER = re.compile(r"(?:the user's|my) ", re.IGNORECASE)


class ReadStructure(NamedTuple):
    """What was handed over, as if it had been extracted from its turns."""

    heard: tuple[Extracted, ...] = ()
    rejected: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()


class _Terms(NamedTuple):
    """How the items of a call are read."""

    policy: Policy
    zone: tzinfo
    now: datetime
    store: UserStore
    known: Callable[[], Sequence[Record]]
    """The facts that hold, read when they are first asked for."""


def find(
    given: Structure,
    turns: Sequence[Record],
    known: Mapping[str, Record],
    own_names: frozenset[str],
    workspace: Workspace,
) -> ReadStructure:
    """The facts and tasks as candidates; `known` are stored turns by their idempotency keys.

    Nothing, if every turn was stored by an earlier call: then so was this.
    """
    try:
        return _find(given, turns, known, own_names, workspace)
    except StorageError:
        raise
    except Exception:  # noqa: BLE001 - a bug in a rule must not lose the words it came with
        _LOG.exception("reading structured memories failed")
        return ReadStructure(notes=(FAILED,))


def _find(
    given: Structure,
    turns: Sequence[Record],
    known: Mapping[str, Record],
    own_names: frozenset[str],
    workspace: Workspace,
) -> ReadStructure:
    stored = [known.get(turn.provenance.idempotency_key or "") for turn in turns]
    if not (given.facts or given.tasks) or (stored and all(stored)):
        return ReadStructure()
    zone, now = workspace.settings.remember.zone, workspace.clock.now()
    known_facts = cache(partial(workspace.store.stated, _KNOWN))
    terms = _Terms(workspace.consents.policy, zone, now, workspace.store, known_facts)
    turns = [old or turn for old, turn in zip(stored, turns, strict=True)]
    earlier = workspace.store.latest(turns[-1].session_id, EARLIER_TURNS) if turns else []
    own = OwnWords([*earlier, *turns], own_names)
    rests_on = carrier(turns, own_names)
    why = NOTHING_TO_REST_ON if turns else NOT_STORED
    heard: list[Extracted] = []
    rejected: list[Outcome] = []
    objections: dict[str, list[str]] = {NOT_FOUND: [], NOT_SAID: []}
    for place, item in _items(given):
        candidate, refused = _candidate(item, terms)
        if refused is not None:
            rejected.append(refused)
            continue
        claim = candidate.statement.object if candidate.statement else candidate.text
        quote = redact(item.quote, terms.policy).text if item.quote else None
        located = own.locate(quote, claim) if quote else None
        if quote and located and located.turn and _says_otherwise(quote, candidate, terms):
            located = Located(None, objection=NOT_SAID)
        if located and located.turn:
            heard.append(Extracted(replace(candidate, span=located.span), located.turn))
            continue
        if located:
            objections[located.objection].append(place)
        if rests_on is None:
            rejected.append(Outcome(Verdict.REJECTED, candidate.text, reason=why))
        else:
            heard.append(_claimed(candidate, rests_on))
    notes = tuple(claims_note(places, what) for what, places in objections.items() if places)
    return ReadStructure(tuple(heard), tuple(rejected), notes)


def _items(given: Structure) -> list[tuple[str, FactInput | TaskInput]]:
    """Facts and tasks, each with its place, which the receipt names it by."""
    facts = [(f"facts[{at}]", one) for at, one in enumerate(given.facts)]
    return [*facts, *((f"tasks[{at}]", one) for at, one in enumerate(given.tasks))]


def _says_otherwise(quote: str, claim: Candidate, terms: _Terms) -> bool:
    """True if a quote is read as the opposite: that it holds, where the claim is that it ended."""
    if claim.statement is None or claim.statement.predicate == NOTED:
        return False
    subject, name, value = claim.statement
    read = extract(quote, Spoken(USER, terms.now)).candidates
    same = [
        one
        for one in read
        if one.statement is not None
        and one.statement[:2] == (subject, name)
        and same_object(name, one.statement.object, value)
    ]
    return bool(same) and all(one.mode is not claim.mode for one in same)


def merged(read: Sequence[Extracted], given: Sequence[Extracted]) -> list[Extracted]:
    """Both, each statement once.

    What quotes a stretch takes the place of what was read there in own words, or of the same slot;
    a sentence whose every word another has too is not stored beside it.
    """
    both = [one for one in read if not _is_replaced(one, given)]
    for one in sorted(given, key=lambda one: (one.candidate.kind is Kind.TASK, _is_open(one))):
        both.append(_as_said(_with_day(one, read), both))
    return both


def _is_open(one: Extracted) -> bool:
    """True for a sentence that has no slot."""
    statement = one.candidate.statement
    return statement is not None and statement.predicate == NOTED


def _is_replaced(read: Extracted, given: Sequence[Extracted]) -> bool:
    start, end = read.candidate.span
    quoted = {
        place
        for one in given
        if one.turn.id == read.turn.id and _is_same_matter(read.candidate, one)
        for place in range(max(start, one.candidate.span.start), min(end, one.candidate.span.end))
    }
    return len(quoted) > 0 and len(quoted) >= REPLACED_SHARE * (end - start)


def _is_same_matter(read: Candidate, given: Extracted) -> bool:
    said = given.candidate
    if said.claimed or read.kind is not said.kind or read.effect_only:
        return False
    if read.statement is None or said.statement is None or read.statement.predicate == NOTED:
        return True
    return read.mode is said.mode and read.statement[:2] == said.statement[:2]


def _with_day(given: Extracted, read: Sequence[Extracted]) -> Extracted:
    """A task with the day that was read where it is quoted, if it names none itself."""
    candidate = given.candidate
    if candidate.kind is not Kind.TASK or candidate.due is not None:
        return given
    dues = [one.candidate.due for one in read if _is_replaced(one, [given])]
    return given._replace(candidate=replace(candidate, due=next(filter(None, dues), None)))


def _as_said(given: Extracted, others: Sequence[Extracted]) -> Extracted:
    """A sentence as another of the same turn that says all of it and little more, if one does."""
    candidate = given.candidate
    if not _is_open(given):
        return given
    for one in others:
        said = one.candidate
        if said.kind is not Kind.FACT or said.effect_only or one.turn.id != given.turn.id:
            continue
        words = said.text, candidate.text
        alike = said.mode is candidate.mode and is_named(*words[::-1], 1.0) and is_named(*words)
        if alike or same_text(*words):
            same = replace(candidate, statement=said.statement, mode=said.mode)
            return given._replace(candidate=same)
    return given


def _claimed(candidate: Candidate, turn: Record) -> Extracted:
    """A claim about a turn: it rests on the turn, with the trust of an agent."""
    of_others = turn.provenance.trust > Trust.INFERRED
    return Extracted(replace(candidate, claimed=of_others), as_claimed(turn))


def _candidate(item: FactInput | TaskInput, terms: _Terms) -> tuple[Candidate, Outcome | None]:
    """What an item says, without secrets, and why it is refused, if it is."""
    made = _task(item, terms) if isinstance(item, TaskInput) else _fact(item, terms)
    said = [made.text, *_wordings(item)]
    clean = [redact(text, terms.policy) for text in said]
    why = next((str(error) for one in clean if (error := refusal(one))), None)
    if why is not None:
        return made, Outcome(Verdict.REJECTED, "(refused)", reason=why)
    hidden = next((one.text for one in clean if one.counts), None)  # the gate rejects its label
    return (made if hidden is None else replace(made, text=hidden, statement=None)), None


def _wordings(item: FactInput | TaskInput) -> list[str]:
    """All that an item says, put together: a secret may stand in a word that needs another."""
    if isinstance(item, TaskInput):
        return []
    said = [text for text in (item.text, item.about) if text]
    if item.subject and item.predicate and item.object:
        relation = predicate_name(item.predicate).replace("_", " ")
        said += [item.object, f"{item.subject}'s {relation} is {item.object}"]
    return said


def _task(task: TaskInput, terms: _Terms) -> Candidate:
    zone = _named_zone(task.due) or terms.zone
    period = _period(task.due, terms)
    return Candidate(
        kind=Kind.TASK,
        text=task.title,
        span=NOWHERE,
        confidence=task.confidence,
        extractor=f"{EXTRACTOR}.task {VERSION}",
        status=TaskStatus(task.status),
        due=due_in(*(one.astimezone(zone) for one in period)) if period else None,
    )


def _named_zone(date: str | None) -> tzinfo | None:
    """The zone that a moment names; None if it names none, or is a day, a month or a year."""
    try:
        return datetime.fromisoformat(date or "").tzinfo
    except ValueError:
        return None


def _fact(fact: FactInput, terms: _Terms) -> Candidate:
    begins, ends = _period(fact.valid_from, terms), _period(fact.valid_to, terms)
    statement, mode = _stated(fact), _MODES.get(fact.mode, Mode.HOLDS)
    if statement.predicate == NOTED and mode is not Mode.HOLDS:
        slot, mode = _closed_by(statement.object, mode, terms)
        statement = slot or statement
    valid_from, valid_to = begins and begins[0], ends and ends[1]
    to_come = fact.mode == "planned" or (fact.mode == "event" and begins and begins[0] > terms.now)
    if begins is not None and to_come and statement.predicate == NOTED:
        # it is known by its end, and its sentence says when
        start, end = (moment.astimezone(terms.zone) for moment in begins)
        day = dated(TimeSpan(NOWHERE, start, end))
        statement = statement._replace(object=f"{statement.object} ({day})")
        valid_from, valid_to = None, valid_to or begins[1]
    return Candidate(
        kind=Kind.FACT,
        text=sentence(statement, mode if statement.predicate != NOTED else Mode.HOLDS),
        span=NOWHERE,
        confidence=fact.confidence,
        extractor=f"{EXTRACTOR}.{fact.mode} {VERSION}",
        statement=statement,
        mode=mode,
        valid_from=valid_from,
        valid_to=valid_to,
    )


def _period(date: str | None, terms: _Terms) -> tuple[datetime, datetime] | None:
    return None if date is None else period_of(date, terms.zone)


def _stated(fact: FactInput) -> Statement:
    """The slot, if its predicate is known and it is no plan; else the sentence."""
    if not (fact.subject and fact.predicate and fact.object):
        return Statement(_subject(fact.about or USER), NOTED, fact.text or "")
    slot = Statement(_subject(fact.subject), predicate_name(fact.predicate), fact.object)
    if is_known(slot.predicate) and slot.predicate != NOTED and fact.mode != "planned":
        return slot
    worded = f"Planned: {sentence(slot)}" if fact.mode == "planned" else sentence(slot)
    return Statement(_subject(fact.about or fact.subject), NOTED, fact.text or worded)


def _subject(name: str) -> str:
    return USER if name.lower() in _USER_WORDS else _OF_USER.sub(f"{USER}'s ", name, count=1)


def _closed_by(text: str, mode: Mode, terms: _Terms) -> tuple[Statement | None, Mode]:
    """The known slot that a sentence closes, by its words or as recall shows it.

    "The user has no car" denies nothing: that is how it is worded. Without a slot, what it closes
    is a sentence; "The user smokes" has one, whether or not anything is known of it.
    """
    spoken = Spoken("assistant", terms.now, user_names=frozenset())
    read = [one for one in extract(text, spoken).candidates if one.kind is Kind.FACT]
    statement = read[0].statement if len(read) == 1 else None
    if statement is not None:
        slot = slot_of_statement(statement)
        if not NEGATION.search(text) and same_text(text, sentence(statement)):
            return statement, mode
        if read[0].mode is mode and terms.store.slot_heads([slot])[slot]:
            return statement, mode
    if mode is Mode.DENIED and NEGATION.search(text):
        return None, Mode.HOLDS
    known = (one.statement for one in terms.known() if same_text(text, one.text))
    return next(known, None), mode


_KNOWN = Stated(kinds=FACTS, states=ACTIVE, order=Order.NEWEST)
