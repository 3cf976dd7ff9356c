"""Which turn came before and after each in its session, and how long sessions are.

Kept up to date as rows come and go; a turn that arrives out of order, or a compaction, makes all
links anew. Only turns are linked: a fact learned from a turn does not part it from the next one.
Knows nothing of texts or vectors: rows are positions, `-1` is nobody.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sharpwave.index.columns import Column

NOBODY = -1
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
        before = np.full(len(sessions), NOBODY, np.int32)
        self._before.extend(before)
        self._after.extend(before)
        in_order = True
        for row, (session, turn, number) in enumerate(
            zip(sessions, is_turn, numbers, strict=True), start=first
        ):
            if not turn:
                continue
            in_order &= number > self._highest.get(session, 0)
            last = self._last.get(session, NOBODY)
            if last != NOBODY:
                self._before.values[row] = last
                self._after.values[last] = row
            self._last[session] = row
            self._highest[session] = number
        return in_order

    def bury(self, rows: Rows, sessions: NDArray[np.int32]) -> None:
        """Close the gap that removed rows leave; `sessions` are theirs."""
        before, after = self._before.values, self._after.values
        for row, session in zip(rows.tolist(), sessions.tolist(), strict=True):
            earlier, later = int(before[row]), int(after[row])
            if earlier != NOBODY:
                after[earlier] = later
            if later != NOBODY:
                before[later] = earlier
            if self._last.get(session) == row:
                self._last[session] = earlier
            before[row] = after[row] = NOBODY

    def rebuild(
        self,
        sessions: NDArray[np.int32],
        linked: NDArray[np.bool_],
        numbers: NDArray[np.int64],
    ) -> None:
        """Link all rows anew; `linked` says which are living turns."""
        self._before, self._after = Column(np.int32), Column(np.int32)
        before = np.full(len(sessions), NOBODY, np.int32)
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
        found = np.full((len(rows), 2 * reach + 1), NOBODY, np.intp)
        found[:, reach] = rows
        for links, step in ((self._before.values, -1), (self._after.values, 1)):
            here = rows
            for distance in range(1, reach + 1):
                # The link of nobody is read from the last row and put right afterwards.
                here = np.where(here == NOBODY, NOBODY, links[here])
                found[:, reach + step * distance] = here
        return found
