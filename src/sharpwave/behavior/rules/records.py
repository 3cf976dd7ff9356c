"""A rule as a record, and a record as a rule."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.errors import NotFound
from sharpwave.temporal.clock import new_id
from sharpwave.types.records import (
    Channel,
    Kind,
    Provenance,
    Record,
    Source,
    Stage,
    Standing,
    State,
    Temperature,
    Trust,
)
from sharpwave.types.steering import Behavior, Signal, SteeringType
from sharpwave.types.storing import Order, Stated
from sharpwave.workspace import Workspace

SLOT = "behavior|rules"
"""All rules of a user compete with one another: each is decided on having seen the others."""
_ACTIVE = frozenset({State.ACTIVE})
_RULES = frozenset({Kind.BEHAVIOR})


def made(
    signal: Signal, scope: str, workspace: Workspace, now: datetime, parents: Sequence[str] = ()
) -> Record:
    """The record of a new rule."""
    return Record(
        id=new_id(now),
        user_id=workspace.user_id,
        kind=Kind.BEHAVIOR,
        text=signal.rule,
        provenance=Provenance(
            source=Source.USER_MESSAGE,
            channel=Channel.LIBRARY,
            trust=Trust.USER,
            author=workspace.user_id,
            parents=tuple(parents),
        ),
        standing=Standing(
            stage=Stage.WORKING,
            temperature=Temperature.HOT,
            importance=workspace.settings.steering.rule_importance,
            confidence=signal.confidence,
            seen_count=1,
            last_seen_at=now,
        ),
        valid_from=now,
        recorded_at=now,
        scope=scope,
        metadata={"type": signal.type.value},
        slot=SLOT,
    )


def proposed(
    signal: Signal, scope: str, workspace: Workspace, now: datetime, report: Record
) -> Record:
    """The record of a rule that an agent reports: it holds once the user agrees."""
    rule = made(signal, scope, workspace, now, (report.id,))
    said = replace(report.provenance, parents=(report.id,), idempotency_key=None)
    standing = replace(rule.standing, state=State.UNCERTAIN)
    return replace(rule, provenance=said, standing=standing)


def replaced(old: Record, by: str, now: datetime) -> Record:
    """A rule whose place another took. It holds again without that one only if it ever held."""
    held = old.standing.state is State.ACTIVE
    state = State.SUPERSEDED if held else State.INVALIDATED
    standing = replace(old.standing, state=state, superseded_by=by)
    return replace(old, standing=standing, valid_to=max(now, old.valid_from))


def stored(
    workspace: Workspace,
    states: frozenset[State] = _ACTIVE,
    order: Order = Order.RECORDED,
    limit: int | None = None,
) -> list[Record]:
    """The rules that hold, or those in other states; with no state named, all."""
    wanted = Stated(slots=(SLOT,), kinds=_RULES, states=states, order=order, limit=limit)
    return workspace.store.stated(wanted)


def one(workspace: Workspace, id_: str) -> Record:
    """The rule of that id."""
    found = workspace.store.find([id_])
    if not found or found[0].kind is not Kind.BEHAVIOR or found[0].slot != SLOT:
        raise NotFound(f"no behavior {id_!r}; `behaviors` lists them")
    return found[0]


def type_of(record: Record) -> SteeringType:
    """Of which type a stored rule is."""
    return SteeringType(str(record.metadata["type"]))


def view(record: Record, evidence: Sequence[str] = ()) -> Behavior:
    """A rule as a reader wants it."""
    standing = record.standing
    return Behavior(
        id=record.id,
        type=type_of(record),
        rule=record.text,
        scope=record.scope,
        frequency=standing.seen_count,
        confidence=standing.confidence,
        accepted=standing.stage is Stage.SEMANTIC,
        state=standing.state,
        created_at=record.recorded_at,
        last_seen=standing.last_seen_at,
        evidence=tuple(evidence),
        superseded_by=standing.superseded_by,
    )
