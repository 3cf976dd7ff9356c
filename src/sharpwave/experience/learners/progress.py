"""Outcomes of patterns and insights in use [PAT-16, INS-04], and whether experience helps."""

from sharpwave.experience.learners import next_steps, rows, segments, task_patterns
from sharpwave.experience.learners.rows import tiered
from sharpwave.experience.lessons import Lesson
from sharpwave.tallies import Sheet
from sharpwave.types.experience import ExperienceMetrics, PatternType

OUTCOME = "outcome"


def learn_outcome(lesson: Lesson, sheet: Sheet) -> None:
    """Count an outcome of the pattern or insight that a lesson is about."""
    row = sheet.edit(OUTCOME, str(lesson.about))
    rows.note(row, lesson.id, lesson.at)
    rows.outcome(row, lesson.success)
    row["by"] = lesson.role or "agent"


STATE, NAME = "state", "progress"
_EARLY_STEPS = 100
_RECENT_SHARE = 0.02
"""How fast the recent error rate follows: about fifty steps."""


def learn(lesson: Lesson, sheet: Sheet) -> None:
    """Compare a lesson with what was known before it. Comes before the other learners."""
    row = sheet.edit(STATE, NAME)
    if lesson.is_task and lesson.acts:
        name = task_patterns.keys(lesson)[PatternType.TOOL_SEQUENCE]
        known = tiered(sheet, task_patterns.TOPICS[PatternType.TOOL_SEQUENCE], name)
        row["tasks"] = row.get("tasks", 0) + 1
        row["reused"] = row.get("reused", 0) + bool(known)
    steps = [] if lesson.is_cycle else segments.before(lesson, sheet)
    before = steps[-1] if steps else next_steps.START
    for act in lesson.acts:
        followers = sheet.row(next_steps.TOPIC, before).get("s", {})
        if followers:
            best = max(followers, key=lambda name: followers[name])
            row["guessed"] = row.get("guessed", 0) + 1
            row["right"] = row.get("right", 0) + (best == act.name)
        before = act.name
        _count_error(row, act.ok is False)


def _count_error(row: dict[str, float], failed: bool) -> None:
    row["steps"] = row.get("steps", 0) + 1
    row["failed"] = row.get("failed", 0) + failed
    if row["steps"] <= _EARLY_STEPS:
        row["early"] = row["failed"] / row["steps"]
        row["recent"] = row["early"]
    else:
        row["recent"] += _RECENT_SHARE * (failed - row["recent"])


def view(sheet: Sheet, confidences: list[float]) -> ExperienceMetrics:
    """The figures, None where nothing is known yet."""
    row = sheet.row(STATE, NAME)
    tasks, guessed, early = row.get("tasks", 0), row.get("guessed", 0), row.get("early")
    recent = row.get("recent")
    return ExperienceMetrics(
        tasks=tasks,
        steps=row.get("steps", 0),
        pattern_reuse_rate=row["reused"] / tasks if tasks else None,
        tool_selection_accuracy=row["right"] / guessed if guessed else None,
        error_rate=recent,
        error_reduction=(early - recent) / early if early else None,
        insight_confidence=sum(confidences) / len(confidences) if confidences else None,
    )
