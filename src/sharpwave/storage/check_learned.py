"""The contract of a store: what was learned is kept in tallies, and is not searched."""

from sharpwave.errors import Overtaken
from sharpwave.ports import Store
from sharpwave.storage.check import NOW, SPACE, Check, example, keyed, refuses
from sharpwave.storage.check_derived import change
from sharpwave.types.records import Kind
from sharpwave.types.storing import BEHAVIOR, EXPERIENCE, NewTally, Revision, Selection, Tally


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def check_tallies(store: Store) -> None:
    """What was learned is written with its record, once, and refused if it has moved on."""
    tool, other = f"{EXPERIENCE}tool", "other/arm"
    told = keyed(example(1, kind=Kind.INTERACTION), "k")
    first = NewTally(tool, "grep", {"n": 1, "é": [0.5, None]}, 0)
    store.commit(change(told, tallies=(first, NewTally(other, "a", {"n": 7}, 0))))
    known = {"grep": Tally({"n": 1, "é": [0.5, None]}, 1)}
    assert store.tallies("alice", tool) == known == store.tallies("alice", tool, ["grep", "sed"])
    assert store.tallies("bob", tool) == {} == store.tallies("alice", tool, [])
    assert store.topics("alice", tool.rpartition("/")[0]) == [tool]
    assert store.topics("alice", "oth") == [] == store.topics("bob", "other")
    store.commit(change(told, tallies=(NewTally(tool, "grep", {"n": 2}, 1),)))
    assert store.tallies("alice", tool) == known, "the record is known: nothing is counted twice"
    mixed = change(told, example(2), tallies=(NewTally(tool, "grep", {"n": 2}, 1),))
    refuses(Overtaken, lambda: store.commit(mixed))
    late = change(example(2), tallies=(NewTally(tool, "grep", {"n": 9}, 0),))
    refuses(Overtaken, lambda: store.commit(late))
    assert store.find("alice", ["id-2"]) == [], "all or nothing"
    head = store.head("alice")
    store.commit(change(tallies=(NewTally(tool, "awk", {}, 0), NewTally(tool, "grep", None, 1))))
    assert store.tallies("alice", tool) == {"awk": Tally({}, 1)}
    assert store.head("alice") == head, "indexes need not hear of it"


def check_what_is_only_learned_from_is_not_searched(store: Store) -> None:
    """Turns of skills and feedback are kept, but no index takes them in; none needs a vector."""
    kept = (example(1, kind=Kind.TRAJECTORY), example(2, kind=Kind.FEEDBACK), example(3))
    store.commit(change(*kept, tallies=(NewTally(f"{BEHAVIOR}skill", "a", {"n": 1}, 0),)))
    rows = store.changes("alice", 0, SPACE, 9).rows
    assert [(row.number, row.current) for row in rows] == [(1, False), (2, False), (3, True)]
    found = store.find("alice", ["id-1"])[0]
    store.commit(change(revisions=(Revision("id-1", found.standing, None),)))
    assert [row.current for row in store.changes("alice", 3, SPACE, 9).rows] == [False]
    assert [record.id for record in store.unembedded("alice", SPACE, 0, 9)] == ["id-3"]
    store.forget("alice", Selection(ids=("id-2",)), NOW)
    assert store.tallies("alice", f"{BEHAVIOR}skill") == {}
