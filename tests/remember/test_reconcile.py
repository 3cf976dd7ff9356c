"""What passed the gate meets what the store holds: which records are read, and what they decide."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.knowledge.known import Known, day
from tests.storage.reference.all_users import AllUsers
from tests.storage.reference.user_store import InMemoryUserStore

from sharpwave import Kind, Record
from sharpwave.errors import ProviderUnavailable
from sharpwave.knowledge.draft import Decided, Extracted
from sharpwave.remember import reconcile
from sharpwave.remember.commit import Written, to_change, with_links
from sharpwave.testing import FrozenClock, HashEmbedder
from sharpwave.types.answers import Verdict
from sharpwave.types.records import USER, State, Statement, Trust
from sharpwave.types.statements import Candidate, Mode, Span, TaskStatus
from sharpwave.types.storing import Change, Selection, Stated
from sharpwave.workspace import Workspace


class RecordingStore(InMemoryUserStore):
    """Keeps which facts were requested."""

    requested: list[Stated]

    def stated(self, wanted: Stated) -> list[Record]:
        self.requested.append(wanted)
        return super().stated(wanted)


class Desk:
    """One user's store, and turns that are settled on it."""

    def __init__(self, embedder: HashEmbedder | None = None) -> None:
        self.store = RecordingStore("ana", AllUsers())
        self.store.requested = []
        parts = {"embedder": embedder or HashEmbedder(256), "clock": FrozenClock()}
        shared = SimpleNamespace(**parts, reader=None)
        self.workspace = Workspace("ana", self.store, None, shared)  # type: ignore[arg-type]
        self.turn = Known().turn

    def settle(self, *heard: Extracted, now: datetime | None = None) -> Decided:
        """Decide, and store what was decided."""
        moment = now or max(one.turn.valid_from for one in heard)
        decided = reconcile.decide(self.workspace, heard, moment)
        turns = list({one.turn.id: one.turn for one in heard if not one.turn.number}.values())
        records = [*turns, *decided.draft.new]
        change, _ = to_change(records, "remember", moment, HashEmbedder(256))
        self.store.commit(with_links(change, Written(turns), decided))
        return decided

    def heard(
        self,
        predicate: str,
        value: str,
        at: float = 0.0,
        *,
        subject: str = USER,
        mode: Mode = Mode.HOLDS,
        trust: Trust = Trust.USER,
    ) -> Extracted:
        text, statement = f"{subject} {predicate} {value}", Statement(subject, predicate, value)
        said = Candidate(Kind.FACT, text, Span(0, 3), 0.9, "test 1", statement, mode)
        return Extracted(said, self.turn(day(at), trust))

    def say(self, predicate: str, value: str, at: float = 0.0, **how: object) -> Verdict:
        """One fact; what became of it."""
        return self.verdict(self.heard(predicate, value, at, **how))  # type: ignore[arg-type]

    def task(self, title: str, at: float, status: TaskStatus | None = None) -> Extracted:
        said = Candidate(Kind.TASK, title, Span(0, 3), 0.9, "test 1", status=status)
        return Extracted(said, self.turn(day(at)))

    def note(self, text: str, at: float) -> Extracted:
        return Extracted(Candidate(Kind.NOTE, text, Span(0, 3), 0.9, "test 1"), self.turn(day(at)))

    def verdict(self, heard: Extracted, now: datetime | None = None) -> Verdict:
        return self.settle(heard, now=now).draft.outcomes[-1].verdict

    def facts(self, *states: State) -> list[str]:
        """Subject, predicate and object of what stands so; of what holds, if nothing is said."""
        wanted = states or (State.ACTIVE,)
        return [
            " ".join(record.statement)
            for record in self.store.scan(0, 99)
            if record.statement is not None and record.standing.state in wanted
        ]


class Silent(HashEmbedder):
    """An embedder that is not to be reached."""

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        raise ProviderUnavailable("not now")


def test_the_users_sister_is_called_by_her_name_if_there_is_one_of_them() -> None:
    desk = Desk()
    desk.say("sister", "Eva", mode=Mode.DENIED)
    desk.say("lives_in", "Rome", 1, subject="user's sister")
    desk.say("brother", "Rui", 2)
    desk.say("sister", "Ana", 3)
    desk.say("lives_in", "Porto", 4, subject="user's sister")
    desk.say("sister", "Mia", 5)
    desk.say("works_at", "Acme", 6, subject="user's sister")
    desk.say("lives_in", "Faro", 7, subject="user's brother")
    found = desk.facts()
    assert "user's sister lives_in Rome" in found, "nobody knew her name yet"
    assert "Ana lives_in Porto" in found
    assert "user's sister works_at Acme" in found, "one of two"
    assert "Rui lives_in Faro" in found


def test_the_same_in_other_words_is_one_fact() -> None:
    desk = Desk()
    desk.say("likes", "jazz music from Cuba")
    desk.say("likes", "strong black tea in the morning", 1)
    assert desk.say("likes", "in the morning strong black tea", 2) is Verdict.REINFORCED
    assert desk.say("likes", "white wine", 3) is Verdict.ACCEPTED
    assert desk.say("likes", "strong black tea in the morning", 4) is Verdict.REINFORCED
    assert len(desk.facts()) == 3
    desk.say("likes", "white wine", 5, mode=Mode.ENDED)
    assert desk.say("likes", "wine white", 6) is Verdict.ACCEPTED, "that is over"


@pytest.mark.parametrize(
    ("name", "value"), [("NOVELTY_COSINE", 1.0), ("LOOK_COSINE", 1.0), ("COMPARED", 0)]
)
def test_how_near_words_must_lie_and_how_many_are_looked_at(
    name: str, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconcile, name, value)
    desk = Desk()
    desk.say("likes", "strong black tea in the morning")
    assert desk.say("likes", "each morning strong black tea", 1) is Verdict.ACCEPTED


def test_without_an_embedder_other_words_are_another_fact() -> None:
    desk = Desk(Silent(256))
    desk.say("likes", "strong black tea in the morning")
    assert desk.say("likes", "in the morning strong black tea", 1) is Verdict.ACCEPTED


def test_two_who_are_alike_are_never_one() -> None:
    desk = Desk()
    for predicate, verdict in (("likes", Verdict.REINFORCED), ("sister", Verdict.ACCEPTED)):
        desk.say(predicate, "Ana Maria Lopes")
        assert desk.say(predicate, "Lopes Maria Ana", 1) is verdict


def test_what_is_ended_without_its_name_is_the_only_one_there_is() -> None:
    desk = Desk()
    desk.say("owns", "blue Mazda car")
    desk.say("owns", "red bike", 1)
    desk.say("owns", "green bike", 2)
    desk.say("owns", "boat", 3, mode=Mode.DENIED)
    assert desk.say("owns", "the car", 4, mode=Mode.ENDED) is Verdict.CLOSED
    desk.say("owns", "the bike", 5, mode=Mode.ENDED)
    desk.say("owns", "the boat", 6, mode=Mode.ENDED)
    held = desk.facts()
    assert "user owns blue Mazda car" not in held
    assert {"user owns red bike", "user owns green bike"} <= set(held), "which of the two?"
    desk.say("works_at", "Acme", 7)
    assert desk.say("works_at", "the company", 8, mode=Mode.ENDED) is Verdict.CLOSED
    assert "user works_at Acme" not in desk.facts()


@pytest.mark.parametrize(
    ("hours", "trust", "lately", "verdict"),
    [
        (0.9, Trust.INFERRED, 1.0, Verdict.REJECTED),
        (1.0, Trust.INFERRED, 1.0, Verdict.REJECTED),
        (1.1, Trust.INFERRED, 1.0, Verdict.REINFORCED),
        (1.1, Trust.INFERRED, 2.0, Verdict.REJECTED),
        (0.0, Trust.INFERRED, 0.0, Verdict.REINFORCED),
        (0.0, Trust.USER, 1.0, Verdict.REINFORCED),
    ],
)
@pytest.mark.parametrize("recalled", ["the fact", "its turn"])
def test_what_was_just_recalled_is_no_news_from_an_assistant(
    hours: float,
    trust: Trust,
    lately: float,
    verdict: Verdict,
    recalled: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if lately != 1.0:
        monkeypatch.setattr(reconcile, "ECHO_HOURS", lately)
    desk = Desk()
    desk.say("lives_in", "Porto")
    turn, fact = desk.store.scan(0, 9)
    desk.store.touch([(fact if recalled == "the fact" else turn).number], day(1))
    said = desk.heard("lives_in", "Porto", 1 + hours / 24, trust=trust)
    outcome = desk.settle(said).draft.outcomes[-1]
    assert outcome.verdict is verdict
    assert ("echo" in outcome.reason) is (verdict is Verdict.REJECTED)


def test_something_else_is_no_echo_nor_is_what_was_never_recalled() -> None:
    desk = Desk()
    desk.say("likes", "tea")
    assert desk.say("likes", "tea", 1, trust=Trust.INFERRED) is Verdict.REINFORCED
    desk.say("lives_in", "Porto", 2)
    desk.store.touch([each.number for each in desk.store.scan(0, 99)], day(3))
    assert desk.say("lives_in", "Faro", 3, trust=Trust.INFERRED) is Verdict.VARIANT


def test_what_rests_on_a_fact_that_ended_is_stale() -> None:
    desk = Desk()
    desk.say("lives_in", "Porto")
    fact = desk.store.scan(0, 9)[-1]

    def resting(number: int, state: State) -> Record:
        provenance = replace(fact.provenance, parents=(fact.id,))
        return replace(
            fact,
            id=f"derived-{number}",
            number=0,
            slot=f"derived|{number}|",
            provenance=provenance,
            standing=replace(fact.standing, state=state),
        )

    states = (State.ACTIVE, State.UNCERTAIN, State.SUPERSEDED)
    derived = tuple(resting(number, state) for number, state in enumerate(states))
    desk.store.commit(Change("remember", day(1), derived))
    assert desk.settle(desk.heard("likes", "tea", 2)).stale == ()
    (stale,) = desk.settle(desk.heard("lives_in", "Faro", 3)).stale
    assert (stale.id, stale.standing.state) == ("derived-0", State.STALE)
    found = desk.store.find([one.id for one in derived])
    assert [one.standing.state for one in found] == [State.STALE, *states[1:]]


def test_a_deed_closes_the_task_of_whoever_did_it() -> None:
    desk = Desk()
    desk.settle(desk.task("book the flights to Porto", 0))
    desk.say("likes", "book the flights to Porto", 1)

    def deed(title: str, statement: Statement | None = None) -> None:
        one = desk.task(title, 1, TaskStatus.DONE)
        said = replace(one.candidate, effect_only=True, statement=statement)
        desk.settle(one._replace(candidate=said))

    deed("book the flights to Porto", Statement("Ana", "task", "book the flights to Porto"))
    deed("paint the fence")
    assert desk.facts(State.DONE) == []
    deed("book the flights to Porto")
    assert desk.facts(State.DONE) == ["user task book the flights to Porto"]


def test_what_was_said_before_it_was_settled_is_not_open_again() -> None:
    desk = Desk()
    desk.settle(desk.task("book the flights", 0))
    desk.settle(desk.task("book the flights", 5, TaskStatus.DONE))
    late = desk.task("book the flights", 3)
    assert desk.verdict(late, now=day(6)) is Verdict.REJECTED
    assert desk.verdict(desk.task("book the flights", 7)) is Verdict.ACCEPTED, "another time"


def test_the_slots_that_were_read_are_told_with_how_far_they_had_come() -> None:
    desk = Desk()
    first = desk.settle(desk.heard("lives_in", "Porto"), desk.heard("likes", "tea"))
    assert first.seen == {"user|lives_in|": 0, "user|likes|tea": 0, "user|dislikes|tea": 0}
    second = desk.settle(desk.heard("lives_in", "Faro", 1))
    assert list(second.seen) == ["user|lives_in|"] and second.seen["user|lives_in|"] > 0


def test_a_turn_that_is_read_again_supports_nothing_twice() -> None:
    desk = Desk()
    said = desk.heard("lives_in", "Porto")
    desk.settle(said)
    (turn, _) = desk.store.scan(0, 9)
    assert turn.number
    again = desk.settle(Extracted(said.candidate, turn), now=day(1))
    assert (again.draft.new, again.draft.evidence, again.draft.revisions) == ([], [], ())


def test_what_was_heard_before_or_is_gone_is_no_news() -> None:
    desk = Desk()

    def keyed(key: str | None) -> Extracted:
        heard = desk.heard("likes", "tea")
        provenance = replace(heard.turn.provenance, idempotency_key=key)
        return Extracted(heard.candidate, replace(heard.turn, provenance=provenance))

    def news(*heard: Extracted) -> list[Extracted]:
        turns = [one.turn for one in heard if not one.turn.number]
        return reconcile.still_new(heard, turns, desk.store)

    first = keyed("a")
    assert news(first) == [first]
    desk.settle(first)
    again, twice, other, free = keyed("a"), keyed("b"), keyed("b"), keyed(None)
    assert news(again, twice, other, free, keyed(None))[:2] == [twice, free]
    assert len(news(free, keyed(None))) == 2
    (turn, _) = desk.store.scan(0, 9)
    read_later = Extracted(first.candidate, turn)
    assert news(read_later, twice) == [read_later, twice]
    desk.store.forget(Selection(ids=(turn.id,)), day(1))
    assert news(read_later, twice) == [twice]


OPEN = frozenset({State.ACTIVE, State.UNCERTAIN, State.STALLED})


def test_of_tasks_and_notes_only_open_ones_are_read_unless_it_was_said_earlier() -> None:
    desk = Desk()
    desk.settle(desk.heard("lives_in", "Porto"), desk.task("paint", 0), desk.note("be brief", 0))
    assert desk.store.requested == [
        Stated(slots=("user|lives_in|",)),
        Stated(slots=("user|note|", "user|task|"), states=OPEN),
    ]
    desk.store.requested.clear()
    desk.settle(desk.task("paint", 1), desk.task("sand", 2), now=day(2))
    assert desk.store.requested == [Stated(slots=("user|task|",))]
    desk.store.requested.clear()
    desk.settle(Extracted(desk.task("sand", 3).candidate, desk.store.scan(0, 1)[0]), now=day(0))
    assert desk.store.requested == [Stated(slots=("user|task|",))], "a stored turn is read again"


def test_only_who_is_known_under_a_relation_now_is_asked_for() -> None:
    desk = Desk()
    desk.say("lives_in", "Porto", subject="user's sister")
    active = frozenset({State.ACTIVE})
    assert desk.store.requested[0] == Stated(within=("user|sister|",), states=active)
    desk.say("sister", "Ana", 1)
    desk.say("sister", "Ana", 2, mode=Mode.ENDED)
    desk.say("works_at", "Acme", 3, subject="user's sister")
    assert "user's sister works_at Acme" in desk.facts()


def test_a_note_is_settled_among_notes_whatever_it_states() -> None:
    desk = Desk()
    assert desk.verdict(desk.note("Answer briefly", 0)) is Verdict.ACCEPTED
    stating = replace(
        desk.note("Answer briefly", 1).candidate, statement=Statement(USER, "note", "briefly")
    )
    assert desk.verdict(Extracted(stating, desk.turn(day(1)))) is Verdict.REINFORCED
    assert desk.facts() == ["user note Answer briefly"]


def test_the_nearest_of_many_is_the_one_in_other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconcile, "LOOK_COSINE", 0.0)
    desk = Desk()
    desk.say("likes", "strong black tea in the morning")
    for place, other in enumerate(("old jazz", "red wine", "long walks", "cold milk", "warm rain")):
        desk.say("likes", other, place + 1)
    assert desk.say("likes", "in the morning strong black tea", 7) is Verdict.REINFORCED


def test_a_thing_without_a_name_may_be_liked_and_a_named_one_ended() -> None:
    desk = Desk()
    desk.say("likes", "sea")
    assert desk.say("likes", "the mountains", 1) is Verdict.ACCEPTED
    desk.say("owns", "red bike", 2)
    desk.say("owns", "boat", 3)
    desk.say("owns", "the boat", 4, mode=Mode.ENDED)
    assert desk.say("owns", "bike", 5, mode=Mode.ENDED) is Verdict.ACCEPTED, "no bike by that name"
    assert "user owns red bike" in desk.facts()
    desk.say("owns", "boat", 6)
    assert desk.say("owns", "the boat", 7, mode=Mode.ENDED) is Verdict.CLOSED, "not the former one"
    assert desk.store.requested[-2].limit == reconcile.COMPARED
