"""A user's sessions, counted from their turns."""

from collections.abc import Sequence

from sharpwave.types.records import CURRENT, Kind, Record
from sharpwave.types.storing import Session


def turns(records: Sequence[Record], before: int | None) -> list[Record]:
    """The turns before a number."""
    said = (one for one in records if one.kind is Kind.TURN)
    return [one for one in said if before is None or one.number < before]


def within(records: Sequence[Record], begin: str, before: int | None) -> list[Record]:
    """The turns that count of the sessions whose name begins so."""
    return [
        turn
        for turn in turns(records, before)
        if (turn.session_id or "").startswith(begin) and turn.standing.state in CURRENT
    ]


def of(records: Sequence[Record], limit: int) -> list[Session]:
    """The sessions whose last turn is newest, that one first."""
    turns: dict[str, list[Record]] = {}
    for one in records:
        if one.kind is Kind.TURN and one.session_id and one.standing.state in CURRENT:
            turns.setdefault(one.session_id, []).append(one)
    found = []
    for id_, said in turns.items():
        moments = [turn.valid_from for turn in said]
        found.append(Session(id_, min(moments), max(moments), len(said)))
    return sorted(sorted(found, key=lambda one: one.id), key=lambda one: one.ended_at)[::-1][:limit]
