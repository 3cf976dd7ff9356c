"""Learns again from all stored records, e.g. after some were forgotten or counts were lost.

The store drops everything learned in the transaction that forgets a record; this makes it again.
"""

from contextlib import suppress

from sharpwave.errors import NotFound, Overtaken
from sharpwave.experience import learning, publish
from sharpwave.experience.lessons import lesson, teaches
from sharpwave.tallies import Sheet, stored
from sharpwave.types.answers import Forgotten
from sharpwave.types.records import Kind
from sharpwave.types.storing import EXPERIENCE, Change, Selection
from sharpwave.workspace import Workspace

_LOGS = (Kind.INTERACTION, Kind.OBSERVATION)


def up_to_date(workspace: Workspace, sheet: Sheet) -> Sheet:
    """The sheet, after learning from all stored records if that is missing or of another form."""
    learned, store = sheet.row(learning.STATE, learning.DONE), workspace.store
    if learned.get("form") == learning.FORM or not store.newest(_LOGS, store.head().seq + 1, 1):
        return sheet
    try:
        rebuild(workspace) if learned else anew(workspace)
    except Overtaken:
        pass  # another process is doing it
    return Sheet.of(workspace.store, EXPERIENCE)


def anew(workspace: Workspace) -> int:
    """Erase what was published, and learn again from every stored interaction and task."""
    forget_published(workspace)
    return rebuild(workspace)


def rebuild(workspace: Workspace) -> int:
    """Learn again from every stored interaction and task; returns their number."""
    store = workspace.store
    before = stored(store, EXPERIENCE)
    sheet, count = Sheet.blank(EXPERIENCE), 0
    for record in filter(teaches, workspace.records()):
        learning.learn(lesson(record), sheet)
        count += 1
    if not count:  # avoids another scan at the next call
        sheet.put(learning.STATE, learning.DONE, {"lessons": 0, "form": learning.FORM})
    tallies = sheet.instead_of(before)
    if tallies:
        store.commit(Change("rebuild", workspace.clock.now(), (), tallies=tallies))
    publish.publish(workspace)
    return count


def forget_published(workspace: Workspace) -> Forgotten:
    """Erase every version of the published records that were generated; people's own stay."""
    while ids := tuple(
        record.id
        for kind in publish.SUBJECTS
        for record in publish.published(workspace, kind, every=True)
        if record.metadata.get(publish.GENERATED)
    ):
        with suppress(NotFound):  # some were forgotten by another call
            return workspace.store.forget(Selection(ids=ids), workspace.clock.now())
    return Forgotten(0, 0, 0, 0, traces_cleared=True)
