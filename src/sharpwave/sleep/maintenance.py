"""The end of a run: compact the index and the store, and remove what expired [SCH-05].

What they hold stays the same, so there is nothing to undo, and after an interruption the next run
does it again. Only stored requests are removed, when they are too old to be repeated, and
interactions that an agent abandoned are completed as they stand.
"""

from datetime import timedelta

from sharpwave import tallies
from sharpwave.errors import Overtaken, StorageError
from sharpwave.experience import live
from sharpwave.ports import Store
from sharpwave.sleep.journal import Step
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.sleep import ReportEntry
from sharpwave.types.storing import OPEN, REQUESTS, Change
from sharpwave.workspace import Resources, Workspace

_TIDIED = "tidied"
_NOT_NOW = (
    "index and store were not tidied, since the store is full or busy; the next run tries again"
)
_MIN_FREED_BYTES = 1 << 20
"""A store that became smaller by less is not reported."""


def tidy(workspace: Workspace, with_store: bool) -> Step:
    """Compact a user's index and remove what expired; with the store all users share, if asked."""
    try:
        entries = remove_expired(workspace)
        removed = workspace.index.tidy()
    except StorageError:  # full or busy: it can wait for the next run
        return Step(notes=(_NOT_NOW,))
    if removed:
        entries.insert(
            0, ReportEntry(_TIDIED, "index", f"{removed} rows of what is not found any more")
        )
    store = tidy_store(workspace.shared.store) if with_store else Step()
    return Step(entries=(*entries, *store.entries), notes=store.notes)


def tidy_store(store: Store) -> Step:
    """Compact what all users share; it may take long, so a round does it once."""
    try:
        done = store.tidy()
    except StorageError:  # full or busy: it can wait for the next run
        return Step(notes=(_NOT_NOW,))
    entries = []
    if done.scrubbed:
        entries.append(ReportEntry(_TIDIED, "store", "no copy is left of what was forgotten"))
    if done.freed_bytes >= _MIN_FREED_BYTES:
        entries.append(ReportEntry(_TIDIED, "store", f"{done.freed_bytes >> 20} MiB smaller"))
    return Step(entries=tuple(entries))


def users_with_leftovers(resources: Resources) -> list[str]:
    """Users with stored requests or open interactions, with or without memories."""
    store = resources.store
    return sorted({*store.users_with(REQUESTS), *store.users_with(OPEN)})


def remove_expired(workspace: Workspace) -> list[ReportEntry]:
    """Remove stored requests that are too old, and complete abandoned interactions."""
    entries = []
    if dropped := _drop_requests(workspace):
        entries.append(
            ReportEntry(_TIDIED, "doors", f"{dropped} requests that were answered long ago")
        )
    if closed := live.close_abandoned(workspace):
        why = f"{closed} interactions that nobody went on with"
        entries.append(ReportEntry(_TIDIED, "agents", why))
    return entries


def _drop_requests(workspace: Workspace) -> int:
    """Remove requests that are no longer answered the same, with their answers; how many."""
    store, now = workspace.store, workspace.clock.now()
    kept = timedelta(seconds=tallies.REQUESTS_KEPT_S)
    dropped = 0
    for share in store.topics(REQUESTS):
        old = tallies.expired_requests(store, share, to_microseconds(now - kept))
        gone = tuple(tally for pair in old.values() for tally in pair)
        try:
            if gone:
                store.commit(Change("answer", now, (), tallies=gone))
        except Overtaken:  # the same request comes again right now: the next run retries
            continue
        dropped += len(old)
    return dropped
