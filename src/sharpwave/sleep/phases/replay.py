"""Replay: the day is gone through again, the important, recent and judged first [RPL, SLP-15, 16].

A memory of the day leaves working memory a day after it was said, once it was replayed: none
expires unseen. What was used or matters moves on earlier.
"""

import random
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.relevance import memory_score
from sharpwave.formulas.sampling import by_tree, one_by_one, replay_priority, replay_weight
from sharpwave.sleep.night import REPLAYED, Night
from sharpwave.sleep.step import Moved, Step
from sharpwave.types.records import Kind, Record, Role, Stage
from sharpwave.types.sleep import Entry
from sharpwave.types.storing import Staged

_PENDING = frozenset({Stage.ACTIVE, Stage.WORKING})
_WORKING = frozenset({Stage.WORKING})
_DAY = timedelta(days=1)


def find(night: Night) -> list[str]:
    """What is to be replayed, in the order drawn."""
    settings = night.workspace.settings.sleep
    found = night.workspace.store.staged(Staged(Kind.TURN, _PENDING, limit=settings.replay.most))
    hour = timedelta(hours=settings.stages.working_after_hours)
    newest = found[-settings.stages.working_after_newer :]
    young = {record.id for record in newest if night.now - record.valid_from < hour}
    pending = [record for record in found if record.id not in young]
    if not pending:
        return []
    alpha = settings.replay.alpha
    weights = [replay_weight(priority, alpha) for priority in _priorities(pending, night)]
    draw = random.Random(f"{night.workspace.user_id}/{night.run}")
    draws = [draw.random() for _ in pending]
    order = by_tree if len(pending) > settings.replay.tree_above else one_by_one
    return [pending[place].id for place in order(weights, draws)]


def work(items: Sequence[str], night: Night) -> Step:
    """Move what is due on its way."""
    store = night.workspace.store
    derived = store.derived(items)
    crowd = store.staged(Staged(Kind.TURN, _WORKING))
    crowded = [turn.number for turn in crowd][
        : -night.workspace.settings.sleep.stages.settle_after_working
    ]
    moved, entries = [], []
    for record in store.find(items):
        entries.append(Entry(REPLAYED, record.id, "waited for the night"))
        associated = bool(derived[record.id])
        stage, what, why = _next(record, associated, record.number in crowded, night)
        if stage is not record.standing.stage:
            moved.append(Moved(record, stage, record.standing.temperature))
            entries.append(Entry(what, record.id, why))
    return Step(moved=tuple(moved), entries=tuple(entries))


def _next(record: Record, associated: bool, crowded: bool, night: Night) -> tuple[Stage, str, str]:
    """Where a memory of the day goes from here, and why: due by time or number, then by worth."""
    stages, standing = night.workspace.settings.sleep.stages, record.standing
    age = night.now - record.valid_from
    over = age >= timedelta(hours=stages.settle_after_hours)
    if over or crowded:
        score = memory_score(standing.importance, standing.access_count, age / _DAY, associated)
        if score > stages.keep_score:
            return Stage.EPISODIC, "kept", f"score {score:.2f} is above {stages.keep_score}"
    if over:
        return Stage.EPISODIC, "settled", "a day old, and replayed"
    if standing.stage is Stage.ACTIVE:
        if standing.access_count > stages.working_accesses:
            return Stage.WORKING, "moved on", f"used {standing.access_count} times"
        if standing.importance > stages.working_importance:
            return Stage.WORKING, "moved on", f"importance {standing.importance:.2f}"
    return standing.stage, "", ""


def _priorities(pending: Sequence[Record], night: Night) -> list[float]:
    importance = _nearness(pending, night)
    judged = _judged(pending, night)
    return [
        replay_priority(float(near), (night.now - record.valid_from) / _DAY, record.id in judged)
        for record, near in zip(pending, importance, strict=True)
    ]


def _nearness(pending: Sequence[Record], night: Night) -> NDArray[np.float32]:
    """How near each lies to what the user said lately: the mean cosine [RPL-06]."""
    store, space = night.workspace.store, night.workspace.embedder.space
    latest = store.latest(None, 4 * night.workspace.settings.sleep.replay.queries)
    asked = [record.number for record in latest if record.role is Role.USER]
    asked = asked[-night.workspace.settings.sleep.replay.queries :]
    near = np.zeros(len(pending), np.float32)
    _, queries = store.vectors(asked, space)
    if not len(queries):
        return near
    numbers, matrix = store.vectors([r.number for r in pending], space)
    places = {record.number: place for place, record in enumerate(pending)}
    near[[places[int(number)] for number in numbers]] = (matrix @ queries.T).mean(axis=1)
    return near


def _judged(pending: Sequence[Record], night: Night) -> set[str]:
    """Those somebody gave feedback on."""
    store, ids = night.workspace.store, [record.id for record in pending]
    children = store.derived(ids)
    every = sorted({child for found in children.values() for child in found})
    feedback = {r.id for r in store.find(every) if r.kind.value == "feedback"}
    return {id_ for id_, found in children.items() if feedback & set(found)}
