"""Promote: what came up on several days becomes lasting knowledge [SLP-17, SLP-22].

A conclusion that was drawn on enough different days enters the profile. A turn that was used often,
or matters much, is never left to fade.
"""

from collections.abc import Sequence
from datetime import timedelta

from sharpwave.sleep.night import Night
from sharpwave.sleep.step import Moved, Step
from sharpwave.types.records import Kind, Record, Stage, State
from sharpwave.types.storing import Staged, Stated
from sharpwave.types.work.sleep import Entry

_STATED = frozenset({Kind.FACT, Kind.NOTE})
_HOLDS = frozenset({State.ACTIVE})


def find(night: Night) -> list[str]:
    """What is not lasting yet and may become so."""
    store = night.ports.store
    stated = store.stated(night.user_id, Stated(kinds=_STATED, states=_HOLDS))
    found = [r.id for r in stated if r.standing.stage is not Stage.SEMANTIC]
    return found + (_lasting_turns(night) if night.heavy else [])


def work(items: Sequence[str], night: Night) -> Step:
    """Promote those that are due."""
    store = night.ports.store
    records = store.find(night.user_id, items)
    evidence = store.evidence(night.user_id, [r.id for r in records if r.kind is not Kind.TURN])
    moved, entries = [], []
    for record in records:
        why = _use(record, night) or _days(record, evidence.get(record.id, ()), night)
        if why:
            moved.append(Moved(record, Stage.SEMANTIC, record.standing.temperature))
            entries.append(Entry("promoted", record.id, why))
    return Step(moved=tuple(moved), entries=tuple(entries))


def _lasting_turns(night: Night) -> list[str]:
    stages = night.settings.sleep.stages
    before = night.now - timedelta(days=stages.lasting_after_days)
    found, after = [], 0
    wanted = Staged(Kind.TURN, frozenset({Stage.EPISODIC}), before=before)
    while page := night.ports.store.staged(
        night.user_id, Staged(wanted.kind, wanted.stages, before=before, after=after)
    ):
        found += [record.id for record in page if _use(record, night)]
        after = page[-1].number
    return found


def _use(record: Record, night: Night) -> str | None:
    """Why a turn is lasting, if it is."""
    stages, standing = night.settings.sleep.stages, record.standing
    if record.kind is not Kind.TURN:
        return None
    if standing.access_count > stages.lasting_accesses:
        return f"used {standing.access_count} times"
    if standing.importance > stages.lasting_importance:
        return f"importance {standing.importance:.2f}"
    return None


def _days(record: Record, evidence: Sequence[str], night: Night) -> str | None:
    """Why a conclusion is lasting, if it is: seen on enough different days, and sure enough."""
    stages = night.settings.sleep.stages
    if record.kind is Kind.TURN or record.standing.confidence < stages.promote_confidence:
        return None
    seen = night.ports.store.find(night.user_id, evidence)
    days = {one.valid_from.date() for one in seen if one.standing.state is State.ACTIVE}
    return f"seen on {len(days)} days" if len(days) >= stages.promote_days else None
