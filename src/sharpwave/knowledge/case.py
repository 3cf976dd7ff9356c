"""One statement before the court: what is known that bears on it, and the record it would make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sharpwave.knowledge import predicates
from sharpwave.knowledge.draft import Draft, Heard, statement_of
from sharpwave.knowledge.learned import learned
from sharpwave.knowledge.predicates import same_object, sentence
from sharpwave.knowledge.slots import said_in, slot
from sharpwave.settings.remember import KnowledgeSettings
from sharpwave.types.records import Kind, Record, Stage, State, Trust
from sharpwave.types.statements import Mode

Alike = Callable[[str, Sequence[str]], int | None]
"""Which of some wordings means the same as one, by their vectors; None if none does."""
NewId = Callable[[datetime], str]

_LIVE = frozenset({State.ACTIVE, State.UNCERTAIN})


@dataclass(frozen=True, slots=True)
class Court:
    """What it takes to decide, besides what is known and what was heard."""

    settings: KnowledgeSettings
    alike: Alike
    new_id: NewId


class Case:
    """A statement, and what can be seen from it."""

    def __init__(self, draft: Draft, heard: Heard, court: Court) -> None:
        self.draft = draft
        self.heard = heard
        self.court = court
        self.statement = said_in(heard.candidate)
        self.row = predicates.predicate(self.statement.predicate)
        self.slot = slot(self.statement)
        self.said_at = heard.turn.valid_from
        self.since = heard.candidate.valid_from or self.said_at
        if heard.candidate.valid_to is not None:
            self.since = min(self.since, heard.candidate.valid_to)
        self.trust = heard.turn.provenance.trust

    def heard_before(self) -> Record | None:
        """What an earlier reading of the same turn has made of this, by rules or by a model."""
        if not self.heard.turn.number:
            return None
        mode = self.heard.candidate.mode
        for record in reversed(self.draft.in_slot(self.slot)):
            over = record.metadata.get("mode") == Mode.ENDED
            fits = {Mode.HOLDS: not over, Mode.ENDED: record.valid_to is not None}
            if (
                self.draft.supports(self.heard, record)
                and record.negated is (mode is Mode.DENIED)
                and self.has_object(record, self.statement.object)
                and fits.get(mode, True)
            ):
                return record
        return None

    def same(self, negated: bool) -> Record | None:
        """The newest live record that says the same."""
        name, value = self.statement.predicate, self.statement.object
        same = [
            record
            for record in self.draft.in_slot(self.slot)
            if record.standing.state in _LIVE
            and record.negated is negated
            and (self.open(record) or record.valid_to == self.heard.candidate.valid_to)
            and same_object(name, statement_of(record).object, value)
        ]
        return same[-1] if same else None

    def past(self) -> Record | None:
        """The newest record that says this of a time now over: the same time, if one is said."""
        said = self.heard.candidate
        since = said.valid_from and min(self.since, self.said_at)
        for record in reversed(self.draft.in_slot(self.slot)):
            if (
                record.standing.state is State.SUPERSEDED
                and not record.negated
                and record.valid_to is not None
                and (said.valid_to is None or record.valid_from <= said.valid_to)
                and (since is None or record.valid_to >= since)
                and self.has_object(record, self.statement.object)
            ):
                return record
        return None

    def others(self) -> list[Record]:
        """What else holds where only one value can."""
        return [
            record
            for record in self.draft.in_slot(self.slot)
            if record.standing.state is State.ACTIVE
            and not record.negated
            and self.open(record)
            and not self.has_object(record, self.statement.object)
        ]

    def contradicted(self) -> list[Record]:
        """What cannot be true together with this: its denial, or its opposite."""
        opposite = [
            record
            for name in self.row.excludes
            for record in self.draft.in_slot(slot(self.statement._replace(predicate=name)))
            if not record.negated
        ]
        denials = [record for record in self.draft.in_slot(self.slot) if record.negated]
        return [
            record
            for record in [*denials, *opposite]
            if record.standing.state is State.ACTIVE
            and self.open(record)
            and self.has_object(record, self.statement.object)
        ]

    def corrected(self) -> list[Record]:
        """What the text itself says is wrong: "not Lisbon but Porto"."""
        wrong = self.heard.candidate.instead_of
        if wrong is None:
            return []
        return [
            record
            for record in self.draft.in_slot(slot(self.statement._replace(object=wrong)))
            if record.standing.state in _LIVE
            and not record.negated
            and self.has_object(record, wrong)
        ]

    def open(self, record: Record) -> bool:
        """True unless it was over, by its own words or its nature, when this was said."""
        return record.valid_to is None or record.valid_to > self.said_at

    def has_object(self, record: Record, value: str) -> bool:
        """True if a record names this very thing, in these words or others."""
        return same_object(self.statement.predicate, statement_of(record).object, value)

    def long_ago(self, records: list[Record]) -> bool:
        """People change their minds; but hardly within a few days and without a word."""
        patience = timedelta(days=self.court.settings.change_of_mind_days)
        return all(self.said_at - r.standing.last_seen_at >= patience for r in records)

    def prevails_over(self, records: list[Record]) -> bool:
        """By a better source, or because what is known is old."""
        weaker = all(record.provenance.trust < self.trust for record in records)
        return weaker or self.long_ago(records)

    def is_past(self) -> bool:
        """True if it was over when it was said."""
        ended = self.heard.candidate.valid_to
        return ended is not None and ended <= self.said_at

    def new(
        self,
        *,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        state: State | None = None,
        superseded_by: str | None = None,
    ) -> Record:
        """The record of this statement."""
        said = self.heard.candidate
        since = valid_from or self.since
        until = valid_to or said.valid_to
        if until is None and self.row.expires_days is not None:
            until = max(since, self.said_at) + timedelta(days=self.row.expires_days)
        unsure = State.UNCERTAIN if self.trust is Trust.UNTRUSTED else State.ACTIVE
        mode = Mode.DENIED if said.mode is Mode.DENIED else Mode.HOLDS
        new_id = self.court.new_id(self.draft.now)
        fact = learned(self.draft, self.heard, new_id, Kind.FACT, self.statement)
        return replace(
            fact,
            text=sentence(self.statement, mode),
            standing=replace(
                fact.standing,
                stage=Stage.SEMANTIC if self.trust >= Trust.VERIFIED else Stage.EPISODIC,
                importance=self.row.importance,
                state=state or unsure,
                superseded_by=superseded_by,
            ),
            valid_from=since,
            valid_to=until,
            tags=(self.row.type,),
            metadata={**fact.metadata, "mode": said.mode.value},
            negated=mode is Mode.DENIED,
            slot=self.slot,
        )
