"""The contract of a store: what was read or sent before an erasure is not written after it."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

from tests.storage.contract import NOW, SPACE, Check, add, example, keyed, refuses, vectors
from tests.storage.contract_facts import change, fact

from sharpwave.errors import Conflict, ErasedMeanwhile
from sharpwave.ports import Store, UserStore
from sharpwave.types.records import Channel, Kind, Record
from sharpwave.types.storing import (
    ERASED_KEYS_KEPT,
    EXPERIENCE,
    OPEN,
    REQUESTS,
    Change,
    NewJob,
    NewTally,
    Selection,
)
from sharpwave.types.working import JobState

ALL = Selection(everything=True)


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def _reader(store: Store, user: str = "alice") -> UserStore:
    """A store that a learner has read by."""
    reader = store.for_user(user)
    assert reader.tallies(EXPERIENCE) == {}
    return reader


def _learned(number: int) -> Change:
    tally = NewTally(f"{EXPERIENCE}tools", f"name {number}", {"n": 1}, 0)
    return Change("publish", NOW, (fact(number),), tallies=(tally,))


def check_a_learner_is_refused_after_everything_was_forgotten(store: Store) -> None:
    """Also if the user is back already, and with nothing of it written."""
    for back in (False, True):
        add(store, example(1))
        learner = _reader(store)
        store.for_user("alice").forget(ALL, NOW)
        if back:
            add(store, example(2))
        for _ in range(2):
            refuses(ErasedMeanwhile, partial(learner.commit, _learned(7)))
        left = store.for_user("alice")
        assert [record.id for record in left.scan(0, 9)] == (["id-2"] if back else [])
        assert left.topics(EXPERIENCE.rstrip("/")) == []
        assert back or left.head().epoch == 0, "not even the name is back"
        left.forget(ALL, NOW)


def check_a_learner_is_refused_after_anything_was_forgotten(store: Store) -> None:
    """By id, by session, or an interaction that was still open; its own reads do not help."""
    opened = NewTally(f"{OPEN}x", "head", {}, 0)
    for number, selection in enumerate(
        (
            Selection(ids=("id-1",)),
            Selection(session="s"),
            Selection(unfinished=(opened.topic,)),
        )
    ):
        add(store, example(1), example(2, session_id="s"), example(3))
        store.for_user("alice").commit(Change("log", NOW, (), tallies=(opened,)))
        learner = _reader(store)
        store.for_user("alice").forget(selection, NOW)
        learner.scan(0, 9)
        refuses(ErasedMeanwhile, partial(learner.commit, _learned(10 + number)))
        refuses(ErasedMeanwhile, partial(learner.replace_vectors, SPACE, [3], vectors(1)))
        assert store.for_user("alice").find(["id-10", "id-11", "id-12"]) == []
        store.for_user("alice").forget(ALL, NOW)


def check_new_words_are_stored_whatever_was_forgotten(store: Store) -> None:
    """By a store that has read nothing, of a user who was unknown, or read again."""
    add(store, example(1))
    unread, stranger = store.for_user("alice"), _reader(store, "bob")
    add(store, example(1, "bob"))
    for user in ("alice", "bob"):
        store.for_user(user).forget(ALL, NOW)
    unread.commit(change(example(2)))
    stranger.commit(change(example(2, "bob")))
    for user in ("alice", "bob"):
        again = _reader(store, user)
        again.commit(change(example(3, user)))
        assert [record.id for record in again.scan(0, 9)] == ["id-2", "id-3"]


def check_who_forgets_may_go_on(store: Store) -> None:
    """After an erasure of its own a store reads and writes; others' users are not concerned."""
    add(store, example(1), example(2))
    add(store, example(1, "bob"))
    own, other = _reader(store), _reader(store, "bob")
    own.forget(Selection(ids=("id-1",)), NOW)
    assert own.find(["id-1"]) == []
    own.commit(change(example(3)))
    other.commit(change(example(3, "bob")))
    third = _reader(store)
    own.commit(change(example(4)))
    third.commit(change(example(5)))  # writing is no erasure


def _sent(number: int, channel: Channel = Channel.REST, kind: Kind = Kind.TURN) -> Record:
    """A record that was sent with an idempotency key of its own."""
    record = keyed(example(number, kind=kind), f"key-{number}")
    return replace(record, provenance=replace(record.provenance, channel=channel))


def check_what_was_sent_and_forgotten_is_not_stored_again(store: Store) -> None:
    """By id or everything; for a day, by the same user, with the same key."""
    for selection in (Selection(ids=("id-1", "id-2")), ALL):
        alice, action = store.for_user("alice"), _sent(2, Channel.LIBRARY, Kind.INTERACTION)
        alice.commit(change(_sent(1), action))
        alice.forget(selection, NOW)
        for again in (_sent(1), action):
            refuses(Conflict, partial(store.for_user("alice").commit, change(again)))
        assert alice.scan(0, 9) == []
        alice.commit(change(keyed(example(1), "another")))
        alice.forget(ALL, NOW)
        later = replace(change(_sent(1)), at=NOW + ERASED_KEYS_KEPT)
        alice.commit(later)
        alice.forget(ALL, NOW + ERASED_KEYS_KEPT)
    bob = replace(_sent(1), user_id="bob")
    store.for_user("bob").commit(change(bob))


def check_what_is_said_again_after_an_erasure_is_stored(store: Store) -> None:
    """A key that is made from the words, as by an import, is no delivery."""
    for channel in (Channel.LIBRARY, Channel.MCP):
        alice = store.for_user("alice")
        alice.commit(change(_sent(1, channel)))
        alice.forget(ALL, NOW)
        alice.commit(change(_sent(1, channel)))
        assert [record.id for record in alice.scan(0, 9)] == ["id-1"]
        alice.forget(ALL, NOW)


def check_requests_of_a_user_who_was_erased_are_known(store: Store) -> None:
    """By their names, which are digests; only after everything was forgotten."""
    alice, asked = store.for_user("alice"), NewTally(f"{REQUESTS}/ab", "abc", {"done": True}, 0)
    before = NOW - timedelta(seconds=1)
    add(store, example(1), example(2))
    alice.commit(Change("answer", NOW, (), tallies=(asked,)))
    alice.forget(Selection(ids=("id-1",)), NOW)
    assert not alice.was_erased("abc", before) and alice.tallies(asked.topic)
    alice.forget(ALL, NOW)
    assert alice.was_erased("abc", before) and not alice.was_erased("abc", NOW)
    assert not alice.was_erased("xyz", before)
    assert not store.for_user("bob").was_erased("abc", before)


def check_what_a_provider_quoted_goes_with_any_erasure(store: Store) -> None:
    """The error of a job may hold the user's words; another user's stays."""
    for user in ("alice", "bob"):
        job = NewJob("extract", {"ids": ["id-1"]})
        store.for_user(user).commit(change(example(1), example(2), jobs=(job,)))
    while leased := store.jobs.lease(NOW, timedelta(minutes=1)):
        assert store.jobs.finish(leased, NOW, "refused: 'Alice was at the clinic'")
    store.for_user("alice").forget(Selection(ids=("id-2",)), NOW)
    alice, bob = (store.for_user(user).jobs(9)[0] for user in ("alice", "bob"))
    assert (alice.state, alice.error) == (JobState.FAILED, None)
    assert bob.error is not None
