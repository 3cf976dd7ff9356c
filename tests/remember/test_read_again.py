"""What becomes of a turn that is read again, by a model, and of clauses that move tasks on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.knowledge.known import day
from tests.remember.test_reconcile import Desk

from sharpwave import Kind, Record
from sharpwave.knowledge.draft import Extracted
from sharpwave.knowledge.predicates import NOTED
from sharpwave.testing import HashEmbedder
from sharpwave.types.answers import Verdict
from sharpwave.types.records import USER, State, Statement
from sharpwave.types.statements import (
    BY_MODEL,
    Candidate,
    Span,
    Target,
    TargetRelation,
    TaskStatus,
)

SENTENCE = "The plumber fixes pipes on Mondays"


def candidate(kind: Kind, text: str, span: tuple[int, int], predicate: str = NOTED) -> Candidate:
    statement = Statement(USER, predicate, text) if kind is Kind.FACT else None
    return Candidate(kind, text, Span(*span), 0.9, "test 1", statement)


def by_model(said: Candidate) -> Candidate:
    return replace(said, extractor=f"{BY_MODEL} 1")


class Reader:
    """A turn of which a sentence, or a task, was kept in its own words."""

    def __init__(self, kind: Kind = Kind.FACT, extractor: str = "test 1") -> None:
        self.desk = Desk()
        kept = replace(candidate(kind, SENTENCE, (10, 20)), extractor=extractor)
        self.desk.settle(Extracted(kept, self.desk.turn(day(0))))
        self.turn, self.kept = self.desk.store.scan(0, 9)

    def reads(self, *said: Candidate, turn: Record | None = None) -> State:
        """Read the turn again; how the sentence stands then."""
        heard = [Extracted(by_model(one), turn or self.turn) for one in said]
        self.desk.settle(*heard, now=day(1))
        (kept,) = self.desk.store.find([self.kept.id])
        if kept.standing.state is State.SUPERSEDED:
            assert (kept.valid_to, kept.standing.superseded_by) == (day(1), self.turn.id)
        return kept.standing.state


@pytest.mark.parametrize(
    ("text", "span", "state"),
    [
        ("tea", (10, 15), State.SUPERSEDED),  # half of it is quoted
        ("tea", (15, 22), State.SUPERSEDED),
        ("tea", (10, 14), State.ACTIVE),
        ("tea", (20, 30), State.ACTIVE),  # what is beside it
        ("pipes on Monday by the plumber", (20, 30), State.SUPERSEDED),  # most of its words
        ("pipes and a plumber", (20, 30), State.ACTIVE),  # half of them
    ],
)
def test_a_sentence_goes_when_half_of_it_has_found_its_slots(
    text: str, span: tuple[int, int], state: State
) -> None:
    assert Reader().reads(candidate(Kind.FACT, text, span, "likes")) is state


def test_several_statements_may_quote_it_together() -> None:
    parts = [candidate(Kind.FACT, word, span, "likes") for word, span in QUOTED]
    assert Reader().reads(*parts[:1]) is State.ACTIVE
    assert Reader().reads(*parts) is State.SUPERSEDED


QUOTED = [("tea", (10, 13)), ("milk", (13, 16))]


def test_a_sentence_stays_that_is_said_again_or_spoken_of() -> None:
    again = candidate(Kind.FACT, SENTENCE, (10, 20))
    assert Reader().reads(again) is State.ACTIVE
    reader = Reader()
    same = Target(TargetRelation.SAME, reader.kept.id, str(reader.kept.slot))
    better = candidate(Kind.FACT, "Pipes are fixed on Mondays", (10, 20))
    assert reader.reads(replace(better, target=same)) is State.ACTIVE


def test_what_only_ends_something_else_has_no_slot_for_it() -> None:
    reader = Reader()
    reader.desk.say("likes", "tea", -1)
    tea = reader.desk.store.scan(0, 99)[-1]
    said = candidate(Kind.FACT, "tea", (10, 20), "likes")
    ends = replace(said, target=Target(TargetRelation.END, tea.id, str(tea.slot)))
    assert reader.reads(ends) is State.ACTIVE
    assert "user likes tea" not in reader.desk.facts()


def test_what_a_model_wrote_and_what_another_turn_said_stay() -> None:
    said = candidate(Kind.FACT, "tea", (10, 20), "likes")
    assert Reader(extractor=f"{BY_MODEL} 1").reads(said) is State.ACTIVE
    reader = Reader()
    reader.desk.say("likes", "milk", 0.5)
    other = reader.desk.store.scan(0, 99)[2]
    assert other.kind is Kind.TURN and reader.reads(said, turn=other) is State.ACTIVE


def test_a_fact_in_its_slot_is_not_let_go_of() -> None:
    desk = Desk()
    desk.say("likes", "tea", 0)
    turn, _ = desk.store.scan(0, 9)
    said = by_model(candidate(Kind.FACT, "milk", (0, 3), "likes"))
    desk.settle(Extracted(said, turn), now=day(1))
    assert desk.facts() == ["user likes tea", "user likes milk"]


def test_a_task_goes_only_where_another_was_read() -> None:
    fact = candidate(Kind.FACT, "tea", (10, 20), "likes")
    assert Reader(Kind.TASK).reads(fact) is State.ACTIVE
    task = candidate(Kind.TASK, "Call the office", (10, 20))
    assert Reader(Kind.TASK).reads(task) is State.SUPERSEDED
    assert Reader(Kind.TASK).reads(candidate(Kind.TASK, SENTENCE, (10, 20))) is State.ACTIVE


def test_what_is_closed_already_is_left_as_it_is() -> None:
    reader = Reader()
    end = Target(TargetRelation.END, reader.kept.id, str(reader.kept.slot))
    over = replace(candidate(Kind.FACT, "over", (0, 1)), target=end)
    reader.desk.settle(Extracted(by_model(over), reader.desk.turn(day(0.5))))
    closed = reader.desk.store.find([reader.kept.id])
    assert [one.valid_to for one in closed] == [day(0.5)]
    said = candidate(Kind.FACT, "tea", (10, 20), "likes")
    reader.desk.settle(Extracted(by_model(said), reader.turn), now=day(1))
    assert reader.desk.store.find([reader.kept.id]) == closed


@pytest.mark.parametrize(
    ("status", "move", "task", "kept"),
    [
        (TaskStatus.DROPPED, (0, 10), (4, 12), False),
        (TaskStatus.DROPPED, (4, 12), (0, 10), False),
        (TaskStatus.DROPPED, (0, 4), (4, 8), True),
        (TaskStatus.DROPPED, (4, 8), (0, 4), True),
        (TaskStatus.DONE, (0, 10), (4, 12), True),
    ],
)
def test_what_a_clause_says_is_not_to_be_done_is_no_new_task(
    status: TaskStatus, move: tuple[int, int], task: tuple[int, int], kept: bool
) -> None:
    desk, title = Desk(), "book the flights"
    turn = desk.turn(day(0))
    clause = replace(candidate(Kind.TASK, title, move), status=status, effect_only=True)
    desk.settle(Extracted(clause, turn), Extracted(candidate(Kind.TASK, title, task), turn))
    assert bool(desk.facts()) is kept
    other = desk.turn(day(1))
    desk.settle(
        Extracted(clause, desk.turn(day(1))), Extracted(candidate(Kind.TASK, "paint", task), other)
    )
    assert "user task paint" in desk.facts(), "said in another turn"


def test_what_is_done_is_not_to_be_done_in_the_same_words() -> None:
    desk, title = Desk(), "book the flights"
    desk.settle(desk.task(title, 0))
    turn = desk.turn(day(1))
    deed = replace(candidate(Kind.TASK, title, (0, 9)), status=TaskStatus.DONE, effect_only=True)
    desk.settle(Extracted(deed, turn), Extracted(candidate(Kind.TASK, title, (0, 9)), turn))
    assert (desk.facts(), desk.facts(State.DONE)) == ([], [f"user task {title}"])


class Asked(HashEmbedder):
    """Keeps which texts it was asked about."""

    def __init__(self) -> None:
        super().__init__(256)
        self.texts: list[str] = []

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        self.texts += statements
        return super().embed(statements)


def test_vectors_of_known_tasks_are_not_worked_out_again() -> None:
    embedder = Asked()
    desk = Desk(embedder)
    desk.settle(desk.task("paint the fence", 0))
    embedder.texts.clear()
    assert desk.verdict(desk.task("call the bank", 1)) is Verdict.ACCEPTED
    assert embedder.texts == ["call the bank"]
