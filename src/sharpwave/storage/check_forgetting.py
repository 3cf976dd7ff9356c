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
    add(store, *(example(number) for number in range(1, 5)))
    refuses(NotFound, lambda: store.forget("alice", Selection(ids=("id-1", "nope")), NOW))
    assert store.counts("alice").memories == 4, "an unknown id forgets nothing"
    receipt = store.forget("alice", Selection(ids=("id-1", "id-1")), NOW)
    assert (receipt.memories, receipt.vectors, receipt.users) == (1, 1, 0)
    assert store.find("alice", ["id-1"]) == [] == store.fetch("alice", [1])
    assert store.vectors("alice", [1], SPACE)[0].tolist() == []
    assert store.forget("alice", Selection(session="session-1"), NOW).memories == 1
    assert [record.id for record in store.scan("alice", 0, 9)] == ["id-2", "id-4"]
    assert store.forget("alice", Selection(session="never"), NOW).memories == 0
    add(store, example(1))
    assert store.scan("alice", 4, 9)[0].id == "id-1", "an id may be used again, its number not"


def check_erasing_a_user(store: Store) -> None:
    """Everything goes, and whoever comes back under the name is somebody new."""
    add(store, example(1), example(2))
    before = store.head("alice")
    receipt = store.forget("alice", Selection(everything=True), NOW)
    assert (receipt.memories, receipt.vectors, receipt.users) == (2, 2, 1)
    assert store.users() == [] and store.head("alice") == Head(0, 0)
    assert store.forget("alice", Selection(everything=True), NOW).memories == 0
    assert all(event.user_id is None for event in store.events(0, 99))
    add(store, example(1))
    assert store.head("alice").epoch != before.epoch


def check_evidence_goes_with_what_it_supports(store: Store) -> None:
    """A derived record outlives some of what it rests on, but not all of it."""
    add(store, example(1), example(2), fact(3, ("id-1",)), fact(4, ("id-3", "nobody")))
    store.commit(change(evidence=(Evidence("id-3", "id-2"), Evidence("id-3", "id-2"))))
    assert store.evidence("alice", ["id-3", "id-1"]) == {"id-3": ("id-1", "id-2"), "id-1": ()}
    assert store.derived("alice", ["id-1", "id-3"]) == {"id-1": ("id-3",), "id-3": ("id-4",)}
    assert store.evidence("bob", ["id-3"]) == {"id-3": ()}
    receipt = store.forget("alice", Selection(ids=("id-1",)), NOW)
    assert (receipt.memories, receipt.derived) == (1, 0)
    assert store.find("alice", ["id-3"])[0].standing.seen_count == 1, "seen once less"
    receipt = store.forget("alice", Selection(ids=("id-2",)), NOW)
    assert (receipt.memories, receipt.derived) == (3, 2), "the fact, and what rested on it"
    assert store.scan("alice", 0, 9) == []
    assert sorted(store.changes("alice", 0, SPACE, 9).gone) == [1, 2, 3, 4]


def check_what_was_written_in_sleep_goes_with_the_first_it_quotes(store: Store) -> None:
    """A summary has the words of every turn it rests on: none may be left in it."""
    plain = example(4, kind=Kind.EPISODE)
    told = replace(plain.provenance, channel=Channel.SLEEP, parents=("id-1", "id-2"))
    add(store, example(1), example(2), fact(3, ("id-1", "id-2")), replace(plain, provenance=told))
    store.forget("alice", Selection(ids=("id-1",)), NOW)
    assert [record.id for record in store.scan("alice", 0, 9)] == ["id-2", "id-3"]


def check_forgetting_undoes_what_it_did(store: Store) -> None:
    """With the newer value gone the older one holds again, and a contradiction ends."""
    one, _, three = add(store, fact(1), fact(2), fact(3))
    store.commit(
        change(
            revisions=(
                revised(one, state=State.SUPERSEDED, superseded_by="id-2"),
                revised(three, state=State.UNCERTAIN, rival="id-2"),
            )
        )
    )
    store.forget("alice", Selection(ids=("id-2",)), NOW)
    after = store.stated("alice", Stated())
    assert [(r.standing.state, r.standing.superseded_by, r.standing.rival) for r in after] == [
        (State.ACTIVE, None, None),
        (State.ACTIVE, None, None),
    ]
    assert after[0].valid_to is None
    assert all(row.current for row in store.changes("alice", 0, SPACE, 9).rows)


def check_forgetting_the_middle_of_a_history(store: Store) -> None:
    """With the second of three values gone the first is followed by the third."""
    one, two, _, wrong = add(store, fact(1), fact(2), fact(3), fact(4))
    then = NOW + timedelta(days=3)
    closed = {"state": State.SUPERSEDED}
    first = replace(revised(one, **closed, superseded_by="id-2"), valid_to=NOW)
    second = replace(revised(two, **closed, superseded_by="id-3"), valid_to=then)
    corrected = revised(wrong, state=State.INVALIDATED, superseded_by="id-2")
    store.commit(change(revisions=(first, second, corrected)))
    store.forget("alice", Selection(ids=("id-2",)), NOW)
    after = {record.id: record for record in store.stated("alice", Stated())}
    assert (after["id-1"].standing.state, after["id-1"].valid_to) == (State.SUPERSEDED, then)
    assert after["id-1"].standing.superseded_by == "id-3"
    assert after["id-4"].standing.state is State.INVALIDATED, "what was wrong stays wrong"
    assert after["id-4"].standing.superseded_by is None
    store.forget("alice", Selection(ids=("id-3",)), NOW)
    (last, _) = store.stated("alice", Stated())
    assert (last.standing.state, last.valid_to) == (State.ACTIVE, None)


def check_what_was_forgotten_teaches_nothing(store: Store) -> None:
    """What is derived from a record that went meanwhile is refused, even if all went."""
    add(store, example(1), example(2))
    learned = change(fact(3, ("id-1",)), needs=("id-1", "id-2"))
    store.forget("alice", Selection(ids=("id-1",)), NOW)
    refuses(Overtaken, lambda: store.commit(learned))
    store.forget("alice", Selection(everything=True), NOW)
    refuses(Overtaken, lambda: store.commit(learned))
    assert store.users() == [] and store.stated("alice", Stated()) == []


def check_what_was_learned_goes_with_what_it_was_learned_from(store: Store) -> None:
    """No count outlives a forgotten interaction; what was learned elsewhere stays."""
    tool, other = f"{EXPERIENCE}tool", "other/arm"
    learned = (NewTally(tool, "grep", {"n": 1}, 0), NewTally(other, "a", {"n": 7}, 0))
    store.commit(change(example(1), example(2, kind=Kind.OBSERVATION), tallies=learned))
    store.forget("alice", Selection(ids=("id-1",)), NOW)
    assert list(store.tallies("alice", tool)) == ["grep"]
    store.forget("alice", Selection(ids=("id-2",)), NOW)
    assert store.tallies("alice", tool) == {} and list(store.tallies("alice", other)) == ["a"]
    store.forget("alice", Selection(everything=True), NOW)
    assert store.tallies("alice", other) == {}
