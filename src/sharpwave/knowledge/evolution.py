"""How what is known changes: trends, shifts, and what will probably still hold [TMP-08...10]."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sharpwave.errors import NotFound
from sharpwave.formulas.sleep.trend import still_holds, typical_days
from sharpwave.knowledge import views
from sharpwave.knowledge.draft import slot_of
from sharpwave.knowledge.sureness import Fading
from sharpwave.types.evolution import Prediction, Shift, Trend
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.storing import TRENDS, Stated
from sharpwave.workspace import Workspace

_FACTS = frozenset({Kind.FACT})
_DAY = timedelta(days=1)
PRIOR_DAYS = 365.0
"""How long a fact lasts, before there is any evidence."""


def trends(workspace: Workspace) -> list[Trend]:
    """What came up more, or less, when sleep last looked; the clearest first."""
    found = workspace.store.tallies(TRENDS)
    told = [
        _trend(one, datetime.fromisoformat(str(tally.value["as_of"])))
        for tally in found.values()
        for one in _rows(tally.value["trends"])
    ]
    return sorted(told, key=lambda trend: trend.chance)


def shifts(workspace: Workspace, fading: Fading, since: datetime) -> list[Shift]:
    """Facts that took the place of others since a moment, the newest first."""
    wanted = Stated(kinds=_FACTS, states=frozenset({State.SUPERSEDED}))
    old = [
        record
        for record in workspace.store.stated(wanted)
        if record.standing.superseded_by and record.valid_to and record.valid_to >= since
    ]
    news = workspace.store.find([str(record.standing.superseded_by) for record in old])
    facts = {record.id: record for record in news if record.kind is Kind.FACT}
    found = [
        Shift(views.fact(record, fading), views.fact(facts[by], fading), record.valid_to)
        for record in old
        if (by := str(record.standing.superseded_by)) in facts and record.valid_to
    ]
    return sorted(found, key=lambda shift: shift.at, reverse=True)


def predict(
    workspace: Workspace, fading: Fading, topic: tuple[str, str], at: datetime
) -> Prediction:
    """How likely what holds now of a subject and predicate still holds at a moment."""
    within = (slot_of(*topic),)
    versions = workspace.store.stated(Stated(within=within, kinds=_FACTS))
    held = [r for r in versions if r.standing.state in (State.ACTIVE, State.SUPERSEDED)]
    current = [r for r in held if r.standing.state is State.ACTIVE]
    if not current:
        raise NotFound(f"nothing is known of {topic[0]!r} and {topic[1]!r} that holds now")
    newest = max(current, key=lambda record: record.standing.last_seen_at)
    changes = len(held) - len(current)
    typical = typical_days(sum(_lasted(r) for r in held), changes, PRIOR_DAYS)
    quiet = (at - newest.standing.last_seen_at) / _DAY
    known = views.fact(newest, fading)
    return Prediction(known, at, still_holds(quiet, typical), changes, typical)


def _lasted(record: Record) -> float:
    """For how many days a value is known to have held."""
    end = record.valid_to or record.standing.last_seen_at
    return max(0.0, (end - record.valid_from) / _DAY)


def _rows(value: object) -> list[Mapping[str, Any]]:
    return list(value) if isinstance(value, list) else []


def _trend(row: Mapping[str, Any], as_of: datetime) -> Trend:
    before, after = row["before"], row["after"]
    return Trend(row["name"], after > before, before, after, row["chance"], as_of)
