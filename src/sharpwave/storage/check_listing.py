"""The rest of the contract of a store: what is found without reading the rest."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from sharpwave.ports import Store
from sharpwave.storage.check import NOW, Check, add, example
from sharpwave.storage.check_derived import fact
from sharpwave.types.known import Session
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.storing import Change, Selection, Stated


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def check_the_newest_of_a_kind(store: Store) -> None:
    """Records of some kinds are found by number, the newest first, without the others."""
    turns = [example(number) for number in (1, 3)]
    store.commit(Change("alice", "remember", NOW, (turns[0], fact(2), turns[1], fact(4))))
    add(store, example(5, "bob"))
    assert store.newest("alice", [Kind.FACT], 9, 9) == [4, 2]
    assert store.newest("alice", [Kind.FACT, Kind.TURN], 4, 2) == [3, 2]
    assert store.newest("alice", [Kind.NOTE], 9, 9) == store.newest("nobody", [Kind.TURN], 9, 9)
    store.forget("alice", Selection(ids=(fact(4).id,)), NOW)
    assert store.newest("alice", [Kind.FACT], 9, 9) == [2]
    assert store.counts("alice").by_kind == {"fact": 1, "turn": 2}
    assert store.counts(None).by_kind == {"fact": 1, "turn": 3}


def check_turns_by_how_their_sessions_are_named(store: Store) -> None:
    """Turns are found by the beginning of their session's name, and a page at a time."""
    names = ("file:/a", "file:/a/x", "file:/a/y", "file:/b", None, "file:/a/x", "file:/a0")
    said = [replace(example(n), session_id=name) for n, name in enumerate(names, start=1)]
    gone = replace(example(8), session_id="file:/a/z")
    gone = replace(gone, standing=replace(gone.standing, state=State.QUARANTINED))
    turns = add(store, *said, gone)
    add(store, replace(example(9, "bob"), session_id="file:/a/x"))
    found = [turns[n] for n in (1, 2, 5)]
    assert store.latest_within("alice", "file:/a/", 9) == found
    assert store.latest_within("alice", "file:/a/", 2) == found[1:]
    assert store.latest_within("alice", "file:/a/", 2, found[1].number) == found[:1]
    assert store.latest_within("alice", "file:", 9) == [*turns[:4], *turns[5:7]]
    assert store.latest_within("alice", "g", 9) == store.latest_within("eve", "f", 9) == []
    assert store.latest("alice", None, 2, turns[2].number) == turns[:2]
    assert store.latest("alice", "file:/a/x", 9, turns[5].number) == [turns[1]]


def check_since_when_anything_is_known(store: Store) -> None:
    """The first of the facts says it, whenever it was recorded; turns say nothing of it."""
    week = timedelta(days=7)
    first = replace(fact(2), valid_from=NOW - week)
    other = replace(fact(3, slot="tom|likes|"), valid_from=NOW - 2 * week)
    store.commit(Change("alice", "remember", NOW, (example(1), fact(4), first, other)))
    assert store.known_since("alice", ["ana|"]) == NOW - week
    assert store.known_since("alice", ["ana|", "tom|"]) == NOW - 2 * week
    assert store.known_since("alice", ["eve|"]) is None
    assert store.known_since("alice", []) is store.known_since("bob", ["ana|"]) is None


def check_the_foremost_are_read_alone(store: Store) -> None:
    """The most important, then the surest, then the last seen or used; the first of all."""

    def standing(number: int, **fields: Any) -> Record:
        record = fact(number, slot=f"{'bob' if number % 2 else 'ana'}|owns|{number}")
        return replace(record, standing=replace(record.standing, **fields))

    day = timedelta(days=1)
    told = {"importance": 0.5, "confidence": 0.8, "last_seen_at": NOW}
    add(
        store,
        standing(1, **told),
        standing(2, **told | {"importance": 0.9, "confidence": 0.1}),
        standing(3, **told | {"last_seen_at": NOW + 2 * day}),
        standing(4, **told | {"confidence": 0.9}),
        standing(5, **told | {"importance": 0.4}),
        standing(6, **told | {"accessed_at": NOW + day, "access_count": 1}),
        standing(7, **told),
    )
    everything = ["id-2", "id-4", "id-3", "id-6", "id-1", "id-7", "id-5"]
    for limit in (None, 1, 3, 7, 9):
        every = Stated(foremost=True, limit=limit)
        within = replace(every, within=("ana|", "bob|"))
        about = replace(
            every, slots=tuple(f"{'bob' if n % 2 else 'ana'}|owns|{n}" for n in range(8))
        )
        for asked in (every, within, about):
            assert [one.id for one in store.stated("alice", asked)] == everything[:limit]
    assert store.stated("bob", Stated(within=("ana|",), foremost=True)) == []


def check_sessions_are_counted(store: Store) -> None:
    """A session lasts from its first turn to its last; the one that ended last comes first."""
    hour = timedelta(hours=1)
    times = {1: ("a", 3), 2: ("b", 1), 3: ("a", 0), 4: ("b", 2), 5: (None, 9)}
    turns = [
        replace(example(n), session_id=id_, valid_from=NOW + at * hour)
        for n, (id_, at) in times.items()
    ]
    add(store, *turns, replace(fact(6), session_id="c"))
    expected = [Session("a", NOW, NOW + 3 * hour, 2), Session("b", NOW + hour, NOW + 2 * hour, 2)]
    assert store.sessions("alice", 9) == expected
    assert store.sessions("alice", 1) == expected[:1] and store.sessions("bob", 9) == []
    store.forget("alice", Selection(session="a"), NOW)
    assert store.sessions("alice", 9) == expected[1:]


def check_the_latest(store: Store) -> None:
    """The last records of a session, or of all, oldest first."""
    stored = add(store, *(example(number) for number in range(1, 6)), fact(6))
    assert store.latest("alice", None, 2) == stored[3:5], "turns only"
    assert store.latest("alice", "session-1", 2) == [stored[2], stored[4]]
    assert store.latest("alice", "never", 2) == [] == store.latest("bob", None, 2)
