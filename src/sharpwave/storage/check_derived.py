"""The rest of the contract of a store: facts and what they rest on, jobs, costs and consents."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from sharpwave.errors import Overtaken
from sharpwave.ports import Store
from sharpwave.storage.check import NOW, SPACE, Check, add, example, keyed, refuses
from sharpwave.types.known import Session
from sharpwave.types.records import (
    Channel,
    Kind,
    Provenance,
    Record,
    Stage,
    State,
    Statement,
    Temperature,
)
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import (
    BEHAVIOR,
    EXPERIENCE,
    Change,
    Evidence,
    Mentioned,
    Move,
    NewEvent,
    NewTally,
    Revision,
    Selection,
    Staged,
    Stated,
    Tally,
)
from sharpwave.types.working import Purpose, Spending


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def fact(number: int, parents: tuple[str, ...] = (), slot: str = "ana|lives_in|") -> Record:
    """A fact with every field set, resting on these records."""
    told = example(number, kind=Kind.FACT, negated=number % 2 == 0, slot=slot)
    provenance: Provenance = replace(told.provenance, parents=parents)
    statement = Statement("Ana", slot.split("|")[1], f"Place {number}")
    return replace(told, provenance=provenance, statement=statement, due=NOW + timedelta(days=9))


def change(*records: Record, **fields: Any) -> Change:
    """A change of Alice's."""
    return Change("alice", "remember", NOW, records, **fields)


def revised(record: Record, **standing: Any) -> Revision:
    """How a record is to stand from now on."""
    changed = replace(record.standing, **standing)
    return Revision(record.id, changed, record.valid_to)


def check_statements_come_back_whole(store: Store) -> None:
    """A fact keeps its statement, its sign, its due date and its slot."""
    stored = add(store, example(1), fact(2, ("id-1",)), fact(3, slot="ana|owns|"))
    assert stored[1] == replace(fact(2, ("id-1",)), number=2, seq=2)
    assert store.stated("alice", Stated()) == stored[1:]
    assert store.stated("alice", Stated(slots=("ana|owns|", "nobody|owns|"))) == stored[2:]
    assert store.stated("alice", Stated(within=("ana|",))) == stored[1:]
    assert store.stated("alice", Stated(within=("ana|owns|", "bob|"))) == stored[2:]
    assert store.stated("alice", Stated(within=("an|",))) == [] == store.stated("bob", Stated())
    assert store.slot_numbers("alice", "ana|", 9) == [3, 2]
    assert store.slot_numbers("alice", "ana|", 1) == [3]
    assert store.slot_numbers("alice", "ana|lives_in|", 9) == [2]
    assert store.stated("alice", Stated(kinds=frozenset({Kind.TASK}))) == []
    owned = frozenset({"owns"})
    assert store.stated("alice", Stated(predicates=owned)) == stored[2:]
    assert store.stated("alice", Stated(within=("ana|lives_in|",), predicates=owned)) == []
    assert store.stated("alice", Stated(limit=1)) == stored[1:2]
    assert store.known("alice", ["k"]) == {} == store.known("nobody", ["k"])
    add(store, keyed(example(5), "k"))
    assert store.known("alice", ["k", "other"])["k"].id == "id-5"


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
        every, within, slot = ([one.id for one in store.stated("alice", each)] for each in asked)
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


def check_what_moved_on_is_overtaken(store: Store) -> None:
    """A change that was decided on an old state of affairs is refused, all of it."""
    slot = "ana|lives_in|"
    assert store.slot_heads("alice", [slot]) == {slot: 0}
    (first,) = store.commit(change(fact(1), seen={slot: 0}))
    assert store.slot_heads("alice", [slot, "other"]) == {slot: 1, "other": 0}
    refuses(Overtaken, lambda: store.commit(change(fact(2), seen={slot: 0})))
    closing = revised(first.record, state=State.SUPERSEDED, superseded_by="id-2")
    store.commit(change(fact(2), seen={slot: 1}, revisions=(closing,)))
    heads = store.slot_heads("alice", [slot])
    assert heads == {slot: store.head("alice").seq}
    refuses(Overtaken, lambda: store.commit(change(revisions=(revised(fact(9)),))))
    store.commit(change(keyed(example(4), "k")))
    known = keyed(example(4, id="id-5"), "k")  # the same words, under an id that is not stored
    refuses(Overtaken, lambda: store.commit(change(known, fact(6, ("id-5",)), seen=heads)))
    refuses(Overtaken, lambda: store.commit(change(known, evidence=(Evidence("id-1", "id-5"),))))
    assert [record.id for record in store.scan("alice", 0, 9)] == ["id-1", "id-2", "id-4"]
    assert store.commit(change(known))[0].replayed, "nothing hangs on it"


def check_the_latest(store: Store) -> None:
    """The last records of a session, or of all, oldest first."""
    stored = add(store, *(example(number) for number in range(1, 6)), fact(6))
    assert store.latest("alice", None, 2) == stored[3:5], "turns only"
    assert store.latest("alice", "session-1", 2) == [stored[2], stored[4]]
    assert store.latest("alice", "never", 2) == [] == store.latest("bob", None, 2)


def check_revising(store: Store) -> None:
    """How a record stands changes, what it says does not; indexes hear of it."""
    (record,) = add(store, fact(1))
    store.touch("alice", [1], NOW)
    add(store, example(2, "bob"))  # takes the access along
    changed = replace(
        record.standing, state=State.UNCERTAIN, rival="id-9", seen_count=7, former="so"
    )
    store.commit(change(revisions=(Revision("id-1", changed, NOW),)))
    (after,) = store.find("alice", ["id-1"])
    counted = replace(changed, access_count=1, accessed_at=NOW)
    assert after == replace(record, standing=counted, valid_to=NOW, seq=2)
    assert store.stated("alice", Stated(states=frozenset({State.ACTIVE}))) == []
    (row,) = store.changes("alice", 1, SPACE, 9).rows
    assert (row.number, row.current) == (1, False)
    assert store.verify().ok


def check_accesses_are_seen_at_once(store: Store) -> None:
    """What was just recalled is known to be, before anything else is written."""
    add(store, fact(1))
    store.touch("alice", [1], NOW)
    (found,), (stated,) = store.find("alice", ["id-1"]), store.stated("alice", Stated())
    assert found.standing.accessed_at == NOW == stated.standing.accessed_at
    assert found.standing.access_count == 1 == stated.standing.access_count


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


def check_mentions(store: Store) -> None:
    """Who is mentioned where, for one user, until it is forgotten."""
    ana = Mentioned("id-1", "ana", "Ana", EntityKind.PERSON)
    porto = Mentioned("id-1", "porto", "Porto", EntityKind.PLACE)
    again = Mentioned("id-2", "ana", "ana", EntityKind.PERSON)
    store.commit(change(example(1), example(2), mentions=(ana, porto, again, ana)))
    found = store.entities("alice", 9)
    assert [(entity.key, entity.name, entity.records) for entity in found] == [
        ("ana", "ana", 2),
        ("porto", "Porto", 1),
    ]
    assert store.entities("alice", 1) == found[:1] and store.entities("bob", 9) == []
    assert store.mentioned("alice", "ana", 9) == [2, 1]
    assert store.mentions("alice", ["id-1", "id-3"]) == {"id-1": (ana, porto), "id-3": ()}
    store.forget("alice", Selection(ids=("id-1",)), NOW)
    assert [entity.key for entity in store.entities("alice", 9)] == ["ana"]
    assert store.mentioned("alice", "porto", 9) == []


def check_moves(store: Store) -> None:
    """Where a record stands changes without an index hearing of it; what is gone stays gone."""
    store.commit(change(example(1), example(2), example(3, kind=Kind.OBSERVATION)))
    head = store.head("alice")
    settled = Move("id-1", Stage.EPISODIC, Temperature.WARM)
    store.commit(change(moves=(settled, Move("gone", Stage.WORKING, Temperature.HOT))))
    assert store.head("alice") == head, "indexes need not hear of it"
    (moved,) = store.find("alice", ["id-1"])
    assert (moved.standing.stage, moved.standing.temperature) == (Stage.EPISODIC, Temperature.WARM)
    pending = Staged(Kind.TURN, frozenset({Stage.ACTIVE, Stage.WORKING}))
    assert [r.id for r in store.staged("alice", pending)] == ["id-2"]
    assert store.pending("alice", Kind.TURN) == store.pending("alice", Kind.OBSERVATION) == 1
    assert store.pending("bob", Kind.TURN) == 0
    warm = Staged(Kind.TURN, temperatures=frozenset({Temperature.WARM}))
    assert [r.id for r in store.staged("alice", warm)] == ["id-1"]
    assert [r.id for r in store.staged("alice", Staged(Kind.TURN))] == ["id-1", "id-2"]
    assert [r.id for r in store.staged("alice", Staged(Kind.TURN, after=1))] == ["id-2"]
    assert [r.id for r in store.staged("alice", Staged(Kind.TURN, limit=1))] == ["id-1"]
    first = store.find("alice", ["id-1"])[0].valid_from
    assert [r.id for r in store.staged("alice", Staged(Kind.TURN, before=first))] == ["id-2"]
    second = store.find("alice", ["id-2"])[0].valid_from
    assert store.staged("alice", replace(pending, before=second)) == []
    assert store.staged("bob", Staged(Kind.TURN)) == store.staged("bob", pending) == []
    later = NOW + timedelta(days=1)
    store.touch("alice", [1, 2], later)
    store.commit(change(example(4)))
    used = Staged(Kind.TURN, used_since=later)
    assert [r.id for r in store.staged("alice", used)] == ["id-1", "id-2"]
    settled_and_used = replace(used, stages=frozenset({Stage.EPISODIC}))
    assert [r.id for r in store.staged("alice", settled_and_used)] == ["id-1"]
    since = later + timedelta(seconds=1)
    assert store.staged("alice", replace(settled_and_used, used_since=since)) == []


def check_events_of_a_change(store: Store) -> None:
    """What a flow has to tell is told with its change, or not at all."""
    told = NewEvent("memory.consolidation.complete", {"run": "r1"})
    refused = change(tallies=(NewTally("sleep/state", "run", {}, 7),), events=(told,))
    refuses(Overtaken, lambda: store.commit(refused))
    store.commit(change(example(1), events=(told,)))
    events = [(event.topic, event.user_id) for event in store.events(0, 9)]
    assert events == [("memory.remembered", "alice"), (told.topic, "alice")]


def check_what_is_stated_about_a_name(store: Store) -> None:
    """Facts are found by any name they mention, and names by the name they begin with."""
    names = [("id-1", "ana"), ("id-2", "ana"), ("id-2", "ana souza"), ("id-3", "anabel")]
    mentions = tuple(Mentioned(id_, key, key.title(), EntityKind.PERSON) for id_, key in names)
    stored = add(store, example(1), fact(2), fact(3))
    store.commit(change(mentions=mentions))
    assert store.stated("alice", Stated(about=("ana",))) == stored[1:2], "turns state nothing"
    assert store.stated("alice", Stated(about=("ana souza", "anabel"))) == stored[1:]
    assert store.stated("alice", Stated(about=("nobody",))) == []
    assert store.stated("bob", Stated(about=("ana",))) == []
    done = frozenset({State.DONE})
    assert store.stated("alice", Stated(about=("ana",), states=done)) == []
    assert [one.key for one in store.entities("alice", 9, "ana")] == ["ana souza"]
    assert store.entities("alice", 9, "souza") == [] == store.entities("bob", 9, "ana")


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


def check_events_say_what_happened(store: Store) -> None:
    """The topic of an event follows what the change did."""
    for action in ("select_skill", "feedback", "remember"):
        number = len(store.events(0, 9)) + 1
        store.commit(Change("alice", action, NOW, (example(number),)))
    assert [event.topic for event in store.events(0, 9)] == [
        "memory.skill.selected",
        "memory.feedback.received",
        "memory.remembered",
    ]


def check_ledger(store: Store) -> None:
    """Costs add up by user and day; consents are as last given; they go with their user."""
    ledger, today = store.ledger, date(2026, 3, 14)
    assert ledger.spent("alice", today) == Spending() and ledger.consents("alice") == {}
    add(store, example(1))
    ledger.charge("alice", today, Spending(1, 100, 10, 0.5))
    ledger.charge("alice", today, Spending(2, 50, 5, 0.25))
    assert ledger.spent("alice", today) == Spending(3, 150, 15, 0.75)
    assert ledger.spent("alice", date(2026, 3, 15)) == Spending() == ledger.spent("bob", today)
    ledger.consent("alice", Purpose.EGRESS, True, NOW)
    ledger.consent("alice", Purpose.EGRESS, False, NOW)
    ledger.consent("new", Purpose.MEMORY, False, NOW)
    assert ledger.consents("alice") == {Purpose.EGRESS: False}
    assert ledger.consents("new") == {Purpose.MEMORY: False}
    store.forget("alice", Selection(everything=True), NOW)
    assert ledger.spent("alice", today) == Spending()


def check_what_was_withdrawn_stays_withdrawn(store: Store) -> None:
    """No erasure brings back a consent that was withdrawn; what was given goes, and may return."""
    ledger = store.ledger
    add(store, example(1))
    for purpose, granted in ((Purpose.MEMORY, False), (Purpose.EGRESS, True)):
        ledger.consent("alice", purpose, granted, NOW)
    store.forget("alice", Selection(everything=True), NOW)
    assert ledger.consents("alice") == {Purpose.MEMORY: False}
    assert store.users() == [] and ledger.consents("bob") == {}
    add(store, example(2))
    ledger.consent("alice", Purpose.EGRESS, False, NOW)
    store.forget("alice", Selection(everything=True), NOW)
    assert ledger.consents("alice") == {Purpose.MEMORY: False, Purpose.EGRESS: False}
    ledger.consent("alice", Purpose.MEMORY, True, NOW)
    assert ledger.consents("alice") == {Purpose.MEMORY: True, Purpose.EGRESS: False}
    store.forget("alice", Selection(everything=True), NOW)
    assert ledger.consents("alice") == {Purpose.EGRESS: False}
    assert store.verify().ok
