"""Replay: go through the day again, the important, recent and rated turns first [RPL, SLP-15, 16].

A turn leaves working memory a day after it was said, once it was replayed: none expires unseen.
What was used or matters moves on earlier.
"""

import random
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.relevance import memory_score
from sharpwave.formulas.sampling import by_tree, one_by_one, replay_priority, replay_weight
from sharpwave.sleep.journal import StageChange, Step
from sharpwave.sleep.run import REPLAYED, SleepRun
from sharpwave.types.records import PENDING, Kind, Record, Role, Stage
from sharpwave.types.sleep import ReportEntry
from sharpwave.types.storing import Staged

WORKING_AFTER_HOURS = 1.0
"""Hours after which active turns may move on [SLP-15]."""
WORKING_AFTER_NEWER = 10
"""Number of newer turns after which they may move on, too [TIER-13]."""
WORKING_ACCESSES = 2
"""More accesses than this move a turn on early."""
WORKING_IMPORTANCE = 0.7
"""More importance than this moves a turn on early."""
SETTLE_AFTER_HOURS = 24.0
"""Hours after which working turns leave the day's store, once replayed [WM-02]."""
SETTLE_AFTER_WORKING = 5
"""Number of newer turns that has the same effect, if a turn scores above `KEEP_SCORE` [TIER-13]."""
KEEP_SCORE = 0.6
"""Score above which a turn is kept [SLP-16]."""
MAX_REPLAYED = 5000
"""Turns replayed in one run; the rest waits."""
ALPHA = 0.6
"""0 draws evenly, 1 by priority [RPL-02]."""
TREE_ABOVE = 1000
"""Number of turns above which a sum tree draws [RPL-04]."""
RECENT_QUERIES = 10
"""The user's last turns that say what matters now [RPL-06]."""

_WORKING = frozenset({Stage.WORKING})
_DAY = timedelta(days=1)


def plan(run: SleepRun) -> list[str]:
    """The turns to replay, in the order drawn."""
    turns = run.workspace.store.staged(Staged(Kind.TURN, PENDING, limit=MAX_REPLAYED))
    hour = timedelta(hours=WORKING_AFTER_HOURS)
    newest = turns[-WORKING_AFTER_NEWER:]
    too_recent = {turn.id for turn in newest if run.now - turn.valid_from < hour}
    pending = [turn for turn in turns if turn.id not in too_recent]
    if not pending:
        return []
    weights = [replay_weight(priority, ALPHA) for priority in _priorities(run, pending)]
    draw = random.Random(f"{run.workspace.user_id}/{run.id}")
    draws = [draw.random() for _ in pending]
    order = by_tree if len(pending) > TREE_ABOVE else one_by_one
    return [pending[place].id for place in order(weights, draws)]


def process(run: SleepRun, items: Sequence[str]) -> Step:
    """Move the turns that are due to their next stage."""
    store = run.workspace.store
    derived = store.derived(items)
    working = store.staged(Staged(Kind.TURN, _WORKING))
    crowded = {turn.number for turn in working[:-SETTLE_AFTER_WORKING]}
    moved, entries = [], []
    for record in store.find(items):
        entries.append(ReportEntry(REPLAYED, record.id, "was not replayed yet"))
        associated = bool(derived[record.id])
        stage, what, why = _next(run, record, associated, record.number in crowded)
        if stage is not record.standing.stage:
            moved.append(StageChange(record, stage, record.standing.temperature))
            entries.append(ReportEntry(what, record.id, why))
    return Step(moved=tuple(moved), entries=tuple(entries))


def _next(run: SleepRun, record: Record, associated: bool, crowded: bool) -> tuple[Stage, str, str]:
    """A turn's next stage, what happens to it and why: due by age or number, then by worth."""
    standing, age = record.standing, run.now - record.valid_from
    over = age >= timedelta(hours=SETTLE_AFTER_HOURS)
    if over or crowded:
        score = memory_score(standing.importance, standing.access_count, age / _DAY, associated)
        if score > KEEP_SCORE:
            return Stage.EPISODIC, "kept", f"score {score:.2f} is above {KEEP_SCORE}"
    if over:
        return Stage.EPISODIC, "settled", "a day old, and replayed"
    if standing.stage is Stage.ACTIVE:
        if standing.access_count > WORKING_ACCESSES:
            return Stage.WORKING, "moved on", f"used {standing.access_count} times"
        if standing.importance > WORKING_IMPORTANCE:
            return Stage.WORKING, "moved on", f"importance {standing.importance:.2f}"
    return standing.stage, "", ""


def _priorities(run: SleepRun, pending: Sequence[Record]) -> list[float]:
    rated = _rated(run, pending)
    return [
        replay_priority(float(near), (run.now - record.valid_from) / _DAY, record.id in rated)
        for record, near in zip(pending, nearness(run, pending), strict=True)
    ]


def nearness(run: SleepRun, pending: Sequence[Record]) -> NDArray[np.float32]:
    """The mean cosine of each turn to what the user said last [RPL-06]."""
    store, space = run.workspace.store, run.workspace.embedder.space
    latest = store.latest(None, 4 * RECENT_QUERIES)
    spoken = [record.number for record in latest if record.role is Role.USER]
    near = np.zeros(len(pending), np.float32)
    _, queries = store.vectors(spoken[-RECENT_QUERIES:], space)
    if not len(queries):
        return near
    numbers, matrix = store.vectors([record.number for record in pending], space)
    places = {record.number: place for place, record in enumerate(pending)}
    near[[places[int(number)] for number in numbers]] = (matrix @ queries.T).mean(axis=1)
    return near


def _rated(run: SleepRun, pending: Sequence[Record]) -> set[str]:
    """Ids of the turns that got feedback."""
    store = run.workspace.store
    children = store.derived([record.id for record in pending])
    every = sorted({child for ids in children.values() for child in ids})
    feedback = {record.id for record in store.find(every) if record.kind is Kind.FEEDBACK}
    return {id_ for id_, ids in children.items() if feedback & set(ids)}
