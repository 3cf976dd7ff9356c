"""The contract of a store: jobs, keys, costs, consents, what was learned, and forgetting."""

from dataclasses import replace
from datetime import date, timedelta

from tests.storage.contract import NOW, SPACE, Check, add, example, keyed, refuses
from tests.storage.contract_facts import change, fact, revised

from sharpwave import Conflict, Kind, NotFound
from sharpwave.errors import Busy, Overtaken
from sharpwave.ports import Store
from sharpwave.types.access import ApiKey, Scope
from sharpwave.types.records import Channel, State
from sharpwave.types.storing import (
    ANSWERS_TOPIC,
    BEHAVIOR,
    EXPERIENCE,
    OPEN,
    Change,
    Evidence,
    Head,
    NewJob,
    NewTally,
    Revision,
    Selection,
    Stated,
    Tallied,
    Tally,
)
from sharpwave.types.working import JobState, Purpose, Spending

MINUTE = timedelta(minutes=1)


def contract() -> list[Check]:
    """Every check of this file, in the order they stand here."""
    return [value for name, value in globals().items() if name.startswith("check_")]


def _queue(store: Store, number: int, user: str = "alice") -> None:
    job = NewJob("extract", {"n": number})
    store.for_user(user).commit(Change("remember", NOW, (example(number, user),), jobs=(job,)))


def check_one_users_jobs_are_done_in_their_order(store: Store) -> None:
    """One at a time, the first first; meanwhile others get their turn."""
    for number in (1, 2):
        _queue(store, number)
    _queue(store, 3, "bob")
    first, other = store.jobs.lease(NOW, MINUTE), store.jobs.lease(NOW, MINUTE)
    assert first is not None and first.payload == {"n": 1}
    assert other is not None and other.user_id == "bob", "alice's second waits for her first"
    assert store.jobs.lease(NOW, MINUTE) is None
    assert store.jobs.lease(NOW, MINUTE, first.number + 1) is None, "even if it is asked for"
    assert store.jobs.finish(first, NOW)
    second = store.jobs.lease(NOW, MINUTE)
    assert second is not None and second.payload == {"n": 2}


def check_a_job_set_back_lets_others_pass(store: Store) -> None:
    """What has to wait for a model does not hold up what came after it."""
    for number in (1, 2):
        _queue(store, number)
    first = store.jobs.lease(NOW, MINUTE)
    assert first is not None and store.jobs.postpone(first, NOW + 5 * MINUTE, "busy")
    second = store.jobs.lease(NOW, MINUTE)
    assert second is not None and second.payload == {"n": 2}
    assert store.jobs.finish(second, NOW)
    again = store.jobs.lease(NOW + 5 * MINUTE, MINUTE)
    assert again is not None and again.number == first.number


def check_a_dead_workers_job_comes_first(store: Store) -> None:
    """Its lease runs out, another takes it over, and what it says then does not count."""
    for number in (1, 2):
        _queue(store, number)
    dead = store.jobs.lease(NOW, MINUTE)
    assert store.jobs.lease(NOW, MINUTE) is None
    taken = store.jobs.lease(NOW + MINUTE, MINUTE)
    assert dead is not None and taken is not None and taken.number == dead.number
    assert not store.jobs.finish(dead, NOW + MINUTE) and store.jobs.finish(taken, NOW + MINUTE)


def check_one_tally_of_everybody(store: Store) -> None:
    """One look tells how far each user is, and what is noted of them under one name."""
    add(store, example(1, "bob"))
    add(store, example(1), example(2))
    noted = NewTally("sleep/state", "run", {"last": "x"}, 0)
    store.for_user("alice").commit(Change("sleep", NOW, (), tallies=(noted,)))
    store.for_user("nobody").commit(Change("sleep", NOW, (), tallies=(noted,)))
    assert store.tallied("sleep/state", "run") == [
        Tallied("alice", 2, Tally({"last": "x"}, 1)),
        Tallied("bob", 1, None),
    ]
    assert [one.tally for one in store.tallied("sleep/state", "other")] == [None, None]


def check_listening_can_be_ended(store: Store) -> None:
    """Whoever listens may be told or not, by what the store can do, and can stop at any time."""
    told: list[str] = []

    def hear() -> None:
        told.append("something")

    heard = (store.listen(hear), store.for_user("alice").listen(hear), store.jobs.listen(hear))
    add(store, example(1))
    for hearing in heard:
        assert hearing.live in (True, False)
        hearing.end()
        hearing.end()


def check_jobs(store: Store) -> None:
    """A job is queued with its change, done by one worker at a time, and tried again."""
    alice = store.for_user("alice")
    queue, minute = store.jobs, MINUTE
    assert queue.lease(NOW, minute) is None
    job = NewJob("extract", {"ids": ["id-1"]})
    alice.commit(change(keyed(example(1), "k"), jobs=(job,)))
    alice.commit(change(keyed(example(1), "k"), jobs=(job,)))
    assert len(alice.jobs(9)) == 1, "nothing new was stored, so there is nothing to do"
    first = queue.lease(NOW, minute)
    assert first is not None and first.payload == {"ids": ["id-1"]} and first.attempts == 1
    assert queue.lease(NOW, minute) is None, "somebody has it"
    second = queue.lease(NOW + minute, minute)
    assert second is not None and second.attempts == 2, "its worker was too slow"
    assert not queue.finish(first, NOW), "who was overtaken has nothing to say"
    assert queue.postpone(second, NOW + 2 * minute, "busy")
    assert queue.lease(NOW + minute, minute) is None
    third = queue.lease(NOW + 2 * minute, minute, second.number)
    assert third is not None and third.error == "busy"
    assert queue.finish(third, NOW) and not queue.finish(third, NOW)
    (seen,) = alice.jobs(9)
    assert (seen.state, seen.finished_at, seen.error) == (JobState.DONE, NOW, None)
    assert alice.retry_jobs(NOW) == 0, "it did not fail"
    alice.commit(change(example(2), jobs=(job,)))
    hopeless = queue.lease(NOW, minute)
    assert hopeless is not None and queue.finish(hopeless, NOW, "no use")
    assert store.for_user("bob").retry_jobs(NOW) == 0 and alice.retry_jobs(NOW + minute) == 1
    again = alice.jobs(9)[0]
    assert (again.state, again.attempts, again.finished_at) == (JobState.WAITING, 0, None)
    alice.forget(Selection(everything=True), NOW)
    assert alice.jobs(9) == []


def check_a_job_takes_more_on_until_a_worker_begins_it(store: Store) -> None:
    """A job that waits is extended; one that a worker is at is not."""
    alice, queue = store.for_user("alice"), store.jobs
    due = NOW + 5 * MINUTE
    alice.commit(change(example(1), jobs=(NewJob("read", {"ids": ["id-1"]}, due),)))
    (job,) = alice.jobs(9)
    assert job.not_before == due and queue.lease(NOW, MINUTE) is None, "not due yet"
    more = NewJob("read", {"ids": ["id-2"]}, due + MINUTE, job.number)
    store.for_user("bob").commit(change(example(1, "bob"), jobs=(more,)))
    assert alice.jobs(9) == [job], "it is not bob's"
    alice.commit(change(example(2), jobs=(more,)))
    (job,) = alice.jobs(9)
    assert (job.ids, job.not_before) == (["id-1", "id-2"], due + MINUTE)
    assert queue.lease(due, MINUTE, job.number) is None
    leased = queue.lease(due + MINUTE, MINUTE, job.number)
    assert leased is not None and leased.ids == ["id-1", "id-2"]
    late = NewJob("read", {"ids": ["id-3"]}, due + MINUTE, job.number)
    alice.commit(change(example(3), jobs=(late,)))
    assert [one.ids for one in alice.jobs(9)] == [["id-3"], ["id-1", "id-2"]], "a job of its own"
    assert queue.postpone(leased, due + 2 * MINUTE, "busy")
    again = late._replace(payload={"ids": ["id-4"]})
    alice.commit(change(example(4), jobs=(again,)))
    assert [one.ids for one in alice.jobs(9)][-1] == ["id-1", "id-2", "id-4"], "it waits again"


def check_jobs_are_hastened_that_were_never_tried(store: Store) -> None:
    """Or the one that is named, whatever became of it; all others wait after a failure."""
    alice, queue, due = store.for_user("alice"), store.jobs, NOW + 5 * MINUTE
    for number in (1, 2, 3):
        alice.commit(change(example(number), jobs=(NewJob("read", {"n": number}, due),)))
    third, second, first = alice.jobs(9)
    queue.hasten(NOW, second.number)
    leased = queue.lease(NOW, MINUTE)
    assert leased is not None and leased.number == second.number
    assert queue.postpone(leased, due, "busy") and queue.lease(NOW, MINUTE) is None
    queue.hasten(NOW)
    done = []
    while (leased := queue.lease(NOW, MINUTE)) is not None:
        done.append(leased.number)
        queue.finish(leased, NOW)
    assert done == [first.number, third.number]
    queue.hasten(NOW, second.number)
    assert queue.lease(NOW, MINUTE) is not None


def check_of_what_is_due_the_oldest_is_first(store: Store) -> None:
    """What waited longer for a model than a later job is done before that, if both are due."""
    for number in (1, 2):
        _queue(store, number)
    first = store.jobs.lease(NOW, MINUTE)
    assert first is not None and store.jobs.postpone(first, NOW + 5 * MINUTE, "busy")
    _queue(store, 3, "bob")
    due = NOW + 5 * MINUTE
    numbers = []
    while (leased := store.jobs.lease(due, MINUTE)) is not None:
        numbers.append(str(leased.payload["n"]))
        store.jobs.finish(leased, due)
    assert numbers.index("1") < numbers.index("2") and sorted(numbers) == ["1", "2", "3"]


def check_a_job_is_done_with_its_result_or_not_at_all(store: Store) -> None:
    """The result of a worker that lost its lease, or has written it before, is refused."""
    alice, queue = store.for_user("alice"), store.jobs
    _queue(store, 1)
    slow = queue.lease(NOW, MINUTE)
    taken = queue.lease(NOW + MINUTE, MINUTE)
    assert slow is not None and taken is not None
    refuses(Busy, lambda: alice.commit(change(example(2), finishes=slow)))
    alice.commit(change(example(3), finishes=taken))
    assert alice.jobs(9)[0].state is JobState.DONE
    refuses(Busy, lambda: alice.commit(change(example(4), finishes=taken)))
    assert [record.id for record in alice.scan(0, 9)] == [example(1).id, example(3).id]


DIGEST = bytes(range(32))
KEY = ApiKey("laptop", "alice", frozenset({Scope.READ, Scope.WRITE}), NOW)


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
        kept = (
            NewTally(ANSWERS_TOPIC, "k", {"a": 1}, 0),
            NewTally("doors/asked", "k", {"b": 1}, 0),
        )
        store.for_user(user).commit(Change("answer", NOW, (), tallies=kept))
    alice.forget(Selection(ids=("id-1",)), NOW)
    assert alice.tallies(ANSWERS_TOPIC) == {} and alice.tallies("doors/asked")
    assert store.for_user("bob").tallies(ANSWERS_TOPIC)


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


def check_ledger(store: Store) -> None:
    """Costs add up by user and day; consents are as last given; they go with their user."""
    alice, new = store.for_user("alice"), store.for_user("new")
    today = date(2026, 3, 14)
    assert alice.spent(today) == Spending() and alice.consents() == {}
    add(store, example(1))
    alice.charge(today, Spending(1, 100, 10, 0.5))
    alice.charge(today, Spending(2, 50, 5, 0.25))
    assert alice.spent(today) == Spending(3, 150, 15, 0.75)
    assert alice.spent(date(2026, 3, 15)) == Spending() == store.for_user("bob").spent(today)
    alice.consent(Purpose.EGRESS, True, NOW)
    alice.consent(Purpose.EGRESS, False, NOW)
    new.consent(Purpose.MEMORY, False, NOW)
    assert alice.consents() == {Purpose.EGRESS: False}
    assert new.consents() == {Purpose.MEMORY: False}
    alice.forget(Selection(everything=True), NOW)
    assert alice.spent(today) == Spending()


def check_what_was_withdrawn_stays_withdrawn(store: Store) -> None:
    """No erasure brings back a consent that was withdrawn; what was given goes, and may return."""
    alice = store.for_user("alice")
    add(store, example(1))
    for purpose, granted in ((Purpose.MEMORY, False), (Purpose.EGRESS, True)):
        alice.consent(purpose, granted, NOW)
    alice.forget(Selection(everything=True), NOW)
    assert alice.consents() == {Purpose.MEMORY: False}
    assert store.users() == [] and store.for_user("bob").consents() == {}
    add(store, example(2))
    alice.consent(Purpose.EGRESS, False, NOW)
    alice.forget(Selection(everything=True), NOW)
    assert alice.consents() == {Purpose.MEMORY: False, Purpose.EGRESS: False}
    alice.consent(Purpose.MEMORY, True, NOW)
    assert alice.consents() == {Purpose.MEMORY: True, Purpose.EGRESS: False}
    alice.forget(Selection(everything=True), NOW)
    assert alice.consents() == {Purpose.EGRESS: False}
    assert store.verify().ok


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
