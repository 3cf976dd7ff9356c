"""What each part of a night does to memories, through the public surface."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.sleep.living import Killed

from sharpwave import Kind, Memory, NotFound, Record, Source
from sharpwave.ports import UserStore
from sharpwave.sleep import cycle, promote, schedule
from sharpwave.sleep.run import SleepRun, read_state
from sharpwave.temporal.clock import new_id
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of, workspace_of
from sharpwave.types.records import (
    Channel,
    Provenance,
    Stage,
    Standing,
    State,
    Statement,
    Temperature,
    Trust,
)
from sharpwave.types.storing import Change, Evidence, Revision, Staged, Stated, Stored

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def memory(clock: FrozenClock, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64)) as opened:
        yield opened


def turns(memory: Memory) -> list[Record]:
    return workspace_of(memory).store.staged(Staged(Kind.TURN, limit=1000))


@pytest.mark.spec("SLP-15", "SLP-16", "TIER-01")
def test_a_turn_that_was_used_moves_on_early_and_all_settle_after_a_day(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.remember("The spare key lies under the blue flower pot.", session="s")
    memory.remember("It is raining a little in the old town today.", session="s")
    for _ in range(3):
        memory.recall("Where is the spare key?", k=1, kinds=["turn"])
    clock.advance(hours=2)
    memory.sleep(heavy=False)
    key, rain = turns(memory)
    assert (key.standing.stage, rain.standing.stage) == (Stage.WORKING, Stage.ACTIVE)
    clock.advance(hours=23)
    report = memory.sleep(heavy=False)
    assert {t.standing.stage for t in turns(memory)} == {Stage.EPISODIC}
    assert report.counts["replayed"] == 2
    why = {entry.id: entry.why for entry in report.entries if entry.what in ("kept", "settled")}
    assert why == {key.id: "score 0.77 is above 0.6", rain.id: "a day old, and replayed"}


@pytest.mark.spec("TIER-13")
def test_turns_move_on_by_number_before_their_time(memory: Memory, clock: FrozenClock) -> None:
    """Due by time or by number, then by worth [resolution 37]; what nobody used stays active."""
    for number in range(6):
        memory.remember(f"The spare key number {number} lies under pot {number}.", session="s")
    for _ in range(3):
        memory.recall("Where is the spare key?", k=6, kinds=["turn"])
    memory.sleep(heavy=False)
    assert {t.standing.stage for t in turns(memory)} == {Stage.ACTIVE}, "the newest of the hour"
    for number in range(10):
        memory.remember(f"Walk {number} along the river was quiet.", session="s")
    memory.sleep(heavy=False)
    stages = [t.standing.stage for t in turns(memory)]
    assert stages == [Stage.WORKING] * 6 + [Stage.ACTIVE] * 10
    for _ in range(20):
        memory.recall("Where is the spare key number 0?", k=1, kinds=["turn"])
    memory.sleep(heavy=False)
    stages = [t.standing.stage for t in turns(memory)]
    assert stages == [Stage.EPISODIC] + [Stage.WORKING] * 5 + [Stage.ACTIVE] * 10
    clock.advance(hours=24)
    memory.sleep(heavy=False)
    assert {t.standing.stage for t in turns(memory)} == {Stage.EPISODIC}


@pytest.mark.spec("SLP-17")
@pytest.mark.parametrize(
    ("uses", "days", "stage"),
    [(11, 8, Stage.SEMANTIC), (10, 8, Stage.EPISODIC), (11, 6, Stage.EPISODIC)],
)
def test_a_turn_that_was_used_more_than_ten_times_is_lasting_after_a_week(
    memory: Memory, clock: FrozenClock, uses: int, days: int, stage: Stage
) -> None:
    memory.remember("The spare key lies under the blue flower pot.", session="s")
    memory.remember("It is raining a little in the old town today.", session="t")
    for _ in range(uses):
        memory.recall("Where is the spare key?", k=1, kinds=["turn"])
    clock.advance(days=days)
    memory.sleep(heavy=True)
    assert [t.standing.stage for t in turns(memory)] == [stage, Stage.EPISODIC]


def test_looking_for_what_is_lasting_costs_as_much_as_is_new_or_used(
    memory: Memory, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        memory.remember(f"Note {number}: the walk along the river was quiet.", session="s")
    memory.remember("The spare key lies under the blue flower pot.", session="s")
    clock.advance(days=8)
    memory.sleep(heavy=True)
    for _ in range(11):
        memory.recall("Where is the spare key?", k=1, kinds=["turn"])
    clock.advance(days=8)
    read: list[Record] = []
    kind = type(workspace_of(memory).store)
    staged = kind.staged

    def counted(store: UserStore, wanted: Staged) -> list[Record]:
        found = staged(store, wanted)
        read.extend(found)
        return found

    night = SleepRun.begin(workspace_of(memory), heavy=True)
    monkeypatch.setattr(kind, "staged", counted)
    (key,) = promote.plan(night)
    assert [turn.id for turn in read] == [key], "not the forty that nobody used"
    monkeypatch.undo()
    clock.advance(minutes=5)
    assert memory.sleep().counts["promoted"] == 1


@pytest.mark.spec("EPI-03", "TMP-03")
def test_what_is_old_gets_colder_and_stays_within_reach(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("The spare key lies under the blue flower pot.", session="s")
    seen = []
    for days in (10, 10, 80):
        clock.advance(days=days)
        memory.sleep(heavy=True)
        seen.append(turns(memory)[0].standing.temperature.value)
    assert seen == ["hot", "warm", "cold"]
    assert memory.recall("Where is the spare key?").items[0].text.startswith("The spare key")


def test_a_session_that_settles_in_two_nights_is_summarised_once(
    memory: Memory, clock: FrozenClock
) -> None:
    for number in range(8):
        memory.remember(
            f"On part {number} of the walk we saw the old mill, and it was open.", session="s"
        )
        clock.advance(minutes=30)
    clock.advance(hours=22)
    first = memory.sleep(heavy=False)
    assert {t.standing.stage for t in turns(memory)} == {Stage.ACTIVE, Stage.EPISODIC}
    clock.advance(days=1)
    second = memory.sleep(heavy=False)
    assert (first.counts["summarised"], second.counts.get("summarised", 0)) == (1, 0)


@pytest.mark.spec("SLP-22")
def test_a_conclusion_drawn_on_three_days_enters_the_profile(
    memory: Memory, clock: FrozenClock
) -> None:
    for _ in range(2):
        fact = _inferred_fact(memory, clock, days=1)
        clock.advance(days=-1)
        _inferred_fact(memory, clock, days=1)
    memory.sleep(heavy=False)
    assert fact.text not in [one.text for one in memory.facts.profile()], "four times, on two days"
    fact = _inferred_fact(memory, clock, days=1)
    doubt = Revision(fact.id, _with(fact, confidence=0.59), None)
    workspace_of(memory).store.commit(Change("test", clock.now(), (), revisions=(doubt,)))
    memory.sleep(heavy=False)
    assert fact.text not in [one.text for one in memory.facts.profile()], "not sure enough"
    sure = Revision(fact.id, _with(fact, confidence=0.6), None)
    workspace_of(memory).store.commit(Change("test", clock.now(), (), revisions=(sure,)))
    report = memory.sleep(heavy=False)
    assert ("promoted", fact.id, "seen on 3 days") in report.entries
    assert fact.text in [one.text for one in memory.facts.profile()]
    memory.admin.undo_sleep(report.run)
    assert fact.text not in [one.text for one in memory.facts.profile()]


@pytest.mark.spec("REC-01")
def test_a_variant_that_became_surer_takes_the_place_of_the_fact(
    memory: Memory, clock: FrozenClock
) -> None:
    store = workspace_of(memory).store
    first, second = (_stored_fact(memory, f"Lisbon {n}", Trust.INFERRED) for n in (1, 2))
    doubt = Revision(second.id, _with(second, state=State.UNCERTAIN, confidence=0.95), None)
    store.commit(Change("test", NOON, (), revisions=(doubt,)))
    report = memory.sleep(heavy=True)
    assert report.counts["replaced"] == 1
    old, new = store.find([first.id, second.id])
    assert old.standing.state is State.SUPERSEDED and old.standing.superseded_by == second.id
    assert new.standing.state is State.ACTIVE
    memory.admin.undo_sleep(report.run)
    kept = store.find([first.id, second.id])
    assert [r.standing.state for r in kept] == [State.ACTIVE, State.UNCERTAIN]
    assert "replaced" not in memory.sleep(heavy=True).counts, "what was taken back stays so"
    again = Revision(second.id, _with(kept[1], seen_count=2), None)
    store.commit(Change("test", NOON, (), revisions=(again,)))
    assert memory.sleep(heavy=True).counts["replaced"] == 1, "until it was seen again"


def test_taking_back_a_night_loses_nothing_that_is_written_meanwhile(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = workspace_of(memory).store
    first, second = (_stored_fact(memory, f"Lisbon {n}", Trust.INFERRED) for n in (1, 2))
    doubt = Revision(second.id, _with(second, state=State.UNCERTAIN, confidence=0.95), None)
    store.commit(Change("test", NOON, (), revisions=(doubt,)))
    report = memory.sleep(heavy=True)
    commit = type(store).commit

    def after_somebody_else(own: UserStore, change: Change) -> tuple[Stored, ...]:
        if change.revisions:
            monkeypatch.undo()
            (now,) = store.find([second.id])
            seen = Revision(second.id, _with(now, seen_count=7), None)
            commit(own, Change("test", NOON, (), revisions=(seen,)))
        return commit(own, change)

    monkeypatch.setattr(type(store), "commit", after_somebody_else)
    assert memory.admin.undo_sleep(report.run).kept == (first.id, second.id)
    old, new = store.find([first.id, second.id])
    assert new.standing.seen_count == 7 and new.standing.state is State.ACTIVE
    assert old.standing.state is State.SUPERSEDED, "only one of the two can hold"


def test_nothing_the_user_said_is_replaced_by_what_somebody_else_said(memory: Memory) -> None:
    store = workspace_of(memory).store
    first = _stored_fact(memory, "Lisbon", Trust.USER)
    second = _stored_fact(memory, "Madrid", Trust.INFERRED)
    doubt = Revision(second.id, _with(second, state=State.UNCERTAIN, confidence=1.0), None)
    store.commit(Change("test", NOON, (), revisions=(doubt,)))
    assert "replaced" not in memory.sleep(heavy=True).counts
    assert store.find([first.id])[0].standing.state is State.ACTIVE


@pytest.mark.spec("REC-05", "SCH-06")
def test_weak_old_variants_are_dropped_but_never_after_a_jump_of_the_clock(
    memory: Memory, clock: FrozenClock
) -> None:
    store = workspace_of(memory).store
    _stored_fact(memory, "Lisbon", Trust.USER)
    weak = _stored_fact(memory, "Madrid", Trust.INFERRED)
    doubt = Revision(weak.id, _with(weak, state=State.UNCERTAIN, confidence=0.2), None)
    store.commit(Change("test", NOON, (), revisions=(doubt,)))
    memory.sleep(heavy=True)
    clock.advance(days=100)
    assert "dropped" not in memory.sleep(heavy=True).counts, "the clock may be wrong"
    clock.advance(days=1)
    assert "dropped" not in memory.sleep(heavy=False).counts, "only once a week"
    report = memory.sleep(heavy=True)
    assert report.counts["dropped"] == 1
    assert store.find([weak.id])[0].standing.state is State.INVALIDATED
    memory.admin.undo_sleep(report.run)
    assert store.find([weak.id])[0].standing.state is State.UNCERTAIN


@pytest.mark.spec("TMP-08", "TMP-11")
def test_what_comes_up_more_than_it_did_is_a_trend(memory: Memory, clock: FrozenClock) -> None:
    for day in range(30):
        memory.remember(f"I met Ana today, it is day {day}.", session=f"{day}")
        if day >= 15:
            memory.remember(f"I talked to Rui in Lisbon, day {day}.", session=f"{day}")
        clock.advance(days=1)
    report = memory.sleep(heavy=True)
    found = {trend.name: trend for trend in memory.facts.trends()}
    assert found["Rui"].rising and found["Rui"].before == 0 and found["Rui"].chance < 0.01
    assert "Ana" not in found, "she comes up as often as ever"
    assert any(entry.what == "trend" for entry in report.entries)
    clock.advance(days=31)
    memory.sleep(heavy=True)
    assert memory.facts.trends() == [], "only the last thirty days count"


@pytest.mark.spec("TMP-11")
@pytest.mark.parametrize(("turns", "found"), [(9, False), (10, True)])
def test_trends_need_ten_turns(memory: Memory, clock: FrozenClock, turns: int, found: bool) -> None:
    clock.advance(days=20)
    memory.remember([f"I talked to Rui, call {number}." for number in range(turns)], session="s")
    clock.advance(days=1)
    memory.sleep(heavy=True)
    assert bool(memory.facts.trends()) is found


@pytest.mark.spec("TMP-10")
def test_preferences_have_times_a_history_and_shifts(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("My favorite color is blue.")
    clock.advance(days=60)
    memory.remember("My favorite color is green now.")
    blue, green = memory.facts.history("user", "favorite_color").versions
    assert (blue.object, blue.valid_from, blue.valid_to) == ("blue", NOON, clock.now())
    assert (green.object, green.valid_from, green.valid_to) == ("green", clock.now(), None)
    (shift,) = memory.facts.shifts()
    assert (shift.old.id, shift.new.id) == (blue.id, green.id)
    first = memory.behavior.set_preference("style", "quotes", "double")
    clock.advance(days=3)
    second = memory.behavior.set_preference("style", "quotes", "single")
    assert (second.version, second.updated_at) == (2, clock.now())
    former = memory.explain(first.id).record
    assert former.valid_from == first.updated_at and former.standing.superseded_by == second.id


@pytest.mark.spec("TMP-08")
def test_shifts_and_predictions(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Porto.", session="a")
    clock.advance(days=100)
    memory.remember("I live in Lisbon now, I moved.", session="b")
    (shift,) = memory.facts.shifts()
    assert (shift.old.object, shift.new.object) == ("Porto", "Lisbon")
    soon = memory.facts.predict("user", "lives_in", clock.now() + timedelta(days=10))
    later = memory.facts.predict("user", "lives_in", clock.now() + timedelta(days=400))
    assert soon.fact.object == "Lisbon" and soon.changes == 1
    assert soon.probability > 0.9 > later.probability > 0.0
    clock.advance(days=60)
    assert memory.facts.shifts() == []
    with pytest.raises(NotFound):
        memory.facts.predict("user", "employer", clock.now())


def _inferred_fact(memory: Memory, clock: FrozenClock, days: int) -> Record:
    """A fact that somebody concluded, with a turn as evidence on each of these days."""
    store, wanted = workspace_of(memory).store, Stated(within=("user|enjoys|",))
    for _ in range(days):
        (turn,) = memory.remember("We talked about the sea again.", session="s").ids
        known = store.stated(wanted)
        if known:
            seen = (Evidence(known[0].id, turn),)
            store.commit(Change("test", clock.now(), (), evidence=seen))
        else:
            _stored_fact(memory, "the sea", Trust.INFERRED, "enjoys", turn)
        clock.advance(days=1)
    return store.stated(wanted)[0]


def _stored_fact(
    memory: Memory, thing: str, trust: Trust, predicate: str = "lives_in", parent: str | None = None
) -> Record:
    """A fact as a model would have concluded it, or the user said it."""
    now = resources_of(memory).clock.now()
    stage = Stage.SEMANTIC if trust >= Trust.VERIFIED else Stage.EPISODIC
    record = Record(
        id=new_id(now),
        user_id=memory.user_id,
        kind=Kind.FACT,
        text=f"The user {predicate} {thing}",
        provenance=Provenance(
            Source.INFERRED, Channel.LIBRARY, trust, "test", (parent,) if parent else ()
        ),
        standing=Standing(stage, Temperature.HOT, 0.5, 0.8, 1, now),
        valid_from=now,
        recorded_at=now,
        statement=Statement("user", predicate, thing),
        slot=f"user|{predicate}|",
    )
    (stored,) = workspace_of(memory).store.commit(Change("test", now, (record,)))
    return stored.record


def _with(record: Record, **changes: object) -> Standing:
    return replace(record.standing, **changes)  # type: ignore[arg-type]


def test_undoing_a_night_brings_back_no_summary_that_a_later_one_replaced(
    memory: Memory, clock: FrozenClock
) -> None:
    for day in range(3):
        for number in range(8):
            memory.remember(f"Day {day}: Rui and I planned bed {number} in Lisbon.", session="s")
        clock.advance(days=1)
        assert memory.sleep().counts["summarised"] == 1
    memory.admin.undo_sleep(memory.admin.sleep_log()[1].run)
    wanted = Stated(kinds=frozenset({Kind.EPISODE}), states=frozenset({State.ACTIVE}))
    (held,) = workspace_of(memory).store.stated(wanted)
    assert held.metadata["count"] == 24


def test_a_clock_that_was_wrong_once_blocks_no_night(memory: Memory, clock: FrozenClock) -> None:
    def stop(name: str) -> None:
        raise KeyboardInterrupt  # as if the process died with the lease in its hands

    memory.remember("Ana moved to Porto.", session="s")
    clock.advance(days=1000)
    memory.sleep(heavy=True)
    with pytest.raises(KeyboardInterrupt):
        cycle.sleep(workspace_of(memory), True, checkpoint=stop)
    clock.advance(days=-998)
    assert memory.sleep().finished_at is not None
    assert schedule.is_heavy_due(workspace_of(memory))
    assert [one.user_id for one in memory.admin.sleep_all()] == [memory.user_id]


def test_a_rehearsal_tells_only_what_is_new(memory: Memory, clock: FrozenClock) -> None:
    for number in range(8):
        memory.remember(f"Rui and I planned bed {number} of the garden in Lisbon.", session="s")
    clock.advance(days=2)
    assert memory.sleep().counts["summarised"] == 1
    assert "summarised" not in memory.sleep(dry_run=True).counts


def test_an_interrupted_night_keeps_no_word_of_what_it_was_at(memory: Memory) -> None:
    def die(name: str) -> None:
        if name == "reconsolidate.0":
            raise Killed

    first, second = (_stored_fact(memory, f"Lisbon {n}", Trust.INFERRED) for n in (1, 2))
    with pytest.raises(Killed):
        cycle.sleep(workspace_of(memory), heavy=True, checkpoint=die)
    state = str(read_state(workspace_of(memory))[0])
    assert first.id in state and second.id in state and "lives_in" not in state


@pytest.mark.spec("EPI-02")
def test_an_episode_tells_when_where_and_how_it_felt(memory: Memory, clock: FrozenClock) -> None:
    begun = clock.now()
    for text in (
        "I love the new flat by the river, it is wonderful and full of light.",
        "The kitchen has a table for six people, so that we can cook together.",
        "The way to work was awful today, I hate that crowded train so much.",
        "On Saturday we want to visit the garden with the old lemon trees near Sintra.",
        "My sister Ana will come with us, and she brings her two small children.",
    ):
        memory.remember(text, session="s")
        clock.advance(minutes=5)
    clock.advance(days=2)
    memory.sleep(heavy=True)
    (made,) = [one for one in workspace_of(memory).store.scan(0, 100) if one.kind is Kind.EPISODE]
    last = turns(memory)[-1]
    assert (made.session_id, made.valid_from) == ("s", begun)
    assert made.metadata["end"] == last.valid_from.isoformat()
    assert made.tags == ("emotion:positive", "emotion:negative")
    assert made.provenance.source is Source.INFERRED and made.user_id == memory.user_id
    assert made.metadata["count"] == 5
    assert set(made.provenance.parents) <= {turn.id for turn in turns(memory)}
    for line in made.text.splitlines():
        assert any(line.split(": ", 1)[1] in turn.text for turn in turns(memory)), "an excerpt"
    assert memory.admin.stats().vectors == memory.admin.stats().memories
