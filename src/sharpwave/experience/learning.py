"""One lesson, taken in by every learner, in this order.

    0 progress                      how much of it was foreseen
    1 tools, parameters, errors     every step
    2 next steps                    which step followed which
    3 intents, tasks                what was asked, and how it ended
    4 segments                      stretches of work; those that are over go to
    5 log, workflows, repeats, files

Each reads and writes rows by name, so that the cost does not grow with what is known already.
"""

from collections.abc import Iterable

from sharpwave.experience.learners import (
    errors,
    files,
    intents,
    log,
    next_steps,
    outcomes,
    parameters,
    progress,
    repeats,
    segments,
    task_patterns,
    tools,
    workflows,
)
from sharpwave.experience.lessons import Lesson
from sharpwave.experience.matching import signature
from sharpwave.settings.experience import ExperienceSettings
from sharpwave.tallies.sheet import Sheet

STATE, DONE = "state", "learned"


def learn(lesson: Lesson, sheet: Sheet, settings: ExperienceSettings) -> None:
    """Take a lesson in."""
    state = sheet.row(STATE, DONE)
    state["lessons"] = state.get("lessons", 0) + 1
    sheet.put(STATE, DONE, state)
    if lesson.about is not None:
        outcomes.learn(lesson, sheet, settings.patterns)
        return
    progress.learn(lesson, sheet)
    tools.learn(lesson, sheet, settings.tools)
    parameters.learn(lesson, sheet, settings.tools)
    errors.learn(lesson, sheet, settings)
    next_steps.learn(lesson, sheet, settings.advise.order)
    intents.learn(lesson, sheet, settings)
    task_patterns.learn(lesson, sheet, settings)
    if not lesson.is_task:
        take_in(segments.learn(lesson, sheet, settings), sheet, settings)


def take_in(closed: Iterable[segments.Segment], sheet: Sheet, settings: ExperienceSettings) -> None:
    """Learn from stretches of work that are over."""
    for segment in closed:
        log.learn(signature.steps(segment.steps), sheet)
        workflows.learn(segment, sheet, settings)
        repeats.learn(segment, sheet, settings)
        files.learn(segment, sheet, settings)


def settle(sheet: Sheet, settings: ExperienceSettings) -> None:
    """Take in the stretches that are still open, as if they were over: to look, not to write."""
    take_in(segments.open_ones(sheet), sheet, settings)
