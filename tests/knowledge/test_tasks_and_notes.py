"""How tasks and notes settle, and when two titles speak of one thing."""

from collections.abc import Sequence

import pytest
from tests.knowledge.known import Known, day

from sharpwave import Kind
from sharpwave.knowledge import settle_tasks
from sharpwave.knowledge.draft import Draft, Extracted
from sharpwave.knowledge.settle_tasks import content_words, shared
from sharpwave.types.answers import Verdict
from sharpwave.types.records import USER, State
from sharpwave.types.statements import Candidate, Span, TaskStatus


@pytest.mark.spec("TSK-02")
def test_a_task_is_created_seen_again_and_done() -> None:
    known = Known()
    assert known.task("Book flights to Porto", due=day(9)).verdict is Verdict.ACCEPTED
    assert known.task("book the flights", 1).verdict is Verdict.REINFORCED
    (task,) = known.records.values()
    assert (task.kind, task.due, task.standing.seen_count) == (Kind.TASK, day(9), 2)
    assert task.standing.importance == 0.6
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
    assert note.standing.importance == 0.4


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


@pytest.mark.parametrize(("confidence", "left"), [(0.25, "old"), (0.26, "new")])
def test_a_note_is_worth_a_third_after_a_month(
    confidence: float, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settle_tasks, "MAX_NOTES", 1)
    known = Known()
    known.note("old", confidence=0.7)
    known.note("new", 30, confidence=confidence)
    assert [text for text, state in known.states().items() if state is State.ACTIVE] == [left]


@pytest.mark.parametrize(
    ("title", "verdict"),
    [("flights to Faro", Verdict.CLOSED), ("flights to Faro again", Verdict.REJECTED)],
)
def test_half_of_the_words_say_which_task_was_finished(title: str, verdict: Verdict) -> None:
    known = Known()
    known.task("Book three cheap flights")
    assert known.task(title, 1, status=TaskStatus.DONE).verdict is verdict


def test_one_word_is_only_the_same_task_as_itself() -> None:
    known = Known()
    known.task("Vote")
    assert known.task("Vote for the council", 1).verdict is Verdict.ACCEPTED
    assert known.task("vote", 2).verdict is Verdict.REINFORCED
    known.task("Call Anna", 3)
    assert known.task("Call", 4).verdict is Verdict.ACCEPTED
    assert known.task("Anna", 5, status=TaskStatus.DONE).verdict is Verdict.CLOSED


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


def deeds(
    known: Known,
    *said: str,
    at: float = 1.0,
    status: TaskStatus | None = None,
    cosine: float = 0.0,
) -> list[tuple[bool, str]]:
    """Whether each of these deeds of one turn moved a task on, and how; all lie so near to all."""

    def alike(_one: str, others: Sequence[str], least: float) -> int | None:
        return 0 if others and cosine >= least else None

    draft, turn = Draft.on(list(known.records.values()), day(5), alike=alike), known.turn(day(at))
    told = []
    for text in said:
        one = Candidate(Kind.TASK, text, Span(0, 3), 0.9, "test 1", status=status, effect_only=True)
        settled = settle_tasks.settle_by_deed(draft, Extracted(one, turn), USER, bool)
        reasons = [outcome.reason for outcome in draft.outcomes]
        told.append((settled, reasons[-1] if settled else ""))
        assert settled or not reasons
    return told


NOTHING = [(False, "")]


def test_a_deed_that_shares_two_words_with_a_task_finishes_it() -> None:
    known = Known()
    known.task("Book flights to Porto")
    assert deeds(known, "booked the flights") == [(True, "done")]
    assert deeds(known, "flights") == NOTHING, "one word may mean anything"
    assert deeds(known, "booked the flights", at=-1) == NOTHING, "before it was a task"
    dropped = TaskStatus.DROPPED
    assert deeds(known, "book flights to Porto by train", status=dropped) == [(True, "dropped")]


def test_what_is_not_to_be_done_may_be_named_by_a_word_if_no_other_task_has_it() -> None:
    known = Known()
    known.task("Book flights to Porto")
    known.task("Meditate")
    for word in ("flights", "meditate"):
        assert deeds(known, word, status=TaskStatus.DROPPED) == [(True, "dropped")]
        assert deeds(known, word, status=TaskStatus.STALLED) == NOTHING
    known.task("Pay for the flights")
    assert deeds(known, "flights", status=TaskStatus.DROPPED) == NOTHING, "one of two"


@pytest.mark.parametrize(
    ("status", "cosine", "found"),
    [
        (None, 0.75, [(True, "done")]),
        (None, 0.749, NOTHING),
        (TaskStatus.DROPPED, 0.64, [(True, "dropped")]),
        (TaskStatus.DROPPED, 0.639, NOTHING),
    ],
)
def test_how_near_a_deed_in_other_words_must_be(
    status: TaskStatus | None, cosine: float, found: list[tuple[bool, str]]
) -> None:
    known = Known()
    known.task("Book flights")
    assert deeds(known, "the trip is settled", status=status, cosine=cosine) == found


def test_a_task_of_several_parts_is_done_when_all_of_them_are() -> None:
    known = Known()
    known.task("Call Ana and Rui")
    assert deeds(known, "called Ana") == deeds(known, "called Rui") == [(True, "partly done")]
    assert deeds(known, "called Ana", "called Rui") == [(True, "partly done"), (True, "done")]
    assert deeds(known, "called them both", cosine=0.8) == [(True, "done")]
    other = Known()
    other.task("Wash and iron")
    assert deeds(other, "washed it", cosine=0.8) == [(True, "partly done")]


def test_a_task_in_other_words_is_the_same_if_its_meaning_is() -> None:
    known = Known()
    known.task("Book flights")
    one = Candidate(Kind.TASK, "Reserve seats", Span(0, 3), 0.9, "test 1")
    for near, verdict in ((0, Verdict.REINFORCED), (None, Verdict.ACCEPTED)):
        records = list(known.records.values())
        draft = Draft.on(records, day(1), alike=lambda *_asked, n=near: n)
        settle_tasks.settle_task(draft, Extracted(one, known.turn(day(1))), USER)
        assert [outcome.verdict for outcome in draft.outcomes] == [verdict]
