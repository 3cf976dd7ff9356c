"""The pending writes of one call, on top of the known records. Nothing is written until all is set.

Reads see everything decided so far as if stored, so one message can correct another of the same
call.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from sharpwave.formulas.confidence import reinforced
from sharpwave.knowledge import predicates
from sharpwave.knowledge.predicates import normal_name
from sharpwave.temporal.clock import new_id
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.records import (
    Channel,
    Kind,
    Provenance,
    Record,
    Stage,
    Standing,
    State,
    Statement,
)
from sharpwave.types.statements import Candidate, Target, TargetRelation
from sharpwave.types.storing import Evidence, Revision

MAX_STATEMENT_CHARS = 300
"""Maximum length of a subject, object or sentence."""
NOVELTY_COSINE = 0.92
"""Minimum cosine between two wordings of the same thing [WR-03]."""
CLAIMED = "claimed"
"""Metadata key of a caller's claim about a turn: its speaker need not have said it."""
REINFORCE_GAIN = 0.3
"""Share of the remaining doubt that each observation removes."""


Alike = Callable[[str, Sequence[str], float], int | None]
"""Index of the candidate nearest to a wording, if their cosine reaches a minimum."""


class Extracted(NamedTuple):
    """A statement that was extracted from a turn."""

    candidate: Candidate
    turn: Record


def slot_of(subject: str, predicate: str, value: str = "") -> str:
    """Key shared by statements that exclude each other; `value` separates those that do not.

    >>> slot_of("The user's Sister", "lives_in"), slot_of("Ana", "likes", "tea")
    ("user's sister|lives_in|", 'ana|likes|tea')
    """
    return f"{normal_name(subject)}|{predicate}|{value}"


@dataclass(slots=True)
class Draft:
    """New records, changed standings and new evidence, decided but not yet written."""

    now: datetime
    known: dict[str, list[Record]]
    """Known records by slot, in the order they were recorded."""
    alike: Alike
    new: list[Record] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    """Ids of records that no longer hold."""
    supported: set[Evidence] = field(default_factory=set)
    """Evidence that is already stored: the same words read twice count once."""
    done: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """Words of what was done, by task and turn: a task is done when all its parts are."""
    _revised: dict[str, Record] = field(default_factory=dict)

    @classmethod
    def on(
        cls,
        known: Sequence[Record],
        now: datetime,
        supported: Iterable[Evidence] = (),
        alike: Alike = lambda _wording, _candidates, _min_cosine: None,
    ) -> "Draft":
        """A draft on top of these records."""
        by_slot: dict[str, list[Record]] = {}
        for record in known:
            by_slot.setdefault(str(record.slot), []).append(record)
        return cls(now, by_slot, alike, supported=set(supported))

    @property
    def revisions(self) -> tuple[Revision, ...]:
        """The new standings of known records."""
        return tuple(
            Revision(record.id, record.standing, record.valid_to)
            for record in self._revised.values()
        )

    def in_slot(self, slot: str) -> list[Record]:
        """The records of a slot, as decided so far."""
        return list(self.known.get(slot, ()))

    def supports(self, extracted: Extracted, record: Record) -> bool:
        """True if this turn is already evidence for a record."""
        return Evidence(record.id, extracted.turn.id) in self.supported

    def add(self, record: Record) -> Record:
        """Store a new record."""
        self.new.append(record)
        self.supported |= {Evidence(record.id, parent) for parent in record.provenance.parents}
        self.known.setdefault(str(record.slot), []).append(record)
        return record

    def revise(self, record: Record, **changes: Any) -> Record:
        """Change the standing of a record; `valid_to` may be among the changes."""
        record = self._as_decided(record)
        valid_to = changes.pop("valid_to", record.valid_to)
        changed = replace(record, valid_to=valid_to, standing=replace(record.standing, **changes))
        self._replace(self.known[str(record.slot)], changed)
        if not self._replace(self.new, changed):
            self._revised[changed.id] = changed
        return changed

    def close(self, record: Record, at: datetime, **changes: Any) -> Record:
        """End a record, no later than its previous end and not before its start.

        Records that it contradicted are active again.
        """
        record = self._as_decided(record)
        self.closed.append(record.id)
        for doubted in [r for records in self.known.values() for r in records]:
            if doubted.standing.rival == record.id and doubted.standing.state is State.UNCERTAIN:
                self.revise(doubted, state=State.ACTIVE, rival=None)
        ends = min(at, record.valid_to or at)
        changes.setdefault("rival", None)
        return self.revise(record, valid_to=max(ends, record.valid_from), **changes)

    def said_at(self, extracted: Extracted) -> datetime:
        """When a statement was made; never after now, even if the sender's clock ran ahead."""
        return min(extracted.turn.valid_from, self.now)

    def is_after(self, moment: datetime, extracted: Extracted) -> bool:
        """True if a stored moment is later than a statement.

        A moment after now comes from a clock that ran ahead. It counts as earlier than a statement
        made now, and as later than one made some time before it was recorded.
        """
        if moment <= self.now:
            return moment > self.said_at(extracted)
        return self.said_at(extracted) < min(extracted.turn.recorded_at, self.now)

    def support(self, record: Record, extracted: Extracted) -> Record:
        """Count one more observation of a known record; the same turn counts once.

        A caller's claim about a turn does not count: its speaker need not have said it. A record
        written in the background is erased with the first turn of its evidence, so a turn that only
        confirms it is not added; nor is one that says the same in other words, or the first wording
        would stay known after its turn is forgotten.
        """
        if extracted.candidate.claimed or self.supports(extracted, record):
            return record
        standing, said_at = record.standing, self.said_at(extracted)
        seen = Evidence(record.id, extracted.turn.id)
        self.supported.add(seen)
        own = record.kind is Kind.NOTE or record.provenance.channel is not Channel.SLEEP
        if own and not extracted.candidate.other_words:
            self.evidence.append(seen)
        return self.revise(
            record,
            seen_count=standing.seen_count + 1,
            last_seen_at=max(standing.last_seen_at, said_at),
            confidence=reinforced(standing.confidence, REINFORCE_GAIN),
        )

    def say(
        self, verdict: Verdict, extracted: Extracted, record: Record | None = None, reason: str = ""
    ) -> None:
        """Add the outcome of a statement to the receipt."""
        text = record.text if record else extracted.candidate.text
        kind = record.kind if record else extracted.candidate.kind
        self.outcomes.append(Outcome(verdict, text, record.id if record else None, reason, kind))

    def _as_decided(self, record: Record) -> Record:
        slot = self.known[str(record.slot)]
        return next((candidate for candidate in slot if candidate.id == record.id), record)

    @staticmethod
    def _replace(records: list[Record], changed: Record) -> bool:
        for index, record in enumerate(records):
            if record.id == changed.id:
                records[index] = changed
                return True
        return False


class Decided(NamedTuple):
    """A finished draft, and the slot versions that it was decided on."""

    draft: Draft
    seen: Mapping[str, int]
    """The sequence number of each slot when it was read."""
    stale: tuple[Revision, ...]
    """Revisions of records derived from facts that no longer hold."""


def statement_of(item: Record | Candidate) -> Statement:
    """The statement of a fact, task or note, or of a candidate."""
    assert item.statement is not None, "only facts, tasks and notes compete for slots"
    return item.statement


def learned(draft: Draft, extracted: Extracted, kind: Kind, statement: Statement) -> Record:
    """New record derived from a turn, with its source, trust and scope.

    The turn is its parent. A record that rests on further turns was written in the background, and
    is erased with the first of them.
    """
    candidate, turn = extracted.candidate, extracted.turn
    source = turn.provenance
    claimed = {CLAIMED: True} if candidate.claimed else {}
    channel = Channel.SLEEP if candidate.rests_on else source.channel
    standing = Standing.new(Stage.SEMANTIC, 0.0, candidate.confidence, draft.said_at(extracted))
    return Record(
        id=new_id(draft.now),
        user_id=turn.user_id,
        kind=kind,
        text=statement.object,
        provenance=Provenance(
            source.source, channel, source.trust, source.author, (turn.id, *candidate.rests_on)
        ),
        standing=replace(standing, temperature=turn.standing.temperature),
        valid_from=draft.said_at(extracted),
        recorded_at=draft.now,
        scope=turn.scope,
        tags=turn.tags,
        metadata={"extractor": candidate.extractor, "span": list(candidate.span), **claimed},
        statement=statement,
    )


def slot_of_statement(statement: Statement) -> str:
    """The slot of a statement."""
    subject, name, value = statement
    if not predicates.predicate(name).many:
        return slot_of(subject, name)
    return slot_of(subject, name, predicates.normal_object(name, value))


def competing_slots(candidate: Candidate) -> list[str]:
    """The slots to read before deciding on a statement."""
    statement = statement_of(candidate)
    excluded = predicates.predicate(statement.predicate).excludes
    rivals = [statement._replace(predicate=name) for name in excluded]
    if candidate.instead_of is not None:
        rivals.append(statement._replace(object=candidate.instead_of))
    return list(dict.fromkeys(slot_of_statement(competitor) for competitor in (statement, *rivals)))


def reworded(extracted: Extracted, **parts: str) -> Extracted:
    """A copy with parts of the statement replaced, such as another wording of the object."""
    statement = statement_of(extracted.candidate)._replace(**parts)
    return extracted._replace(candidate=replace(extracted.candidate, statement=statement))


def with_target(extracted: Extracted, relation: TargetRelation, record: Record) -> Extracted:
    """A copy aimed at a known record that it updates, corrects or ends."""
    target = Target(relation, record.id, str(record.slot))
    ends = relation is TargetRelation.END
    aimed = replace(extracted.candidate, target=target, effect_only=ends)
    return extracted._replace(candidate=aimed)
