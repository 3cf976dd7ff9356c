"""How patterns and insights turned out when they were used [PAT-16, INS-04]."""

from sharpwave.experience.learners import rows
from sharpwave.experience.lessons import Lesson
from sharpwave.settings.experience import PatternSettings
from sharpwave.tallies.sheet import Row, Sheet

TOPIC = "outcome"


def learn(lesson: Lesson, sheet: Sheet, settings: PatternSettings) -> None:
    """Count an outcome of the pattern or insight that a lesson is about."""
    name = str(lesson.about)
    row = sheet.row(TOPIC, name)
    rows.note(row, lesson.id, lesson.at, 20)
    rows.outcome(row, lesson.success, settings)
    row["by"] = lesson.role or "agent"
    sheet.put(TOPIC, name, row)


def of(sheet: Sheet, name: str) -> Row:
    """What is known of how something turned out."""
    return sheet.row(TOPIC, name)
