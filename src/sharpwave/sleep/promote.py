"""Promote: what came up on several days becomes lasting knowledge [SLP-17, SLP-22].

A conclusion drawn from what the user said on enough different days enters the profile; what an
assistant repeats does not. A turn that was used often, or matters much, never fades.
"""

from collections.abc import Sequence
from datetime import timedelta

from sharpwave.sleep.journal import StageChange, Step
from sharpwave.sleep.run import SleepRun
from sharpwave.types.records import ACTIVE, PENDING, Kind, Record, Stage, State, Trust
from sharpwave.types.sleep import ReportEntry
from sharpwave.types.storing import Staged, Stated

LASTING_AFTER_DAYS = 7.0
"""Turns may become lasting at this age [SLP-17]."""
LASTING_ACCESSES = 10
"""More accesses than this make a turn lasting."""
LASTING_IMPORTANCE = 0.8
"""More importance than this makes a turn lasting."""
PROMOTE_DAYS = 3
"""Distinct days on which a conclusion must be seen [SLP-22]."""
PROMOTE_CONFIDENCE = 0.6
"""Minimum confidence of such a conclusion."""

_STATED = frozenset({Kind.FACT, Kind.NOTE})
_EPISODIC = frozenset({Stage.EPISODIC})
_CHECKED = "lasting"
"""The high-water mark: turns up to here were old enough to be checked."""


def plan(run: SleepRun) -> list[str]:
    """What is not lasting yet and may become so."""
    stated = run.workspace.store.stated(Stated(kinds=_STATED, states=ACTIVE))
    ids = [record.id for record in stated if record.standing.stage is not Stage.SEMANTIC]
    return ids + (_lasting_turns(run) if run.heavy else [])


def process(run: SleepRun, items: Sequence[str]) -> Step:
    """Promote the records that are due."""
    store = run.workspace.store
    records = store.find(items)
    evidence = store.evidence([record.id for record in records if record.kind is not Kind.TURN])
    moved, entries = [], []
    for record in records:
        why = _by_use(record) or _by_days(run, record, evidence.get(record.id, ()))
        if why:
            moved.append(StageChange(record, Stage.SEMANTIC, record.standing.temperature))
            entries.append(ReportEntry("promoted", record.id, why))
    return Step(moved=tuple(moved), entries=tuple(entries))


def _lasting_turns(run: SleepRun) -> list[str]:
    """Turns that became old enough since the last time, and older ones that were used since."""
    before = run.now - timedelta(days=LASTING_AFTER_DAYS)
    start = end = run.mark(_CHECKED)
    pending: list[int] = []
    ids = []
    for turn in run.staged(Staged(Kind.TURN, after=start)):
        end = turn.number
        if turn.standing.stage in PENDING or turn.valid_from >= before:
            pending = pending or [turn.number - 1]
        elif turn.standing.stage is Stage.EPISODIC and _by_use(turn):
            ids.append(turn.id)
    run.set_mark(_CHECKED, min([*pending, end]))
    if run.last_heavy is not None:
        used = Staged(Kind.TURN, _EPISODIC, before=before, used_since=run.last_heavy)
        ids += [turn.id for turn in run.staged(used) if _by_use(turn)]
    return list(dict.fromkeys(ids))


def _by_use(record: Record) -> str | None:
    """Why a turn is lasting; None if it is not."""
    standing = record.standing
    if record.kind is not Kind.TURN:
        return None
    if standing.access_count > LASTING_ACCESSES:
        return f"used {standing.access_count} times"
    if standing.importance > LASTING_IMPORTANCE:
        return f"importance {standing.importance:.2f}"
    return None


def _by_days(run: SleepRun, record: Record, evidence: Sequence[str]) -> str | None:
    """Why a conclusion is lasting: seen on enough days, and sure enough; None if it is not."""
    if record.kind is Kind.TURN or record.standing.confidence < PROMOTE_CONFIDENCE:
        return None
    seen = run.workspace.store.find(evidence)
    days = {
        turn.valid_from.date()
        for turn in seen
        if turn.standing.state is State.ACTIVE and turn.provenance.trust >= Trust.VERIFIED
    }
    return f"seen on {len(days)} days" if len(days) >= PROMOTE_DAYS else None
