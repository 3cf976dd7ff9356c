"""The methods of a store that the recall index uses, over dictionaries."""

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sharpwave.index.recall_index import RecallIndex, RecallUserIndex
from sharpwave.ports import Store, UserStore
from sharpwave.settings.storage import IndexSettings
from sharpwave.types.storing import Changes, Head, IndexRow, Snapshot, Space

SPACE = Space("fake", "1", 64)


def row(
    number: int,
    text: str = "",
    vector: NDArray[np.floating] | None = None,
    *,
    seq: int | None = None,
    kind: str = "turn",
    session: str | None = None,
    at: int = 0,
) -> IndexRow:
    raw = None if vector is None else vector.astype("<f2").tobytes()
    return IndexRow(number, seq or number, kind, "user", None, session, at, text, raw)


def open_index(store: "FakeStore", space: Space = SPACE, budget_mib: int = 1024) -> "FakeIndex":
    return FakeIndex(store, space, IndexSettings(budget_mib=budget_mib))


class FakeIndex(RecallIndex):
    def __init__(self, store: "FakeStore", space: Space, settings: IndexSettings) -> None:
        super().__init__(cast(Store, store), space, settings)
        self._fake = store

    def of(self, user_id: str) -> RecallUserIndex:
        return self.for_user(cast(UserStore, self._fake.for_user(user_id)))


class FakeStore:
    def __init__(self) -> None:
        self.rows: defaultdict[str, dict[int, IndexRow]] = defaultdict(dict)
        self.gone: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self.heads: defaultdict[str, Head] = defaultdict(lambda: Head(0, 0))
        self.snapshots: dict[str, Snapshot] = {}
        self.sinces: list[int] = []
        self.asked_for: list[int] = []

    def put(
        self,
        user: str,
        text: str = "",
        vector: NDArray[np.floating] | None = None,
        number: int | None = None,
        session: str | None = None,
    ) -> int:
        head = self.heads[user]
        seq = head.seq + 1
        number = number or seq
        self.rows[user].pop(number, None)
        self.rows[user][number] = row(number, text, vector, seq=seq, session=session)
        self.heads[user] = Head(head.epoch or 1, seq)
        return number

    def forget(self, user: str, number: int) -> None:
        head = self.heads[user]
        del self.rows[user][number]
        self.gone[user][number] = head.seq + 1
        self.heads[user] = Head(head.epoch, head.seq + 1)
        self.snapshots.pop(user, None)

    def forget_everything(self, user: str) -> None:
        self.rows[user].clear()
        self.gone[user].clear()
        self.snapshots.pop(user, None)
        self.heads[user] = Head(self.heads[user].epoch + 1, 0)

    def save_snapshot(self, user_id: str, snapshot: Snapshot) -> bool:
        self.snapshots[user_id] = snapshot
        return True

    def load_snapshot(self, user_id: str) -> Snapshot | None:
        return self.snapshots.get(user_id)

    def for_user(self, user_id: str) -> "FakeUserStore":
        return FakeUserStore(self, user_id)


class FakeUserStore:
    def __init__(self, store: FakeStore, user_id: str) -> None:
        self.user_id = user_id
        self._store = store

    def head(self) -> Head:
        return self._store.heads[self.user_id]

    def changes(self, since: int, space: Space, limit: int) -> Changes:
        self._store.sinces.append(since)
        rows = [row for row in self._store.rows[self.user_id].values() if row.seq > since]
        tombstones = self._store.gone[self.user_id].items()
        gone = tuple(number for number, seq in tombstones if seq > since)
        return Changes(self.head(), tuple(rows[:limit]), gone, len(rows) <= limit)

    def vectors(
        self, numbers: Sequence[int], space: Space
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        self._store.asked_for.append(len(numbers))
        rows = self._store.rows[self.user_id]
        raw = {n: rows[n].vector for n in numbers if n in rows}
        found = {n: vector for n, vector in raw.items() if vector is not None}
        matrix = np.frombuffer(b"".join(found.values()), "<f2").reshape(-1, space.dimension)
        return np.array(list(found), np.int64), matrix.astype(np.float32)

    def load_snapshot(self, space: Space) -> Snapshot | None:
        return self._store.load_snapshot(self.user_id)

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        return self._store.save_snapshot(self.user_id, snapshot)
