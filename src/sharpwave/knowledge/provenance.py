"""Stored records by page, the newest first, and the links between them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sharpwave.errors import NotFound
from sharpwave.knowledge.listing import part
from sharpwave.ports import UserStore
from sharpwave.settings.core import MAX_RECALLED
from sharpwave.types.answers import Recollection
from sharpwave.types.known import Explanation, MemoryPage
from sharpwave.types.records import CURRENT, Kind, Record, Source, Stage, State, Trust
from sharpwave.types.sleep import EPISODE
from sharpwave.types.storing import Links, Session, Stated, Window
from sharpwave.workspace import Workspace

_BATCH = 256
_MOST_LOOKED_AT = 8192
"""Maximum number of record numbers scanned per call; a page may be short, the next continues."""


@dataclass(frozen=True, slots=True)
class Sought:
    """Filter for records to list; an empty or None field matches everything."""

    kinds: frozenset[Kind]
    stages: frozenset[Stage]
    sources: frozenset[Source]
    trusts: frozenset[Trust]
    since: datetime | None
    until: datetime | None

    def fits(self, record: Record) -> bool:
        """Whether a record matches the filter."""
        pairs: tuple[tuple[object, Collection[object]], ...] = (
            (record.kind, self.kinds),
            (record.standing.stage, self.stages),
            (record.provenance.source, self.sources),
            (record.provenance.trust, self.trusts),
        )
        if any(wanted and value not in wanted for value, wanted in pairs):
            return False
        if self.since is not None and record.recorded_at < self.since:
            return False  # go on: the rest may be newer, as an import brings its own times
        return self.until is None or record.recorded_at < self.until


def page(workspace: Workspace, sought: Sought, before: int | None, limit: int) -> MemoryPage:
    """The newest matching records below a number."""
    store = workspace.store
    newest = store.head().seq
    top = newest if before is None else min(before - 1, newest)
    left, size, found = _MOST_LOOKED_AT, min(limit, _BATCH), list[Record]()
    while left > 0 and (window := _next_numbers(top + 1, size, store, sought.kinds)):
        left, size = left - len(window), min(4 * size, _BATCH, left)
        for record in store.fetch(window):
            if sought.fits(record):
                found.append(record)
            if len(found) == limit:
                return MemoryPage(tuple(found), record.number if record.number > 1 else None)
        top = window[-1] - 1
    return MemoryPage(tuple(found), top + 1 if top > 0 and window else None)


def _next_numbers(
    number: int, size: int, store: UserStore, kinds: Collection[Kind]
) -> Sequence[int]:
    """The next record numbers to scan below a number, the newest first."""
    if kinds:
        return store.newest(kinds, number, size)
    return range(number - 1, max(number - 1 - size, 0), -1)


_OVERFETCH_FACTOR = 2
"""Factor of `overfetch`: the session's own turns rank highest."""


def links(store: UserStore, records: Sequence[Record]) -> dict[str, Links]:
    """The links of each record to those recorded before it, and the names in it."""
    ids = [record.id for record in records]
    below, above = store.evidence(ids), store.derived(ids)
    mentions = store.mentions(ids)
    linked = {id_ for group in (*below.values(), *above.values()) for id_ in group}
    numbers = {record.id: record.number for record in store.find(sorted(linked))}
    return {
        record.id: Links(
            _earlier(set(below[record.id]) - set(record.provenance.parents), record, numbers),
            _earlier(set(above[record.id]), record, numbers),
            mentions[record.id],
        )
        for record in records
    }


def _earlier(ids: set[str], record: Record, numbers: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(sorted(id_ for id_ in ids if id_ in numbers and numbers[id_] < record.number))


def explain(workspace: Workspace, memory_id: str) -> Explanation:
    """A record with its evidence and the records derived from it."""
    store = workspace.store
    found = store.find([memory_id])
    if not found:
        raise NotFound(f"no memory {memory_id!r}")
    below = store.evidence([memory_id])[memory_id]
    above = store.derived([memory_id])[memory_id]
    return Explanation(found[0], tuple(store.find(below)), tuple(store.find(above)))


def overfetch(most: int) -> int:
    """How many records to recall so that `outside_session` still has `most` left.

    >>> overfetch(48), overfetch(900)
    (96, 1000)
    """
    return max(most, min(_OVERFETCH_FACTOR * most, MAX_RECALLED))


def outside_session(found: Recollection, session: str, most: int) -> Recollection:
    """The best recalled items that are not from one session."""
    kept = [item for item in found.items if item.record.session_id != session]
    return replace(found, items=tuple(kept[:most]))


def turns(
    store: UserStore, most: int, session: str | None, within: str | None, before: int | None
) -> list[Record]:
    """The last current turns before a number, of a session or a name prefix; oldest first."""
    if within and session is None:
        return store.latest_within(within, most, before)

    def read(limit: int | None) -> list[Record]:
        return store.latest(session, limit or most, before)[::-1]

    def keep(found: Sequence[Record]) -> list[Record]:
        return [turn for turn in found if turn.standing.state in CURRENT]

    return part(read, keep, Window(limit=most))[::-1]


def sessions(workspace: Workspace, limit: int) -> list[Session]:
    """The last sessions, the newest first."""
    found = workspace.store.sessions(limit)
    if not found:
        return []
    wanted = Stated(
        slots=tuple(EPISODE + session.id for session in found),
        kinds={Kind.EPISODE},
        states={State.ACTIVE},
    )
    summaries = {episode.slot: episode.text for episode in workspace.store.stated(wanted)}
    return [replace(session, summary=summaries.get(EPISODE + session.id)) for session in found]


def without_untrusted(found: Recollection) -> Recollection:
    """A recollection without untrusted items (tools, web pages, imports)."""
    kept = tuple(
        item for item in found.items if item.record.provenance.trust is not Trust.UNTRUSTED
    )
    return replace(found, items=kept)
