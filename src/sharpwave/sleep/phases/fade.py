"""Fade: what is old moves to the back, what is weak and old is dropped [EPI-03, REC-05].

Nothing that was said is deleted: raw turns get colder and stay within reach. After a jump of the
clock nothing is dropped at all.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sharpwave.formulas.time_bucket import time_bucket
from sharpwave.sleep.night import Night
from sharpwave.sleep.step import Moved, Revised, Step
from sharpwave.types.records import Kind, Record, State, Temperature
from sharpwave.types.storing import Staged, Stated
from sharpwave.types.work.sleep import Entry

_DAY = timedelta(days=1)
_JUMPED = "the clock jumped, or this was the first night for long: nothing was dropped"


def find(night: Night) -> list[str]:
    """What has become colder, and variants to drop."""
    remember = night.settings.remember
    limits = {Temperature.HOT: remember.hot_days, Temperature.WARM: remember.warm_days}
    found = [
        record.id
        for kind in (Kind.TURN, Kind.EPISODE)
        for temperature, days in limits.items()
        for record in _colder(kind, temperature, days, night)
    ]
    if night.may_drop:
        found += [record.id for record in _weak_variants(night)]
    return found


def work(items: Sequence[str], night: Night) -> Step:
    """Move and drop."""
    moved, revised, entries = [], [], []
    slots = {}
    for record in night.ports.store.find(night.user_id, items):
        if record.kind is Kind.FACT:
            dropped = replace(record.standing, state=State.INVALIDATED)
            revised.append(Revised(record, dropped, record.valid_to))
            slots[str(record.slot)] = 0
            sure = record.standing.confidence
            entries.append(Entry("dropped", record.id, f"a variant nobody repeated, {sure:.2f}"))
        else:
            temperature = _temperature(record, night)
            moved.append(Moved(record, record.standing.stage, temperature))
            days = (night.now - record.valid_from) / _DAY
            entries.append(Entry("faded", record.id, f"{temperature.value} after {days:.0f} days"))
    seen = night.ports.store.slot_heads(night.user_id, list(slots))
    notes = () if night.may_drop else (_JUMPED,)
    return Step(
        moved=tuple(moved), revised=tuple(revised), entries=tuple(entries), notes=notes, seen=seen
    )


def _colder(kind: Kind, temperature: Temperature, days: float, night: Night) -> list[Record]:
    before, after = night.now - timedelta(days=days), 0
    found: list[Record] = []
    while page := night.ports.store.staged(
        night.user_id,
        Staged(kind, temperatures=frozenset({temperature}), before=before, after=after),
    ):
        found += page
        after = page[-1].number
    return found


def _temperature(record: Record, night: Night) -> Temperature:
    remember = night.settings.remember
    days = (night.now - record.valid_from) / _DAY
    return time_bucket(days, remember.hot_days, remember.warm_days)


def _weak_variants(night: Night) -> list[Record]:
    fade = night.settings.sleep.fade
    before = night.now - timedelta(days=fade.variant_days)
    wanted = Stated(kinds=frozenset({Kind.FACT}), states=frozenset({State.UNCERTAIN}))
    return [
        record
        for record in night.ports.store.stated(night.user_id, wanted)
        if record.standing.rival is None
        and record.standing.confidence < fade.variant_confidence
        and record.standing.last_seen_at < before
    ]
