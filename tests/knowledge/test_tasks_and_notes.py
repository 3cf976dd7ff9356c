"""How tasks and notes settle, and when two titles speak of one thing."""

import pytest
from tests.knowledge.known import Known, day

from sharpwave import Kind
from sharpwave.knowledge import settle_tasks
from sharpwave.knowledge.settle_tasks import content_words, shared
from sharpwave.types.answers import Verdict
from sharpwave.types.records import State
from sharpwave.types.statements import TaskStatus


@pytest.mark.spec("TSK-02")
def test_a_task_is_created_seen_again_and_done() -> None:
    known = Known()
    assert known.task("Book flights to Porto", due=day(9)).verdict is Verdict.ACCEPTED
    assert known.task("book the flights", 1).verdict is Verdict.REINFORCED
    (task,) = known.records.values()
    assert (task.kind, task.due, task.standing.seen_count) == (Kind.TASK, day(9), 2)
    assert task.standing.importance == settle_tasks.TASK_IMPORTANCE
    done = known.task("flights to Porto", 3, status=TaskStatus.DONE)
    assert (done.verdict, done.reason) == (Verdict.CLOSED, "done")
    (task,) = known.records.values()
    assert (task.standing.state, task.valid_to) == (State.DONE, day(3))


def test_a_new_date_is_a_new_version() -> None:
    known = Known()
    known.task("Send the report", due=day(5))
    outcome = known.task("send report", 1, due=day(8))
    assert outcome.verdict is Verdict.VERSIONED and "2026-01-09" in outcome.reason
    old, new = known.records.values()
    assert (old.standing.state, old.standing.superseded_by) == (State.SUPERSEDED, new.id)
    assert (new.due, new.text) == (day(8), "Send the report")


def test_a_date_from_an_older_message_changes_nothing() -> None:
    known = Known()
    known.task("Send the report", 5, due=day(8))
    assert known.task("Send the report", 1, due=day(6)).verdict is Verdict.REINFORCED
    (task,) = known.records.values()
    assert task.due == day(8)


def test_what_is_done_is_not_opened_again_by_older_words() -> None:
    known = Known()
    turn = known.turn(day(0), number=1)
    known.task("Book flights", turn=turn)
    known.task("flights", 2, status=TaskStatus.DONE)
    for late in (turn, known.turn(day(1))):
        outcome = known.task("Book flights", turn=late)
        assert (outcome.verdict, outcome.reason) == (
            Verdict.REJECTED,
            "it has been settled since then",
        )
    assert known.task("Book flights", 30).verdict is Verdict.ACCEPTED, "a new one"


def test_a_task_read_twice_in_one_instant_stays_done() -> None:
    known = Known()
    turn = known.turn(day(0), number=1)
    known.task("Book flights", turn=turn)
    known.task("Book flights", status=TaskStatus.DONE)
    assert known.task("Book flights", turn=turn).verdict is Verdict.REJECTED
    assert len(known.records) == 1


def test_a_task_stalls_and_moves_on() -> None:
    known = Known()
    known.task("Paint the fence")
    assert known.task("paint fence", 1, status=TaskStatus.STALLED).verdict is Verdict.VERSIONED
    (task,) = known.records.values()
    assert task.standing.state is State.STALLED
    assert known.task("painted the fence", 2, status=TaskStatus.DONE).verdict is Verdict.CLOSED


def test_there_is_nothing_to_finish_that_nobody_began() -> None:
    known = Known()
    outcome = known.task("Paint the fence", status=TaskStatus.DONE)
    assert (outcome.verdict, outcome.reason) == (
        Verdict.REJECTED,
        "there is no open task like this",
    )
    assert not known.records


def test_different_tasks_stay_apart() -> None:
    known = Known()
    for title in ("Call the bank", "Call the dentist", "Buy milk"):
        assert known.task(title).verdict is Verdict.ACCEPTED


def test_what_is_said_in_the_same_instant_counts_as_later() -> None:
    known = Known()
    known.task("Send the report", due=day(5))
    assert known.task("Send the report", due=day(6)).verdict is Verdict.VERSIONED
    known.task("Send the report", 5, status=TaskStatus.DONE)
    assert known.task("Send the report", 5).verdict is Verdict.ACCEPTED, "another one"


def test_of_several_tasks_the_likest_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle_tasks, "SAME_TASK_SHARE", 0.5)
    known = Known()
    known.task("Paint the old garden fence")
    known.task("Buy new garden chairs")
    assert known.task("Oil garden chairs", 1).text == "Buy new garden chairs"
    assert known.task("garden party", 1).verdict is Verdict.REINFORCED, "half of the words"
    assert known.task("summer party", 1).verdict is Verdict.ACCEPTED


@pytest.mark.spec("REF-05")
def test_a_note_is_kept_once_with_its_confidence() -> None:
    known = Known()
    known.note("Answer briefly", confidence=1.0)
    assert known.note("briefly answer", 1).verdict is Verdict.REINFORCED
    (note,) = known.records.values()
    assert note.standing.seen_count == 2 and note.standing.confidence == pytest.approx(0.79)


@pytest.mark.spec("REF-07")
def test_beyond_a_hundred_notes_the_least_worth_go() -> None:
    known = Known()
    known.note("an unsure one", confidence=0.6)
    for number in range(99):
        known.note(f"rule {number}", confidence=0.7)
    assert {r.standing.state for r in known.records.values()} == {State.ACTIVE}
    known.note("one more", 1, confidence=0.65)
    states = known.states()
    assert states["an unsure one"] is State.INVALIDATED
    assert sum(state is State.ACTIVE for state in states.values()) == 100
    known.note("a late one", 60, confidence=0.7)
    assert known.states()["a late one"] is State.ACTIVE, "what was seen lately is worth more"
    assert known.states()["one more"] is State.INVALIDATED


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        ("book flights", "I booked the flights to Porto", 1.0),
        ("call the bank", "call the dentist", 0.5),
        ("", "anything", 0.0),
        ("", "", 0.0),
        ("to do", "to do it", 1.0),
        ("🦊", "🐻", 0.0),
    ],
)
def test_titles_share_words(one: str, other: str, share: float) -> None:
    assert shared(one, other) == shared(other, one) == share


def test_only_empty_words_still_count() -> None:
    assert content_words("to do it") == {"to", "do", "it"}
