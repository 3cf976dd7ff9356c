"""The rest of the contract of a store: what many workers rely on."""

from datetime import timedelta

from sharpwave.ports import Store
from sharpwave.storage.check import NOW, Check, add, example, keyed
from sharpwave.storage.check_derived import change
from sharpwave.types.storing import Change, NewJob, NewTally, Selection, Tallied, Tally
from sharpwave.types.working import JobState

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
