"""One lesson, taken in by every learner, in this order.

    0 progress                      how much of it was foreseen
    1 tools, parameters, errors     every step
    2 next steps                    which step followed which
    3 intents, tasks                what was asked, and how it ended
    4 segments                      stretches of work; those that are over go to
    5 log, workflows, repeats, files

Each reads and writes rows by name, so that the cost does not grow with what is known already.
"""

from collections.abc import Iterable, Iterator

from sharpwave.errors import NotFound, Overtaken
from sharpwave.experience import matching, publish
from sharpwave.experience.learners import (
    errors,
    files,
    intents,
    next_steps,
    parameters,
    progress,
    repeats,
    rows,
    segments,
    task_patterns,
    tools,
    workflows,
)
from sharpwave.experience.lessons import Lesson, lesson, teaches
from sharpwave.ports import UserStore
from sharpwave.settings.experience import ExperienceSettings
from sharpwave.tallies import Sheet, stored
from sharpwave.types.answers import Forgotten
from sharpwave.types.records import Kind, Record
from sharpwave.types.storing import EXPERIENCE, Change, Selection
from sharpwave.workspace import Workspace

STATE, DONE = "state", "learned"


def learn(lesson: Lesson, sheet: Sheet, settings: ExperienceSettings) -> None:
    """Take a lesson in."""
    state = sheet.row(STATE, DONE)
    state["lessons"] = state.get("lessons", 0) + 1
    sheet.put(STATE, DONE, state)
    if lesson.about is not None:
        progress.learn_outcome(lesson, sheet, settings.patterns)
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
        segments.learn_log(matching.step_names(segment.steps), sheet)
        workflows.learn(segment, sheet, settings)
        repeats.learn(segment, sheet, settings)
        files.learn(segment, sheet, settings)


def settle(sheet: Sheet, settings: ExperienceSettings) -> None:
    """Take in the stretches that are still open, as if they were over: to look, not to write."""
    take_in(segments.open_ones(sheet), sheet, settings)


_LISTED = (
    errors.TOPIC,
    repeats.TOPIC,
    files.PAIR,
    intents.INTENT,
    *task_patterns.TOPICS.values(),
)
TOPICS = (
    "state",
    tools.TOPIC,
    parameters.TOPIC,
    next_steps.TOPIC,
    segments.TOPIC,
    workflows.TOPIC,
    files.FILE,
    intents.CORRECTION,
    errors.OF_TOOL,
    progress.OUTCOME,
    *_LISTED,
    *(rows.RARE + topic for topic in _LISTED),
)

_LOGS = (Kind.INTERACTION, Kind.OBSERVATION)


def up_to_date(sheet: Sheet, workspace: Workspace, settings: ExperienceSettings) -> Sheet:
    """The sheet, once everything that is stored has been learned from."""
    if sheet.row(STATE, DONE) or not _has_records(workspace.store):
        return sheet
    try:
        forget_published(workspace)
        rebuild(workspace, settings)
    except (Overtaken, NotFound):
        pass  # somebody else is doing it
    store = workspace.store
    return Sheet.of(store, EXPERIENCE)


def rebuild(workspace: Workspace, settings: ExperienceSettings) -> int:
    """Learn anew from every interaction and task that is stored; returns how many there were."""
    store = workspace.store
    before = stored(store, EXPERIENCE, TOPICS)
    sheet, count = Sheet.blank(EXPERIENCE), 0
    for record in _records(store, settings.logging.rebuild_batch):
        learn(lesson(record), sheet, settings)
        count += 1
    if not count:  # so that nobody looks for lessons again and again
        sheet.put(STATE, DONE, {"lessons": 0})
    tallies = sheet.instead_of(before)
    if tallies:
        store.commit(Change("rebuild", workspace.clock.now(), (), tallies=tallies))
    publish.publish(workspace, settings)
    return count


def forget_published(workspace: Workspace) -> Forgotten:
    """Erase every version of what was published from what was learned; people's own stays."""
    ids = [
        record.id
        for kind in publish.SUBJECTS
        for record in publish.published(workspace, kind, every=True)
        if record.metadata.get(publish.GENERATED)
    ]
    if not ids:
        return Forgotten(0, 0, 0, 0, traces_cleared=True)
    return workspace.store.forget(Selection(ids=tuple(ids)), workspace.clock.now())


def _has_records(store: UserStore) -> bool:
    return bool(store.newest(_LOGS, store.head().seq + 1, 1))


def _records(store: UserStore, batch: int) -> Iterator[Record]:
    """Every record that something is learned from, in the order they were stored."""
    after = 0
    while found := store.scan(after, batch):
        yield from filter(teaches, found)
        after = found[-1].number
