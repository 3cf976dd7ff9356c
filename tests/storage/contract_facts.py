"""The contract of a store: facts, how they are found, and how they change."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.storage.contract import NOW, SPACE, Check, add, example, keyed, refuses

from sharpwave import Kind, Record
from sharpwave.errors import Overtaken
from sharpwave.ports import Store
from sharpwave.types.records import Provenance, Stage, State, Statement, Temperature
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import (
    Change,
    Evidence,
    Mentioned,
    Move,
    NewEvent,
    NewTally,
    Order,
    Revision,
    Selection,
    Session,
    Staged,
    Stated,
)


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def fact(number: int, parents: tuple[str, ...] = (), slot: str = "ana|lives_in|") -> Record:
    """A fact with every field set, resting on these records."""
    told = example(number, kind=Kind.FACT, negated=number % 2 == 0, slot=slot)
    provenance: Provenance = replace(told.provenance, parents=parents)
    statement = Statement("Ana", slot.split("|")[1], f"Place {number}")
    due = datetime(2026, 5, 8, tzinfo=timezone(timedelta(hours=-4)))
    return replace(told, provenance=provenance, statement=statement, due=due)


def change(*records: Record, **fields: Any) -> Change:
    """A change of Alice's."""
    return Change("remember", NOW, records, **fields)


def revised(record: Record, **standing: Any) -> Revision:
    """How a record is to stand from now on."""
    changed = replace(record.standing, **standing)
    return Revision(record.id, changed, record.valid_to)


def check_statements_come_back_whole(store: Store) -> None:
    """A fact keeps its statement, its sign, its due date and its slot."""
    alice = store.for_user("alice")
    stored = add(store, example(1), fact(2, ("id-1",)), fact(3, slot="ana|owns|"))
    assert stored[1] == replace(fact(2, ("id-1",)), number=2, seq=2)
    assert stored[1].due and stored[1].due.isoformat() == "2026-05-08T00:00:00-04:00", "its day"
    assert alice.stated(Stated()) == stored[1:]
    assert alice.stated(Stated(slots=("ana|owns|", "nobody|owns|"))) == stored[2:]
    assert alice.stated(Stated(within=("ana|",))) == stored[1:]
    assert alice.stated(Stated(within=("ana|owns|", "bob|"))) == stored[2:]
    assert alice.stated(Stated(within=("an|",))) == [] == store.for_user("bob").stated(Stated())
    assert alice.slot_numbers("ana|", 9) == [3, 2]
    assert alice.slot_numbers("ana|", 1) == [3]
    assert alice.slot_numbers("ana|lives_in|", 9) == [2]
    several = alice.newest_in_slots(["ana|", "nobody|", "ana|lives_in|"], 1)
    assert several == {"ana|": [3], "nobody|": [], "ana|lives_in|": [2]}
    assert alice.stated(Stated(kinds=frozenset({Kind.TASK}))) == []
    owned = frozenset({"owns"})
    assert alice.stated(Stated(predicates=owned)) == stored[2:]
    assert alice.stated(Stated(within=("ana|lives_in|",), predicates=owned)) == []
    assert alice.stated(Stated(limit=1)) == stored[1:2]
    assert alice.known(["k"]) == {} == store.for_user("nobody").known(["k"])
    add(store, keyed(example(5), "k"))
    assert alice.known(["k", "other"])["k"].id == "id-5"


def check_statements_are_narrowed_by_time(store: Store) -> None:
    """What had begun, was not over, or was learned in a time; a fact without an end never is."""
    day = timedelta(days=1)
    past = replace(fact(1), valid_from=NOW, valid_to=NOW + day, recorded_at=NOW + 3 * day)
    open_ = replace(fact(2), valid_from=NOW + day, valid_to=None, recorded_at=NOW + 4 * day)
    add(store, past, open_)

    def found(**narrowed: Any) -> list[str]:
        wanted = replace(Stated(), **narrowed)
        asked = [
            wanted,
            replace(wanted, within=("ana|",)),
            replace(wanted, slots=(past.slot or "",)),
        ]
        every, within, slot = (
            [one.id for one in store.for_user("alice").stated(each)] for each in asked
        )
        assert every == within == slot
        return every

    assert found(begun_by=NOW) == ["id-1"]
    assert found(begun_by=NOW + day) == ["id-1", "id-2"]
    assert found(begun_by=NOW - day) == []
    assert found(beyond=NOW) == ["id-1", "id-2"]
    assert found(beyond=NOW + day) == ["id-2"] == found(beyond=NOW + 99 * day)
    assert found(recorded_from=NOW + 4 * day) == ["id-2"]
    assert found(recorded_by=NOW + 3 * day) == ["id-1"]
    assert found(recorded_from=NOW + 3 * day, recorded_by=NOW + 4 * day) == ["id-1", "id-2"]
    assert found(begun_by=NOW + day, beyond=NOW + day) == ["id-2"]


def check_what_moved_on_is_overtaken(store: Store) -> None:
    """A change that was decided on an old state of affairs is refused, all of it."""
    alice = store.for_user("alice")
    slot = "ana|lives_in|"
    assert alice.slot_heads([slot]) == {slot: 0}
    (first,) = alice.commit(change(fact(1), seen={slot: 0}))
    assert alice.slot_heads([slot, "other"]) == {slot: 1, "other": 0}
    refuses(Overtaken, lambda: alice.commit(change(fact(2), seen={slot: 0})))
    closing = revised(first.record, state=State.SUPERSEDED, superseded_by="id-2")
    alice.commit(change(fact(2), seen={slot: 1}, revisions=(closing,)))
    heads = alice.slot_heads([slot])
    assert heads == {slot: alice.head().seq}
    refuses(Overtaken, lambda: alice.commit(change(revisions=(revised(fact(9)),))))
    alice.commit(change(keyed(example(4), "k")))
    known = keyed(example(4, id="id-5"), "k")  # the same words, under an id that is not stored
    refuses(Overtaken, lambda: alice.commit(change(known, fact(6, ("id-5",)), seen=heads)))
    refuses(Overtaken, lambda: alice.commit(change(known, evidence=(Evidence("id-1", "id-5"),))))
    assert [record.id for record in alice.scan(0, 9)] == ["id-1", "id-2", "id-4"]
    assert alice.commit(change(known))[0].replayed, "nothing hangs on it"


def check_revising(store: Store) -> None:
    """How a record stands changes, what it says does not; indexes hear of it."""
    alice = store.for_user("alice")
    (record,) = add(store, fact(1))
    alice.touch([1], NOW)
    add(store, example(2, "bob"))  # takes the access along
    changed = replace(
        record.standing, state=State.UNCERTAIN, rival="id-9", seen_count=7, former="so"
    )
    alice.commit(change(revisions=(Revision("id-1", changed, NOW),)))
    (after,) = alice.find(["id-1"])
    counted = replace(changed, access_count=1, accessed_at=NOW)
    assert after == replace(record, standing=counted, valid_to=NOW, seq=2)
    assert alice.stated(Stated(states=frozenset({State.ACTIVE}))) == []
    (row,) = alice.changes(1, SPACE, 9).rows
    assert (row.number, row.current) == (1, False)
    assert store.verify().ok


def check_accesses_are_seen_at_once(store: Store) -> None:
    """What was just recalled is known to be, before anything else is written."""
    alice = store.for_user("alice")
    add(store, fact(1))
    alice.touch([1], NOW)
    (found,), (stated,) = alice.find(["id-1"]), alice.stated(Stated())
    assert found.standing.accessed_at == NOW == stated.standing.accessed_at
    assert found.standing.access_count == 1 == stated.standing.access_count


def check_mentions(store: Store) -> None:
    """Who is mentioned where, for one user, until it is forgotten."""
    alice = store.for_user("alice")
    ana = Mentioned("id-1", "ana", "Ana", EntityKind.PERSON)
    porto = Mentioned("id-1", "porto", "Porto", EntityKind.PLACE)
    again = Mentioned("id-2", "ana", "ana", EntityKind.PERSON)
    alice.commit(change(example(1), example(2), mentions=(ana, porto, again, ana)))
    found = alice.entities(9)
    assert [(entity.key, entity.name, entity.records) for entity in found] == [
        ("ana", "ana", 2),
        ("porto", "Porto", 1),
    ]
    assert alice.entities(1) == found[:1] and store.for_user("bob").entities(9) == []
    assert alice.mentioned("ana", 9) == [2, 1]
    assert alice.mentions(["id-1", "id-3"]) == {"id-1": (ana, porto), "id-3": ()}
    alice.forget(Selection(ids=("id-1",)), NOW)
    assert [entity.key for entity in alice.entities(9)] == ["ana"]
    assert alice.mentioned("porto", 9) == []
    assert alice.newest_mentions(["porto", "ana"], 1) == {"porto": [], "ana": [2]}


def check_moves(store: Store) -> None:
    """Where a record stands changes without an index hearing of it; what is gone stays gone."""
    alice, bob = store.for_user("alice"), store.for_user("bob")
    alice.commit(change(example(1), example(2), example(3, kind=Kind.OBSERVATION)))
    head = alice.head()
    settled = Move("id-1", Stage.EPISODIC, Temperature.WARM)
    alice.commit(change(moves=(settled, Move("gone", Stage.WORKING, Temperature.HOT))))
    assert alice.head() == head, "indexes need not hear of it"
    (moved,) = alice.find(["id-1"])
    assert (moved.standing.stage, moved.standing.temperature) == (Stage.EPISODIC, Temperature.WARM)
    pending = Staged(Kind.TURN, frozenset({Stage.ACTIVE, Stage.WORKING}))
    assert [r.id for r in alice.staged(pending)] == ["id-2"]
    assert alice.pending(Kind.TURN) == alice.pending(Kind.OBSERVATION) == 1
    assert bob.pending(Kind.TURN) == 0
    warm = Staged(Kind.TURN, temperatures=frozenset({Temperature.WARM}))
    assert [r.id for r in alice.staged(warm)] == ["id-1"]
    assert [r.id for r in alice.staged(Staged(Kind.TURN))] == ["id-1", "id-2"]
    assert [r.id for r in alice.staged(Staged(Kind.TURN, after=1))] == ["id-2"]
    assert [r.id for r in alice.staged(Staged(Kind.TURN, limit=1))] == ["id-1"]
    first = alice.find(["id-1"])[0].valid_from
    assert [r.id for r in alice.staged(Staged(Kind.TURN, before=first))] == ["id-2"]
    second = alice.find(["id-2"])[0].valid_from
    assert alice.staged(replace(pending, before=second)) == []
    assert bob.staged(Staged(Kind.TURN)) == bob.staged(pending) == []
    later = NOW + timedelta(days=1)
    alice.touch([1, 2], later)
    alice.commit(change(example(4)))
    used = Staged(Kind.TURN, used_since=later)
    assert [r.id for r in alice.staged(used)] == ["id-1", "id-2"]
    settled_and_used = replace(used, stages=frozenset({Stage.EPISODIC}))
    assert [r.id for r in alice.staged(settled_and_used)] == ["id-1"]
    since = later + timedelta(seconds=1)
    assert alice.staged(replace(settled_and_used, used_since=since)) == []


def check_events_of_a_change(store: Store) -> None:
    """What a flow has to tell is told with its change, or not at all."""
    alice = store.for_user("alice")
    told = NewEvent("memory.consolidation.complete", {"run": "r1"})
    refused = change(tallies=(NewTally("sleep/state", "run", {}, 7),), events=(told,))
    refuses(Overtaken, lambda: alice.commit(refused))
    alice.commit(change(example(1), events=(told,)))
    events = [(event.topic, event.user_id) for event in store.events(0, 9)]
    assert events == [("memory.remembered", "alice"), (told.topic, "alice")]


def check_what_is_stated_about_a_name(store: Store) -> None:
    """Facts are found by any name they mention, and names by the name they begin with."""
    alice, bob = store.for_user("alice"), store.for_user("bob")
    names = [("id-1", "ana"), ("id-2", "ana"), ("id-2", "ana souza"), ("id-3", "anabel")]
    mentions = tuple(Mentioned(id_, key, key.title(), EntityKind.PERSON) for id_, key in names)
    stored = add(store, example(1), fact(2), fact(3))
    alice.commit(change(mentions=mentions))
    assert alice.stated(Stated(about=("ana",))) == stored[1:2], "turns state nothing"
    assert alice.stated(Stated(about=("ana souza", "anabel"))) == stored[1:]
    assert alice.stated(Stated(about=("nobody",))) == []
    assert bob.stated(Stated(about=("ana",))) == []
    done = frozenset({State.DONE})
    assert alice.stated(Stated(about=("ana",), states=done)) == []
    assert [one.key for one in alice.entities(9, "ana")] == ["ana souza"]
    assert alice.entities(9, "souza") == [] == bob.entities(9, "ana")


def check_events_say_what_happened(store: Store) -> None:
    """The topic of an event follows what the change did."""
    for action in ("select_skill", "feedback", "remember"):
        number = len(store.events(0, 9)) + 1
        store.for_user("alice").commit(Change(action, NOW, (example(number),)))
    assert [event.topic for event in store.events(0, 9)] == [
        "memory.skill.selected",
        "memory.feedback.received",
        "memory.remembered",
    ]


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
            for wanted in (
                Stated(slots=("me|task|",), order=order, limit=limit),
                Stated(within=("me|task|",), order=order, limit=limit),
                Stated(within=("me|",), without="note", order=order, limit=limit),
            ):
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
