"""The rules to look at."""

from collections.abc import Sequence

from sharpwave.behavior.room import Room
from sharpwave.behavior.rules import records
from sharpwave.errors import InvalidInput
from sharpwave.types.behavior.steering import Behavior, SteeringType
from sharpwave.types.records import Record, State

OPEN = frozenset({State.ACTIVE, State.UNCERTAIN})
_SHOWN = frozenset({State.ACTIVE})


def listed(room: Room, everything: bool = False) -> list[Behavior]:
    """The rules that hold, the most frequent first; or every one, with history and deleted."""
    found = records.stored(room, frozenset() if everything else _SHOWN)
    return viewed(room, sorted(found, key=order))


def order(record: Record) -> tuple[int, float, str]:
    """The most frequent first, then the newest [BEH-10, PRM-08]."""
    standing = record.standing
    return (-standing.seen_count, -standing.last_seen_at.timestamp(), record.id)


def pending(room: Room) -> list[Behavior]:
    """The rules that nobody has looked at yet, and those that agents report; the newest first."""
    waiting = viewed(room, records.stored(room, OPEN))
    found = [one for one in waiting if not one.accepted]
    return sorted(found, key=lambda one: one.created_at, reverse=True)


def of_type(found: Sequence[Behavior], type_: str | None) -> list[Behavior]:
    """Those of one type, by its name with or without `behavioral_`."""
    if type_ is None:
        return list(found)
    wanted = type_of(type_)
    return [one for one in found if one.type is wanted]


def viewed(room: Room, found: Sequence[Record]) -> list[Behavior]:
    """Records of rules as rules, with what they rest on."""
    evidence = room.ports.store.evidence(room.user_id, [record.id for record in found])
    return [records.view(one, evidence.get(one.id) or one.provenance.parents) for one in found]


def type_of(name: str) -> SteeringType:
    """The type of this name, with or without `behavioral_`."""
    full = name if name.startswith("behavioral_") else f"behavioral_{name}"
    try:
        return SteeringType(full)
    except ValueError:
        known = ", ".join(one.value.removeprefix("behavioral_") for one in SteeringType)
        raise InvalidInput(f"type must be one of {known}, not {name!r}") from None
