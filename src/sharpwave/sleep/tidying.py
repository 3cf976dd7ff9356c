"""The last thing in a night: the recall index and the store are put in order [SCH-05].

What they hold stays the same, so that there is nothing to undo, and nothing to go on with after an
interruption: the next night does it again. Only what doors noted of requests is let go of, when it
is too old to matter, and what an agent began and left is completed as it stands.
"""

from datetime import timedelta

from sharpwave import tallies
from sharpwave.errors import Overtaken, StorageError
from sharpwave.experience import live
from sharpwave.ports import Store
from sharpwave.sleep.night import Night
from sharpwave.sleep.step import Step
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.sleep import Entry
from sharpwave.types.storing import Change
from sharpwave.workspace import Workspace

_TIDIED = "tidied"
_NOT_NOW = "the index and the store are put in order another night: the store is full or busy"
_WORTH_TELLING = 1 << 20
"""Bytes that became free."""


def work(night: Night, alone: bool) -> Step:
    """Put things in order, and tell what was worth it; of a round over many only what is theirs."""
    try:
        entries = left_over(night.workspace)
        removed = night.workspace.index.tidy()
    except StorageError:  # full or busy: it can wait for the next night
        return Step(notes=(_NOT_NOW,))
    if removed:
        told = f"{removed} rows of what is not found any more"
        entries.insert(0, Entry(_TIDIED, "index", told))
    if not alone:
        return Step(entries=tuple(entries))
    store = of_all(night.workspace.shared.store)
    return Step(entries=(*entries, *store.entries), notes=store.notes)


def of_all(store: Store) -> Step:
    """Put in order what all users share; it may take long, so a round does it once."""
    try:
        done = store.tidy()
    except StorageError:  # full or busy: it can wait for the next night
        return Step(notes=(_NOT_NOW,))
    entries = []
    if done.scrubbed:
        entries.append(Entry(_TIDIED, "store", "no copy is left of what was forgotten"))
    if done.freed_bytes >= _WORTH_TELLING:
        entries.append(Entry(_TIDIED, "store", f"{done.freed_bytes >> 20} MiB smaller"))
    return Step(entries=tuple(entries))


def left_over(workspace: Workspace) -> list[Entry]:
    """Let go of what doors noted long ago, and complete what nobody goes on with."""
    entries = []
    if dropped := drop_requests(workspace):
        entries.append(Entry(_TIDIED, "doors", f"{dropped} requests that were answered long ago"))
    if closed := live.close_abandoned(workspace):
        told = f"{closed} interactions that nobody went on with"
        entries.append(Entry(_TIDIED, "agents", told))
    return entries


def drop_requests(workspace: Workspace) -> int:
    """Let go of requests that are no longer answered the same, with their sealed answers."""
    store, now = workspace.store, workspace.clock.now()
    kept = timedelta(seconds=tallies.REQUESTS_KEPT_S)
    dropped = 0
    for share in store.topics(tallies.REQUESTS):
        old = tallies.expired_requests(store, share, to_microseconds(now - kept))
        gone = tuple(tally for both in old.values() for tally in both)
        try:
            if gone:
                store.commit(Change("answer", now, (), tallies=gone))
        except Overtaken:  # one of them is asked again right now: the next night looks again
            continue
        dropped += len(old)
    return dropped
