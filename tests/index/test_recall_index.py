from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.index.fake_store import SPACE, FakeIndex, FakeStore, open_index

from sharpwave import InvalidInput
from sharpwave.errors import StoreBusy
from sharpwave.index import in_memory_index, postings, recall_index
from sharpwave.types.searching import Filter, Found
from sharpwave.types.storing import Head, Snapshot, Space

ZERO = np.zeros(64, np.float32)
RANDOM = np.random.default_rng(0)


def axis(i: int) -> NDArray[np.float32]:
    return np.asarray(np.eye(64)[i], np.float32)


def find(
    index: FakeIndex, text: str, user: str = "ann", vector: NDArray[np.float32] = ZERO
) -> list[int]:
    """Numbers found by keywords, or by the vector if the text is empty."""
    found = index.of(user).search(text, vector, 10, Filter())
    numbers: list[int] = (found.keyword if text else found.vector).numbers.tolist()
    return numbers


def everything(found: Found) -> list[object]:
    rankings = (found.vector, found.keyword)
    return [found.searched, *([r.numbers.tolist(), r.scores.tolist()] for r in rankings)]


@pytest.mark.spec("SEM-10")
def test_finds_by_words_and_by_vector_with_exact_cosines() -> None:
    store = FakeStore()
    store.put("ann", "I like tea", axis(0))
    store.put("ann", "the cat sleeps", 0.6 * axis(0) + 0.8 * axis(1))
    store.put("bob", "tea and cats", axis(0))
    found = open_index(store).of("ann").search("cats", 3 * axis(0), 10, Filter())
    assert found.keyword.numbers.tolist() == [2]
    assert found.vector.numbers.tolist() == [1, 2]
    assert found.vector.scores.tolist() == pytest.approx([1, 0.6], abs=1e-3)
    assert found.searched == 2


@pytest.mark.spec("TIER-17")
def test_users_never_see_each_other() -> None:
    store = FakeStore()
    store.put("ann", "tea", axis(0))
    index = open_index(store)
    assert find(index, "tea", "bob") == find(index, "", "bob", axis(0)) == []
    assert find(index, "tea", "ann") == [1]


@pytest.mark.spec("TIER-19")
def test_follows_writes_revisions_and_removals_page_by_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recall_index, "LOAD_BATCH", 2)
    monkeypatch.setattr(postings, "TAIL_RECORDS", 16)
    store = FakeStore()
    index = open_index(store)
    for i in range(7):
        store.put("ann", f"tea number{i}", axis(i))
    assert find(index, "tea") == [7, 6, 5, 4, 3, 2, 1]
    assert store.sinces == [0, 2, 4, 6]
    store.put("ann", "coffee", axis(9), number=3)
    store.forget("ann", 5)
    assert find(index, "tea") == [7, 6, 4, 2, 1]
    assert find(index, "coffee") == [3]
    assert find(index, "", vector=axis(9))[0] == 3
    assert 5 not in find(index, "", vector=axis(4))
    assert store.sinces[4:] == [7]


def test_two_indexes_over_one_store_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "TAIL_RECORDS", 16)
    monkeypatch.setattr(recall_index, "LOAD_BATCH", 3)
    store = FakeStore()
    one, two = open_index(store), open_index(store)
    for step in range(60):
        store.put("ann", f"tea {'milk ' * (step % 3)}number{step}", RANDOM.standard_normal(64))
        if step % 7 == 6:
            store.forget("ann", step - 3)
        if step % 5 == 4:
            store.put("ann", "revised milk", RANDOM.standard_normal(64), number=step + 1 - step % 7)
        vector = RANDOM.standard_normal(64).astype(np.float32)
        found = [i.of("ann").search("milk tea", vector, 5, Filter()) for i in (one, two)]
        assert everything(found[0]) == everything(found[1])
    fresh = open_index(store).of("ann").search("milk tea", vector, 5, Filter())
    assert everything(fresh) == everything(found[0])


def test_a_new_epoch_starts_afresh() -> None:
    store = FakeStore()
    index = open_index(store)
    store.put("ann", "tea")
    store.put("ann", "milk")
    assert find(index, "tea") == [1]
    store.forget_everything("ann")
    assert find(index, "tea") == []
    store.put("ann", "coffee")
    store.put("ann", "juice")
    assert find(index, "tea milk") == [] and find(index, "coffee") == [1]


def test_a_store_set_back_to_an_older_state_starts_afresh() -> None:
    store = FakeStore()
    index = open_index(store)
    store.put("ann", "tea")
    store.put("ann", "milk")
    assert find(index, "milk") == [2]
    del store.rows["ann"][2]
    store.heads["ann"] = Head(1, 1)
    assert find(index, "milk") == [] and find(index, "tea") == [1]


def test_recall_at_ten_of_clustered_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_memory_index, "RESCORE", 200)
    store, space = FakeStore(), Space("fake", "1", 384)
    centres = RANDOM.standard_normal((100, 384))
    vectors = centres[RANDOM.integers(0, 100, 5000)] + RANDOM.standard_normal((5000, 384))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for vector in vectors:
        store.put("ann", "", vector)
    index = open_index(store, space)
    hits = 0
    for i in RANDOM.integers(0, 100, 50):
        query = (centres[i] + RANDOM.standard_normal(384)).astype(np.float32)
        found = index.of("ann").search("", query, 10, Filter()).vector.numbers
        hits += len({*found.tolist()} & {*(1 + np.argsort(-(vectors @ query))[:10]).tolist()})
    assert hits / 500 >= 0.99
    assert max(store.asked_for) == 50


def test_nothing_to_search_with_finds_nothing() -> None:
    store = FakeStore()
    store.put("ann", "tea", axis(0))
    store.put("ann", "not a number", np.full(64, np.nan))
    store.put("ann", "", ZERO)
    index = open_index(store)
    for vector in (ZERO, np.full(64, np.nan, np.float32), np.full(64, np.inf, np.float32)):
        found = index.of("ann").search(" \n", vector, 10, Filter())
        assert everything(found) == [3, [[], []], [[], []]]
    assert find(index, "", vector=axis(0)) == [1]
    with pytest.raises(InvalidInput):
        index.of("ann").search("tea", np.zeros(3, np.float32), 10, Filter())


def test_a_snapshot_spares_the_next_index_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_index, "SNAPSHOT_MIN_RECORDS", 30)
    store = FakeStore()
    for i in range(40):
        store.put("ann", f"tea number{i}", RANDOM.standard_normal(64))
    first = open_index(store)
    vector = RANDOM.standard_normal(64).astype(np.float32)
    expected = everything(first.of("ann").search("tea number7", vector, 10, Filter()))
    assert store.snapshots["ann"].head == Head(1, 40)
    store.put("ann", "coffee")
    second = open_index(store)
    assert find(second, "coffee") == [41]
    assert store.sinces == [0, 40]
    store.forget("ann", 41)
    assert everything(second.of("ann").search("tea number7", vector, 10, Filter())) == expected


def test_a_snapshot_is_saved_on_close_once_enough_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recall_index, "SNAPSHOT_MIN_RECORDS", 30)
    monkeypatch.setattr(recall_index, "SNAPSHOT_GROWTH", 0.2)
    store = FakeStore()
    for i in range(40):
        store.put("ann", f"tea {i}")
    index = open_index(store)
    find(index, "tea")
    for new, seq in ((7, 40), (1, 48)):
        for _ in range(new):
            store.put("ann", "coffee")
        find(index, "tea")
        index.close()
        assert store.snapshots["ann"].head.seq == seq
        assert index.size_bytes == 0


@pytest.mark.parametrize(
    "snapshot",
    [
        Snapshot(Head(1, 40), SPACE, b"damaged"),
        Snapshot(Head(0, 3), SPACE, b""),
        Snapshot(Head(1, 99), SPACE, b""),
        Snapshot(Head(1, 40), Space("other", "1", 64), b""),
    ],
)
def test_an_unusable_snapshot_is_ignored(snapshot: Snapshot) -> None:
    store = FakeStore()
    store.snapshots["ann"] = snapshot
    for i in range(40):
        store.put("ann", f"tea {i}")
    assert len(find(open_index(store), "tea")) == 10
    assert store.sinces == [0]


def test_a_snapshot_that_cannot_be_saved_fails_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_index, "SNAPSHOT_MIN_RECORDS", 1)

    class BusyStore(FakeStore):
        def save_snapshot(self, user_id: str, snapshot: Snapshot) -> bool:
            raise StoreBusy("another process is writing")

    store = BusyStore()
    store.put("ann", "tea")
    index = open_index(store)
    assert find(index, "tea") == [1]
    index.close()


def test_a_failed_load_leaves_nothing_half_done() -> None:
    class FlakyStore(FakeStore):
        broken = True

        def load_snapshot(self, user_id: str) -> Snapshot | None:
            if self.broken:
                raise StoreBusy("another process is writing")
            return None

    store = FlakyStore()
    store.put("ann", "tea")
    index = open_index(store)
    with pytest.raises(StoreBusy):
        find(index, "tea")
    store.broken = False
    assert find(index, "tea") == [1]


def test_the_least_recently_used_go_when_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_index, "SNAPSHOT_MIN_RECORDS", 10_000)
    store = FakeStore()
    users = ["ann", "bob", "cid", "dan"]
    for user in users:
        for i in range(4000):
            store.put(user, f"tea number{user}{i}", axis(i % 64))
    index = open_index(store, budget_mib=2)
    for user in users:
        assert len(find(index, "tea", user)) == 10
        assert 0 < index.size_bytes <= 2 * 2**20
    reads = len(store.sinces)
    find(index, "tea", "dan")
    assert len(store.sinces) == reads
    find(index, "tea", "ann")
    assert len(store.sinces) > reads


def test_an_index_larger_than_the_budget_still_serves_its_user() -> None:
    store = FakeStore()
    for i in range(8000):
        store.put("ann", f"number{i} tea", axis(i % 64))
    index = open_index(store, budget_mib=1)
    assert len(find(index, "tea")) == 10
    reads = len(store.sinces)
    assert len(find(index, "tea")) == 10
    assert len(store.sinces) == reads


def test_threads_share_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_index, "LOAD_BATCH", 50)
    monkeypatch.setattr(postings, "TAIL_RECORDS", 16)
    store = FakeStore()
    users = [f"user{i}" for i in range(4)]
    for user in users:
        for i in range(300):
            store.put(user, f"tea {user} number{i}", RANDOM.standard_normal(64))
    index = open_index(store)

    def use(turn: int) -> bool:
        user = users[turn % 4]
        found = index.of(user).search(f"number{turn}", axis(turn % 64), 10, Filter())
        return found.searched == 300 and turn + 1 in found.keyword.numbers

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(200)))
    assert len(store.sinces) == 4 * 6, "each index is loaded once"


def test_an_unknown_user_takes_no_memory() -> None:
    index = open_index(FakeStore())
    for i in range(10):
        assert find(index, "tea", f"user{i}") == []
    assert index.size_bytes == 0 and not any(index.if_loaded(f"user{i}") for i in range(10))
