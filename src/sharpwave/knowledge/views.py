"""Facts and notes as the caller gets them, with the current confidence of each."""

from datetime import datetime

from sharpwave.formulas.confidence import vote_agreement
from sharpwave.knowledge.confidence import ENOUGH_VOTES, confidence
from sharpwave.knowledge.draft import statement_of
from sharpwave.knowledge.predicates import predicate
from sharpwave.types.known import Fact, Note, NoteOrigin
from sharpwave.types.records import Channel, Record, Source


def fact(record: Record, now: datetime) -> Fact:
    """A record as a fact, with its confidence now."""
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
        confidence=confidence(record, now),
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


def note(record: Record) -> Note:
    """A record as a note; a conclusion with fewer than `ENOUGH_VOTES` observations is a guess."""
    provenance = record.provenance
    origin = _ORIGINS.get(provenance.source, NoteOrigin.AGENT)
    if provenance.source is Source.INFERRED and provenance.channel is Channel.SLEEP:
        origin = NoteOrigin.LLM_REFLECTION
    votes = vote_agreement(record.standing.seen_count, ENOUGH_VOTES)
    return Note(
        id=record.id,
        text=record.text,
        confidence=record.standing.confidence,
        seen_count=record.standing.seen_count,
        created_at=record.valid_from,
        tags=record.tags,
        source=provenance.source,
        trust=provenance.trust,
        origin=origin,
        agreed=origin in _AGREED or (origin is NoteOrigin.LLM_REFLECTION and votes == 1.0),
    )


_ORIGINS = {Source.USER_MESSAGE: NoteOrigin.HUMAN_FEEDBACK, Source.SYSTEM: NoteOrigin.SYSTEM}
_AGREED = frozenset(_ORIGINS.values())
