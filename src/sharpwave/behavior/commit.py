"""Writes what was learned from a turn, in one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.errors import ProviderError
from sharpwave.types.records import Record
from sharpwave.types.storing import Change, Evidence, Revision
from sharpwave.workspace import Workspace

WITHDRAWN = "nothing was learned: this user does not agree to it"


def commit(
    workspace: Workspace,
    now: datetime,
    seen: dict[str, int],
    records: Sequence[Record] = (),
    revisions: Sequence[Revision] = (),
    evidence: Sequence[Evidence] = (),
) -> None:
    """Store rules and preferences with their vectors; Overtaken if another writer was faster."""
    change = Change("reflect", now, tuple(records), revisions=tuple(revisions))
    if records:
        change = _with_vectors(workspace, change)
    needs = {link.parent for link in evidence}
    needs |= {parent for record in records for parent in record.provenance.parents}
    change = replace(change, evidence=tuple(evidence), seen=seen, needs=tuple(sorted(needs)))
    workspace.store.commit(change)


def _with_vectors(workspace: Workspace, change: Change) -> Change:
    embedder = workspace.embedder
    try:
        vectors = embedder.embed([record.text for record in change.records])
    except ProviderError:
        return change  # found by keywords only until `reembed`
    return replace(change, vectors=vectors, space=embedder.space)
