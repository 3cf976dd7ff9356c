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
from sharpwave.ports import Ports, Store
from sharpwave.settings.experience import ExperienceSettings
from sharpwave.tallies.sheet import Sheet, stored
from sharpwave.types.answers import Forgotten
from sharpwave.types.records import Kind, Record
from sharpwave.types.storing import EXPERIENCE, Change, Selection

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


def ready(sheet: Sheet, user_id: str, ports: Ports, settings: ExperienceSettings) -> Sheet:
    """The sheet, once everything that is stored has been learned from."""
    if sheet.row(learning.STATE, learning.DONE) or not _has_records(user_id, ports.store):
        return sheet
    try:
        forget_published(user_id, ports)
        rebuild(user_id, ports, settings)
    except (Overtaken, NotFound):
        pass  # somebody else is doing it
    store = ports.store
    return Sheet.of(store, user_id, EXPERIENCE)


def rebuild(user_id: str, ports: Ports, settings: ExperienceSettings) -> int:
    """Learn anew from every interaction and task that is stored; returns how many there were."""
    store = ports.store
    before = stored(store, user_id, EXPERIENCE, TOPICS)
    sheet, count = Sheet.blank(EXPERIENCE), 0
    for record in _records(user_id, store, settings.logging.rebuild_batch):
        learning.learn(lesson(record), sheet, settings)
        count += 1
    if not count:  # so that nobody looks for lessons again and again
        sheet.put(learning.STATE, learning.DONE, {"lessons": 0})
    tallies = sheet.instead_of(before)
    if tallies:
        store.commit(Change(user_id, "rebuild", ports.clock.now(), (), tallies=tallies))
    publish.publish(user_id, ports, settings)
    return count


def forget_published(user_id: str, ports: Ports) -> Forgotten:
    """Erase every version of what was published from what was learned; people's own stays."""
    ids = [
        record.id
        for kind in publish.SUBJECTS
        for record in publish.published(user_id, ports, kind, every=True)
        if record.metadata.get(publish.GENERATED)
    ]
    if not ids:
        return Forgotten(0, 0, 0, 0, traces_cleared=True)
    return ports.store.forget(user_id, Selection(ids=tuple(ids)), ports.clock.now())


def _has_records(user_id: str, store: Store) -> bool:
    return bool(store.newest(user_id, _LOGS, store.head(user_id).seq + 1, 1))


def _records(user_id: str, store: Store, batch: int) -> Iterator[Record]:
    """Every record that something is learned from, in the order they were stored."""
    after = 0
    while found := store.scan(user_id, after, batch):
        yield from filter(teaches, found)
        after = found[-1].number
