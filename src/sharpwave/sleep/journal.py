"""What each step of a night changed, so that a person can read it and take it back.

Rows hold ids and standings, never words: what was forgotten since is not kept alive by them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, NamedTuple

from sharpwave.ports import UserStore
from sharpwave.sleep.step import Step
from sharpwave.temporal.clock import digest, time_part
from sharpwave.types.records import Stage, Standing, State, Temperature
from sharpwave.types.sleep import Entry, Phase, Report
from sharpwave.types.storing import NewTally

JOURNAL, REPORTS, UNDONE = "sleep/journal", "sleep/reports", "sleep/undone"


class Stood(NamedTuple):
    """How a record stood at a moment."""

    standing: Standing
    valid_to: datetime | None


def entry(
    run: str, number: int, phase: Phase, items: Sequence[str], step: Step
) -> tuple[NewTally, ...]:
    """The row that undoes a step; none if it changed nothing."""
    new = [*(record.id for record in step.records), *step.published]
    if not new and not step.moved and not step.revised:
        return ()
    value = {
        "phase": phase.value,
        "items": [digest(item) for item in items],
        "new": new,
        "moved": [
            [m.record.id, m.record.standing.stage, m.record.standing.temperature, m.stage]
            for m in step.moved
        ],
        "revised": [
            [r.record.id, _stood(r.record.standing, r.record.valid_to), _stood(*r[1:])]
            for r in step.revised
        ],
    }
    return (NewTally(JOURNAL, f"{run}/{number:06}", value, 0),)


def rows(run: str, store: UserStore) -> list[tuple[str, Mapping[str, Any], int]]:
    """What a night wrote, the last step first: name, content and version of each row."""
    found = store.tallies(JOURNAL)
    own = [(name, tally) for name, tally in found.items() if name.startswith(f"{run}/")]
    return [(name, tally.value, tally.version) for name, tally in reversed(own)]


def outdated(store: UserStore, began_before: datetime) -> tuple[NewTally, ...]:
    """The rows of nights so long ago that they can no longer be undone, to be removed."""
    oldest = time_part(began_before)
    return tuple(
        NewTally(JOURNAL, name, None, tally.version)
        for name, tally in store.tallies(JOURNAL).items()
        if name < oldest
    )


def before(stood: Mapping[str, Any]) -> Stood:
    """How a record stood, from a row."""
    known = dict(stood)
    valid_to = known.pop("valid_to")
    for name in ("last_seen_at", "accessed_at"):
        known[name] = datetime.fromisoformat(known[name]) if known[name] else None
    known["stage"], known["state"] = Stage(known["stage"]), State(known["state"])
    known["temperature"] = Temperature(known["temperature"])
    return Stood(Standing(**known), datetime.fromisoformat(valid_to) if valid_to else None)


def _stood(standing: Standing, valid_to: datetime | None) -> dict[str, Any]:
    plain = asdict(standing)
    for name in ("last_seen_at", "accessed_at"):
        plain[name] = plain[name].isoformat() if plain[name] else None
    return {**plain, "valid_to": valid_to.isoformat() if valid_to else None}


def undone(store: UserStore, phase: str) -> tuple[list[str], int]:
    """Digests of what was taken back in a phase, not to be done again; and the row's version."""
    found = store.tallies(UNDONE, [phase]).get(phase)
    if found is None:
        return [], 0
    row: Mapping[str, Any] = found.value
    return list(row["items"]), found.version


# ---- reports


def keep(report: Report) -> NewTally:
    """The row of a finished night."""
    plain = asdict(report) | {"started_at": report.started_at.isoformat()}
    plain["finished_at"] = report.finished_at.isoformat() if report.finished_at else None
    return NewTally(REPORTS, report.run, plain, 0)


def to_report(user_id: str, state: Mapping[str, Any], ended: datetime | None) -> Report:
    """The report of a night from its state."""
    return Report(
        run=state["run"],
        user_id=user_id,
        started_at=datetime.fromisoformat(state["started"]),
        finished_at=ended,
        heavy=state["heavy"],
        counts=state["counts"],
        entries=tuple(Entry(*each) for each in state["entries"]),
        notes=tuple(state["notes"]),
        cpu_s=round(state["cpu_s"], 3),
        tokens=state["tokens"],
    )


def reports(store: UserStore) -> list[Report]:
    """The reports of past nights, the newest first."""
    return [_report(tally.value) for tally in reversed(store.tallies(REPORTS).values())]


def _report(value: Mapping[str, Any]) -> Report:
    plain = dict(value)
    for name in ("started_at", "finished_at"):
        plain[name] = datetime.fromisoformat(plain[name]) if plain[name] else None
    plain["entries"] = tuple(Entry(*each) for each in plain["entries"])
    plain["notes"] = tuple(plain["notes"])
    return Report(**plain)
