"""The rest of the contract of a store: what is found without reading the rest."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from sharpwave.ports import Store
from sharpwave.storage.check import NOW, Check, add, example
from sharpwave.storage.check_derived import fact
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import Change, Mentioned, Order, Selection, Session, Stated


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def check_the_newest_of_a_kind(store: Store) -> None:
    """Records of some kinds are found by number, the newest first, without the others."""
    alice = store.for_user("alice")
    turns = [example(number) for number in (1, 3)]
    alice.commit(Change("remember", NOW, (turns[0], fact(2), turns[1], fact(4))))
    add(store, example(5, "bob"))
    assert alice.newest([Kind.FACT], 9, 9) == [4, 2]
    assert alice.newest([Kind.FACT, Kind.TURN], 4, 2) == [3, 2]
    assert alice.newest([Kind.NOTE], 9, 9) == store.for_user("nobody").newest([Kind.TURN], 9, 9)
    alice.forget(Selection(ids=(fact(4).id,)), NOW)
    assert alice.newest([Kind.FACT], 9, 9) == [2]
    assert alice.counts().by_kind == {"fact": 1, "turn": 2}
    assert store.counts().by_kind == {"fact": 1, "turn": 3}


def check_turns_by_how_their_sessions_are_named(store: Store) -> None:
    """Turns are found by the beginning of their session's name, and a page at a time."""
    alice, bob = store.for_user("alice"), store.for_user("bob")
    names = ("file:/a", "file:/a/x", "file:/a/y", "file:/b", None, "file:/a/x", "file:/a0")
    said = [replace(example(n), session_id=name) for n, name in enumerate(names, start=1)]
    gone = replace(example(8), session_id="file:/a/z")
    gone = replace(gone, standing=replace(gone.standing, state=State.QUARANTINED))
    turns = add(store, *said, gone)
    add(store, replace(example(9, "bob"), session_id="file:/a/x"))
    found = [turns[n] for n in (1, 2, 5)]
    assert alice.latest_within("file:/a/", 9) == found
    assert alice.latest_within("file:/a/", 2) == found[1:]
    assert alice.latest_within("file:/a/", 2, found[1].number) == found[:1]
    assert alice.latest_within("file:", 9) == [*turns[:4], *turns[5:7]]
    assert alice.latest_within("g", 9) == store.for_user("eve").latest_within("f", 9) == []
    assert alice.latest(None, 2, turns[2].number) == turns[:2]
    assert alice.latest("file:/a/x", 9, turns[5].number) == [turns[1]]
    for number in (2**32, 2**33, 2**62, 2**80):
        assert alice.latest(None, 9, number) == turns, "those of others are not among them"
        assert alice.latest_within("file:/a/", 9, number) == found
        assert alice.scan(number, 9) == alice.latest(None, 9, -number) == []
        assert bob.scan(-number, 9) == bob.scan(0, 9)
    for beyond in (2**32, 2**33 + 1, 2**62):  # no number reaches the records of another user
        assert alice.latest(None, 99, beyond) == turns
        assert alice.latest("file:/a/x", 99, beyond) == [turns[1], turns[5]]
        assert alice.latest_within("file:/a/", 99, beyond) == found
        assert alice.newest(frozenset(Kind), beyond, 99)[::-1] == [t.number for t in turns]


def check_since_when_anything_is_known(store: Store) -> None:
    """The first of the facts says it, whenever it was recorded; turns say nothing of it."""
    alice = store.for_user("alice")
    week = timedelta(days=7)
    first = replace(fact(2), valid_from=NOW - week)
    other = replace(fact(3, slot="tom|likes|"), valid_from=NOW - 2 * week)
    alice.commit(Change("remember", NOW, (example(1), fact(4), first, other)))
    assert alice.known_since(["ana|"]) == NOW - week
    assert alice.known_since(["ana|", "tom|"]) == NOW - 2 * week
    assert alice.known_since(["eve|"]) is None
    assert alice.known_since([]) is store.for_user("bob").known_since(["ana|"]) is None


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
        every = Stated(order=Order.FOREMOST, limit=limit)
        within = replace(every, within=("ana|", "bob|"))
        about = replace(
            every, slots=tuple(f"{'bob' if n % 2 else 'ana'}|owns|{n}" for n in range(8))
        )
        for asked in (every, within, about):
            assert [one.id for one in store.for_user("alice").stated(asked)] == everything[:limit]
    assert store.for_user("bob").stated(Stated(within=("ana|",), order=Order.FOREMOST)) == []


def check_sessions_are_counted(store: Store) -> None:
    """A session lasts from its first turn to its last; the one that ended last comes first."""
    alice = store.for_user("alice")
    hour = timedelta(hours=1)
    times = {1: ("a", 3), 2: ("b", 1), 3: ("a", 0), 4: ("b", 2), 5: (None, 9)}
    turns = [
        replace(example(n), session_id=id_, valid_from=NOW + at * hour)
        for n, (id_, at) in times.items()
    ]
    add(store, *turns, replace(fact(6), session_id="c"))
    expected = [Session("a", NOW, NOW + 3 * hour, 2), Session("b", NOW + hour, NOW + 2 * hour, 2)]
    assert alice.sessions(9) == expected
    assert alice.sessions(1) == expected[:1] and store.for_user("bob").sessions(9) == []
    alice.forget(Selection(session="a"), NOW)
    assert alice.sessions(9) == expected[1:]


def check_the_latest(store: Store) -> None:
    """The last records of a session, or of all, oldest first."""
    alice = store.for_user("alice")
    stored = add(store, *(example(number) for number in range(1, 6)), fact(6))
    assert alice.latest(None, 2) == stored[3:5], "turns only"
    assert alice.latest("session-1", 2) == [stored[2], stored[4]]
    assert alice.latest("never", 2) == [] == store.for_user("bob").latest(None, 2)


def check_the_first_of_a_slot(store: Store) -> None:
    """What comes first by any order is read alone."""
    alice = store.for_user("alice")
    hour = timedelta(hours=1)

    def told(number: int, due: int | None, **fields: Any) -> Record:
        made = replace(fact(number, slot="me|task|"), due=None if due is None else NOW + due * hour)
        made = replace(made, recorded_at=NOW + fields.pop("at") * hour)
        return replace(made, standing=replace(made.standing, importance=0.5, **fields))

    add(
        store,
        told(1, 3, seen_count=2, last_seen_at=NOW, at=5),
        told(2, None, seen_count=2, last_seen_at=NOW + hour, at=1),
        told(3, 2, seen_count=9, last_seen_at=NOW, at=4, confidence=0.9),
        told(4, 3, seen_count=2, last_seen_at=NOW, at=5, state=State.DONE),
        fact(5, slot="me|note|"),
    )
    expected = {
        Order.RECORDED: "1234",
        Order.FOREMOST: "3124",
        Order.FREQUENT: "3214",
        Order.NEWEST: "4132",
        Order.DUE: "3142",
    }
    for order, numbers in expected.items():
        for limit in (None, 1, 3, 9):
            wanted = Stated(slots=("me|task|",), order=order, limit=limit)
            found = [str(one.number) for one in alice.stated(wanted)]
            assert found == list(numbers[:limit]), order
    open_ones = Stated(slots=("me|task|",), states=frozenset({State.ACTIVE}), order=Order.DUE)
    assert [one.number for one in alice.stated(open_ones)] == [3, 1, 2]
    assert store.for_user("bob").stated(open_ones) == []


def check_what_is_in_doubt(store: Store) -> None:
    """What is in doubt is found by itself, the most important first, until it is settled."""
    alice = store.for_user("alice")

    def doubted(number: int, state: State, importance: float) -> Record:
        made = fact(number)
        standing = replace(made.standing, state=state, importance=importance)
        return replace(made, standing=standing)

    add(
        store,
        doubted(1, State.UNCERTAIN, 0.4),
        doubted(2, State.ACTIVE, 0.9),
        doubted(3, State.UNCERTAIN, 0.7),
        doubted(4, State.SUPERSEDED, 0.9),
    )
    wanted = Stated(
        kinds=frozenset({Kind.FACT}), states=frozenset({State.UNCERTAIN}), order=Order.FOREMOST
    )
    assert [one.number for one in alice.stated(wanted)] == [3, 1]
    assert [one.number for one in alice.stated(replace(wanted, limit=1))] == [3]
    assert alice.stated(replace(wanted, kinds=frozenset({Kind.NOTE}))) == []
    assert store.for_user("bob").stated(wanted) == []
    alice.forget(Selection(ids=("id-3",)), NOW)
    assert [one.number for one in alice.stated(wanted)] == [1]


def check_what_relates_some_names(store: Store) -> None:
    """Facts with two of the names at their ends, whoever else is mentioned."""
    alice = store.for_user("alice")
    facts = [
        fact(number, slot=f"{subject}|knows|{number}")
        for number, subject in enumerate(("ana", "ana", "tom", "user", "ana smith"), 1)
    ]
    ends = {1: "ana tom", 2: "ana eve", 3: "tom ana eve", 4: "tom", 5: "tom"}
    mentions = tuple(
        Mentioned(f"id-{number}", key, key, EntityKind.PERSON)
        for number, keys in ends.items()
        for key in keys.split()
    )
    alice.commit(Change("remember", NOW, tuple(facts), mentions=mentions))

    def among(*names: str, **fields: Any) -> list[int]:
        return [one.number for one in alice.stated(Stated(among=names, **fields))]

    assert among("ana", "tom") == [1, 3] == among("tom", "ana", kinds=frozenset({Kind.FACT}))
    assert among("ana", "tom", "user") == [1, 3, 4]
    assert among("ana", "eve", "tom") == [1, 2, 3]
    assert among("ana", "eve", "tom", limit=2) == [1, 2]
    assert among("ana", "tom", begun_by=NOW - timedelta(days=999)) == []
    assert among("ana") == among("eve", "user") == []
    assert store.for_user("bob").stated(Stated(among=("ana", "tom"))) == []
