"""Saying that a fact no longer holds."""

from dataclasses import replace
from datetime import datetime

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.knowledge import views
from sharpwave.knowledge.sureness import Fading
from sharpwave.types.known import Fact
from sharpwave.types.records import Kind, State
from sharpwave.types.storing import Change, Revision
from sharpwave.workspace import Workspace


def end(workspace: Workspace, fading: Fading, fact_id: str, at: datetime) -> Fact:
    """The fact held until then; it stays in the history."""
    slots = [str(record.slot) for record in workspace.store.find([fact_id])]
    seen = workspace.store.slot_heads(slots)
    found = workspace.store.find([fact_id])
    if not found or found[0].kind is not Kind.FACT:
        raise NotFound(f"no fact {fact_id!r}; `facts` lists them")
    (record,) = found
    if at < record.valid_from:
        raise InvalidInput(f"it cannot end before it began to hold, at {record.valid_from}")
    now = workspace.clock.now()
    over = at <= now and record.standing.state is State.ACTIVE
    state = State.SUPERSEDED if over else record.standing.state
    standing = replace(record.standing, state=state, last_seen_at=now)
    revision = Revision(fact_id, standing, at)
    workspace.store.commit(Change("end", now, (), revisions=(revision,), seen=seen))
    return views.fact(replace(record, standing=standing, valid_to=at), fading)
