"""What is said becomes facts, tasks and notes that change, conflict and explain themselves."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from sharpwave import Fact, InvalidInput, Kind, Memory, Message, NotFound
from sharpwave.remember import extract as extract_step
from sharpwave.settings.core import RememberSettings
from sharpwave.settings.tree import Settings
from sharpwave.testing import FrozenClock
from sharpwave.types.answers import Verdict
from sharpwave.types.records import State

START = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(path, clock=clock) as opened:
        yield opened


def values(facts: list[Fact] | tuple[Fact, ...], predicate: str) -> list[str]:
    return [fact.object for fact in facts if fact.predicate == predicate]


def exported(memory: Memory) -> list[str]:
    return list(memory.export())[1:]


@pytest.mark.spec("PRO-07", "PRO-09", "CON-05", "TMP-05", "TMP-09", "WR-06")
def test_who_moves_has_a_history(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Porto.")
    clock.advance(days=100)
    receipt = memory.remember("I moved to Lisbon.")
    (outcome,) = receipt.learned
    assert outcome.verdict is Verdict.VERSIONED and "Porto" in outcome.reason
    assert values(memory.facts.profile(), "lives_in") == ["Lisbon"]
    history = memory.facts.history("user", "lives_in")
    assert [(fact.object, fact.state) for fact in history.versions] == [
        ("Porto", State.SUPERSEDED),
        ("Lisbon", State.ACTIVE),
    ]
    porto, lisbon = history.versions
    assert (porto.valid_to, porto.superseded_by) == (lisbon.valid_from, lisbon.id)
    assert [fact.object for fact in history.current] == ["Lisbon"]
    then = memory.facts.at(START + timedelta(days=50))
    assert values(then.facts, "lives_in") == ["Porto"]
    assert values(memory.facts.at(clock.now()).facts, "lives_in") == ["Lisbon"]


def test_a_new_job_and_a_diet_that_is_over(memory: Memory, clock: FrozenClock) -> None:
    memory.remember(["I work at Acme.", "I'm a vegetarian."])
    clock.advance(days=60)
    memory.remember("I started a new job at Globex.")
    closed = memory.remember("I'm no longer a vegetarian.").with_verdict(Verdict.CLOSED)
    assert [outcome.text for outcome in closed] == ["The user is vegetarian"]
    assert values(memory.facts.profile(), "works_at") == ["Globex"]
    assert values(memory.facts.profile(), "diet") == []
    assert memory.facts.history("user", "diet").versions[0].valid_to == clock.now()


def test_a_corrected_name(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("My name is Jon.")
    clock.advance(hours=1)
    memory.remember("Actually, my name is John, not Jon.")
    assert values(memory.facts.profile(), "name") == ["John"]
    wrong, right = memory.facts.history("user", "name").versions
    assert (wrong.object, wrong.superseded_by, right.state) == ("Jon", right.id, State.ACTIVE)


def test_what_is_corrected_was_never_true(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Lisbon.")
    clock.advance(hours=1)
    memory.remember("Actually I live in Porto, not in Lisbon.")
    assert values(memory.facts.profile(), "lives_in") == ["Porto"]
    wrong, _ = memory.facts.history("user", "lives_in").versions
    assert (wrong.object, wrong.state) == ("Lisbon", State.INVALIDATED)
    assert values(memory.facts.at(START).facts, "lives_in") == []


@pytest.mark.spec("KG-01", "KG-07")
def test_two_pets_and_a_sister_who_lives_elsewhere(memory: Memory) -> None:
    memory.remember("I have a dog named Rex. I live in Porto.")
    memory.remember("I have a cat named Tom.")
    memory.remember("My sister Anna lives in Madrid.")
    assert sorted(values(memory.facts.profile(), "pet")) == ["Rex", "Tom"]
    assert values(memory.facts.profile(), "lives_in") == ["Porto"]
    assert values(memory.facts.list(subject="Anna"), "lives_in") == ["Madrid"]
    memory.remember("My sister moved to Rome.")
    assert values(memory.facts.list(subject="Anna"), "lives_in") == ["Rome"]
    assert values(memory.facts.profile(), "lives_in") == ["Porto"]
    found = memory.graph.related("Anna", hops=2)
    assert ("Anna", "lives_in", "Rome") in [(r.one, r.predicate, r.other) for r in found]
    assert ("user", "sister", "Anna") in [(r.one, r.predicate, r.other) for r in found]
    assert "Anna" in [entity.name for entity in memory.graph.entities()]


@pytest.mark.spec("PRO-06", "WM-05", "WR-06")
def test_a_repeated_statement_is_one_row_and_every_turn_is_kept(
    memory: Memory, clock: FrozenClock
) -> None:
    for _ in range(4):
        memory.remember("I live in Porto.")
        clock.advance(days=1)
    (fact,) = memory.facts.list()
    assert (fact.seen_count, fact.last_seen) == (4, START + timedelta(days=3))
    assert 0.9 < fact.confidence < 1.0
    assert memory.admin.stats().by_kind == {"turn": 4, "fact": 1}


@pytest.mark.spec("WR-08")
def test_a_paraphrase_reinforces(memory: Memory) -> None:
    """Near-duplicates become one row when they are said, not in a pass of their own."""
    memory.remember("I am allergic to figs.")
    receipt = memory.remember("I am really allergic to figs.")
    assert [outcome.verdict for outcome in receipt.learned] == [Verdict.REINFORCED]
    (fact,) = memory.facts.list()
    assert fact.seen_count == 2


@pytest.mark.spec("PRO-08", "CON-01", "CON-04", "CON-06")
@pytest.mark.parametrize("keep", ["older", "newer"])
def test_a_contradiction_asks_and_is_settled(memory: Memory, clock: FrozenClock, keep: str) -> None:
    memory.remember("I am allergic to figs.")
    clock.advance(days=1)
    (queued,) = memory.remember("I am not allergic to figs.").learned
    assert queued.verdict is Verdict.QUEUED
    (conflict,) = memory.facts.conflicts()
    assert "is allergic to figs" in conflict.question
    assert "is not allergic to figs" in conflict.question
    assert memory.facts.profile() == [] == memory.facts.list(), (
        "neither is used before it is settled"
    )
    found = memory.recall("figs", kinds=[Kind.FACT]).items
    assert not found
    memory.facts.resolve(conflict.id, keep)
    kept = conflict.older if keep == "older" else conflict.newer
    assert [fact.id for fact in memory.facts.profile()] == [kept.id]
    assert memory.facts.conflicts() == []
    with pytest.raises(NotFound):
        memory.facts.resolve(conflict.id, keep)


def test_settling_leaves_one_value_where_only_one_can_hold(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.remember("I live in Lisbon.")
    memory.remember("I don't live in Porto.")
    clock.advance(days=1)
    memory.remember("I live in Porto.")
    (conflict,) = memory.facts.conflicts()
    with pytest.raises(InvalidInput):
        memory.facts.resolve(conflict.id, "both")
    memory.facts.resolve(conflict.id, conflict.newer.id)
    assert values(memory.facts.profile(), "lives_in") == ["Porto"]


@pytest.mark.spec("TMP-09")
def test_between_by_world_time_and_by_learning_time(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I've lived in Porto since 2015.")
    clock.advance(days=10)
    memory.remember("I work at Acme.")
    old = datetime(2016, 1, 1, tzinfo=UTC), datetime(2016, 2, 1, tzinfo=UTC)
    assert values(memory.facts.between(*old), "lives_in") == ["Porto"]
    assert values(memory.facts.between(*old), "works_at") == []
    first_day = START, START + timedelta(days=1)
    assert [f.predicate for f in memory.facts.between(*first_day, on="recorded")] == ["lives_in"]
    for bad in ({"on": "never"}, {}):
        with pytest.raises(InvalidInput):
            memory.facts.between(clock.now(), START, **bad)


def test_what_we_knew_then(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Porto.")
    memory.remember("I am allergic to figs.")
    clock.advance(days=100)
    memory.remember("I moved to Lisbon two months ago.")
    memory.remember("I am allergic to figs, really.")
    now, then = clock.now(), START + timedelta(days=50)
    recently = now - timedelta(days=1)
    assert values(memory.facts.at(recently).facts, "lives_in") == ["Lisbon"]
    assert values(memory.facts.at(recently, known_at=then).facts, "lives_in") == ["Porto"]
    assert values(memory.facts.at(recently, known_at=then).facts, "allergic_to") == ["figs"]
    memory.remember("I am not allergic to figs.")
    assert values(memory.facts.at(now).facts, "allergic_to") == []
    assert values(memory.facts.at(now, known_at=then).facts, "allergic_to") == ["figs"], (
        "not in doubt then"
    )


@pytest.mark.spec("TSK-01", "TSK-02", "TSK-03")
def test_tasks_are_made_due_changed_and_done(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I need to call the dentist tomorrow.")
    memory.remember(Message("Renew the passport", kind="task", due=START + timedelta(days=60)))
    assert [task.title for task in memory.tasks.list()] == [
        "Call the dentist",
        "Renew the passport",
    ]
    assert [task.title for task in memory.tasks.due_soon()] == ["Call the dentist"]
    later = START + timedelta(days=2)
    memory.remember(Message("Renew the passport", kind="task", due=later))
    (passport,) = [task for task in memory.tasks.list() if "passport" in task.title]
    assert passport.due == later and len(memory.tasks.due_soon()) == 2
    clock.advance(days=1)
    closed = memory.remember("I called the dentist.").with_verdict(Verdict.CLOSED)
    assert [outcome.text for outcome in closed] == ["Call the dentist"]
    assert [task.title for task in memory.tasks.list("done")] == ["Call the dentist"]
    assert memory.tasks.set_status(passport.id, "stalled").status == "stalled"
    assert memory.tasks.set_status(passport.id, "done").status == "done"
    assert memory.tasks.list() == []
    assert memory.tasks.set_status(passport.id, "active").status == "active"
    assert [task.id for task in memory.tasks.list()] == [passport.id]
    for id_, status, error in (("no", "done", NotFound), (passport.id, "lost", InvalidInput)):
        with pytest.raises(error):
            memory.tasks.set_status(id_, status)


def test_what_others_have_to_do_is_not_the_users_task(memory: Memory) -> None:
    memory.remember("I need to buy milk.", role="assistant")
    memory.remember("I need to buy bread.", speaker="Bob")
    assert memory.tasks.list() == []
    memory.remember("I need to buy cheese.")
    assert [task.title for task in memory.tasks.list()] == ["Buy cheese"]


def test_notes_are_kept_once(memory: Memory) -> None:
    for text in ("Answers should be short.", "Answers should be short.", "Metric units, please."):
        memory.remember(Message(text, kind="note"))
    assert sorted(note.text for note in memory.behavior.notes()) == [
        "Answers should be short.",
        "Metric units, please.",
    ]
    assert [note.seen_count for note in memory.behavior.notes()] == [2, 1]


def test_forgetting_a_turn_undoes_what_it_did(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Porto.")
    clock.advance(days=40)
    moved = memory.remember("I moved to Lisbon.")
    gone = memory.forget(*moved.ids)
    assert (gone.memories, gone.derived) == (2, 1)
    (fact,) = memory.facts.profile()
    assert (fact.object, fact.valid_to, fact.superseded_by) == ("Porto", None, None)
    assert "Lisbon" not in "".join(item.text for item in memory.recall("Lisbon"))


def test_forgetting_the_middle_of_a_history_leaves_one_value(
    memory: Memory, clock: FrozenClock
) -> None:
    receipts = []
    for city in ("Porto", "Lisbon", "Rome"):
        receipts.append(memory.remember(f"I moved to {city}."))
        clock.advance(days=40)
    memory.forget(*receipts[1].ids)
    assert values(memory.facts.profile(), "lives_in") == ["Rome"]
    porto, rome = memory.facts.history("user", "lives_in").versions
    assert (porto.superseded_by, porto.valid_to) == (rome.id, rome.valid_from)


def test_forgetting_the_end_of_something_opens_it_again(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I'm a vegetarian.")
    clock.advance(days=40)
    ended = memory.remember("I'm no longer a vegetarian.")
    assert memory.facts.profile() == []
    memory.forget(*ended.ids)
    (fact,) = memory.facts.profile()
    assert (fact.object, fact.seen_count, fact.valid_to) == ("vegetarian", 1, None)


def test_a_fact_outlives_one_of_two_turns(memory: Memory) -> None:
    first = memory.remember("I live in Porto.")
    second = memory.remember("I live in Porto.")
    memory.forget(*first.ids)
    (fact,) = memory.facts.list()
    assert fact.seen_count == 1
    why = memory.explain(fact.id)
    assert [turn.id for turn in why.rests_on] == list(second.ids)
    assert [above.id for above in memory.explain(second.ids[0]).supports] == [fact.id]
    assert why.record.metadata["span"] == [0, 15]
    with pytest.raises(NotFound):
        memory.explain("nobody")


def test_a_replay_learns_nothing_twice(memory: Memory) -> None:
    said = ["I live in Porto.", "I need to buy milk."]
    for number, text in enumerate(said):
        memory.remember(text, idempotency_key=f"k{number}")
    before = exported(memory)
    for number, text in enumerate(said):
        receipt = memory.remember(text, idempotency_key=f"k{number}")
        assert receipt.replayed == receipt.ids and receipt.learned == ()
    assert exported(memory) == before


def test_many_writers_lose_no_update(path: Path, clock: FrozenClock) -> None:
    cities = ["Porto", "Lisbon", "Rome", "Oslo", "Bonn", "Graz", "Kiel", "Nice"]
    with Memory.open(path, clock=clock) as one, Memory.open(path, clock=clock) as other:
        start = threading.Barrier(len(cities))
        problems: list[BaseException] = []

        def tell(memory: Memory, city: str) -> None:
            try:
                start.wait(10)
                memory.remember([f"I live in {city}.", "I am allergic to figs."])
            except BaseException as error:  # noqa: BLE001 - shown by the assertion below
                problems.append(error)

        threads = [
            threading.Thread(target=tell, args=(one if n % 2 else other, city))
            for n, city in enumerate(cities)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not problems
        history = one.facts.history("user", "lives_in")
        assert sorted(fact.object for fact in history.versions) == sorted(cities)
        (last,) = history.current
        successors = {fact.id: fact.superseded_by for fact in history.versions}
        assert [id_ for id_, by in successors.items() if by is None] == [last.id]
        assert set(successors.values()) - {None} <= set(successors)
        (figs,) = one.facts.list(predicate="allergic_to")
        assert figs.seen_count == len(cities)
        assert other.admin.verify().ok


def test_a_rule_that_fails_keeps_the_words(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(extract_step, "read", broken)
    receipt = memory.remember("I live in Porto.")
    assert "a rule failed" in receipt.notes[0] and receipt.learned == ()
    assert memory.recall("Where do I live? Porto?").items[0].record.id == receipt.ids[0]
    assert memory.facts.list() == []


@pytest.mark.spec("WR-01", "WR-04", "WR-07", "WR-09", "LLM-05")
def test_the_receipt_says_what_became_of_everything(memory: Memory, clock: FrozenClock) -> None:
    first = memory.remember("I live in Porto. Maybe I work at Acme.")
    assert [(o.verdict, o.text) for o in first.with_verdict(Verdict.ACCEPTED)] == [
        ("accepted", "The user lives in Porto")
    ]
    (rejected,) = first.with_verdict(Verdict.REJECTED)
    assert rejected.text == "The user works at Acme" and rejected.id is None
    assert rejected.reason == "too unsure: 0.60 of 0.70 needed"
    assert values(memory.facts.list(), "works_at") == []
    (fact,) = memory.facts.list()
    assert first.with_verdict(Verdict.ACCEPTED)[0].id == fact.id
    assert memory.admin.stats().vectors == memory.admin.stats().memories, (
        "what is learned can be searched"
    )
    found = memory.recall("Where does the user live?", kinds=[Kind.FACT])
    assert found.items[0].record.id == fact.id
    clock.advance(days=1)
    (moved,) = memory.remember("I live in Lisbon now.").learned
    assert (moved.verdict, moved.reason) == ("versioned", "instead of: The user lives in Porto")
    (again,) = memory.remember("I live in Lisbon.").learned
    assert (again.verdict, again.id) == ("reinforced", moved.id)


@pytest.mark.spec("TIER-17")
def test_users_never_mix(memory: Memory) -> None:
    bob = memory.user("bob")
    memory.remember("I live in Porto. I need to buy milk.")
    bob.remember("I live in Oslo.")
    assert values(memory.facts.profile(), "lives_in") == ["Porto"]
    assert values(bob.facts.profile(), "lives_in") == ["Oslo"]
    assert (
        bob.tasks.list() == []
        and bob.facts.history("user", "lives_in").versions[0].object == "Oslo"
    )
    (fact,) = memory.facts.list()
    for refused in (lambda: bob.explain(fact.id), lambda: bob.forget(fact.id)):
        with pytest.raises(NotFound):
            refused()
    bob.forget(everything=True)
    assert values(memory.facts.profile(), "lives_in") == ["Porto"]


def test_a_speaker_with_the_users_name_is_the_user(path: Path, clock: FrozenClock) -> None:
    with Memory.open(path, user="maya", clock=clock) as memory:
        memory.remember("I live in Porto.", speaker="Maya")
        memory.remember("I live in Oslo.", speaker="Bob")
        assert values(memory.facts.profile(), "lives_in") == ["Porto"]
        assert values(memory.facts.list(subject="Bob"), "lives_in") == ["Oslo"]
        memory.remember("My name is Maya Silva.", speaker="Maya")
        memory.remember("I work at Acme.", speaker="Maya Silva")
        assert values(memory.facts.profile(), "works_at") == ["Acme"]


def test_tomorrow_in_tokyo_is_tomorrow_there(memory: Memory) -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    late = datetime(2026, 5, 2, 1, tzinfo=tokyo)  # still 1 May in UTC
    memory.remember("I need to call the dentist tomorrow.", at=late)
    (task,) = memory.tasks.list()
    assert task.due is not None and task.due == datetime(2026, 5, 3, tzinfo=tokyo)
    assert task.due_text == "2026-05-03", "the day there, not that in UTC"


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
def test_a_task_is_overdue_once_its_day_has_ended(path: Path, zone: str) -> None:
    here = ZoneInfo(zone)
    wednesday, friday = (datetime(2026, 5, day, 12, tzinfo=here) for day in (6, 8))
    clock = FrozenClock(wednesday.astimezone(UTC))
    settings = Settings(remember=RememberSettings(timezone=zone))
    with Memory.open(path, clock=clock, settings=settings) as memory:
        memory.remember("I have to renew my passport by Friday.")
        memory.remember("I have to call Ana tomorrow at 5pm.")
        call, passport = memory.tasks.list()
        assert passport.due is not None and passport.due.date() == friday.date()
        assert passport.due == friday.replace(hour=0)
        assert not passport.is_overdue(friday.replace(hour=22))
        assert passport.is_overdue(friday + timedelta(hours=12)), "Saturday 00:00"
        assert (passport.due_text, call.due_text) == ("2026-05-08", "2026-05-07 17:00")
        assert call.due == datetime(2026, 5, 7, 17, tzinfo=here) == call.deadline
        memory.remember(Message("Pay the rent", kind="task", due=friday.replace(hour=0)))
        rent = memory.tasks.list()[-1]
        assert (rent.title, rent.due) == ("Pay the rent", passport.due)
        lines = list(memory.export())
        assert memory.admin.verify().ok
    with Memory.open(path.with_name("copy.db"), clock=clock) as copy:
        copy.admin.import_(lines, own=True)
        assert [task.due_text for task in copy.tasks.list()] == [
            "2026-05-07 17:00",
            "2026-05-08",
            "2026-05-08",
        ]


@pytest.mark.spec("CON-05")
def test_an_export_tells_all_about_a_fact(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Porto.", session="s1")
    clock.advance(days=40)
    memory.remember("I moved to Lisbon.", session="s2")
    lines = [json.loads(line) for line in exported(memory)]
    porto = next(line for line in lines if line["text"] == "The user lives in Porto")
    assert porto["standing"]["state"] == "superseded"
    assert porto["standing"]["superseded_by"] in [line["id"] for line in lines]
    assert porto["recorded_at"] == START.isoformat()
    copy = memory.user("copy")
    assert copy.admin.import_(list(memory.export()), own=True).added > 0
    assert [f.object for f in copy.facts.history("user", "lives_in").versions] == [
        "Porto",
        "Lisbon",
    ]


@pytest.mark.parametrize(
    "text", ["I live in 🦊.", "I live in .", "My name is " + "x" * 5000 + ".", "I", "?"]
)
def test_odd_words_do_no_harm(memory: Memory, text: str) -> None:
    receipt = memory.remember(text)
    assert len(receipt.ids) == 1 and memory.admin.verify().ok


def test_a_time_without_a_zone_is_refused(memory: Memory) -> None:
    naive = datetime(2026, 1, 1)
    for refused in (
        lambda: memory.remember("I live in Porto.", at=naive),
        lambda: memory.remember(Message("Pay", kind="task", due=naive)),
        lambda: memory.facts.at(naive),
        lambda: memory.facts.between(naive, naive),
        lambda: memory.facts.quarantine(since=naive),
    ):
        with pytest.raises(InvalidInput):
            refused()


def test_an_export_carries_what_supports_a_fact(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "one.db") as memory:
        first = memory.remember("My sister Anna lives in Berlin.").ids[0]
        memory.remember("My sister Anna lives in Berlin, you know.")
        lines = list(memory.export())
        seen = {entity.name for entity in memory.graph.entities()}
    with Memory.open(tmp_path / "two.db") as memory:
        brought = memory.admin.import_(lines, own=True)
        assert brought.added == memory.admin.stats().memories == len(lines) - 1
        assert {entity.name for entity in memory.graph.entities()} == seen
        memory.forget(first)
        assert "Anna lives in Berlin" in {fact.text for fact in memory.facts.list()}
        assert {relation.other for relation in memory.graph.related("Anna")} == {"Anna", "Berlin"}


def test_a_fact_whose_time_has_passed_is_no_longer_recalled(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("I plan to learn the accordion in April.")
        only_facts = memory.recall("accordion", kinds=["fact"])
        assert [item.record.kind for item in only_facts] == [Kind.FACT]
        clock.advance(days=400)
        assert len(memory.recall("accordion", kinds=["fact"])) == 0
        assert memory.facts.list() == [] and _kinds(memory, "accordion") == {Kind.TURN}


def _kinds(memory: Memory, query: str) -> set[Kind]:
    return {item.record.kind for item in memory.recall(query)}


def test_a_script_that_is_hardly_read_is_said(memory: Memory) -> None:
    receipt = memory.remember("Мы взяли собаку из приюта.")
    assert receipt.learned == () and "this script is hardly read" in receipt.notes[0]
    assert memory.recall("собаку из приюта").items
    assert memory.remember("We met Наталья in Kazan.").notes == ()
    assert memory.remember("Она живёт там.", role="assistant").notes == ()
