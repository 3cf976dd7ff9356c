"""Step 3, continued: facts and tasks that callers read in the turns and hand over.

A quote from the user's own words makes a claim the user's statement, resting on that turn.
Everything else is the caller's claim: it rests on the turn it came with, but neither has its trust
nor counts as another sighting. All of it passes the same gate and is settled like what was read.
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
"""What was read of a stretch is dropped if handed-over items quote at least this share of it."""
NOTHING_TO_REST_ON = "nothing is learned from what a tool, a page or a file says"
FAILED = "nothing was learned from the facts and tasks of this call: a rule failed"
NOT_STORED = "the message it came with was not stored"
_MODES = {"ended": Mode.ENDED, "negated": Mode.DENIED}
_USER_WORDS = frozenset({"user", "the user", "i", "me", "myself"})
_OF_USER = re.compile(r"(?:the user's|my) ", re.IGNORECASE)


class ReadStructure(NamedTuple):
    """What was handed over, in the form of items extracted from its turns."""

    extracted: tuple[Extracted, ...] = ()
    rejected: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()


class _CallContext(NamedTuple):
    """How the items of a call are read."""

    policy: Policy
    zone: tzinfo
    now: datetime
    store: UserStore
    known: Callable[[], Sequence[Record]]
    """The facts that hold, read on first use."""


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
    context = _CallContext(workspace.consents.policy, zone, now, workspace.store, known_facts)
    turns = [old or turn for old, turn in zip(stored, turns, strict=True)]
    earlier = workspace.store.latest(turns[-1].session_id, EARLIER_TURNS) if turns else []
    own_words = OwnWords([*earlier, *turns], own_names)
    carrier_turn = carrier(turns, own_names)
    reason = NOTHING_TO_REST_ON if turns else NOT_STORED
    extracted: list[Extracted] = []
    rejected: list[Outcome] = []
    objections: dict[str, list[str]] = {NOT_FOUND: [], NOT_SAID: []}
    for place, item in _items(given):
        candidate, refused = _candidate(item, context)
        if refused is not None:
            rejected.append(refused)
            continue
        claim = candidate.statement.object if candidate.statement else candidate.text
        quote = redact(item.quote, context.policy).text if item.quote else None
        located = own_words.locate(quote, claim) if quote else None
        if quote and located and located.turn and _says_otherwise(quote, candidate, context):
            located = Located(None, objection=NOT_SAID)
        if located and located.turn:
            extracted.append(Extracted(replace(candidate, span=located.span), located.turn))
            continue
        if located:
            objections[located.objection].append(place)
        if carrier_turn is None:
            rejected.append(Outcome(Verdict.REJECTED, candidate.text, reason=reason))
        else:
            extracted.append(_claimed(candidate, carrier_turn))
    notes = tuple(
        claims_note(places, objection) for objection, places in objections.items() if places
    )
    return ReadStructure(tuple(extracted), tuple(rejected), notes)


def _items(given: Structure) -> list[tuple[str, FactInput | TaskInput]]:
    """Facts and tasks, each with the place by which the receipt names it."""
    facts = [(f"facts[{at}]", fact) for at, fact in enumerate(given.facts)]
    return [*facts, *((f"tasks[{at}]", task) for at, task in enumerate(given.tasks))]


def _says_otherwise(quote: str, claim: Candidate, context: _CallContext) -> bool:
    """True if a quote is read in another mode: it holds, where the claim is that it ended."""
    if claim.statement is None or claim.statement.predicate == NOTED:
        return False
    subject, name, value = claim.statement
    read = extract(quote, Spoken(USER, context.now)).candidates
    same_slot = [
        candidate
        for candidate in read
        if candidate.statement is not None
        and candidate.statement[:2] == (subject, name)
        and same_object(name, candidate.statement.object, value)
    ]
    return bool(same_slot) and all(candidate.mode is not claim.mode for candidate in same_slot)


def merged(read: Sequence[Extracted], given: Sequence[Extracted]) -> list[Extracted]:
    """Both, each statement once.

    An item that quotes a stretch replaces what was read there in own words, or of the same slot;
    a sentence is not stored beside another that has all of its words.
    """
    both = [item for item in read if not _is_replaced(item, given)]
    for item in sorted(
        given, key=lambda item: (item.candidate.kind is Kind.TASK, _is_sentence(item))
    ):
        both.append(_as_worded(_with_day(item, read), both))
    return both


def _is_sentence(item: Extracted) -> bool:
    """True for a sentence without a slot."""
    statement = item.candidate.statement
    return statement is not None and statement.predicate == NOTED


def _is_replaced(read: Extracted, given: Sequence[Extracted]) -> bool:
    start, end = read.candidate.span
    quoted = {
        at
        for item in given
        if item.turn.id == read.turn.id and _is_same_matter(read.candidate, item)
        for at in range(max(start, item.candidate.span.start), min(end, item.candidate.span.end))
    }
    return len(quoted) > 0 and len(quoted) >= REPLACED_SHARE * (end - start)


def _is_same_matter(read: Candidate, given: Extracted) -> bool:
    candidate = given.candidate
    if candidate.claimed or read.kind is not candidate.kind or read.effect_only:
        return False
    if read.statement is None or candidate.statement is None or read.statement.predicate == NOTED:
        return True
    return read.mode is candidate.mode and read.statement[:2] == candidate.statement[:2]


def _with_day(given: Extracted, read: Sequence[Extracted]) -> Extracted:
    """A task with the due date that was read in its quote, if it names none itself."""
    candidate = given.candidate
    if candidate.kind is not Kind.TASK or candidate.due is not None:
        return given
    dues = [item.candidate.due for item in read if _is_replaced(item, [given])]
    return given._replace(candidate=replace(candidate, due=next(filter(None, dues), None)))


def _as_worded(given: Extracted, items: Sequence[Extracted]) -> Extracted:
    """A sentence in the wording of another of the same turn that says all of it and little more."""
    candidate = given.candidate
    if not _is_sentence(given):
        return given
    for item in items:
        known = item.candidate
        if known.kind is not Kind.FACT or known.effect_only or item.turn.id != given.turn.id:
            continue
        words = known.text, candidate.text
        alike = known.mode is candidate.mode and is_named(*words[::-1], 1.0) and is_named(*words)
        if alike or same_text(*words):
            same = replace(candidate, statement=known.statement, mode=known.mode)
            return given._replace(candidate=same)
    return given


def _claimed(candidate: Candidate, turn: Record) -> Extracted:
    """A claim about a turn: it rests on the turn, with the trust of an agent."""
    is_claimed = turn.provenance.trust > Trust.INFERRED
    return Extracted(replace(candidate, claimed=is_claimed), as_claimed(turn))


def _candidate(
    item: FactInput | TaskInput, context: _CallContext
) -> tuple[Candidate, Outcome | None]:
    """What an item says, without secrets, and the refusal, if it is refused."""
    candidate = _task(item, context) if isinstance(item, TaskInput) else _fact(item, context)
    texts = [candidate.text, *_wordings(item)]
    clean = [redact(text, context.policy) for text in texts]
    reason = next((str(error) for redacted in clean if (error := refusal(redacted))), None)
    if reason is not None:
        return candidate, Outcome(Verdict.REJECTED, "(refused)", reason=reason)
    # the gate rejects the label in a redacted text
    hidden = next((redacted.text for redacted in clean if redacted.counts), None)
    return (candidate if hidden is None else replace(candidate, text=hidden, statement=None)), None


def _wordings(item: FactInput | TaskInput) -> list[str]:
    """All that an item says, put together: redaction may need two fields to find a secret."""
    if isinstance(item, TaskInput):
        return []
    texts = [text for text in (item.text, item.about) if text]
    if item.subject and item.predicate and item.object:
        relation = predicate_name(item.predicate).replace("_", " ")
        texts += [item.object, f"{item.subject}'s {relation} is {item.object}"]
    return texts


def _task(task: TaskInput, context: _CallContext) -> Candidate:
    zone = _named_zone(task.due) or context.zone
    period = _period(task.due, context)
    return Candidate(
        kind=Kind.TASK,
        text=task.title,
        span=NOWHERE,
        confidence=task.confidence,
        extractor=f"{EXTRACTOR}.task {VERSION}",
        status=TaskStatus(task.status),
        due=due_in(*(moment.astimezone(zone) for moment in period)) if period else None,
    )


def _named_zone(date: str | None) -> tzinfo | None:
    """The zone that a moment names; None if it names none, or is a day, a month or a year."""
    try:
        return datetime.fromisoformat(date or "").tzinfo
    except ValueError:
        return None


def _fact(fact: FactInput, context: _CallContext) -> Candidate:
    begins, ends = _period(fact.valid_from, context), _period(fact.valid_to, context)
    statement, mode = _stated(fact), _MODES.get(fact.mode, Mode.HOLDS)
    if statement.predicate == NOTED and mode is not Mode.HOLDS:
        slot, mode = _closed_by(statement.object, mode, context)
        statement = slot or statement
    valid_from, valid_to = begins and begins[0], ends and ends[1]
    to_come = fact.mode == "planned" or (
        fact.mode == "event" and begins and begins[0] > context.now
    )
    if begins is not None and to_come and statement.predicate == NOTED:
        # a plan is known from now until its end; its sentence says when
        start, end = (moment.astimezone(context.zone) for moment in begins)
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


def _period(date: str | None, context: _CallContext) -> tuple[datetime, datetime] | None:
    return None if date is None else period_of(date, context.zone)


def _stated(fact: FactInput) -> Statement:
    """The slot, if its predicate is known and it is not a plan; else the sentence."""
    if not (fact.subject and fact.predicate and fact.object):
        return Statement(_subject(fact.about or USER), NOTED, fact.text or "")
    slot = Statement(_subject(fact.subject), predicate_name(fact.predicate), fact.object)
    if is_known(slot.predicate) and slot.predicate != NOTED and fact.mode != "planned":
        return slot
    worded = f"Planned: {sentence(slot)}" if fact.mode == "planned" else sentence(slot)
    return Statement(_subject(fact.about or fact.subject), NOTED, fact.text or worded)


def _subject(name: str) -> str:
    return USER if name.lower() in _USER_WORDS else _OF_USER.sub(f"{USER}'s ", name, count=1)


def _closed_by(text: str, mode: Mode, context: _CallContext) -> tuple[Statement | None, Mode]:
    """The known slot that a sentence closes, by its words or as recall shows it, and its mode.

    "The user has no car" denies nothing: it is worded as a denial and holds. Without a slot, what
    it closes is a sentence; "The user smokes" has one, whether or not anything is known of it.
    """
    spoken = Spoken("assistant", context.now, user_names=frozenset())
    read = [
        candidate for candidate in extract(text, spoken).candidates if candidate.kind is Kind.FACT
    ]
    statement = read[0].statement if len(read) == 1 else None
    if statement is not None:
        slot = slot_of_statement(statement)
        if not NEGATION.search(text) and same_text(text, sentence(statement)):
            return statement, mode
        if read[0].mode is mode and context.store.slot_heads([slot])[slot]:
            return statement, mode
    if mode is Mode.DENIED and NEGATION.search(text):
        return None, Mode.HOLDS
    known = (fact.statement for fact in context.known() if same_text(text, fact.text))
    return next(known, None), mode


_KNOWN = Stated(kinds=FACTS, states=ACTIVE, order=Order.NEWEST)
