"""Build and commit records of what was learned from the user."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.temporal.clock import new_id
from sharpwave.types.records import (
    Channel,
    Kind,
    Provenance,
    Record,
    Source,
    Stage,
    Standing,
    Trust,
)
from sharpwave.types.storing import Change, Evidence, Revision
from sharpwave.workspace import Workspace


def new_record(
    workspace: Workspace,
    kind: Kind,
    text: str,
    slot: str,
    metadata: Mapping[str, object],
    now: datetime,
    stage: Stage = Stage.EPISODIC,
    importance: float = 0.0,
) -> Record:
    """A global record authored by the user, with full confidence."""
    user = workspace.user_id
    return Record(
        id=new_id(now),
        user_id=user,
        kind=kind,
        text=text,
        provenance=Provenance(Source.USER_MESSAGE, Channel.LIBRARY, Trust.USER, user),
        standing=Standing.new(stage, importance, 1.0, now),
        valid_from=now,
        recorded_at=now,
        metadata=dict(metadata),
        slot=slot,
    )


def derived(record: Record, parents: Sequence[str]) -> Record:
    """The record with these parents."""
    return replace(record, provenance=replace(record.provenance, parents=tuple(parents)))


def commit(
    workspace: Workspace,
    now: datetime,
    seen: dict[str, int],
    records: Sequence[Record] = (),
    revised: Sequence[Record] = (),
    evidence: Sequence[Evidence] = (),
) -> None:
    """Write new and revised rules or preferences, with vectors, in one transaction.

    Raises Overtaken if another writer was faster.
    """
    needs = {link.parent for link in evidence}
    needs |= {parent for record in records for parent in record.provenance.parents}
    change = Change(
        "reflect",
        now,
        tuple(records),
        revisions=tuple(
            Revision(record.id, record.standing, record.valid_to) for record in revised
        ),
        evidence=tuple(evidence),
        seen=seen,
        needs=tuple(sorted(needs)),
    )
    workspace.store.commit(workspace.with_vectors(change))
