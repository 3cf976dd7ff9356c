"""Facts: the profile, what held at a moment, and how something changed."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sharpwave.errors import InvalidInput, NotFound, Overtaken
from sharpwave.formulas.confidence import BINS, bin_of, calibration_error, may_enter_profile
from sharpwave.formulas.decay import survival_probability, typical_days
from sharpwave.knowledge import names as naming
from sharpwave.knowledge import views
from sharpwave.knowledge.confidence import confidence as current_confidence
from sharpwave.knowledge.draft import CLAIMED, slot_of
from sharpwave.knowledge.listing import part
from sharpwave.knowledge.names import settled
from sharpwave.knowledge.predicates import NOTED
from sharpwave.ports import UserStore
from sharpwave.tallies import Sheet
from sharpwave.temporal.validity import held_at, held_between, holds_now, recorded_between
from sharpwave.types.known import Evolution, Fact, HistoricalState, Prediction, Shift, Trend
from sharpwave.types.message import Confirmation
from sharpwave.types.quality import ConfidenceBin, FactCalibration
from sharpwave.types.records import (
    ACTIVE,
    ACTIVE_OR_UNCERTAIN,
    FACTS,
    USER,
    Kind,
    Record,
    Source,
    Stage,
    State,
    Trust,
)
from sharpwave.types.statements import Candidate, Mode, Span, Target, TargetRelation
from sharpwave.types.storing import TRENDS, Change, Order, Revision, Stated, Window
from sharpwave.workspace import Workspace

INDEPENDENT_SOURCES = 2
"""Sources that must agree before untrusted facts enter the profile."""


def current(workspace: Workspace, subject: str | None, predicate: str | None = None) -> list[Fact]:
    """Facts that hold now, from any source, the most important first."""
    now = workspace.clock.now()
    found = _stated(workspace.store, subject, Stated(states=ACTIVE, beyond=now), predicate)
    kept = [r for r in found if holds_now(r, now) and _is_about(r, predicate)]
    if subject is not None:
        kept, _ = settled(kept)
    return [views.fact(record, now) for record in _by_importance(kept, now)]


def profile(workspace: Workspace, most: int | None = None) -> list[Fact]:
    """What is known of the user from the user, or from sources enough to believe it."""
    now = workspace.clock.now()
    found = _foremost(workspace.store, now, most)
    if most is None:  # otherwise in the order of the store, so that pages fit together
        found = _by_importance(found, now)
    return [views.fact(record, now) for record in found]


def foremost(workspace: Workspace, most: int, without: str | None = None) -> list[Fact]:
    """The most important facts of the profile but those of a predicate, the surest first."""
    now = workspace.clock.now()
    found = _foremost(workspace.store, now, most, without)
    return [views.fact(one, now) for one in _by_importance(found, now)]


def known_since(workspace: Workspace, name: str) -> datetime | None:
    """When the first known fact about a subject began to hold, under any of its names."""
    keys = naming.of(workspace.store, name).keys
    return workspace.store.known_since([f"{key}|" for key in sorted(keys)])


def at(
    workspace: Workspace,
    moment: datetime,
    known_at: datetime | None,
    subject: str | None,
    most: int | None = None,
) -> HistoricalState:
    """What was true at a moment, as far as we know today, or as far as we knew then."""
    store, wanted = workspace.store, Stated(begun_by=moment, beyond=moment, order=Order.FOREMOST)
    if known_at is not None:  # what has ended meanwhile may have held as far as we knew then
        wanted = replace(wanted, beyond=None, recorded_by=known_at)

    def read(limit: int | None) -> list[Record]:
        return _stated(store, subject, replace(wanted, limit=limit))

    def keep(found: Sequence[Record]) -> list[Record]:
        then = found if known_at is None else _as_known_at(found, known_at, store)
        return [
            record
            for record in then
            if held_at(record, moment) and record.standing.state is not State.UNCERTAIN
        ]

    held = part(read, keep, Window(limit=most))
    now = workspace.clock.now()
    if most is None:  # otherwise in the order of the store, so that pages fit together
        held = _by_importance(held, now)
    return HistoricalState(moment, known_at, tuple(views.fact(record, now) for record in held))


def history(workspace: Workspace, subject: str, predicate: str) -> Evolution:
    """Every version of one thing, oldest first, under whichever name it was said."""
    found = _stated(workspace.store, subject, Stated(), predicate)
    found.sort(key=lambda record: (record.valid_from, record.number))
    now = workspace.clock.now()
    versions = tuple(views.fact(record, now) for record in found)
    return Evolution(subject, predicate, versions, now)


def between(workspace: Workspace, start: datetime, end: datetime, on: str) -> list[Fact]:
    """Facts that held, or that we learned, within a time."""
    if on not in ("valid", "recorded"):
        raise InvalidInput(f"on must be 'valid' or 'recorded', not {on!r}")
    if end < start:
        raise InvalidInput("the end lies before the start; exchange the two")
    now = workspace.clock.now()
    wanted, fits = Stated(begun_by=end, beyond=start), held_between
    if on == "recorded":
        wanted, fits = Stated(recorded_from=start, recorded_by=end), recorded_between
    found = _stated(workspace.store, None, wanted)
    return [views.fact(r, now) for r in found if fits(r, start, end)]


def _as_known_at(records: Sequence[Record], known_at: datetime, store: UserStore) -> list[Record]:
    """The records as they stood then: what we learned later had not happened yet."""
    learned = {record.id: record.recorded_at for record in records}
    unread = {by for record in records if (by := _closed_by(record))} - learned.keys()
    closers = store.find(sorted(unread))
    learned |= {one.id: one.recorded_at for one in closers if one.kind is Kind.FACT}
    then = []
    for record in records:
        by, standing = _closed_by(record), record.standing
        if by and learned.get(by, standing.last_seen_at) > known_at:
            standing = replace(standing, state=State.ACTIVE, superseded_by=None, rival=None)
            record = replace(record, standing=standing, valid_to=None)
        then.append(record)
    return then


def _closed_by(record: Record) -> str | None:
    """Id of what took its place, ended or contradicted it, if anything did."""
    standing = record.standing
    return None if standing.state is State.ACTIVE else standing.superseded_by or standing.rival


def _stated(
    store: UserStore, subject: str | None, wanted: Stated, predicate: str | None = None
) -> list[Record]:
    """Facts of everybody, or of one subject under all of its names, in the order that is wanted.

    With a predicate, at least those of a subject that have it: no others of its facts are read.
    """
    asked = replace(wanted, kinds=FACTS)
    if subject is None:
        return store.stated(asked)
    keys = naming.of(store, subject).keys
    begins = [slot_of(key, predicate) if predicate else f"{key}|" for key in sorted(keys)]
    found = store.stated(replace(asked, within=tuple(begins)))
    return (
        found if wanted.order is Order.FOREMOST else sorted(found, key=lambda record: record.number)
    )


def _foremost(
    store: UserStore, now: datetime, most: int | None, without: str | None = None
) -> list[Record]:
    """So many of the profile, or all, in the order of the store; the others are not even read."""
    wanted = Stated(states=ACTIVE_OR_UNCERTAIN, beyond=now, without=without, order=Order.FOREMOST)

    def read(limit: int | None) -> list[Record]:
        return _stated(store, USER, replace(wanted, limit=limit))

    return part(read, lambda stated: _worthy(stated, store, now), Window(limit=most))


def _is_about(record: Record, predicate: str | None) -> bool:
    return predicate is None or (
        record.statement is not None and record.statement.predicate == predicate
    )


def _worthy(stated: Sequence[Record], store: UserStore, now: datetime) -> list[Record]:
    """Of what is stated about the user, what may enter the profile."""
    found = [one for one in stated if holds_now(one, now) and one.standing.rival is None]
    outvoted = _outvoted(found, store, now)
    return [
        one
        for one in found
        if one.id not in outvoted and not _is_bare_no(one) and _is_worthy(one, store)
    ]


def _is_bare_no(record: Record) -> bool:
    """True if the user only said no to a sentence: which part of it is wrong is not known."""
    said_no = record.negated and record.metadata.get("extractor") == CONFIRMED
    return said_no and _is_about(record, NOTED)


def _outvoted(found: Sequence[Record], store: UserStore, now: datetime) -> frozenset[str]:
    """Variants of what a better source says: only one of them can be true."""
    unsure = [one for one in found if one.standing.state is State.UNCERTAIN]
    slots = tuple(dict.fromkeys(one.slot for one in unsure if one.slot))
    if not slots:
        return frozenset()
    better = Stated(slots=slots, kinds=FACTS, states=ACTIVE, beyond=now)
    settled_slots = {one.slot for one in store.stated(better) if holds_now(one, now)}
    return frozenset(one.id for one in unsure if one.slot in settled_slots)


def _is_worthy(record: Record, store: UserStore) -> bool:
    trust = record.provenance.trust
    sources: set[tuple[Source, str]] = set()
    if trust < Trust.VERIFIED:
        parents = store.evidence([record.id])[record.id]
        believed = (p for p in store.find(parents) if p.standing.state is State.ACTIVE)
        claimed_of = record.provenance.parents if CLAIMED in record.metadata else ()
        said = [
            record.provenance if parent.id in claimed_of else parent.provenance
            for parent in believed
        ]
        promoted = trust is Trust.INFERRED and record.standing.stage is Stage.SEMANTIC
        if promoted and any(one.trust >= Trust.VERIFIED for one in said):
            return True  # in sleep: it came up in the user's words on enough different days
        sources = {(one.source, one.author) for one in said}
    return may_enter_profile(trust, sources, INDEPENDENT_SOURCES)


def _by_importance(records: Iterable[Record], now: datetime) -> list[Record]:
    return sorted(
        records, key=lambda r: (-r.standing.importance, -current_confidence(r, now), r.number)
    )


_DAY = timedelta(days=1)


def trends(workspace: Workspace) -> list[Trend]:
    """What came up more, or less, when sleep last looked; the clearest first."""
    trends = []
    for tally in workspace.store.tallies(TRENDS).values():
        value: Mapping[str, Any] = tally.value
        as_of = datetime.fromisoformat(value["as_of"])
        for row in value["trends"]:
            before, after = row["before"], row["after"]
            trends.append(Trend(row["name"], after > before, before, after, row["chance"], as_of))
    return sorted(trends, key=lambda trend: trend.chance)


def shifts(workspace: Workspace, since: datetime) -> list[Shift]:
    """Facts that took the place of others since a moment, the newest first.

    The same fact from a better source is no shift.
    """
    wanted = Stated(kinds=FACTS, states={State.SUPERSEDED})
    old = [
        record
        for record in workspace.store.stated(wanted)
        if record.standing.superseded_by and record.valid_to and record.valid_to >= since
    ]
    news = workspace.store.find([str(record.standing.superseded_by) for record in old])
    facts = {record.id: record for record in news if record.kind is Kind.FACT}
    now = workspace.clock.now()
    found = [
        Shift(views.fact(record, now), views.fact(facts[by], now), record.valid_to)
        for record in old
        if (by := str(record.standing.superseded_by)) in facts and record.valid_to
        if facts[by].text != record.text
    ]
    return sorted(found, key=lambda shift: shift.at, reverse=True)


PRIOR_DAYS = 365.0
"""How long a fact lasts, before there is any evidence."""


def predict(workspace: Workspace, topic: tuple[str, str], at: datetime) -> Prediction:
    """How likely what holds now of a subject and predicate still holds at a moment."""
    versions = _stated(workspace.store, topic[0], Stated(), topic[1])
    held = [r for r in versions if r.standing.state in (State.ACTIVE, State.SUPERSEDED)]
    current = [r for r in held if r.standing.state is State.ACTIVE]
    if not current:
        raise NotFound(f"nothing is known of {topic[0]!r} and {topic[1]!r} that holds now")
    newest = max(current, key=lambda record: record.standing.last_seen_at)
    changes = len(held) - len(current)
    typical = typical_days(sum(_lasted(r) for r in held), changes, PRIOR_DAYS)
    quiet = (at - newest.standing.last_seen_at) / _DAY
    known = views.fact(newest, workspace.clock.now())
    return Prediction(known, at, survival_probability(quiet, typical), changes, typical)


def _lasted(record: Record) -> float:
    """For how many days a value is known to have held."""
    end = record.valid_to or record.standing.last_seen_at
    return max(0.0, (end - record.valid_from) / _DAY)


def end(workspace: Workspace, fact_id: str, at: datetime) -> Fact:
    """The fact held until then; it stays in the history."""
    slots = [str(record.slot) for record in workspace.store.find([fact_id])]
    seen = workspace.store.slot_heads(slots)
    record = required(workspace, fact_id)
    if at < record.valid_from:
        raise InvalidInput(f"it cannot end before it began to hold, at {record.valid_from}")
    now = workspace.clock.now()
    over = at <= now and record.standing.state is State.ACTIVE
    state = State.SUPERSEDED if over else record.standing.state
    standing = replace(record.standing, state=state, last_seen_at=now)
    revision = Revision(fact_id, standing, at)
    workspace.store.commit(Change("end", now, (), revisions=(revision,), seen=seen))
    return views.fact(replace(record, standing=standing, valid_to=at), now)


def required(workspace: Workspace, fact_id: str) -> Record:
    """The fact with this id; NotFound if there is none."""
    found = workspace.store.find([fact_id])
    if not found or found[0].kind is not Kind.FACT:
        raise NotFound(f"no fact {fact_id!r}; `facts` lists them")
    return found[0]


def sureness(workspace: Workspace, fact_id: str) -> float:
    """How sure we are of a fact now."""
    return current_confidence(required(workspace, fact_id), workspace.clock.now())


CONFIRMED = "confirmed 1"


def confirmation_message(workspace: Workspace, fact_id: str, right: bool) -> Confirmation:
    """The user's words, and what they state."""
    fact = required(workspace, fact_id)
    if fact.standing.state not in ACTIVE_OR_UNCERTAIN:
        raise InvalidInput(f"{fact_id!r} is {fact.standing.state.value}: it no longer holds")
    text = f"Yes, that is right: {fact.text}." if right else f"No, that is wrong: {fact.text}."
    misread = not right and fact.provenance.trust >= Trust.USER  # others could say it again
    states = Candidate(
        Kind.FACT,
        fact.text,
        Span(0, len(text)),
        1.0,
        CONFIRMED,
        statement=fact.statement,
        mode=Mode.HOLDS if right is not fact.negated else Mode.DENIED,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        target=Target(TargetRelation.END, fact.id, str(fact.slot)) if misread else None,
    )
    return Confirmation(text, states=states)


PREFIX, TOPIC = "quality/", "confidence"
_DIGITS = 6


def judged(workspace: Workspace, answers: Iterable[tuple[float, bool]]) -> None:
    """Count facts by how sure we were of each, and whether it is right.

    If others count at the same time and are faster, again and again, it is left uncounted: what the
    user said is stored already.
    """
    outcomes = list(answers)

    def attempt(workspace: Workspace) -> None:
        sheet = Sheet.of(workspace.store, PREFIX)
        for confidence, right in outcomes:
            row = sheet.edit(TOPIC, str(bin_of(confidence)))
            error = (confidence - right) ** 2
            counted = {"facts": 1, "right": int(right), "confidence": confidence, "error": error}
            row |= {key: round(row.get(key, 0) + one, _DIGITS) for key, one in counted.items()}
        now = workspace.clock.now()
        workspace.store.commit(Change("judge", now, (), tallies=sheet.new()))

    with suppress(Overtaken):
        workspace.retried(attempt)


def view(workspace: Workspace) -> FactCalibration:
    """What was counted so far."""
    rows = Sheet.of(workspace.store, PREFIX).rows(TOPIC)
    held = {int(name): row for name, row in rows.items()}
    bins = tuple(
        ConfidenceBin(
            low=n / BINS,
            high=(n + 1) / BINS,
            facts=row["facts"],
            right=row["right"],
            mean_confidence=row["confidence"] / row["facts"],
        )
        for n, row in sorted(held.items())
    )
    total = sum(one.facts for one in bins)
    summed = [(row["facts"], row["right"], row["confidence"]) for row in held.values()]
    brier = sum(row["error"] for row in held.values()) / total if total else None
    return FactCalibration(total, bins, calibration_error(summed), brier)
