"""The rules to look at."""

from collections.abc import Sequence
from functools import partial

from sharpwave.behavior.rules import records
from sharpwave.errors import InvalidInput
from sharpwave.knowledge.listing import part
from sharpwave.types.records import Record, Stage, State
from sharpwave.types.steering import Behavior, SteeringType
from sharpwave.types.storing import WHOLE, Order, Window
from sharpwave.workspace import Workspace

OPEN = frozenset({State.ACTIVE, State.UNCERTAIN})
_SHOWN = frozenset({State.ACTIVE})
_PAST = frozenset({State.SUPERSEDED, State.INVALIDATED})


def states(everything: bool, past: bool) -> frozenset[State]:
    """How rules stand that are to be listed; empty for every one."""
    return _PAST if past else frozenset() if everything else _SHOWN


def listed(
    workspace: Workspace,
    states: frozenset[State] = _SHOWN,
    type_: str | None = None,
    window: Window = WHOLE,
) -> list[Behavior]:
    """The rules that stand so, the most frequent first, then those seen last [BEH-10, PRM-08]."""
    wanted = None if type_ is None else type_of(type_)

    def keep(found: Sequence[Record]) -> list[Record]:
        return [one for one in found if wanted in (None, records.type_of(one))]

    read = partial(records.stored, workspace, states, Order.FREQUENT)
    return viewed(workspace, part(read, keep, window))


def pending(workspace: Workspace, window: Window = WHOLE) -> list[Behavior]:
    """The rules that nobody has looked at yet, and those that agents report; the newest first."""

    def keep(found: Sequence[Record]) -> list[Record]:
        return [one for one in found if one.standing.stage is not Stage.SEMANTIC]

    read = partial(records.stored, workspace, OPEN, Order.NEWEST)
    return viewed(workspace, part(read, keep, window))


def viewed(workspace: Workspace, found: Sequence[Record]) -> list[Behavior]:
    """Records of rules as rules, with what they rest on."""
    evidence = workspace.store.evidence([record.id for record in found])
    return [records.view(one, evidence.get(one.id) or one.provenance.parents) for one in found]


def type_of(name: str) -> SteeringType:
    """The type of this name, with or without `behavioral_`."""
    full = name if name.startswith("behavioral_") else f"behavioral_{name}"
    try:
        return SteeringType(full)
    except ValueError:
        known = ", ".join(one.value.removeprefix("behavioral_") for one in SteeringType)
        raise InvalidInput(f"type must be one of {known}, not {name!r}") from None
