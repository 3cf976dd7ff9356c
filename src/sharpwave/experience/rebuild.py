"""What was learned, learned anew from the records that are there.

After something was forgotten nothing learned from it may remain: the store drops the rows in the
same transaction, and here they are made again, as if the forgotten had never been.
"""

from collections.abc import Iterator

from sharpwave.errors import NotFound, Overtaken
from sharpwave.experience import learning, publish
from sharpwave.experience.learners import (
    errors,
    files,
    intents,
    next_steps,
    outcomes,
    parameters,
    repeats,
    rows,
    segments,
    task_patterns,
    tools,
    workflows,
)
from sharpwave.experience.lessons import lesson, teaches
from sharpwave.ports import UserStore
from sharpwave.settings.experience import ExperienceSettings
from sharpwave.tallies.sheet import Sheet, stored
from sharpwave.types.answers import Forgotten
from sharpwave.types.records import Kind, Record
from sharpwave.types.storing import EXPERIENCE, Change, Selection
from sharpwave.workspace import Workspace

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
    outcomes.TOPIC,
    *_LISTED,
    *(rows.RARE + topic for topic in _LISTED),
)

_LOGS = (Kind.INTERACTION, Kind.OBSERVATION)


def ready(sheet: Sheet, workspace: Workspace, settings: ExperienceSettings) -> Sheet:
    """The sheet, once everything that is stored has been learned from."""
    if sheet.row(learning.STATE, learning.DONE) or not _has_records(workspace.store):
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
        learning.learn(lesson(record), sheet, settings)
        count += 1
    if not count:  # so that nobody looks for lessons again and again
        sheet.put(learning.STATE, learning.DONE, {"lessons": 0})
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
