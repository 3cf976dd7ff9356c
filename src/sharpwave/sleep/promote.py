"""Promote: what came up on several days becomes lasting knowledge [SLP-17, SLP-22].

A conclusion that was drawn on enough different days enters the profile. A turn that was used often,
or matters much, is never left to fade.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from sharpwave.sleep.journal import Moved, Step
from sharpwave.sleep.run import SleepRun
from sharpwave.types.records import Kind, Record, Stage, State
from sharpwave.types.sleep import Entry
from sharpwave.types.storing import Staged, Stated

_STATED = frozenset({Kind.FACT, Kind.NOTE})
_HOLDS = frozenset({State.ACTIVE})
_EPISODIC = frozenset({Stage.EPISODIC})
_PENDING = frozenset({Stage.ACTIVE, Stage.WORKING})
_MARK = "lasting"
"""Up to which turn all were old enough to be looked at."""


def plan(night: SleepRun) -> list[str]:
    """What is not lasting yet and may become so."""
    store = night.workspace.store
    stated = store.stated(Stated(kinds=_STATED, states=_HOLDS))
    found = [r.id for r in stated if r.standing.stage is not Stage.SEMANTIC]
    return found + (_lasting_turns(night) if night.heavy else [])


def process(items: Sequence[str], night: SleepRun) -> Step:
    """Promote those that are due."""
    store = night.workspace.store
    records = store.find(items)
    evidence = store.evidence([r.id for r in records if r.kind is not Kind.TURN])
    moved, entries = [], []
    for record in records:
        why = _use(record, night) or _days(record, evidence.get(record.id, ()), night)
        if why:
            moved.append(Moved(record, Stage.SEMANTIC, record.standing.temperature))
            entries.append(Entry("promoted", record.id, why))
    return Step(moved=tuple(moved), entries=tuple(entries))


def _lasting_turns(night: SleepRun) -> list[str]:
    """Turns that became old enough since the last time, and older ones that were used since."""
    before = night.now - timedelta(days=night.workspace.settings.sleep.stages.lasting_after_days)
    looked = end = night.mark(_MARK)
    waits: list[int] = []
    found = []
    for turn in _pages(Staged(Kind.TURN, after=looked), night):
        end = turn.number
        if turn.standing.stage in _PENDING or turn.valid_from >= before:
            waits = waits or [turn.number - 1]
        elif turn.standing.stage is Stage.EPISODIC and _use(turn, night):
            found.append(turn.id)
    night.set_mark(_MARK, min([*waits, end]))
    if night.last_heavy is not None:
        used = Staged(Kind.TURN, _EPISODIC, before=before, used_since=night.last_heavy)
        found += [turn.id for turn in _pages(used, night) if _use(turn, night)]
    return list(dict.fromkeys(found))


def _pages(wanted: Staged, night: SleepRun) -> Iterator[Record]:
    while page := night.workspace.store.staged(wanted):
        yield from page
        wanted = replace(wanted, after=page[-1].number)


def _use(record: Record, night: SleepRun) -> str | None:
    """Why a turn is lasting, if it is."""
    stages, standing = night.workspace.settings.sleep.stages, record.standing
    if record.kind is not Kind.TURN:
        return None
    if standing.access_count > stages.lasting_accesses:
        return f"used {standing.access_count} times"
    if standing.importance > stages.lasting_importance:
        return f"importance {standing.importance:.2f}"
    return None


def _days(record: Record, evidence: Sequence[str], night: SleepRun) -> str | None:
    """Why a conclusion is lasting, if it is: seen on enough different days, and sure enough."""
    stages = night.workspace.settings.sleep.stages
    if record.kind is Kind.TURN or record.standing.confidence < stages.promote_confidence:
        return None
    seen = night.workspace.store.find(evidence)
    days = {one.valid_from.date() for one in seen if one.standing.state is State.ACTIVE}
    return f"seen on {len(days)} days" if len(days) >= stages.promote_days else None
