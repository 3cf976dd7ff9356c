"""Interactions that several processes go on with: nothing lost, nothing twice, nothing unredacted.

Each process has the store open by itself, so that none knows what another has in memory.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.experience.looking import stored
from tests.places import PLACES, empty

from sharpwave import InvalidInput, Kind, Memory, NotFound, Record, Settings
from sharpwave.experience import live, publish
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of, workspace_of
from sharpwave.types.records import State
from sharpwave.types.storing import OPEN, Tally
from sharpwave.workspace import Workspace

Two = tuple[Memory, Memory]
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty(request.param, tmp_path)


@pytest.fixture
def two(place: str, clock: FrozenClock) -> Iterator[Two]:
    """The same memory in two processes."""
    embedder = HashEmbedder(32)
    with (
        Memory.open(place, clock=clock, embedder=embedder) as one,
        Memory.open(place, clock=clock, embedder=embedder) as other,
    ):
        yield one, other


def interactions(memory: Memory) -> list[Record]:
    return [record for record in stored(memory) if record.kind is Kind.INTERACTION]


def names(record: Record) -> list[str]:
    actions: Any = record.metadata.get("actions", ())
    return [action["name"] for action in actions]


def left(memory: Memory) -> list[str]:
    """What is kept of interactions that are going on, of anybody."""
    return resources_of(memory).store.users_with(OPEN)


@pytest.mark.spec("LOG-05")
def test_any_process_goes_on_with_it(two: Two, clock: FrozenClock) -> None:
    one, other = two
    opened = one.agents.start("fix the build", session="s", context={"files": ["a.py"]})
    clock.advance(seconds=2)
    other.agents.log_interpretation(opened.id, "a test fails", ["run_tests"], 0.7, "coder")
    one.agents.log_action(opened.id, "run_tests", details={"error": "1 failed"})
    other.agents.log_action(opened.id, "edit_file", "a.py", {"mode": "replace"})
    clock.advance(seconds=3)
    done = other.agents.complete(opened.id, "Thanks!", tokens=7)
    assert (done.interaction_id, done.status, done.success) == (opened.id, "logged", True)
    (record,) = interactions(one)
    said = record.metadata
    assert (record.id, record.session_id, said["query"]) == (opened.id, "s", "fix the build")
    assert said["context"] == {"files": ["a.py"]} and said["duration_ms"] == 5000.0
    assert (said["interpretation"], said["confidence"], said["role"]) == (
        "a test fails",
        0.7,
        "coder",
    )
    assert names(record) == ["run_tests", "edit_file"]
    assert left(one) == [] and one.agents.tools() == other.agents.tools()
    for memory in two:
        with pytest.raises(NotFound, match="complete"):
            memory.agents.log_action(opened.id, "late")
        with pytest.raises(NotFound, match="complete"):
            memory.agents.complete(opened.id)
    assert len(interactions(one)) == 1


def test_the_same_as_if_it_had_been_told_at_once(two: Two) -> None:
    """What is kept on the way changes nothing of what is kept in the end, secrets included."""
    one, other = two
    details = {"to": KEY, "name": KEY, "n": 3, "deep": [{"at": KEY}], "long": "x" * 5000}
    opened = one.agents.start(f"use {KEY}", context={"name": KEY, "who": KEY})
    other.agents.log_action(opened.id, "send", f"mailto:{KEY}", {**details, "error": f"no {KEY}"})
    other.agents.complete(opened.id)
    one.agents.log("send", f"mailto:{KEY}", {**details, "error": f"no {KEY}"})
    in_steps, at_once = interactions(one)
    for record in (in_steps, at_once):
        assert KEY not in str(record)
    assert in_steps.metadata["actions"] == at_once.metadata["actions"]


def test_what_is_kept_on_the_way_is_redacted(tmp_path: Path, clock: FrozenClock) -> None:
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        opened = memory.agents.start(f"use {KEY}", context={"name": KEY})
        opened.interpretation(f"call with {KEY}", [f"mail {KEY}"])
        opened.action(f"send {KEY}", KEY, name=KEY, error=f"{KEY} is unknown", **{KEY: 1})
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes(), file.name
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        logged = memory.agents.complete(opened.id, success=False)
        assert logged.status == "logged", "it outlives the process that began it"


@pytest.mark.spec("LOG-05")
def test_steps_at_once_are_all_there_and_in_one_record(two: Two) -> None:
    opened = two[0].agents.start("many hands")
    begin = threading.Barrier(6)

    def work(number: int) -> None:
        begin.wait()
        for step in range(15):
            two[number % 2].agents.log_action(opened.id, f"step_{number}_{step}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    two[1].agents.complete(opened.id)
    (record,) = interactions(two[0])
    found = names(record)
    assert sorted(found) == sorted(f"step_{n}_{step}" for n in range(6) for step in range(15))
    for number in range(6):
        mine = [name for name in found if name.startswith(f"step_{number}_")]
        assert mine == [f"step_{number}_{step}" for step in range(15)], "in the order of each"


def test_a_step_and_the_end_at_once(two: Two) -> None:
    """A step that was acknowledged is in the record; one that came too late is refused."""
    for attempt in range(8):
        opened, told = two[0].agents.start("a race"), list[int]()
        begin = threading.Barrier(2)

        def steps(id_: str = opened.id, begun: threading.Barrier = begin) -> None:
            begun.wait()
            for number in range(20):
                two[1].agents.log_action(id_, f"step_{number}")
                told.append(number)  # noqa: B023 - the thread ends before the next round

        with ThreadPoolExecutor(1) as pool:
            late = pool.submit(steps)
            begin.wait()
            for number in range(attempt):
                two[0].agents.log_action(opened.id, f"mine_{number}")
            two[0].agents.complete(opened.id)
            refused = late.exception()
        assert refused is None or isinstance(refused, NotFound)
        (record,) = [one for one in interactions(two[0]) if one.id == opened.id]
        assert [n for n in names(record) if n.startswith("step")] == [f"step_{n}" for n in told]
        assert left(two[0]) == []


def test_only_one_of_two_completes_it(two: Two) -> None:
    opened = two[0].agents.start("who is first")
    opened.action("run")
    begin = threading.Barrier(2)

    def end(memory: Memory) -> str:
        begin.wait()
        try:
            return memory.agents.complete(opened.id, success=memory is two[0]).status
        except NotFound:
            return "late"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(end, two)) == ["late", "logged"]
    assert len(interactions(two[0])) == 1 and two[1].agents.tools()[0].executions == 1


def test_nobody_goes_on_with_that_of_another(two: Two) -> None:
    opened = two[0].agents.start("mine")
    eve = two[1].user("eve")
    for call in (eve.agents.log_action, eve.agents.log_interpretation):
        with pytest.raises(NotFound):
            call(opened.id, "peek")
    with pytest.raises(NotFound):
        eve.agents.complete(opened.id)


@pytest.mark.parametrize("how", ["id", "session", "everything", "learning"])
def test_what_is_going_on_can_be_forgotten(two: Two, how: str) -> None:
    one, other = two
    opened = one.agents.start("a secret marzipan affair", session="secret", durable=True)
    opened.action("hide", "marzipan")
    stays = one.agents.start("something else", session="other")
    if how == "id":
        receipt = other.forget(opened.id)
        assert (receipt.memories, receipt.unfinished) == (1, 1), "and the record of its start"
    elif how == "session":
        receipt = other.forget(session="secret")
        assert (receipt.memories, receipt.unfinished) == (1, 1)
    elif how == "everything":
        other.forget(everything=True)
    else:
        other.behavior.reset()
    assert workspace_of(one).store.tallies(live.topic_of(opened.id)) == {}
    for memory in two:
        with pytest.raises(NotFound):
            memory.agents.log_action(opened.id, "again")
        assert not memory.recall("marzipan").items
    if how in ("id", "session"):
        other.agents.log_action(stays.id, "go_on")
        assert other.agents.complete(stays.id).status == "logged"
    if how != "learning":  # whose list the next start tidies up
        assert left(one) == []


def test_a_block_ends_well_though_another_process_ended_it(two: Two) -> None:
    with two[0].agents.start("shared") as live:
        two[1].agents.complete(live.id, success=True)
    assert live.logged is None and len(interactions(two[0])) == 1


def test_nothing_is_kept_of_whoever_does_not_agree(two: Two) -> None:
    one, other = two
    one.admin.consent("memory", False)
    opened = other.agents.start("a secret", durable=True)
    other.agents.log_interpretation(opened.id, "a secret")
    other.agents.log_action(opened.id, "whisper")
    assert left(one) == []
    assert one.agents.complete(opened.id, "Great!").status == "not_stored"
    one.admin.consent("memory", True)
    begun = one.agents.start("no secret")
    begun.action("speak")
    other.admin.consent("memory", False)
    begun.action("whisper")
    done = begun.complete()
    assert done.status == "not_stored" and left(other) == [] and interactions(other) == []


def test_what_nobody_goes_on_with_is_completed_as_it_stands(two: Two, clock: FrozenClock) -> None:
    one, other = two
    left_over = one.agents.start("left over", session="s")
    clock.advance(minutes=1)
    left_over.action("try", error="it broke")
    one.agents.start("nothing was done")
    clock.advance(hours=20)
    lively = one.agents.start("still at it")
    other.sleep()
    assert interactions(other) == []
    clock.advance(hours=5)
    report = other.sleep()
    assert ("agents", "2 interactions that nobody went on with") in [
        (entry.id, entry.why) for entry in report.entries
    ]
    (record,) = interactions(other)
    assert record.id == left_over.id and "success" not in record.metadata
    assert record.metadata["duration_ms"] == 60_000.0, "until its last step"
    assert other.agents.tools()[0].failures == 1
    with pytest.raises(NotFound):
        left_over.action("too late")
    assert lively.complete().status == "logged" and left(one) == []


def test_there_are_not_too_many_at_once(
    place: str, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MAX_OPEN", 2)
    with Memory.open(place, clock=clock, embedder=HashEmbedder(32)) as memory:
        first = memory.agents.start("one")
        memory.agents.start("two")
        with pytest.raises(InvalidInput, match="2 interactions"):
            memory.agents.start("three")
        memory.user("eve").agents.start("of somebody else")
        first.complete()
        memory.agents.start("three")
        clock.advance(days=2)
        memory.agents.start("those that were left make room")


def test_an_export_has_what_is_complete(two: Two) -> None:
    two[0].agents.start("still open").action("hum")
    with two[0].agents.start("complete") as live:
        live.action("sing")
    lines = "\n".join(two[1].export())
    assert "sing" in lines and "still open" not in lines and "hum" not in lines


def test_what_was_understood_comes_too_late(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process completes it between two looks at it."""
    one, other = two
    opened, look = one.agents.start("who is first"), live.head

    def look_and_lose(workspace: Workspace, id_: str) -> Tally | None:
        found = look(workspace, id_)
        if found is not None:
            other.agents.complete(id_)
        return found

    monkeypatch.setattr(live, "head", look_and_lose)
    with pytest.raises(NotFound, match="complete"):
        one.agents.log_interpretation(opened.id, "a race")
    assert len(interactions(one)) == 1 and left(one) == []


def test_every_step_that_was_accepted_can_be_completed(two: Two) -> None:
    """What can be missed is left out, the longest first, and never the names."""
    one, other = two
    opened = one.agents.start("a long one", context={"notes": "n" * 3000})
    for number in range(30):
        other.agents.log_action(
            opened.id, f"step_{number}", "t" * 3000, {"error": "e" * (100 * number)}
        )
    other.agents.log_action(opened.id, "last", details={"error": "E1"})
    assert one.agents.complete(opened.id, success=False).status == "logged"
    (record,) = interactions(one)
    assert names(record) == [*(f"step_{number}" for number in range(30)), "last"]
    actions: Any = record.metadata["actions"]
    assert "context" not in record.metadata and "target" not in actions[0]
    assert actions[-1]["error"] == "E1" and actions[-1]["at"]


def test_one_that_cannot_be_completed_keeps_no_night(place: str, clock: FrozenClock) -> None:
    """The policy became stricter since its steps were accepted."""
    with Memory.open(place, clock=clock, embedder=HashEmbedder(32)) as memory:
        memory.agents.start("write to ann@example.org").action("send")
        memory.agents.start("nothing to refuse").action("send")
    clock.advance(days=2)
    settings = Settings.model_validate({"privacy": {"stored": {"contact": "refuse"}}})
    with Memory.open(place, settings=settings, clock=clock, embedder=HashEmbedder(32)) as memory:
        memory.sleep()
        (record,) = interactions(memory)
        assert record.metadata["query"] == "nothing to refuse"


def test_two_end_what_nobody_agrees_to_any_more(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two
    opened, drop = one.agents.start("a secret"), live.drop
    opened.action("whisper")
    one.admin.consent("memory", False)

    def drop_second(workspace: Workspace, found: live.OpenRows) -> bool:
        monkeypatch.setattr(live, "drop", drop)
        other.agents.complete(opened.id)
        return drop(workspace, found)

    monkeypatch.setattr(live, "drop", drop_second)
    assert one.agents.complete(opened.id).status == "not_stored"
    assert left(one) == [] and interactions(one) == []


def test_what_somebody_goes_on_with_after_all_is_not_completed(
    two: Two, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    opened, look = one.agents.start("after a long break"), live.outline
    opened.action("begin")
    clock.advance(days=2)

    def look_before_it_goes_on(workspace: Workspace, id_: str) -> live.OpenRows | None:
        found = look(workspace, id_)
        opened.action("go_on")
        return found

    monkeypatch.setattr(live, "outline", look_before_it_goes_on)
    other.sleep()
    opened.action("end")
    assert opened.complete().status == "logged"
    assert names(interactions(one)[0]) == ["begin", "go_on", "end"]


def test_two_publish_the_same(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other is done after this one has read what is published, and before it writes."""
    one, other = two
    commit, words = publish.commit, "Run the tests before a deploy"

    def overtaken(*change: Any) -> None:
        monkeypatch.setattr(publish, "commit", commit)
        other.agents.add_insight(words, confidence=0.9)
        commit(*change)

    monkeypatch.setattr(publish, "commit", overtaken)
    one.agents.add_insight(words, confidence=0.8)
    assert [insight.confidence for insight in one.agents.insights()] == [0.8], "the later one holds"
    states = [record.standing.state for record in stored(one) if record.kind is Kind.INSIGHT]
    assert states == [State.SUPERSEDED, State.ACTIVE]
