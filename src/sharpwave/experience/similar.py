"""Past tasks similar to the current one, and what follows from them: chances, next steps, plans."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharpwave.experience.learners import next_steps, task_patterns
from sharpwave.experience.lessons import Lesson, lesson, teaches
from sharpwave.formulas.statistics import shrunk
from sharpwave.tallies import Sheet
from sharpwave.types.experience import Advised
from sharpwave.types.records import Kind
from sharpwave.types.searching import Filter, Rankings
from sharpwave.workspace import Workspace

MAX_SIMILAR = 16
"""Most similar tasks that are considered."""
MIN_LIKENESS = 0.25
"""Least likeness of a task that counts as similar."""
SIMILAR_WEIGHT = 0.3
"""Weight of what followed in similar tasks, beside what follows in general."""
PRIOR_WEIGHT = 2.0
"""Number of tasks that the general success rate counts for."""
LOGGED = frozenset({Kind.INTERACTION.value, Kind.OBSERVATION.value})


@dataclass(frozen=True, slots=True)
class Similar:
    """A past task and how like this one it is."""

    lesson: Lesson
    likeness: float

    @property
    def weight(self) -> float:
        """What it counts for: the most alike count for far more."""
        return self.likeness**4


def similar_tasks(workspace: Workspace, query: str, vector: NDArray[np.float32]) -> list[Similar]:
    """The tasks most like this one."""
    found = workspace.index.rank(query, vector, MAX_SIMILAR * 2, Filter(kinds=LOGGED))
    scores = _likeness(found)
    near = {number: score for number, score in scores.items() if score >= MIN_LIKENESS}
    chosen = sorted(near, key=lambda number: -near[number])[:MAX_SIMILAR]
    records = filter(teaches, workspace.store.fetch(chosen))
    read = [(lesson(record), near[record.number]) for record in records]
    return [Similar(past, score) for past, score in read if past.acts and past.is_cycle]


def _likeness(found: Rankings) -> dict[int, float]:
    """Meaning and wording, half each: the names in a query matter as much as what it is about."""
    vector = dict(zip(found.vector.numbers.tolist(), found.vector.scores.tolist(), strict=True))
    words = dict(zip(found.keyword.numbers.tolist(), found.keyword.scores.tolist(), strict=True))
    most = max(words.values(), default=0.0) or 1.0
    return {
        number: (max(0.0, vector.get(number, 0.0)) + words.get(number, 0.0) / most) / 2.0
        for number in {*vector, *words}
    }


def success_chance(similar: Sequence[Similar], sheet: Sheet) -> float | None:
    """How such tasks ended, shrunk towards all tasks; None without such tasks."""
    good, total = task_patterns.totals(sheet)
    if not (total and similar):
        return None
    judged = [case for case in similar if case.lesson.success is not None]
    raw = [case.likeness**2 for case in judged]
    weights = [weight * len(raw) / sum(raw) for weight in raw]
    wins = sum(w for w, case in zip(weights, judged, strict=True) if case.lesson.success)
    return shrunk(wins, sum(weights), good / total, PRIOR_WEIGHT)


def usual_failures(sheet: Sheet) -> float:
    """The share of all tasks that failed."""
    good, total = task_patterns.totals(sheet)
    return 1.0 - good / total if total else 0.0


def next_shares(done: Sequence[str], similar: Sequence[Similar], sheet: Sheet) -> dict[str, float]:
    """How likely each step comes next; the end of the task is left out."""
    general = next_steps.shares(done, sheet)
    cases = [
        (case.lesson.order, case.weight) for case in similar if case.lesson.success is not False
    ] or [(case.lesson.order, case.weight) for case in similar]
    close = next_steps.of_sequences(done, cases)
    share = SIMILAR_WEIGHT if close else 0.0
    mixed = {
        step: share * close.get(step, 0.0) + (1.0 - share) * general.get(step, 0.0)
        for step in {*general, *close} - {next_steps.END, next_steps.START}
    }
    total = sum(mixed.values())
    return {step: value / total for step, value in mixed.items()} if total else {}


def plans(similar: Sequence[Similar]) -> list[Advised]:
    """Plans that worked for tasks like this in more than half of the cases [BEH-17]."""
    tried: dict[tuple[str, ...], list[Similar]] = {}
    for case in similar:
        if case.lesson.success is not None:
            tried.setdefault(tuple(case.lesson.order), []).append(case)
    found = []
    for steps, cases in tried.items():
        good = [case for case in cases if case.lesson.success]
        if 2 * len(good) > len(cases):
            example = good[0].lesson.query[:80]
            why = f"worked for {len(good)} of {len(cases)} similar tasks, such as: {example}"
            score = sum(case.weight for case in good)
            ids = tuple(case.lesson.id for case in cases)
            found.append(Advised("plan", " → ".join(steps), why, score, ids))
    return sorted(found, key=lambda plan: (-plan.score, plan.text))
