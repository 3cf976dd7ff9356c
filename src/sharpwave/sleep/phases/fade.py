"""Fade: what is old moves to the back, what is weak and old is dropped [EPI-03, REC-05, BEH-11].

Nothing that was said is deleted, unless the settings say so: raw turns get colder and stay within
reach, unless they are lasting. After a jump of the clock nothing is dropped at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from sharpwave.behavior.feedback import trajectories
from sharpwave.behavior.rules import pruning
from sharpwave.experience import forgetting
from sharpwave.formulas.time_bucket import time_bucket
from sharpwave.sleep.night import Night
from sharpwave.sleep.step import Moved, Revised, Step
from sharpwave.types.records import (
    HOT_DAYS,
    WARM_DAYS,
    Kind,
    Record,
    Stage,
    Standing,
    State,
    Temperature,
)
from sharpwave.types.sleep import Entry
from sharpwave.types.storing import Selection, Staged, Stated

_DAY = timedelta(days=1)
_JUMPED = "the clock jumped, or this was the first night for long: nothing was dropped"
_ERASED = "what was erased for being over its time cannot be brought back by undoing"
_WORK = (Kind.INTERACTION, Kind.OBSERVATION)
_LET_GO = frozenset({Kind.FACT, Kind.BEHAVIOR, Kind.TRAJECTORY})


def find(night: Night) -> list[str]:
    """What has become colder, and what is to be let go of."""
    limits = {Temperature.HOT: HOT_DAYS, Temperature.WARM: WARM_DAYS}
    found = [
        record.id
        for kind in (Kind.TURN, Kind.EPISODE)
        for temperature, days in limits.items()
        for record in _older(kind, days, night, frozenset({temperature}))
        if record.standing.stage is not Stage.SEMANTIC
    ]
    if night.may_drop:
        found += [record.id for record in _over(night)]
    return list(dict.fromkeys(found))


def work(items: Sequence[str], night: Night) -> Step:
    """Move, drop and erase."""
    store = night.workspace.store
    records = store.find(items)
    erased = [record for record in records if night.may_drop and _is_erased(record, night)]
    gone = tuple(record.id for record in erased)
    _erase(erased, night)
    moved, revised, entries = [], [], []
    for record in (one for one in records if one.id not in gone):
        if record.kind in _LET_GO:
            revised.append(Revised(record, _let_go(record), record.valid_to))
            entries.append(Entry("dropped", record.id, _why(record)))
        else:
            temperature = _temperature(record, night)
            moved.append(Moved(record, record.standing.stage, temperature))
            days = (night.now - record.valid_from) / _DAY
            entries.append(Entry("faded", record.id, f"{temperature.value} after {days:.0f} days"))
    entries += [Entry("erased", one.id, f"{one.kind.value}, over its time") for one in erased]
    slots = {str(one.record.slot) for one in revised if one.record.kind is not Kind.TRAJECTORY}
    notes = (*(() if night.may_drop else (_JUMPED,)), *((_ERASED,) if erased else ()))
    return Step(
        moved=tuple(moved),
        revised=tuple(revised),
        entries=tuple(entries),
        notes=notes,
        seen=store.slot_heads(sorted(slots)),
    )


def _over(night: Night) -> Iterator[Record]:
    """What is over the time for which it is kept."""
    yield from _weak_variants(night)
    workspace = night.workspace.at(night.now)
    yield from pruning.stale(workspace)
    for some in trajectories.overdue(workspace):
        yield from some
    for kind in (Kind.TURN, *_WORK):
        days = _erased_days(kind, night)
        if days is not None:
            yield from _older(kind, days, night)


def _erase(records: Sequence[Record], night: Night) -> None:
    """Erase for good; what agents did through its own room, which learns anew from the rest."""
    work = tuple(record.id for record in records if record.kind in _WORK)
    others = tuple(record.id for record in records if record.kind not in _WORK)
    if others:
        night.workspace.store.forget(Selection(ids=others), night.now)
    if work:
        forgetting.forget(night.workspace.at(night.now), Selection(ids=work))


def _erased_days(kind: Kind, night: Night) -> float | None:
    kept = night.workspace.settings.retention
    limits = {Kind.TURN: kept.turns_days, Kind.TRAJECTORY: kept.trajectories_erased_days}
    return kept.interactions_days if kind in _WORK else limits.get(kind)


def _is_erased(record: Record, night: Night) -> bool:
    """Whether it goes for good: so long ago that not even undoing should bring it back."""
    days = _erased_days(record.kind, night)
    return days is not None and record.valid_from < night.now - timedelta(days=days)


def _let_go(record: Record) -> Standing:
    if record.kind is Kind.TRAJECTORY:
        return trajectories.set_aside(record)
    return replace(record.standing, state=State.INVALIDATED)


def _why(record: Record) -> str:
    if record.kind is Kind.FACT:
        return f"a variant nobody repeated, {record.standing.confidence:.2f}"
    return "a rule seen once" if record.kind is Kind.BEHAVIOR else "a choice nobody rated"


def _older(
    kind: Kind, days: float, night: Night, temperatures: frozenset[Temperature] = frozenset()
) -> list[Record]:
    before, after = night.now - timedelta(days=days), 0
    found: list[Record] = []
    while page := night.workspace.store.staged(
        Staged(kind, temperatures=temperatures, before=before, after=after)
    ):
        found += page
        after = page[-1].number
    return found


def _temperature(record: Record, night: Night) -> Temperature:
    days = (night.now - record.valid_from) / _DAY
    return time_bucket(days, HOT_DAYS, WARM_DAYS)


def _weak_variants(night: Night) -> list[Record]:
    fade = night.workspace.settings.sleep.fade
    before = night.now - timedelta(days=night.workspace.settings.retention.variants_days)
    wanted = Stated(kinds=frozenset({Kind.FACT}), states=frozenset({State.UNCERTAIN}))
    return [
        record
        for record in night.workspace.store.stated(wanted)
        if record.standing.rival is None
        and record.standing.confidence < fade.variant_confidence
        and record.standing.last_seen_at < before
    ]
