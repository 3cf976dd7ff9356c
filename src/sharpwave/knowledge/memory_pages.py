"""Everything that is kept, a page at a time, the newest first."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TypeVar

from sharpwave.errors import InvalidInput
from sharpwave.ports import UserStore
from sharpwave.types.known import MemoryPage
from sharpwave.types.records import Kind, Record, Source, Stage, Trust
from sharpwave.workspace import Workspace

_AT_ONCE = 256
_MOST_LOOKED_AT = 8192
"""Numbers that one call looks at; a page may be short then, and the next goes on from there."""
Word = TypeVar("Word", bound=Enum)


@dataclass(frozen=True, slots=True)
class Sought:
    """Which records to list; what is empty or None does not matter."""

    kinds: frozenset[Kind]
    stages: frozenset[Stage]
    sources: frozenset[Source]
    trusts: frozenset[Trust]
    since: datetime | None
    until: datetime | None

    def fits(self, record: Record) -> bool:
        """Whether this record is one of them."""
        pairs: tuple[tuple[object, Collection[object]], ...] = (
            (record.kind, self.kinds),
            (record.standing.stage, self.stages),
            (record.provenance.source, self.sources),
            (record.provenance.trust, self.trusts),
        )
        if any(wanted and value not in wanted for value, wanted in pairs):
            return False
        if self.since is not None and record.recorded_at < self.since:
            return False  # no sign that the rest is older: an import brings its own times
        return self.until is None or record.recorded_at < self.until


def words(kind: type[Word], given: Collection[Word | str], what: str) -> frozenset[Word]:
    """What the caller named, as members of `kind`."""
    by_name = {one.name.lower(): one for one in kind}
    found = [by_name.get(one.lower()) if isinstance(one, str) else one for one in given]
    if None in found:
        raise InvalidInput(f"{what} are of: {', '.join(by_name)}")
    return frozenset(one for one in found if one is not None)


def page(workspace: Workspace, sought: Sought, before: int | None, limit: int) -> MemoryPage:
    """The newest records that fit, below a number."""
    store = workspace.store
    newest = store.head().seq
    top = newest if before is None else min(before - 1, newest)
    left, size, found = _MOST_LOOKED_AT, min(limit, _AT_ONCE), list[Record]()
    while left > 0 and (window := _below(top + 1, size, store, sought.kinds)):
        left, size = left - len(window), min(4 * size, _AT_ONCE, left)
        for record in store.fetch(window):
            if sought.fits(record):
                found.append(record)
            if len(found) == limit:
                return MemoryPage(tuple(found), record.number if record.number > 1 else None)
        top = window[-1] - 1
    return MemoryPage(tuple(found), top + 1 if top > 0 and window else None)


def _below(number: int, size: int, store: UserStore, kinds: Collection[Kind]) -> Sequence[int]:
    """The next numbers to look at below one, the newest first."""
    if kinds:
        return store.newest(kinds, number, size)
    return range(number - 1, max(number - 1 - size, 0), -1)
