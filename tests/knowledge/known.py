"""What one user knows, for tests: statements settle in it one after another, without a store."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

from sharpwave import Kind, Record, Role, Source
from sharpwave.knowledge import settle_facts, settle_known, settle_tasks
from sharpwave.knowledge.draft import Draft, Extracted
from sharpwave.types.answers import Outcome
from sharpwave.types.records import (
    USER,
    Channel,
    Provenance,
    Stage,
    Standing,
    State,
    Statement,
    Temperature,
    Trust,
)
from sharpwave.types.statements import Candidate, Mode, Span, TaskStatus
from sharpwave.types.storing import Evidence

START = datetime(2026, 1, 1, tzinfo=UTC)
SOURCES = {
    Trust.USER: Source.USER_MESSAGE,
    Trust.VERIFIED: Source.SYSTEM,
    Trust.INFERRED: Source.INFERRED,
    Trust.UNTRUSTED: Source.WEB,
}


def day(number: float) -> datetime:
    """So many days after the start."""
    return START + timedelta(days=number)


def same_words(one: str, others: Sequence[str], _least: float = 1.0, /) -> int | None:
    """Wordings are alike if they have the same words, in whatever order."""
    words = sorted(one.lower().split())
    near = [n for n, other in enumerate(others) if sorted(other.lower().split()) == words]
    return near[-1] if near else None


class Known:
    """Everything known of one user, as it settles."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.evidence: set[tuple[str, str]] = set()
        self._turns = count(1)

    def turn(self, at: datetime, trust: Trust = Trust.USER, number: int = 0) -> Record:
        """Something that was said then, not stored yet unless it has a number."""
        return Record(
            id=f"turn-{next(self._turns)}",
            user_id="ana",
            kind=Kind.TURN,
            text="...",
            provenance=Provenance(SOURCES[trust], Channel.LIBRARY, trust, "ana"),
            standing=Standing(Stage.ACTIVE, Temperature.HOT, 0.5, 0.5, 1, at),
            valid_from=at,
            recorded_at=at,
            role=Role.USER,
            number=number,
        )

    def settle(self, *heard: Extracted, now: datetime | None = None) -> list[Outcome]:
        """Decide on these together, and take over what was decided."""
        seen = (record.standing.last_seen_at for record in self.records.values())
        moment = now or max([*seen, *(one.turn.valid_from for one in heard)])
        supported = [Evidence(*pair) for pair in self.evidence]
        draft = Draft.on(list(self.records.values()), moment, supported, same_words)
        for one in heard:
            if one.candidate.target is not None:
                settle_known.settle(draft, one, one.candidate.target)
            elif one.candidate.kind is Kind.TASK:
                settle_tasks.settle_task(draft, one, USER)
            elif one.candidate.kind is Kind.NOTE:
                settle_tasks.settle_note(draft, one)
            else:
                settle_facts.settle(draft, one)
        self._take_over(draft)
        return draft.outcomes

    def say(
        self,
        object_: str,
        at: float = 0.0,
        *,
        predicate: str = "lives_in",
        subject: str = USER,
        mode: Mode = Mode.HOLDS,
        trust: Trust = Trust.USER,
        instead_of: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        turn: Record | None = None,
        confidence: float = 0.9,
    ) -> Outcome:
        """One statement, said so many days after the start; what became of it."""
        candidate = Candidate(
            Kind.FACT,
            f"{subject} {predicate} {object_}",
            Span(0, 3),
            confidence,
            "test 1",
            Statement(subject, predicate, object_),
            mode,
            instead_of,
            since,
            until,
        )
        (outcome,) = self.settle(Extracted(candidate, turn or self.turn(day(at), trust)))
        return outcome

    def task(
        self,
        title: str,
        at: float = 0.0,
        *,
        status: TaskStatus | None = None,
        due: datetime | None = None,
        turn: Record | None = None,
    ) -> Outcome:
        """Something said about a task."""
        candidate = Candidate(Kind.TASK, title, Span(0, 3), 0.9, "test 1", status=status, due=due)
        (outcome,) = self.settle(Extracted(candidate, turn or self.turn(day(at))))
        return outcome

    def note(self, text: str, at: float = 0.0, confidence: float = 0.7) -> Outcome:
        """A note."""
        candidate = Candidate(Kind.NOTE, text, Span(0, 3), confidence, "test 1")
        (outcome,) = self.settle(Extracted(candidate, self.turn(day(at))))
        return outcome

    def record(self, object_: str) -> Record:
        """The newest record with this object."""
        found = [r for r in self.records.values() if r.statement and r.statement.object == object_]
        return found[-1]

    def states(self) -> dict[str, State]:
        """How each object stands; the newest record of each."""
        said = self.records.values()
        return {r.statement.object: r.standing.state for r in said if r.statement is not None}

    def _take_over(self, draft: Draft) -> None:
        for records in draft.known.values():
            for record in records:
                number = self.records[record.id].number if record.id in self.records else 0
                self.records[record.id] = replace(record, number=number or len(self.records) + 1)
        self.evidence |= {(one.id, one.parent) for one in draft.evidence}
        self.evidence |= {(one.id, up) for one in draft.new for up in one.provenance.parents}
        revised = {revision.id: revision for revision in draft.revisions}
        for record in draft.new:
            assert record.id not in revised, "a new record is written once, as decided"
        for id_, revision in revised.items():
            kept = self.records[id_]
            assert (kept.standing, kept.valid_to) == (revision.standing, revision.valid_to)
