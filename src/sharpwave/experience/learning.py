"""Teaches one lesson to every learner, in this order.

    0 progress                      how much of it was foreseen
    1 tools, parameters, errors     every step
    2 next steps                    which step followed which
    3 intents, tasks                what was asked, and how it ended
    4 segments                      stretches of work; those that are over go to
    5 log, workflows, repeats, files

Each reads and writes rows by name, so that the cost does not grow with what is known already.
"""

from collections.abc import Iterable

from sharpwave.experience import matching
from sharpwave.experience.learners import (
    errors,
    files,
    intents,
    next_steps,
    parameters,
    progress,
    repeats,
    segments,
    task_patterns,
    tools,
    workflows,
)
from sharpwave.experience.lessons import Lesson
from sharpwave.tallies import Sheet

STATE, DONE = "state", "learned"
FORM = 3
"""Version of the rows' form. Rows of another form are rebuilt."""


def learn(lesson: Lesson, sheet: Sheet) -> None:
    """Learn from a lesson."""
    state = sheet.edit(STATE, DONE)
    state.update(lessons=state.get("lessons", 0) + 1, form=FORM)
    if lesson.about is not None:
        progress.learn_outcome(lesson, sheet)
        return
    progress.learn(lesson, sheet)
    tools.learn(lesson, sheet)
    parameters.learn(lesson, sheet)
    errors.learn(lesson, sheet)
    next_steps.learn(lesson, sheet)
    intents.learn(lesson, sheet)
    task_patterns.learn(lesson, sheet)
    if not lesson.is_task:
        learn_segments(segments.learn(lesson, sheet), sheet)


def learn_segments(closed: Iterable[segments.WorkSegment], sheet: Sheet) -> None:
    """Learn from stretches of work that are over."""
    for segment in closed:
        segments.learn_log(matching.step_names(segment.steps), sheet)
        workflows.learn(segment, sheet)
        repeats.learn(segment, sheet)
        files.learn(segment, sheet)


def settle(sheet: Sheet) -> None:
    """Learn from the stretches still open as if they were over: for reading, not for writing."""
    still_open = sheet.rows(segments.TOPIC).items()
    learn_segments([segments.segment(row, session) for session, row in still_open], sheet)
