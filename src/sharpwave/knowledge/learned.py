"""The record of something that a turn says: a fact, a task or a note."""

from sharpwave.knowledge.draft import Draft, Heard
from sharpwave.types.records import Kind, Provenance, Record, Stage, Standing, Statement


def learned(draft: Draft, heard: Heard, id_: str, kind: Kind, statement: Statement) -> Record:
    """What all of them have in common: it comes from the turn, and holds since it was said.

    It has the source and the trust of the turn, which is its parent.
    """
    said, turn = heard.candidate, heard.turn
    source = turn.provenance
    return Record(
        id=id_,
        user_id=turn.user_id,
        kind=kind,
        text=statement.object,
        provenance=Provenance(
            source.source, source.channel, source.trust, source.author, (turn.id,)
        ),
        standing=Standing(
            stage=Stage.SEMANTIC,
            temperature=turn.standing.temperature,
            importance=0.0,
            confidence=said.confidence,
            seen_count=1,
            last_seen_at=turn.valid_from,
        ),
        valid_from=turn.valid_from,
        recorded_at=draft.now,
        scope=turn.scope,
        tags=turn.tags,
        metadata={"extractor": said.extractor, "span": list(said.span)},
        statement=statement,
    )
