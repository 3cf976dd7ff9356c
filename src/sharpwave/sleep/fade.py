"""Fade: what is old gets colder, what is weak and old is dropped [EPI-03, REC-05, BEH-11].

Nothing that was said is deleted, unless `retention` says so: turns that are not lasting get colder
and stay within reach. After a jump of the clock nothing is dropped at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from sharpwave.behavior import review
from sharpwave.behavior.feedback import records as feedback
from sharpwave.experience import forgetting
from sharpwave.formulas.decay import time_bucket
from sharpwave.sleep.journal import Revised, StageChange, Step
from sharpwave.sleep.run import SleepRun
from sharpwave.types.records import (
    HOT_DAYS,
    WARM_DAYS,
    Kind,
    Record,
    Stage,
    State,
    Temperature,
)
from sharpwave.types.sleep import ReportEntry
from sharpwave.types.storing import Selection, Staged, Stated

BATCH = 500
"""Records changed in one transaction."""
VARIANT_CONFIDENCE = 0.3
"""Variants of facts below this confidence are weak."""
VARIANTS_DAYS = 90.0
"""Days after which weak variants are dropped [REC-05]."""
_DAY = timedelta(days=1)
_JUMPED = "nothing was dropped: the clock jumped, or this is the first run for a long time"
_ERASED = "what was erased for being over its time cannot be brought back by undoing"
_AGENT_KINDS = (Kind.INTERACTION, Kind.OBSERVATION)
_DROPPED_KINDS = frozenset({Kind.FACT, Kind.BEHAVIOR, Kind.TRAJECTORY})


def plan(run: SleepRun) -> list[str]:
    """What becomes colder, and what is dropped or erased."""
    limits = {Temperature.HOT: HOT_DAYS, Temperature.WARM: WARM_DAYS}
    ids = [
        record.id
        for kind in (Kind.TURN, Kind.EPISODE)
        for temperature, days in limits.items()
        for record in _older(run, kind, days, frozenset({temperature}))
        if record.standing.stage is not Stage.SEMANTIC
    ]
    if run.may_drop:
        ids += [record.id for record in _expired(run)]
    return list(dict.fromkeys(ids))


def process(run: SleepRun, items: Sequence[str]) -> Step:
    """Move, drop and erase."""
    records = run.workspace.store.find(items)
    erased = [record for record in records if run.may_drop and _is_erased(run, record)]
    erased_ids = {record.id for record in erased}
    if erased:
        _erase(run, erased)
        run.refresh()
    moved, revised, entries = [], [], []
    for record in records:
        if record.id in erased_ids:
            continue
        if record.kind in _DROPPED_KINDS:
            archived = record.kind is Kind.TRAJECTORY
            state = State.SUPERSEDED if archived else State.INVALIDATED
            revised.append(Revised(record, replace(record.standing, state=state), record.valid_to))
            entries.append(ReportEntry("dropped", record.id, _why(record)))
        else:
            days = (run.now - record.valid_from) / _DAY
            temperature = time_bucket(days, HOT_DAYS, WARM_DAYS)
            moved.append(StageChange(record, record.standing.stage, temperature))
            entries.append(
                ReportEntry("faded", record.id, f"{temperature.value} after {days:.0f} days")
            )
    entries += [
        ReportEntry("erased", record.id, f"{record.kind.value}, over its time") for record in erased
    ]
    slots = {
        str(revision.record.slot)
        for revision in revised
        if revision.record.kind is not Kind.TRAJECTORY
    }
    notes = (*(() if run.may_drop else (_JUMPED,)), *((_ERASED,) if erased else ()))
    return Step(
        moved=tuple(moved),
        revised=tuple(revised),
        entries=tuple(entries),
        notes=notes,
        seen=run.workspace.store.slot_heads(sorted(slots)),
    )


def _expired(run: SleepRun) -> Iterator[Record]:
    """Records past the time that they are kept."""
    yield from _weak_variants(run)
    workspace = run.workspace.at(run.now)
    yield from review.stale(workspace)
    for batch in feedback.overdue(workspace):
        yield from batch
    for kind in (Kind.TURN, *_AGENT_KINDS):
        days = _erased_days(run, kind)
        if days is not None:
            yield from _older(run, kind, days)


def _erase(run: SleepRun, records: Sequence[Record]) -> None:
    """Erase permanently; what was learned from erased records of agents is recomputed."""
    agents = tuple(record.id for record in records if record.kind in _AGENT_KINDS)
    rest = tuple(record.id for record in records if record.kind not in _AGENT_KINDS)
    if rest:
        run.workspace.store.forget(Selection(ids=rest), run.now)
    if agents:
        forgetting.forget(run.workspace.at(run.now), Selection(ids=agents))


def _erased_days(run: SleepRun, kind: Kind) -> float | None:
    kept = run.workspace.settings.retention
    limits = {Kind.TURN: kept.turns_days, Kind.TRAJECTORY: kept.trajectories_erased_days}
    return kept.interactions_days if kind in _AGENT_KINDS else limits.get(kind)


def _is_erased(run: SleepRun, record: Record) -> bool:
    """Whether it is so old that it is erased permanently, beyond undo."""
    days = _erased_days(run, record.kind)
    return days is not None and record.valid_from < run.now - timedelta(days=days)


def _why(record: Record) -> str:
    if record.kind is Kind.FACT:
        return f"a variant nobody repeated, {record.standing.confidence:.2f}"
    return "a rule seen once" if record.kind is Kind.BEHAVIOR else "a choice nobody rated"


def _older(
    run: SleepRun, kind: Kind, days: float, temperatures: frozenset[Temperature] = frozenset()
) -> Iterator[Record]:
    before = run.now - timedelta(days=days)
    return run.staged(Staged(kind, temperatures=temperatures, before=before))


def _weak_variants(run: SleepRun) -> list[Record]:
    before = run.now - timedelta(days=VARIANTS_DAYS)
    wanted = Stated(kinds={Kind.FACT}, states={State.UNCERTAIN})
    return [
        record
        for record in run.workspace.store.stated(wanted)
        if record.standing.rival is None
        and record.standing.confidence < VARIANT_CONFIDENCE
        and record.standing.last_seen_at < before
    ]
