"""Which statement reads what is wanted, and its bindings."""

import sys
from collections.abc import Collection
from typing import Any, NamedTuple

from sharpwave.storage.sql import rows
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.records import PENDING, Stage, State
from sharpwave.types.storing import Order, Staged, Stated

_DOUBTED = frozenset({State.UNCERTAIN})


class Query(NamedTuple):
    """The name of a statement, and its bindings."""

    name: str
    bindings: dict[str, Any]


def stated(user_no: int, wanted: Stated) -> list[Query]:
    """Facts, tasks and notes, by slot, name or neither."""
    limit = -1 if wanted.limit is None else wanted.limit
    ordered, foremost = wanted.order is not Order.RECORDED, wanted.order is Order.FOREMOST
    newest = wanted.order is Order.NEWEST
    cut = {
        "user_no": user_no,
        "kinds": _names(wanted.kinds),
        "states": _names(wanted.states),
        "names": _names(wanted.predicates),
        "without": wanted.without and f"|{wanted.without}|",
        "limit": limit,
        **_times(wanted),
    }
    every = {**cut, "limit": -1 if ordered else limit}  # where only the reader can put in order
    ranged = Query("in_slots_between", every)
    if foremost or newest:
        ranged = Query("foremost_between" if foremost else "newest_between", cut)
    queries: list[Query] = []
    if ordered:
        ranked = Query("ranked_in_slot", {**cut, "order": wanted.order.value})
        queries += [_with(ranked, slot=slot) for slot in wanted.slots]
    elif wanted.slots:
        queries.append(_with(Query("in_slots", cut), slots=rows.to_json(wanted.slots)))
    queries += [_with(ranged, **beginning(begin)) for begin in wanted.within]
    queries += [_with(Query("stated_about", every), entity_key=key) for key in wanted.about]
    if wanted.among:
        queries.append(_with(Query("stated_among", every), among=rows.to_json(wanted.among)))
    if foremost and wanted.states == _DOUBTED:
        return queries or [Query("foremost_in_doubt", cut)]
    return queries or [Query("in_any_slot", every)]


def _with(query: Query, **bindings: str) -> Query:
    return Query(query.name, {**query.bindings, **bindings})


def staged(user_no: int, wanted: Staged) -> Query:
    """Records by where they stand."""
    bindings = {
        **rows.key_range(user_no, wanted.after),
        "kind": wanted.kind.value,
        "stages": _names(wanted.stages),
        "temperatures": _names(wanted.temperatures),
        "before": to_microseconds(wanted.before) if wanted.before else None,
        "used_since": to_microseconds(wanted.used_since) if wanted.used_since else None,
        "limit": wanted.limit,
    }
    if wanted.used_since is None and wanted.stages and wanted.stages <= PENDING:
        return Query("staged_pending", bindings)
    if wanted.used_since is not None and wanted.stages == {Stage.EPISODIC}:
        return Query("staged_used", bindings)
    return Query("staged", bindings)


def beginning(within: str) -> dict[str, str]:
    """The texts that begin so, in the order of their characters: up to the next that does not."""
    rest = within.rstrip(chr(sys.maxunicode))
    after = ord(rest[-1]) + 1 if rest else sys.maxunicode
    last = rest[:-1] + chr(_PAST_SURROGATES if after == _SURROGATES else after)
    return {"first": within, "last": last}


_SURROGATES, _PAST_SURROGATES = 0xD800, 0xE000


def _times(wanted: Stated) -> dict[str, int | None]:
    """The bindings that narrow by time."""
    names = ("begun_by", "beyond", "recorded_from", "recorded_by")
    moments = {name: getattr(wanted, name) for name in names}
    return {name: moment and to_microseconds(moment) for name, moment in moments.items()}


def _names(wanted: Collection[Any]) -> str | None:
    return rows.to_json(sorted(wanted)) if wanted else None
