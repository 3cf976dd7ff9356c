"""Step 6b: what no longer holds never comes without, or before, what took its place.

A turn is outdated if all that was learned from it has been superseded. It stays, since it was said,
but says so; and what holds now, or the turn that tells it, stands before it. Only turns are looked
at whose successors were among the best, which costs nothing more where nothing has changed. A
filter of the question may keep the successor out: then the outdated turn is only marked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sharpwave.ports import UserStore
from sharpwave.types.answers import Recalled
from sharpwave.types.asking import Question
from sharpwave.types.records import CURRENT, Kind, Record, State
from sharpwave.types.searching import Filter
from sharpwave.workspace import Workspace

LONGEST = 50
"""So many times a value is followed from one that took its place to the next."""


def put_behind(
    items: Sequence[Recalled], replaced: Sequence[Record], question: Question, workspace: Workspace
) -> tuple[Recalled, ...]:
    """The items with outdated ones marked, each behind what holds now."""
    parents = {parent for old in replaced for parent in old.provenance.parents}
    suspects = [item.record.id for item in items if item.record.id in parents]
    successors = _successors(suspects, workspace.store) if suspects else {}
    if not successors:
        return tuple(items)
    order: list[Recalled] = []
    left = list(items)
    while left:
        item = left.pop(0)
        now = successors.get(item.record.id)
        if now is None:
            order.append(item)
            continue
        telling = {now.id, *now.provenance.parents}
        if telling.isdisjoint(one.record.id for one in order):
            later = next((one for one in left if one.record.id in telling), None)
            if later is not None:
                left.remove(later)
                order.append(later)
            elif question.only == Filter():
                order.append(Recalled(now, item.score, item.terms))
        order.append(replace(item, outdated_by=now.id))
    return tuple(order[: question.k])


def _successors(turns: Sequence[str], store: UserStore) -> Mapping[str, Record]:
    """For each turn that is outdated, what holds now in place of what it told first."""
    learned = store.derived(turns)
    wanted = sorted({one for ids in learned.values() for one in ids})
    facts = {one.id: one for one in store.find(wanted) if one.kind is Kind.FACT}
    found = {}
    for turn, ids in learned.items():
        told = [facts[one] for one in ids if one in facts]
        if told and all(one.standing.state is State.SUPERSEDED for one in told):
            now = _latest(told[0], store)
            if now is not None and now.id != turn:
                found[turn] = now
    return found


def _latest(record: Record, store: UserStore) -> Record | None:
    """What holds at the end of the line of successors; None if it just ended, or is in doubt."""
    for _ in range(LONGEST):
        if record.standing.state is not State.SUPERSEDED:
            return record if record.standing.state in CURRENT else None
        following = store.find([record.standing.superseded_by or ""])
        if not following:
            return None
        record = following[0]
    return None
