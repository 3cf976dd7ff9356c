"""The contract of a store: one function a promise, run on every implementation.

    for check in contract():
        check(store)          # a new, empty store each time

A check raises AssertionError with what was promised. Writing a store of your own? Run these.
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np

from sharpwave import Conflict, InvalidInput, Kind, Record, Role, Source
from sharpwave.errors import KeyReused, StoreClosed
from sharpwave.ports import Store
from sharpwave.types.records import (
    UNSEARCHED,
    Channel,
    Provenance,
    Stage,
    Standing,
    Temperature,
    Trust,
)
from sharpwave.types.storing import Change, Head, Selection, Snapshot, Space

Check = Callable[[Store], None]

NOW = datetime(2026, 3, 14, 15, 9, 26, 535897, tzinfo=UTC)
SPACE = Space("check", "1", 8)
OTHER_SPACE = Space("check", "2", 4)


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def example(number: int, user_id: str = "alice", **fields: Any) -> Record:
    """A record with every field set, different for each number."""
    record = Record(
        id=f"id-{number}",
        user_id=user_id,
        kind=Kind.TURN,
        text=f"Text {number}: naïve café ☕ 'quoted' \"twice\"",
        provenance=Provenance(
            Source.TOOL, Channel.CLI, Trust.VERIFIED, "author", ("p1", "p2"), None
        ),
        standing=Standing(Stage.ACTIVE, Temperature.HOT, 0.25, 0.75, 2, NOW, 0, None),
        valid_from=NOW - timedelta(days=number, microseconds=7),
        valid_to=NOW + timedelta(days=1),
        recorded_at=NOW,
        role=Role.USER,
        speaker="Ana",
        session_id=f"session-{number % 2}",
        scope="project:x",
        tags=("a", "b"),
        metadata={"n": number, "nested": {"list": [1, 2.5, None, True, "é"]}},
    )
    return replace(record, **fields)


def keyed(record: Record, key: str) -> Record:
    """The record with an idempotency key."""
    return replace(record, provenance=replace(record.provenance, idempotency_key=key))


def vectors(count: int, space: Space = SPACE) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Distinct unit vectors that float16 holds exactly."""
    matrix = np.zeros((count, space.dimension), np.float32)
    matrix[np.arange(count), np.arange(count) % space.dimension] = 1.0
    return matrix


def add(store: Store, *records: Record, embedded: bool = True) -> list[Record]:
    """Commit records of one user and return them as stored."""
    matrix, space = (vectors(len(records)), SPACE) if embedded else (None, None)
    change = Change("remember", NOW, records, matrix, space)
    return [stored.record for stored in store.for_user(records[0].user_id).commit(change)]


def check_what_is_stored_comes_back_whole(store: Store) -> None:
    """Every field survives, also after reading by id, by number and in order."""
    alice = store.for_user("alice")
    stored = add(store, example(1), example(2, speaker=None, role=None, session_id=None))
    assert [record.number for record in stored] == [1, 2]
    expected = [
        replace(example(1), number=1, seq=1),
        replace(example(2, speaker=None, role=None, session_id=None), number=2, seq=2),
    ]
    assert stored == expected
    assert alice.find(["id-2", "nope", "id-1"]) == expected[::-1]
    assert alice.fetch([2, 99, 1]) == expected[::-1]
    assert alice.scan(0, 10) == expected
    assert alice.scan(1, 10) == expected[1:]
    assert alice.scan(0, 1) == expected[:1]
    assert alice.find([]) == [] == alice.fetch([])
    assert alice.spoken_texts([]) == []
    heard = [(one.number, one.speaker, one.text) for one in alice.spoken_texts([2, 99, 1])]
    assert heard == [(one.number, one.speaker, one.text) for one in expected[::-1]]
    assert alice.vectors([], SPACE)[1].shape == (0, SPACE.dimension)


def check_users_are_apart(store: Store) -> None:
    """One user's ids, numbers, keys and sessions mean nothing to another."""
    bob, eve = store.for_user("bob"), store.for_user("eve")
    add(store, keyed(example(1), "key"))
    add(store, keyed(example(1, "bob", text="Bob's"), "key"))
    assert bob.find(["id-1"])[0].text == "Bob's"
    assert store.users() == ["alice", "bob"]
    assert eve.find(["id-1"]) == [] == eve.fetch([1]) == eve.scan(0, 9)
    assert eve.head() == Head(0, 0)
    assert bob.forget(Selection(session="session-1"), NOW).memories == 1
    assert store.users() == ["alice"]
    assert store.for_user("alice").counts().memories == 1 == store.counts().memories


def check_a_key_is_used_once(store: Store) -> None:
    """The same content under the same key is stored once; other content is refused."""
    alice = store.for_user("alice")
    (first,) = add(store, keyed(example(1), "key"))
    change = Change("remember", NOW, (keyed(example(1, id="id-9"), "key"),))
    assert [tuple(stored) for stored in alice.commit(change)] == [(first, True)]
    assert alice.head().seq == 1
    other = keyed(example(2, text="something else"), "key")
    refuses(KeyReused, lambda: add(store, example(3), other))
    assert [record.id for record in alice.scan(0, 9)] == ["id-1"], "all or nothing"
    twice = (keyed(example(4), "k4"), keyed(example(4, id="id-5"), "k4"))
    replayed = [stored.replayed for stored in alice.commit(Change("x", NOW, twice))]
    assert replayed == [False, True]


def check_an_id_is_used_once(store: Store) -> None:
    """The same record again is no new one; another record under a known id is refused."""
    (first,) = add(store, example(1))
    assert add(store, example(1)) == [first]
    refuses(Conflict, lambda: add(store, example(2), example(1, text="other words")))
    assert store.for_user("alice").scan(0, 9) == [first]


def check_bad_vectors_store_nothing(store: Store) -> None:
    """A vector of the wrong size, or with NaN in it, is refused with all that came with it."""
    for bad in (np.full((1, 8), np.nan, np.float32), np.zeros((1, 7), np.float32)):
        change = Change("remember", NOW, (example(1),), bad, SPACE)
        refuses(InvalidInput, partial(store.for_user("alice").commit, change))
    assert store.users() == []


def check_changes_follow(store: Store) -> None:
    """From any sequence number on, changes lead to the present, page by page."""
    alice = store.for_user("alice")
    add(store, *(example(number) for number in range(1, 6)))
    alice.forget(Selection(ids=("id-2",)), NOW)
    alice.replace_vectors(SPACE, [1], vectors(1))
    head = alice.head()
    whole = alice.changes(0, SPACE, 10)
    assert (whole.head, whole.complete, whole.gone) == (head, True, (2,))
    assert [row.number for row in whole.rows] == [3, 4, 5, 1], "in order of their last change"
    paged, since, complete = [], 0, False
    while not complete:
        page = alice.changes(since, SPACE, 2)
        paged += [row.number for row in page.rows]
        since, complete = page.rows[-1].seq, page.complete
    assert paged == [3, 4, 5, 1]
    later = alice.changes(5, SPACE, 10)
    assert ([row.number for row in later.rows], later.gone) == ([1], (2,))
    assert alice.changes(head.seq, SPACE, 10).rows == ()
    row = whole.rows[0]
    assert (row.text, row.speaker, row.session_id) == (example(3).text, "Ana", "session-1")


def check_vectors_belong_to_a_space(store: Store) -> None:
    """Vectors of one embedder are never given out for another."""
    alice = store.for_user("alice")
    add(store, example(1), example(2))
    numbers, matrix = alice.vectors([2, 7, 1], SPACE)
    found = dict(zip(numbers.tolist(), matrix.tolist(), strict=True))
    assert found == {1: vectors(2)[0].tolist(), 2: vectors(2)[1].tolist()}
    assert alice.vectors([1, 2], OTHER_SPACE)[0].tolist() == []
    assert [row.vector for row in alice.changes(0, OTHER_SPACE, 9).rows] == [None, None]
    assert [r.number for r in alice.unembedded(OTHER_SPACE, 0, 9)] == [1, 2]
    alice.replace_vectors(OTHER_SPACE, [2, 77], vectors(2, OTHER_SPACE))
    assert [r.number for r in alice.unembedded(OTHER_SPACE, 0, 9)] == [1]
    assert alice.counts().spaces == {SPACE: 1, OTHER_SPACE: 1}


def check_what_is_never_searched_has_no_vector(store: Store) -> None:
    """Else the records that wait for one could not be counted."""
    add(store, example(1), *(example(n, kind=kind) for n, kind in enumerate(UNSEARCHED, start=2)))
    counts = store.for_user("alice").counts()
    assert (counts.memories, counts.spaces) == (1 + len(UNSEARCHED), {SPACE: 1})
    assert store.for_user("alice").unembedded(SPACE, 0, 9) == []


def check_records_without_vectors(store: Store) -> None:
    """Text without a vector is stored all the same, and waits to be embedded."""
    alice = store.for_user("alice")
    add(store, example(1), embedded=False)
    assert alice.changes(0, SPACE, 9).rows[0].vector is None
    assert [record.id for record in alice.unembedded(SPACE, 0, 9)] == ["id-1"]
    counts = store.counts()
    assert (counts.memories, counts.spaces, counts.by_kind) == (1, {}, {"turn": 1})


def check_touching(store: Store) -> None:
    """Accesses add up; unknown numbers and users are ignored; content stays as it was."""
    alice = store.for_user("alice")
    (record,) = add(store, example(1))
    alice.touch([1, 99], NOW)
    alice.touch([1], NOW + timedelta(hours=1))
    store.for_user("nobody").touch([1], NOW)
    add(store, example(2, "bob"))  # a later write takes the counts along
    (touched,) = alice.find(["id-1"])
    assert touched.standing.access_count == 2
    assert touched.standing.accessed_at == NOW + timedelta(hours=1)
    assert replace(touched, standing=record.standing) == record


def check_tidying(store: Store) -> None:
    """Putting the store in order changes nothing of what it holds, and leaves no trace."""
    alice = store.for_user("alice")
    add(store, example(1), example(2))
    alice.forget(Selection(ids=("id-1",)), NOW)
    before, head = alice.scan(0, 9), alice.head()
    assert store.tidy().freed_bytes >= 0
    assert alice.scan(0, 9) == before and alice.head() == head
    found = store.verify()
    assert found.ok and not found.traces_left
    assert not store.tidy().scrubbed, "there is nothing left to do"


def check_snapshots(store: Store) -> None:
    """A saved index comes back for its space, and never outlives what was forgotten."""
    alice, bob = store.for_user("alice"), store.for_user("bob")
    add(store, example(1), example(2))
    snapshot = Snapshot(alice.head(), SPACE, bytes(range(256)) * 9000)
    assert alice.load_snapshot(SPACE) is None
    assert alice.save_snapshot(snapshot)
    assert alice.load_snapshot(SPACE) == snapshot
    assert alice.load_snapshot(OTHER_SPACE) is None
    assert bob.load_snapshot(SPACE) is None
    assert alice.forget(Selection(ids=("id-1",)), NOW).snapshots == 1
    assert alice.load_snapshot(SPACE) is None
    assert not alice.save_snapshot(snapshot), "it still holds what was forgotten"
    assert not bob.save_snapshot(snapshot)


def check_one_state(store: Store) -> None:
    """What others write while somebody reads in one state is not seen there, and is seen after."""
    alice = store.for_user("alice")
    add(store, example(1))
    with alice.one_state():
        before = alice.head()
        writer = threading.Thread(target=add, args=(store, example(2)))
        writer.start()
        for _ in range(20):
            assert alice.head() == before, "a state must not move while it is held"
            assert [record.id for record in alice.scan(0, 9)] == ["id-1"]
            assert alice.find(["id-2"]) == []
        with alice.one_state():  # again, in the same
            assert alice.head() == before
    writer.join()
    assert [record.id for record in alice.scan(0, 9)] == ["id-1", "id-2"]


def check_events_and_audit(store: Store) -> None:
    """Each change is told once, in order, without a word of what was said."""
    add(store, example(1), example(2))
    store.for_user("alice").forget(Selection(ids=("id-2",)), NOW)
    told = store.events(0, 10)
    assert [event.topic for event in told] == ["memory.remembered", "memory.forgotten"]
    assert told[0].user_id == "alice" and told[0].payload == {"ids": ["id-1", "id-2"]}
    assert store.events(told[0].seq, 10) == told[1:]
    entries = list(store.audit())
    assert [entry.action for entry in entries] == ["remember", "forget"]
    assert [entry.counts["memories"] for entry in entries] == [2, 1]
    assert store.audit_before(3, 9) == entries[::-1]
    assert store.audit_before(3, 1) == store.audit_before(9, 1) == entries[1:]
    assert store.audit_before(1, 9) == []
    assert "Text" not in repr(told) + repr(entries)
    assert store.verify().ok


def check_closing(store: Store) -> None:
    """A closed store says so."""
    add(store, example(1))
    store.close()
    store.close()
    refuses(StoreClosed, lambda: add(store, example(2)))
    refuses(StoreClosed, lambda: store.for_user("alice").find(["id-1"]))


def refuses(error: type[Exception], action: Callable[[], object]) -> None:
    """Assert that an action raises an error."""
    try:
        action()
    except error:
        return
    raise AssertionError(f"expected {error.__name__}")
