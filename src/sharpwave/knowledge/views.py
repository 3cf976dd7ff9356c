"""Records as a reader wants them."""

from datetime import timedelta

from sharpwave.formulas.confidence import vote_agreement
from sharpwave.knowledge.draft import Fading, statement_of
from sharpwave.knowledge.predicates import predicate
from sharpwave.types.known import Fact, Note, NoteOrigin, Task
from sharpwave.types.records import Record, Source, State
from sharpwave.types.statements import TaskStatus
from sharpwave.workspace import Resources

_STATUS = {State.DONE: TaskStatus.DONE, State.STALLED: TaskStatus.STALLED}


def fading(resources: Resources) -> Fading:
    """How sure facts still are, looked at now [TMP-06]."""
    return Fading(resources.clock.now(), resources.settings.recall.decay_per_day)


def fact(record: Record, fading: Fading) -> Fact:
    """A record as a fact, as sure as we still are of it."""
    statement, standing = statement_of(record), record.standing
    return Fact(
        id=record.id,
        subject=statement.subject,
        predicate=statement.predicate,
        object=statement.object,
        text=record.text,
        type=predicate(statement.predicate).type,
        negated=record.negated,
        state=standing.state,
        confidence=fading.confidence(record),
        importance=standing.importance,
        seen_count=standing.seen_count,
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        first_seen=record.recorded_at,
        last_seen=standing.last_seen_at,
        recorded_at=record.recorded_at,
        source=record.provenance.source,
        trust=record.provenance.trust,
        superseded_by=standing.superseded_by,
        rival=standing.rival,
    )


def task(record: Record) -> Task:
    """A record as a task."""
    return Task(
        id=record.id,
        title=record.text,
        status=_STATUS.get(record.standing.state, TaskStatus.ACTIVE),
        due=record.due,
        created_at=record.valid_from,
        updated_at=record.standing.last_seen_at,
        tags=record.tags,
    )


def note(record: Record, enough: int) -> Note:
    """A record as a note; a conclusion needs so many observations to be more than a guess."""
    concluded = record.provenance.source is Source.INFERRED
    votes = vote_agreement(record.standing.seen_count, enough)
    return Note(
        id=record.id,
        text=record.text,
        confidence=record.standing.confidence,
        seen_count=record.standing.seen_count,
        created_at=record.valid_from,
        tags=record.tags,
        origin=NoteOrigin.LLM_REFLECTION if concluded else NoteOrigin.HUMAN_FEEDBACK,
        agreed=not concluded or votes == 1.0,
    )


_DAY = timedelta(days=1)
