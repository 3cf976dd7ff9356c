"""Facts: the profile, the state at a moment, and how something changed."""

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
    """Facts about the user, from the user or from enough independent sources."""
    now = workspace.clock.now()
    found = _foremost(workspace.store, now, most)
    if most is None:  # otherwise in the order of the store, so that pages fit together
        found = _by_importance(found, now)
    return [views.fact(record, now) for record in found]


def foremost(workspace: Workspace, most: int, without: str | None = None) -> list[Fact]:
    """The most important profile facts, except those of predicate `without`, the surest first."""
    now = workspace.clock.now()
    found = _foremost(workspace.store, now, most, without)
    return [views.fact(record, now) for record in _by_importance(found, now)]


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
    """What was true at a moment, as known today or as known at `known_at`."""
    store, wanted = workspace.store, Stated(begun_by=moment, beyond=moment, order=Order.FOREMOST)
    if known_at is not None:  # a fact that has ended since may have been current at that time
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
    """Every version of a subject's fact, oldest first, under any of the subject's names."""
    found = _stated(workspace.store, subject, Stated(), predicate)
    found.sort(key=lambda record: (record.valid_from, record.number))
    now = workspace.clock.now()
    versions = tuple(views.fact(record, now) for record in found)
    return Evolution(subject, predicate, versions, now)


def between(workspace: Workspace, start: datetime, end: datetime, on: str) -> list[Fact]:
    """Facts that held ("valid") or were learned ("recorded") between two moments."""
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
    """The records as they were known at a moment, without changes learned later."""
    learned = {record.id: record.recorded_at for record in records}
    unread = {by for record in records if (by := _closed_by(record))} - learned.keys()
    closers = store.find(sorted(unread))
    learned |= {closer.id: closer.recorded_at for closer in closers if closer.kind is Kind.FACT}
    then = []
    for record in records:
        by, standing = _closed_by(record), record.standing
        if by and learned.get(by, standing.last_seen_at) > known_at:
            standing = replace(standing, state=State.ACTIVE, superseded_by=None, rival=None)
            record = replace(record, standing=standing, valid_to=None)
        then.append(record)
    return then


def _closed_by(record: Record) -> str | None:
    """Id of the record that replaced, ended or contradicted this one, if any."""
    standing = record.standing
    return None if standing.state is State.ACTIVE else standing.superseded_by or standing.rival


def _stated(
    store: UserStore, subject: str | None, wanted: Stated, predicate: str | None = None
) -> list[Record]:
    """Facts of all subjects, or of one under all of its names, in the requested order.

    With a subject and a predicate, only the facts in that predicate's slots are read.
    """
    query = replace(wanted, kinds=FACTS)
    if subject is None:
        return store.stated(query)
    keys = naming.of(store, subject).keys
    begins = [slot_of(key, predicate) if predicate else f"{key}|" for key in sorted(keys)]
    found = store.stated(replace(query, within=tuple(begins)))
    return (
        found if wanted.order is Order.FOREMOST else sorted(found, key=lambda record: record.number)
    )


def _foremost(
    store: UserStore, now: datetime, most: int | None, without: str | None = None
) -> list[Record]:
    """The first `most` profile records, or all, in store order, without reading the rest."""
    wanted = Stated(states=ACTIVE_OR_UNCERTAIN, beyond=now, without=without, order=Order.FOREMOST)

    def read(limit: int | None) -> list[Record]:
        return _stated(store, USER, replace(wanted, limit=limit))

    return part(read, lambda stated: _profile_candidates(stated, store, now), Window(limit=most))


def _is_about(record: Record, predicate: str | None) -> bool:
    return predicate is None or (
        record.statement is not None and record.statement.predicate == predicate
    )


def _profile_candidates(stated: Sequence[Record], store: UserStore, now: datetime) -> list[Record]:
    """The records about the user that may enter the profile."""
    found = [
        record for record in stated if holds_now(record, now) and record.standing.rival is None
    ]
    outvoted = _outvoted(found, store, now)
    return [
        record
        for record in found
        if record.id not in outvoted
        and not _is_plain_rejection(record)
        and _is_believed(record, store)
    ]


def _is_plain_rejection(record: Record) -> bool:
    """True if the user only rejected a sentence, so which part is wrong is unknown."""
    rejected = record.negated and record.metadata.get("extractor") == CONFIRMED
    return rejected and _is_about(record, NOTED)


def _outvoted(found: Sequence[Record], store: UserStore, now: datetime) -> frozenset[str]:
    """Ids of variants in slots that a better source has settled."""
    unsure = [record for record in found if record.standing.state is State.UNCERTAIN]
    slots = tuple(dict.fromkeys(record.slot for record in unsure if record.slot))
    if not slots:
        return frozenset()
    better = Stated(slots=slots, kinds=FACTS, states=ACTIVE, beyond=now)
    settled_slots = {record.slot for record in store.stated(better) if holds_now(record, now)}
    return frozenset(record.id for record in unsure if record.slot in settled_slots)


def _is_believed(record: Record, store: UserStore) -> bool:
    trust = record.provenance.trust
    sources: set[tuple[Source, str]] = set()
    if trust < Trust.VERIFIED:
        parents = store.evidence([record.id])[record.id]
        believed = (p for p in store.find(parents) if p.standing.state is State.ACTIVE)
        claimed_of = record.provenance.parents if CLAIMED in record.metadata else ()
        provenances = [
            record.provenance if parent.id in claimed_of else parent.provenance
            for parent in believed
        ]
        promoted = trust is Trust.INFERRED and record.standing.stage is Stage.SEMANTIC
        if promoted and any(provenance.trust >= Trust.VERIFIED for provenance in provenances):
            return True  # promoted in sleep: the user said it on enough different days
        sources = {(provenance.source, provenance.author) for provenance in provenances}
    return may_enter_profile(trust, sources, INDEPENDENT_SOURCES)


def _by_importance(records: Iterable[Record], now: datetime) -> list[Record]:
    return sorted(
        records, key=lambda r: (-r.standing.importance, -current_confidence(r, now), r.number)
    )


_DAY = timedelta(days=1)


def trends(workspace: Workspace) -> list[Trend]:
    """Topics that were more or less frequent when sleep last ran; the clearest trend first."""
    trends = []
    for tally in workspace.store.tallies(TRENDS).values():
        value: Mapping[str, Any] = tally.value
        as_of = datetime.fromisoformat(value["as_of"])
        for row in value["trends"]:
            before, after = row["before"], row["after"]
            trends.append(Trend(row["name"], after > before, before, after, row["chance"], as_of))
    return sorted(trends, key=lambda trend: trend.chance)


def shifts(workspace: Workspace, since: datetime) -> list[Shift]:
    """Facts that replaced others since a moment, the newest first.

    The same fact from a better source is not a shift.
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
"""Expected lifetime of a fact without any evidence, in days."""


def predict(workspace: Workspace, topic: tuple[str, str], at: datetime) -> Prediction:
    """The probability that the current fact of a subject and predicate still holds at a moment."""
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
    """Days that a value is known to have held."""
    end = record.valid_to or record.standing.last_seen_at
    return max(0.0, (end - record.valid_from) / _DAY)


def end(workspace: Workspace, fact_id: str, at: datetime) -> Fact:
    """End a fact at a moment; it stays in the history."""
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
    """The message that confirms or rejects a fact, and the statement it makes."""
    fact = required(workspace, fact_id)
    if fact.standing.state not in ACTIVE_OR_UNCERTAIN:
        raise InvalidInput(f"{fact_id!r} is {fact.standing.state.value}: it no longer holds")
    text = f"Yes, that is right: {fact.text}." if right else f"No, that is wrong: {fact.text}."
    misread = not right and fact.provenance.trust >= Trust.USER  # other sources may repeat it
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
    """Count facts by confidence and by whether each was right.

    If concurrent writers keep winning, the count is dropped: the user's message is already stored.
    """
    outcomes = list(answers)

    def attempt(workspace: Workspace) -> None:
        sheet = Sheet.of(workspace.store, PREFIX)
        for confidence, right in outcomes:
            row = sheet.edit(TOPIC, str(bin_of(confidence)))
            error = (confidence - right) ** 2
            counted = {"facts": 1, "right": int(right), "confidence": confidence, "error": error}
            row |= {
                key: round(row.get(key, 0) + amount, _DIGITS) for key, amount in counted.items()
            }
        now = workspace.clock.now()
        workspace.store.commit(Change("judge", now, (), tallies=sheet.new()))

    with suppress(Overtaken):
        workspace.retried(attempt)


def view(workspace: Workspace) -> FactCalibration:
    """The calibration counted so far."""
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
    total = sum(row.facts for row in bins)
    summed = [(row["facts"], row["right"], row["confidence"]) for row in held.values()]
    brier = sum(row["error"] for row in held.values()) / total if total else None
    return FactCalibration(total, bins, calibration_error(summed), brier)
