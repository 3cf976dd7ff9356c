"""What past tasks like this one tell: how they ended, which step came next, which plans worked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharpwave.experience.learners import next_steps, task_patterns
from sharpwave.experience.lessons import Lesson, lesson, teaches
from sharpwave.formulas.statistics import shrunk
from sharpwave.settings.experience import AdviseSettings
from sharpwave.tallies.sheet import Sheet
from sharpwave.types.experience import Advised
from sharpwave.types.records import Kind
from sharpwave.types.searching import Filter, Rankings
from sharpwave.workspace import Workspace

_L0 = frozenset({Kind.INTERACTION.value, Kind.OBSERVATION.value})


@dataclass(frozen=True, slots=True)
class Similar:
    """A past task and how like this one it is."""

    lesson: Lesson
    likeness: float

    @property
    def weight(self) -> float:
        """What it counts for: the most alike count for far more."""
        return self.likeness**4


def similar_tasks(
    query: str, vector: NDArray[np.float32], workspace: Workspace, settings: AdviseSettings
) -> list[Similar]:
    """The tasks most like this one."""
    found = workspace.index.rank(query, vector, settings.similar * 2, Filter(kinds=_L0))
    scores = _likeness(found)
    near = {number: score for number, score in scores.items() if score >= settings.min_similarity}
    chosen = sorted(near, key=lambda number: -near[number])[: settings.similar]
    records = filter(teaches, workspace.store.fetch(chosen))
    read = [(lesson(record), near[record.number]) for record in records]
    return [Similar(each, score) for each, score in read if each.acts and each.is_cycle]


def _likeness(found: Rankings) -> dict[int, float]:
    """Meaning and wording, half each: the names in a query matter as much as what it is about."""
    vector = dict(zip(found.vector.numbers.tolist(), found.vector.scores.tolist(), strict=True))
    words = dict(zip(found.keyword.numbers.tolist(), found.keyword.scores.tolist(), strict=True))
    most = max(words.values(), default=0.0) or 1.0
    return {
        number: (max(0.0, vector.get(number, 0.0)) + words.get(number, 0.0) / most) / 2.0
        for number in {*vector, *words}
    }


def success_chance(
    similar: Sequence[Similar], sheet: Sheet, settings: AdviseSettings
) -> float | None:
    """How such tasks ended, with how tasks end at all behind it."""
    good, total = task_patterns.totals(sheet)
    if not total:
        return None
    judged = [each for each in similar if each.lesson.success is not None]
    raw = [each.likeness**2 for each in judged]
    weights = [each * len(raw) / sum(raw) for each in raw]
    wins = sum(w for w, each in zip(weights, judged, strict=True) if each.lesson.success)
    return shrunk(wins, sum(weights), good / total, settings.prior_weight)


def usual_failures(sheet: Sheet) -> float:
    """The share of all tasks that failed."""
    good, total = task_patterns.totals(sheet)
    return 1.0 - good / total if total else 0.0


def next_shares(
    done: Sequence[str], similar: Sequence[Similar], sheet: Sheet, settings: AdviseSettings
) -> dict[str, float]:
    """How likely each step comes next; the end of the task is left out."""
    general = next_steps.shares(done, sheet, settings.order)
    cases = [
        (each.lesson.order, each.weight) for each in similar if each.lesson.success is not False
    ] or [(each.lesson.order, each.weight) for each in similar]
    close = next_steps.of_sequences(done, cases, settings.order)
    share = settings.similar_weight if close else 0.0
    mixed = {
        step: share * close.get(step, 0.0) + (1.0 - share) * general.get(step, 0.0)
        for step in {*general, *close} - {next_steps.END, next_steps.START}
    }
    total = sum(mixed.values())
    return {step: value / total for step, value in mixed.items()} if total else {}


def plans(similar: Sequence[Similar]) -> list[Advised]:
    """Plans that worked for tasks like this, as templates [BEH-17]."""
    best: dict[tuple[str, ...], list[Similar]] = {}
    for each in similar:
        if each.lesson.success:
            best.setdefault(tuple(each.lesson.order), []).append(each)
    plans = [
        Advised(
            "plan",
            " → ".join(steps),
            f"worked for {len(cases)} similar tasks, such as: {cases[0].lesson.query[:80]}",
            sum(each.weight for each in cases),
            tuple(each.lesson.id for each in cases),
        )
        for steps, cases in best.items()
    ]
    return sorted(plans, key=lambda each: (-each.score, each.text))
