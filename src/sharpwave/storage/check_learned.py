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
    alice, bob = store.for_user("alice"), store.for_user("bob")
    tool, other = f"{EXPERIENCE}tool", "other/arm"
    told = keyed(example(1, kind=Kind.INTERACTION), "k")
    first = NewTally(tool, "grep", {"n": 1, "é": [0.5, None]}, 0)
    alice.commit(change(told, tallies=(first, NewTally(other, "a", {"n": 7}, 0))))
    known = {"grep": Tally({"n": 1, "é": [0.5, None]}, 1)}
    assert alice.tallies(tool) == known == alice.tallies(tool, ["grep", "sed"])
    assert bob.tallies(tool) == {} == alice.tallies(tool, [])
    assert alice.topics(tool.rpartition("/")[0]) == [tool]
    assert alice.topics("oth") == [] == bob.topics("other")
    alice.commit(change(told, tallies=(NewTally(tool, "grep", {"n": 2}, 1),)))
    assert alice.tallies(tool) == known, "the record is known: nothing is counted twice"
    mixed = change(told, example(2), tallies=(NewTally(tool, "grep", {"n": 2}, 1),))
    refuses(Overtaken, lambda: alice.commit(mixed))
    late = change(example(2), tallies=(NewTally(tool, "grep", {"n": 9}, 0),))
    refuses(Overtaken, lambda: alice.commit(late))
    assert alice.find(["id-2"]) == [], "all or nothing"
    head = alice.head()
    alice.commit(change(tallies=(NewTally(tool, "awk", {}, 0), NewTally(tool, "grep", None, 1))))
    assert alice.tallies(tool) == {"awk": Tally({}, 1)}
    assert alice.head() == head, "indexes need not hear of it"


def check_what_is_only_learned_from_is_not_searched(store: Store) -> None:
    """Turns of skills and feedback are kept, but no index takes them in; none needs a vector."""
    alice = store.for_user("alice")
    kept = (example(1, kind=Kind.TRAJECTORY), example(2, kind=Kind.FEEDBACK), example(3))
    alice.commit(change(*kept, tallies=(NewTally(f"{BEHAVIOR}skill", "a", {"n": 1}, 0),)))
    rows = alice.changes(0, SPACE, 9).rows
    assert [(row.number, row.current) for row in rows] == [(1, False), (2, False), (3, True)]
    found = alice.find(["id-1"])[0]
    alice.commit(change(revisions=(Revision("id-1", found.standing, None),)))
    assert [row.current for row in alice.changes(3, SPACE, 9).rows] == [False]
    assert [record.id for record in alice.unembedded(SPACE, 0, 9)] == ["id-3"]
    alice.forget(Selection(ids=("id-2",)), NOW)
    assert alice.tallies(f"{BEHAVIOR}skill") == {}
