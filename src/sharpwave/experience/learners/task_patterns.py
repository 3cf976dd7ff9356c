"""Tasks: query patterns, plans and tool sequences, each with how it went [AGT-01…AGT-07]."""

from collections.abc import Sequence

from sharpwave.experience.learners import rows
from sharpwave.experience.lessons import GENERAL, Lesson
from sharpwave.experience.matching import loose_pattern, query_pattern
from sharpwave.formulas.statistics import relative_variance, reliability
from sharpwave.tallies import Row, Sheet
from sharpwave.types.experience import LearnedPattern, ModelRecord, PatternType

TOPICS = {
    PatternType.QUERY: "query",
    PatternType.PLAN: "plan",
    PatternType.TOOL_SEQUENCE: "tool_sequence",
}
STATE = "state"
MODELS = "models"
TASKS = "tasks"
_ARROW = " → "
_MANY_STEPS = 3
_MOST = 16
RELIABILITY_WEIGHT = 0.3
"""How much an uneven duration counts against reliability."""


def context_of(steps: Sequence[str]) -> str:
    """The context of a task without one: by its size, since its domain cannot be guessed."""
    if len(steps) == 1:
        return "single_tool_operation"
    return "complex_workflow" if len(steps) > _MANY_STEPS else GENERAL


def keys(lesson: Lesson) -> dict[PatternType, str]:
    """Under which patterns a task falls."""
    plan = list(lesson.plan) or lesson.order
    found = {PatternType.QUERY: query_pattern(lesson.query)}
    if plan:
        found[PatternType.PLAN] = _ARROW.join(plan)
    if lesson.order:
        found[PatternType.TOOL_SEQUENCE] = _ARROW.join(lesson.order)
    return {kind: rows.short(name) for kind, name in found.items()}


def learn(lesson: Lesson, sheet: Sheet) -> None:
    """Count a task in its patterns, and in the record of its model."""
    _learn_totals(lesson, sheet)
    if not lesson.is_task:
        return
    for kind, name in keys(lesson).items():
        row = rows.tiered(sheet, TOPICS[kind], name)
        rows.note(row, lesson.id, lesson.at)
        rows.outcome(row, lesson.success)
        rows.average(row, "ms", lesson.ms)
        rows.average(row, "steps", len(lesson.acts))
        rows.count(row.setdefault("ctx", {}), lesson.context, _MOST)
        row["query"] = loose_pattern(lesson.query)
        if lesson.success and lesson.order:
            rows.count(row.setdefault("how", {}), rows.short(_ARROW.join(lesson.order)), _MOST)
        rows.put_tiered(sheet, TOPICS[kind], name, row, rows.MIN_REPEATS)


def _learn_totals(lesson: Lesson, sheet: Sheet) -> None:
    """Count the outcomes of all tasks, and of those with this model [BEH-17]."""
    if lesson.success is None:
        return
    totals = sheet.edit(STATE, TASKS)
    field = "ok" if lesson.success else "bad"
    totals[field] = totals.get(field, 0) + 1
    if lesson.model:
        models = sheet.edit(STATE, MODELS)
        tasks, good, retries = models.get(lesson.model, [0, 0, 0])
        retried = sum(act.retries for act in lesson.acts)
        models[lesson.model] = [tasks + 1, good + int(lesson.success), retries + retried]


def totals(sheet: Sheet) -> tuple[int, int]:
    """Successful tasks, and all of known outcome."""
    row = sheet.row(STATE, TASKS)
    return row.get("ok", 0), row.get("ok", 0) + row.get("bad", 0)


def models(sheet: Sheet) -> list[ModelRecord]:
    """How tasks ended with each model, the best first."""
    found = [
        ModelRecord(model, tasks, good / tasks, retries / tasks)
        for model, (tasks, good, retries) in sheet.row(STATE, MODELS).items()
    ]
    return sorted(found, key=lambda record: (-record.success_rate, record.model))


def patterns(sheet: Sheet) -> list[LearnedPattern]:
    """Every pattern of tasks that recurred."""
    return [
        pattern(kind, name, row)
        for kind, topic in TOPICS.items()
        for name, row in sheet.rows(topic).items()
    ]


def pattern(kind: PatternType, name: str, row: Row) -> LearnedPattern:
    """One pattern of tasks with its metrics [AGT-03]."""
    good, bad = row.get("ok", 0), row.get("bad", 0)
    ms, steps = rows.running(row, "ms"), rows.running(row, "steps")
    shown = name.replace("_", " ") if kind is PatternType.QUERY else name
    ended = f", {good} of {good + bad} succeeded" if good + bad else ""
    best = sorted(filter(None, row.get("how", {})), key=lambda how: -row["how"][how])
    sequences = best[:1] if kind is PatternType.QUERY else [name]
    return rows.pattern(
        kind,
        name,
        row,
        name=name,
        description=f"{shown}: {row['n']} tasks{ended}.",
        steps=tuple(step for sequence in sequences for step in sequence.split(_ARROW)),
        avg_duration_ms=ms.mean if ms.seen else None,
        avg_steps=steps.mean if steps.seen else None,
        reliability=reliability(good, good + bad, relative_variance(ms), RELIABILITY_WEIGHT),
        contexts=tuple(sorted(row.get("ctx", {}))),
        solutions=tuple(best),
        streak=row.get("run", 0),
    )
