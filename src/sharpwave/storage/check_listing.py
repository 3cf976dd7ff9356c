"""The rest of the contract of a store: what is found without reading the rest."""

from dataclasses import replace
from datetime import timedelta

from sharpwave.ports import Store
from sharpwave.storage.check import NOW, Check, add, example
from sharpwave.storage.check_derived import fact
from sharpwave.types.records import Kind, State
from sharpwave.types.storing import Change, Selection


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
