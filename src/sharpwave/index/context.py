"""What is known of each row besides its words: its session, neighbours, speaker, kind and time.

Kept up to date as rows come and go; a turn that arrives out of order, or a compaction, makes all
links anew. Only turns are linked: a fact learned from a turn does not part it from the next one.
Knows nothing of texts or vectors: rows are positions, `-1` is none.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.index.columns import Column, distinct
from sharpwave.index.snapshot import require
from sharpwave.types.records import Kind
from sharpwave.types.searching import Filter
from sharpwave.types.storing import IndexRow

NONE = -1
Rows = NDArray[np.intp]


class Threads:
    """The turns of one user, session by session."""

    def __init__(self) -> None:
        self._before = Column(np.int32)
        self._after = Column(np.int32)
        self._last: dict[int, int] = {}
        self._highest: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        """Memory taken; that of the table of sessions is estimated."""
        return self._before.nbytes + self._after.nbytes + 200 * len(self._last)

    def extend(
        self, sessions: Sequence[int], is_turn: Sequence[bool], numbers: Sequence[int]
    ) -> bool:
        """Add rows at the end; False if one belongs earlier, so that `rebuild` is due."""
        first = len(self._before)
        before = np.full(len(sessions), NONE, np.int32)
        self._before.extend(before)
        self._after.extend(before)
        in_order = True
        for row, (session, turn, number) in enumerate(
            zip(sessions, is_turn, numbers, strict=True), start=first
        ):
            if not turn:
                continue
            in_order &= number > self._highest.get(session, 0)
            last = self._last.get(session, NONE)
            if last != NONE:
                self._before.values[row] = last
                self._after.values[last] = row
            self._last[session] = row
            self._highest[session] = number
        return in_order

    def bury(self, rows: Rows, sessions: NDArray[np.int32]) -> None:
        """Close the gap that removed rows leave; `sessions` are those of the rows."""
        before, after = self._before.values, self._after.values
        for row, session in zip(rows.tolist(), sessions.tolist(), strict=True):
            previous, following = int(before[row]), int(after[row])
            if previous != NONE:
                after[previous] = following
            if following != NONE:
                before[following] = previous
            if self._last.get(session) == row:
                self._last[session] = previous
            before[row] = after[row] = NONE

    def rebuild(
        self, sessions: NDArray[np.int32], linked: NDArray[np.bool_], numbers: NDArray[np.int64]
    ) -> None:
        """Link all rows anew; `linked` says which are living turns."""
        self._before, self._after = Column(np.int32), Column(np.int32)
        before = np.full(len(sessions), NONE, np.int32)
        after = before.copy()
        rows = np.flatnonzero(linked)
        rows = rows[np.lexsort((numbers[rows], sessions[rows]))]
        same = sessions[rows[1:]] == sessions[rows[:-1]]
        before[rows[1:][same]] = rows[:-1][same]
        after[rows[:-1][same]] = rows[1:][same]
        self._before.extend(before)
        self._after.extend(after)
        ends = rows[np.append(~same, True)] if len(rows) else rows
        keys = sessions[ends].tolist()
        self._last = dict(zip(keys, ends.tolist(), strict=True))
        self._highest = dict(zip(keys, numbers[ends].tolist(), strict=True))

    def windows(self, rows: Rows, reach: int) -> Rows:
        """Each row with its neighbours, oldest first: shape (rows, 2 * reach + 1)."""
        found = np.full((len(rows), 2 * reach + 1), NONE, np.intp)
        found[:, reach] = rows
        for links, step in ((self._before.values, -1), (self._after.values, 1)):
            here = rows
            for distance in range(1, reach + 1):
                # The link of no row is read from the last row and put right afterwards.
                here = np.where(here == NONE, NONE, links[here])
                found[:, reach + step * distance] = here
        return found


Mask = NDArray[np.bool_]
Name = str | None
NAMED = ("kind", "role", "speaker", "session_id", "tags")
"""Fields of a row that repeat, and are kept as small numbers."""

REPEATING = frozenset({Kind.EPISODE.value})
"""Kinds that only repeat what other records say."""


class RowAttributes:
    """Number, time, kind, role, speaker, session and tags of one user's rows."""

    def __init__(self) -> None:
        self._numbers = Column(np.int64)
        self._times = Column(np.int64)
        self._alive = Column(np.bool_)
        self._codes = {field: Column(np.int32) for field in NAMED}
        self._names: dict[str, dict[Name, int]] = {field: {} for field in NAMED}
        self._threads = Threads()
        self._linked = True
        self._dead = 0
        self._highest = 0
        self._in_order = True
        self._by_number: NDArray[np.intp] | None = None
        """The rows in order of their numbers, if they do not lie so; None until it is needed."""

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The record number of each row."""
        return self._numbers.values

    @property
    def alive(self) -> Mask | None:
        """Which rows are alive; None if all are."""
        return self._alive.values if self._dead else None

    @property
    def living(self) -> int:
        """How many rows are alive."""
        return len(self._numbers) - self._dead

    @property
    def dead(self) -> int:
        """How many rows are dead."""
        return self._dead

    @property
    def nbytes(self) -> int:
        """Memory taken; that of the names is estimated."""
        tables = sum(sys.getsizeof(names) for names in self._names.values())
        names = sum(map(len, self._names.values())) * sys.getsizeof("an ordinary name")
        columns = sum(column.nbytes for column in self._columns())
        return tables + names + columns + self._threads.nbytes

    @property
    def times(self) -> NDArray[np.int64]:
        """Since when each row holds, in microseconds."""
        return self._times.values

    @property
    def sessions(self) -> NDArray[np.int32]:
        """The session of each row, as a small number."""
        return self._codes["session_id"].values

    @property
    def session_count(self) -> int:
        """How many sessions there are, at most."""
        return len(self._names["session_id"])

    def windows(self, rows: Rows, reach: int) -> Rows:
        """Each row with its neighbours in the session, oldest first; -1 is none."""
        if not self._linked:
            turns = self.having("kind", {Kind.TURN.value}) & self._alive.values
            self._threads.rebuild(self.sessions, turns, self.numbers)
            self._linked = True
        return self._threads.windows(rows, reach)

    def named(self, field: str) -> dict[Name, int]:
        """The names that rows have in a field, and the small number of each."""
        return self._names[field]

    def codes(self, field: str) -> NDArray[np.int32]:
        """The small number of the name of each row in a field."""
        return self._codes[field].values

    def extend(self, rows: Sequence[IndexRow]) -> None:
        """Add a living row for each."""
        numbers = np.array([row.number for row in rows], np.int64)
        self._in_order &= bool((np.diff(numbers, prepend=self._highest) > 0).all())
        self._highest = max(self._highest, int(numbers.max(initial=0)))
        self._numbers.extend(numbers)
        self._by_number = None
        self._times.extend(np.array([row.valid_from_us for row in rows], np.int64))
        self._alive.extend(np.ones(len(rows), np.bool_))
        for field in NAMED:
            names = self._names[field]
            codes = [names.setdefault(getattr(row, field), len(names)) for row in rows]
            self._codes[field].extend(np.array(codes, np.int32))
        sessions = self.sessions[len(self.sessions) - len(rows) :].tolist()
        turns = [row.kind == Kind.TURN for row in rows]
        if self._linked:
            self._linked = self._threads.extend(sessions, turns, numbers.tolist())

    def bury(self, numbers: Sequence[int]) -> NDArray[np.intp]:
        """Mark the living rows of these records as dead, and return them."""
        rows = self.rows_of(np.array(numbers, np.int64))
        self._alive.values[rows] = False
        self._dead += len(rows)
        if self._linked:
            self._threads.bury(rows, self.sessions[rows])
        return rows

    def rows_of(self, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
        """The living rows of these records, increasing."""
        return distinct(self.found(numbers)[1])

    def found(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The places of those of these records that are present, and the living row of each."""
        if not len(self._numbers):
            return np.empty(0, np.intp), np.empty(0, np.intp)
        if self._by_number is None and not self._in_order:
            self._by_number = np.argsort(self.numbers, kind="stable")
        sorter = self._by_number
        # Of several rows of one record, all but the last are dead.
        last = np.searchsorted(self.numbers, numbers, side="right", sorter=sorter) - 1
        rows = last if sorter is None else sorter[last]
        present = (self.numbers[rows] == numbers) & self._alive.values[rows]
        return np.flatnonzero(present), rows[present]

    def mask(self, only: Filter) -> Mask | None:
        """Which rows are alive and pass the filter; None if all do. `until_us` is excluded."""
        parts = [] if self.alive is None else [self.alive]
        if only.kinds:
            parts.append(self.having("kind", only.kinds))
        if only.roles:
            parts.append(self.having("role", only.roles))
        if only.session is not None:
            parts.append(self.having("session_id", {only.session}))
        if only.tags:
            tagged = {name for name in self._names["tags"] if only.tags <= _tags(name)}
            parts.append(self.having("tags", tagged))
        if only.since_us is not None:
            parts.append(self._times.values >= only.since_us)
        if only.until_us is not None:
            parts.append(self._times.values < only.until_us)
        return np.logical_and.reduce(parts) if parts else None

    def living_rows(self) -> NDArray[np.intp]:
        """The living rows, in order of their record numbers."""
        rows = np.flatnonzero(self._alive.values)
        return rows if self._in_order else rows[np.argsort(self.numbers[rows])]

    def keep(self, rows: NDArray[np.intp]) -> None:
        """Keep only these rows, which are `living_rows`."""
        for column in self._columns():
            column.keep(rows)
        self._dead = 0
        self._in_order = True
        self._by_number = None
        self._threads, self._linked = Threads(), False
        for field in NAMED:
            self._forget_unused(field)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What `restore` needs; call `keep` first, so that no row is dead."""
        codes = {field: column.values for field, column in self._codes.items()}
        return {"numbers": self.numbers, "times": self._times.values, **codes}

    def names(self) -> dict[str, list[Name]]:
        """The names behind the codes of `arrays`."""
        return {field: list(names) for field, names in self._names.items()}

    def restore(
        self, arrays: Mapping[str, NDArray[Any]], names: Mapping[str, Sequence[Name]]
    ) -> None:
        """Load saved rows; only while it is empty."""
        require({"numbers", "times", *NAMED} <= arrays.keys() and set(NAMED) <= names.keys())
        records = len(arrays["numbers"])
        require(all(arrays[field].shape == (records,) for field in ("numbers", "times", *NAMED)))
        require(bool((np.diff(arrays["numbers"]) > 0).all()))
        self._numbers.extend(arrays["numbers"])
        self._times.extend(arrays["times"])
        self._alive.extend(np.ones(records, np.bool_))
        self._highest = int(self.numbers.max(initial=0))
        for field in NAMED:
            lowest, highest = arrays[field].min(initial=0), arrays[field].max(initial=-1)
            require(bool(lowest >= 0 and highest < len(names[field])))
            self._codes[field].extend(arrays[field])
            self._names[field] = {name: code for code, name in enumerate(names[field])}
        self._linked = False

    def _columns(self) -> list[Column[Any]]:
        return [self._numbers, self._times, self._alive, *self._codes.values()]

    def having(self, field: str, wanted: AbstractSet[Name]) -> Mask:
        """Which rows have one of these names in a field."""
        names, codes = self._names[field], self._codes[field].values
        found = [names[name] for name in wanted if name in names]
        return codes == found[0] if len(found) == 1 else np.isin(codes, found)

    def _forget_unused(self, field: str) -> None:
        """Drop the names that only dead rows had."""
        names = list(self._names[field])
        used, codes = np.unique(self._codes[field].values, return_inverse=True)
        self._names[field] = {names[old]: new for new, old in enumerate(used.tolist())}
        self._codes[field].values[:] = codes


def _tags(name: Name) -> set[str]:
    """The tags in a JSON text; none if it is damaged."""
    try:
        return {str(tag) for tag in json.loads(name)} if name else set()
    except (ValueError, TypeError):
        return set()
