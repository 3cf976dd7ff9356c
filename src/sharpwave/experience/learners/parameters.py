"""Parameters whose values separate success from failure, with a test against chance [TOOL-04]."""

import json
from functools import lru_cache
from typing import NamedTuple

from sharpwave import strict_json
from sharpwave.experience.learners import rows
from sharpwave.experience.lessons import Act, Lesson
from sharpwave.experience.matching import value_pattern
from sharpwave.formulas.significance import association, separation
from sharpwave.formulas.statistics import lower_bound
from sharpwave.tallies import Row, Sheet
from sharpwave.types.experience import ParameterInsight

TOPIC = "parameters"
STEP_OK, STEP_BAD, TASK_OK, TASK_BAD = range(4)
_OTHER = "…"
MAX_PARAMETERS = 16
"""Most parameters kept of each tool."""
MAX_VALUES = 12
"""Most values kept of each parameter."""


def learn(lesson: Lesson, sheet: Sheet) -> None:
    """Count the values of every parameter by how the step and the task ended."""
    acts = [act for act in lesson.acts if act.details]
    sheet.fetch(TOPIC, (act.name for act in acts))
    for act in acts:
        row = sheet.edit(TOPIC, act.name)
        for name, value in act.details.items():
            parameter = name[:64]
            if parameter in row or len(row) < MAX_PARAMETERS:
                _count(row.setdefault(parameter, {}), value_pattern(value), act, lesson)


def _count(values: dict[str, list[int]], value: str, act: Act, lesson: Lesson) -> None:
    if value not in values and len(values) >= MAX_VALUES:
        value = _OTHER
    counts = values.setdefault(value, [0, 0, 0, 0])
    if act.ok is not None:
        counts[STEP_OK if act.ok else STEP_BAD] += 1
    if lesson.success is not None:
        counts[TASK_OK if lesson.success else TASK_BAD] += 1


class _Split(NamedTuple):
    parameter: str
    value: str
    columns: tuple[int, int]
    good: int
    bad: int
    rest_good: int
    rest_bad: int

    @property
    def strength(self) -> float:
        return association(*self[3:])


def insights(row: Row) -> list[ParameterInsight]:
    """What separates success from failure, the most important first.

    Every value is tested, on steps and on tasks; the chance is that of all these tests together.
    The second of two values says the same as the first, and tasks of one step the same as it.
    """
    return list(_insights(json.dumps(row, sort_keys=True))) if row else []


@lru_cache(maxsize=1024)
def _insights(encoded: str) -> tuple[ParameterInsight, ...]:
    """The same for a row as JSON, cached: tests are slow, and rows are read more than written."""
    row: Row = strict_json.loads(encoded)
    splits = [*_splits(row, STEP_OK, STEP_BAD), *_splits(row, TASK_OK, TASK_BAD)]
    tests = len({_test(split, row) for split in splits})
    best: dict[str, ParameterInsight] = {}
    for split in sorted(splits, key=lambda candidate: -abs(candidate.strength)):
        if split.parameter in best:
            continue
        chance = min(1.0, separation(*split[3:], limit=rows.MAX_CHANCE / tests) * tests)
        if chance < rows.MAX_CHANCE:
            best[split.parameter] = _insight(split, chance, row[split.parameter])
    return tuple(sorted(best.values(), key=lambda insight: -insight.importance))


def _test(split: _Split, row: Row) -> tuple[object, ...]:
    """What a split compares: equal for splits that are the same by definition."""
    values = frozenset(row[split.parameter])
    sides = frozenset({(split.good, split.bad), (split.rest_good, split.rest_bad)})
    return split.parameter, values if len(values) == 2 else split.value, sides


def _splits(row: Row, good: int, bad: int) -> list[_Split]:
    """Each value of each parameter against the others; a margin that is empty says nothing."""
    found = []
    for parameter, values in row.items():
        all_good = sum(counts[good] for counts in values.values())
        all_bad = sum(counts[bad] for counts in values.values())
        for value, counts in values.items():
            rest = (all_good - counts[good], all_bad - counts[bad])
            if value != _OTHER and all_good and all_bad and sum(rest):
                own = (counts[good], counts[bad])
                found.append(_Split(parameter, value, (good, bad), *own, *rest))
    return found


def _insight(split: _Split, chance: float, values: dict[str, list[int]]) -> ParameterInsight:
    is_good = split.strength > 0
    better = split.value if is_good else _best_other(split, values)
    return ParameterInsight(
        parameter=split.parameter,
        optimal_value=better,
        value_pattern=" or ".join(sorted(values)[:4]),
        importance=abs(split.strength),
        chance=chance,
        successes=split.good,
        failures=split.bad,
        worst_value=None if is_good else split.value,
        other_successes=split.rest_good,
        other_failures=split.rest_bad,
    )


def _best_other(split: _Split, values: dict[str, list[int]]) -> str:
    """The value that most surely does better than this one; this one if none was seen to."""
    good, bad = split.columns
    rate = split.good / (split.good + split.bad)
    best = {
        value: lower_bound(counts[good], counts[good] + counts[bad], rows.WILSON_Z)
        for value, counts in values.items()
        if value not in (split.value, _OTHER) and counts[good] + counts[bad]
    }
    found = max(best, key=lambda value: best[value], default=split.value)
    return found if best.get(found, 0.0) > rate else split.value
