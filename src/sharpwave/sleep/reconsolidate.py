"""Reconsolidate: facts and their variants settle; notes that say the same merge [REC-01...03].

A variant that became surer than the fact it competes with takes its place. Nothing that the user
said is ever replaced by what another source said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from sharpwave.sleep import notes
from sharpwave.sleep.journal import Revised, Step
from sharpwave.sleep.run import SleepRun
from sharpwave.types.records import ACTIVE_OR_UNCERTAIN, Kind, Record, State
from sharpwave.types.sleep import ReportEntry
from sharpwave.types.storing import Stated

_SEEN = "*"
"""Between an id and how often it was seen, in a plan."""


def plan(run: SleepRun) -> list[str]:
    """Facts that compete for a slot, and notes that say the same: ids, and how often each was seen.

    A group that was undone is left alone until one of it is seen again, or another joins it.
    """
    live = run.workspace.store.stated(Stated(kinds={Kind.FACT}, states=ACTIVE_OR_UNCERTAIN))
    ordered = sorted(live, key=lambda record: (str(record.slot), record.number))
    groups = [list(group) for _, group in groupby(ordered, key=lambda record: record.slot)]
    return [
        " ".join(f"{record.id}{_SEEN}{record.standing.seen_count}" for record in group)
        for group in (*groups, *notes.duplicates(run))
        if len(group) > 1
    ]


def process(run: SleepRun, items: Sequence[str]) -> Step:
    """Settle each slot, and merge equal notes."""
    store = run.workspace.store
    groups = [[member.partition(_SEEN)[0] for member in item.split()] for item in items]
    records = store.find([id_ for group in groups for id_ in group])
    slots = [str(record.slot) for record in records if record.kind is Kind.FACT]
    note_ids = {record.id for record in records if record.kind is Kind.NOTE}
    settled = _settle(run, list(dict.fromkeys(slots))) if slots else Step()
    merged = notes.merge(run, [group for group in groups if note_ids & set(group)])
    return replace(
        settled,
        revised=settled.revised + merged.revised,
        entries=settled.entries + merged.entries,
        seen={**settled.seen, **merged.seen},
    )


def _settle(run: SleepRun, slots: Sequence[str]) -> Step:
    store = run.workspace.store
    heads = store.slot_heads(slots)
    live = store.stated(Stated(slots=tuple(slots), states=ACTIVE_OR_UNCERTAIN))
    revised: list[Revised] = []
    entries: list[ReportEntry] = []
    for slot in slots:
        pair = _replacement([record for record in live if record.slot == slot])
        if pair is None:
            continue
        holder, variant = pair
        closed = replace(holder.standing, state=State.SUPERSEDED, superseded_by=variant.id)
        opened = replace(variant.standing, state=State.ACTIVE)
        until = max(variant.valid_from, holder.valid_from)
        revised += [Revised(holder, closed, until), Revised(variant, opened, variant.valid_to)]
        why = f"{variant.standing.confidence:.2f} is surer than {holder.standing.confidence:.2f}"
        entries.append(ReportEntry("replaced", variant.id, why))
    return Step(revised=tuple(revised), entries=tuple(entries), seen=heads)


def _replacement(live: Iterable[Record]) -> tuple[Record, Record] | None:
    """The fact that holds and the variant that takes its place, if there is one."""
    settled = [record for record in live if record.standing.rival is None]
    holders = [record for record in settled if record.standing.state is State.ACTIVE]
    variants = [record for record in settled if record.standing.state is State.UNCERTAIN]
    if len(holders) != 1 or not variants:
        return None
    holder = holders[0]
    best = max(variants, key=lambda record: (record.standing.confidence, record.number))
    trusted = best.provenance.trust >= max(holder.provenance.trust, 1)
    surer = best.standing.confidence > holder.standing.confidence
    return (holder, best) if trusted and surer else None
