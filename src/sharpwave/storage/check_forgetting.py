"""The contract of a store: what is forgotten is gone, with all that rested on it."""

from dataclasses import replace
from datetime import timedelta

from sharpwave.errors import NotFound, Overtaken
from sharpwave.ports import Store
from sharpwave.storage.check import NOW, SPACE, Check, add, example, refuses
from sharpwave.storage.check_derived import change, fact, revised
from sharpwave.types.records import Channel, Kind, State
from sharpwave.types.storing import EXPERIENCE, Evidence, Head, NewTally, Selection, Stated


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def check_forgetting(store: Store) -> None:
    """By id, by session or all: what is forgotten is gone, and the receipt counts it."""
    alice = store.for_user("alice")
    add(store, *(example(number) for number in range(1, 5)))
    refuses(NotFound, lambda: alice.forget(Selection(ids=("id-1", "nope")), NOW))
    assert alice.counts().memories == 4, "an unknown id forgets nothing"
    receipt = alice.forget(Selection(ids=("id-1", "id-1")), NOW)
    assert (receipt.memories, receipt.vectors, receipt.users) == (1, 1, 0)
    assert alice.find(["id-1"]) == [] == alice.fetch([1])
    assert alice.vectors([1], SPACE)[0].tolist() == []
    assert alice.forget(Selection(session="session-1"), NOW).memories == 1
    assert [record.id for record in alice.scan(0, 9)] == ["id-2", "id-4"]
    assert alice.forget(Selection(session="never"), NOW).memories == 0
    add(store, example(1))
    assert alice.scan(4, 9)[0].id == "id-1", "an id may be used again, its number not"


def check_erasing_a_user(store: Store) -> None:
    """Everything goes, and whoever comes back under the name is somebody new."""
    alice = store.for_user("alice")
    add(store, example(1), example(2))
    before = alice.head()
    receipt = alice.forget(Selection(everything=True), NOW)
    assert (receipt.memories, receipt.vectors, receipt.users) == (2, 2, 1)
    assert store.users() == [] and alice.head() == Head(0, 0)
    assert alice.forget(Selection(everything=True), NOW).memories == 0
    assert all(event.user_id is None for event in store.events(0, 99))
    add(store, example(1))
    assert alice.head().epoch != before.epoch


def check_evidence_goes_with_what_it_supports(store: Store) -> None:
    """A derived record outlives some of what it rests on, but not all of it."""
    alice = store.for_user("alice")
    add(store, example(1), example(2), fact(3, ("id-1",)), fact(4, ("id-3", "nobody")))
    alice.commit(change(evidence=(Evidence("id-3", "id-2"), Evidence("id-3", "id-2"))))
    assert alice.evidence(["id-3", "id-1"]) == {"id-3": ("id-1", "id-2"), "id-1": ()}
    assert alice.derived(["id-1", "id-3"]) == {"id-1": ("id-3",), "id-3": ("id-4",)}
    assert store.for_user("bob").evidence(["id-3"]) == {"id-3": ()}
    receipt = alice.forget(Selection(ids=("id-1",)), NOW)
    assert (receipt.memories, receipt.derived) == (1, 0)
    assert alice.find(["id-3"])[0].standing.seen_count == 1, "seen once less"
    receipt = alice.forget(Selection(ids=("id-2",)), NOW)
    assert (receipt.memories, receipt.derived) == (3, 2), "the fact, and what rested on it"
    assert alice.scan(0, 9) == []
    assert sorted(alice.changes(0, SPACE, 9).gone) == [1, 2, 3, 4]


def check_what_was_written_in_sleep_goes_with_the_first_it_quotes(store: Store) -> None:
    """A summary has the words of every turn it rests on: none may be left in it."""
    alice = store.for_user("alice")
    plain = example(4, kind=Kind.EPISODE)
    told = replace(plain.provenance, channel=Channel.SLEEP, parents=("id-1", "id-2"))
    add(store, example(1), example(2), fact(3, ("id-1", "id-2")), replace(plain, provenance=told))
    alice.forget(Selection(ids=("id-1",)), NOW)
    assert [record.id for record in alice.scan(0, 9)] == ["id-2", "id-3"]


def check_forgetting_undoes_what_it_did(store: Store) -> None:
    """With the newer value gone the older one holds again, and a contradiction ends."""
    alice = store.for_user("alice")
    one, _, three = add(store, fact(1), fact(2), fact(3))
    alice.commit(
        change(
            revisions=(
                revised(one, state=State.SUPERSEDED, superseded_by="id-2"),
                revised(three, state=State.UNCERTAIN, rival="id-2"),
            )
        )
    )
    alice.forget(Selection(ids=("id-2",)), NOW)
    after = alice.stated(Stated())
    assert [(r.standing.state, r.standing.superseded_by, r.standing.rival) for r in after] == [
        (State.ACTIVE, None, None),
        (State.ACTIVE, None, None),
    ]
    assert after[0].valid_to is None
    assert all(row.current for row in alice.changes(0, SPACE, 9).rows)


def check_forgetting_the_middle_of_a_history(store: Store) -> None:
    """With the second of three values gone the first is followed by the third."""
    alice = store.for_user("alice")
    one, two, _, wrong = add(store, fact(1), fact(2), fact(3), fact(4))
    then = NOW + timedelta(days=3)
    closed = {"state": State.SUPERSEDED}
    first = replace(revised(one, **closed, superseded_by="id-2"), valid_to=NOW)
    second = replace(revised(two, **closed, superseded_by="id-3"), valid_to=then)
    corrected = revised(wrong, state=State.INVALIDATED, superseded_by="id-2")
    alice.commit(change(revisions=(first, second, corrected)))
    alice.forget(Selection(ids=("id-2",)), NOW)
    after = {record.id: record for record in alice.stated(Stated())}
    assert (after["id-1"].standing.state, after["id-1"].valid_to) == (State.SUPERSEDED, then)
    assert after["id-1"].standing.superseded_by == "id-3"
    assert after["id-4"].standing.state is State.INVALIDATED, "what was wrong stays wrong"
    assert after["id-4"].standing.superseded_by is None
    alice.forget(Selection(ids=("id-3",)), NOW)
    (last, _) = alice.stated(Stated())
    assert (last.standing.state, last.valid_to) == (State.ACTIVE, None)


def check_what_was_forgotten_teaches_nothing(store: Store) -> None:
    """What is derived from a record that went meanwhile is refused, even if all went."""
    alice = store.for_user("alice")
    add(store, example(1), example(2))
    learned = change(fact(3, ("id-1",)), needs=("id-1", "id-2"))
    alice.forget(Selection(ids=("id-1",)), NOW)
    refuses(Overtaken, lambda: alice.commit(learned))
    alice.forget(Selection(everything=True), NOW)
    refuses(Overtaken, lambda: alice.commit(learned))
    assert store.users() == [] and alice.stated(Stated()) == []


def check_what_was_learned_goes_with_what_it_was_learned_from(store: Store) -> None:
    """No count outlives a forgotten interaction; what was learned elsewhere stays."""
    alice = store.for_user("alice")
    tool, other = f"{EXPERIENCE}tool", "other/arm"
    learned = (NewTally(tool, "grep", {"n": 1}, 0), NewTally(other, "a", {"n": 7}, 0))
    alice.commit(change(example(1), example(2, kind=Kind.OBSERVATION), tallies=learned))
    alice.forget(Selection(ids=("id-1",)), NOW)
    assert list(alice.tallies(tool)) == ["grep"]
    alice.forget(Selection(ids=("id-2",)), NOW)
    assert alice.tallies(tool) == {} and list(alice.tallies(other)) == ["a"]
    alice.forget(Selection(everything=True), NOW)
    assert alice.tallies(other) == {}
