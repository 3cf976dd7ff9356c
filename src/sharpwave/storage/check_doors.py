"""The part of the contract of a store that the doors rest on: keys, and each user's events."""

from dataclasses import replace
from datetime import timedelta

from sharpwave.errors import Conflict, Overtaken
from sharpwave.ports import Store
from sharpwave.storage.check import NOW, Check, add, example, refuses
from sharpwave.types.access import ApiKey, Scope
from sharpwave.types.storing import ANSWERS, OPEN, Change, NewTally, Selection

DIGEST = bytes(range(32))
KEY = ApiKey("laptop", "alice", frozenset({Scope.READ, Scope.WRITE}), NOW)


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def check_keys_come_back_whole(store: Store) -> None:
    """A key is found by the digest of its secret, and listed by name."""
    other = replace(KEY, name="desktop", user_id="bob", scopes=frozenset({Scope.ADMIN}))
    store.keys.add(KEY, DIGEST)
    store.keys.add(other, DIGEST[::-1])
    assert store.keys.find(DIGEST) == KEY
    assert store.keys.find(DIGEST[::-1]) == other
    assert store.keys.find(bytes(32)) is None
    assert store.keys.all() == [other, KEY]
    assert store.users() == [], "a key alone makes no user"


def check_a_name_of_a_key_is_used_once(store: Store) -> None:
    """A second key of the same name is refused, also after the first was revoked."""
    store.keys.add(KEY, DIGEST)
    refuses(Conflict, lambda: store.keys.add(KEY, DIGEST[::-1]))
    store.keys.revoke("laptop", NOW)
    refuses(Conflict, lambda: store.keys.add(KEY, DIGEST[::-1]))
    assert len(store.keys.all()) == 1


def check_revoking_and_using_keys(store: Store) -> None:
    """A key is revoked once, and its last use only moves forward."""
    store.keys.add(KEY, DIGEST)
    later = NOW + timedelta(minutes=5)
    store.keys.used("laptop", later)
    store.keys.used("laptop", NOW)
    store.keys.used("nobody", NOW)
    assert store.keys.revoke("laptop", later)
    assert not store.keys.revoke("laptop", NOW) and not store.keys.revoke("nobody", NOW)
    assert store.keys.find(DIGEST) == replace(KEY, used_at=later, revoked_at=later)


def check_events_of_one_user(store: Store) -> None:
    """Whoever asks for one user's events gets no others."""
    alice = store.for_user("alice")
    add(store, example(1))
    add(store, example(1, "bob"))
    add(store, example(2))
    mine = alice.events(0, 10)
    assert [event.payload for event in mine] == [{"ids": ["id-1"]}, {"ids": ["id-2"]}]
    assert alice.events(mine[0].seq, 10) == mine[1:] == alice.events(0, 10)[1:]
    assert alice.events(0, 1) == mine[:1]
    assert store.for_user("eve").events(0, 10) == []


def check_kept_answers_go_with_anything_forgotten(store: Store) -> None:
    """An answer may quote any record, so none outlives one; other tallies of the doors stay."""
    alice = store.for_user("alice")
    add(store, example(1))
    add(store, example(1, "bob"))
    for user in ("alice", "bob"):
        kept = (NewTally(ANSWERS, "k", {"a": 1}, 0), NewTally("doors/asked", "k", {"b": 1}, 0))
        store.for_user(user).commit(Change("answer", NOW, (), tallies=kept))
    alice.forget(Selection(ids=("id-1",)), NOW)
    assert alice.tallies(ANSWERS) == {} and alice.tallies("doors/asked")
    assert store.for_user("bob").tallies(ANSWERS)


def check_users_are_found_by_what_doors_noted_of_them(store: Store) -> None:
    """Also those who have no record, and only by how the topic begins."""
    add(store, example(1, "bob"))
    for user, topic in (("alice", "doors/asked/ab"), ("eve", "doors/secret"), ("bob", "other")):
        store.for_user(user).commit(
            Change("answer", NOW, (), tallies=(NewTally(topic, "k", {}, 0),))
        )
    assert store.users_with("doors/asked") == ["alice"]
    assert store.users_with("doors/") == ["alice", "eve"] and store.users_with("x") == []
    assert store.users() == ["bob"], "who has no record is nobody otherwise"
    assert store.users_with("other") == ["bob"]
    store.for_user("alice").forget(Selection(everything=True), NOW)
    assert store.users_with("doors/") == ["eve"]


def check_what_is_unfinished_goes_with_what_is_forgotten(store: Store) -> None:
    """Whole topics go in the same transaction, also where there is no record; the rest stays."""
    alice = store.for_user("alice")
    add(store, example(1))
    for user in ("alice", "bob"):
        rows = [NewTally(f"{OPEN}{n}", name, {"a": 1}, 0) for n in (1, 2, 3) for name in "ab"]
        store.for_user(user).commit(Change("log", NOW, (), tallies=tuple(rows)))
    gone = alice.forget(Selection(unfinished=(f"{OPEN}1", f"{OPEN}9")), NOW)
    assert (gone.memories, gone.unfinished) == (0, 1)
    assert alice.tallies(f"{OPEN}1") == {} and alice.tallies(f"{OPEN}2")
    gone = alice.forget(Selection(ids=("id-1",), unfinished=(f"{OPEN}2",)), NOW)
    assert (gone.memories, gone.unfinished) == (1, 1)
    assert alice.tallies(f"{OPEN}2") == {} and alice.tallies(f"{OPEN}3")
    assert all(store.for_user("bob").tallies(f"{OPEN}{n}") for n in (1, 2, 3))
    known = tuple(alice.tallies(f"{OPEN}3"))
    late = NewTally(f"{OPEN}1", "a", {"a": 2}, 1)
    refuses(Overtaken, lambda: alice.commit(Change("log", NOW, (), tallies=(late,))))
    assert known == ("a", "b") and store.verify().ok
