"""What a person may do with what is known of them: agree, see, change, take along, erase."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import places

from sharpwave import Memory, NotFound, Settings
from sharpwave.behavior.skills import learning
from sharpwave.errors import SkillNotFound
from sharpwave.index.large_index import LargeIndex
from sharpwave.index.recall_index import RecallIndex
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of, workspace_of
from sharpwave.types.storing import BEHAVIOR

LEARNED = {"behavior", "skill", "pattern", "tool_record", "insight", "trajectory", "feedback"}


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture(params=places.PLACES)
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    place = places.empty(request.param, tmp_path)
    with Memory.open(place, clock=clock, embedder=HashEmbedder(64)) as opened:
        yield opened


def live(memory: Memory) -> None:
    """Somebody talks, rates, prefers, and lets an agent work."""
    memory.remember("I live in Porto. Always use tabs.", session="talk")
    memory.skills.create("haiku", "Answer as a haiku.", trigger={"intent": "question"})
    choice = memory.skills.select("What is a monad?", session="talk")
    memory.feedback(choice.message_id, 1, free_text="Short and clear.")
    memory.behavior.set_preference("editor", "indent", 4)
    for n in range(6):
        with memory.agents.start("deploy the app", session=f"work {n}") as work:
            for tool in ("build", "test", "push"):
                work.action(tool, success=True)
    memory.agents.generate_insights()


def kinds_of(memory: Memory) -> set[str]:
    return {json.loads(line)["kind"] for line in list(memory.export())[1:]}


@pytest.mark.spec("SEC-04")
def test_where_each_person_is_asked_nothing_is_learned_until_they_agree(tmp_path: Path) -> None:
    asking = Settings.model_validate({"privacy": {"consent_assumed": False}})
    with Memory.open(tmp_path / "m.db", settings=asking) as memory:
        memory.remember("Always use tabs.")
        assert memory.admin.stats().memories == 0
        memory.admin.consent("memory", True)
        memory.remember("Always use tabs.")
        choice = memory.skills.select("Hello")
        assert choice.trajectory_id is None
        assert memory.feedback(choice.message_id, 1, skill=choice.skill.id).status == "not_stored"
        memory.agents.log("build", "app.py")
        assert not kinds_of(memory) & LEARNED and not memory.behavior.rules()
        memory.admin.consent("learning", True)
        memory.remember("Always use tabs.")
        assert memory.behavior.rules() and memory.skills.select("Hello").trajectory_id
    with Memory.open(tmp_path / "own.db") as own:
        own.remember("Always use tabs.")
        assert own.behavior.rules(), "whoever opens a file of their own has agreed by that"


@pytest.mark.spec("SEC-05")
def test_all_that_was_learned_can_be_seen(memory: Memory) -> None:
    live(memory)
    assert kinds_of(memory) >= LEARNED - {"insight"}
    assert [one.rule for one in memory.behavior.rules()] == ["Always use tabs"]
    known = {one.skill.id: one for one in memory.skills.list()}
    assert "haiku" in known and all(one.why for one in known.values())
    assert sum(one.positive for one in known.values()) == 1
    assert all(one.why and 0 <= one.sure <= 1 for one in memory.skills.style().dimensions)
    assert [(one.key, one.value) for one in memory.behavior.preferences()] == [("indent", 4)]
    assert {tool.name for tool in memory.agents.tools()} == {"build", "test", "push"}
    assert memory.agents.patterns() and len(memory.skills.trajectories()) == 1
    seen = {one.id for one in memory.behavior.rules()} | {
        one.id for one in memory.skills.trajectories()
    }
    assert all(memory.explain(id_).record.id == id_ for id_ in seen)


@pytest.mark.spec("SEC-06")
def test_what_was_learned_can_be_changed_erased_and_switched_off_and_on(memory: Memory) -> None:
    live(memory)
    memory.skills.edit("haiku", template="Answer as one haiku.")
    assert memory.skills.get("haiku").skill.template == "Answer as one haiku."
    edited = memory.behavior.edit(memory.behavior.rules()[0].id, "Always use four spaces")
    before = (
        memory.skills.list(),
        memory.skills.style(),
        memory.behavior.rules(),
        memory.behavior.preferences(),
    )
    memory.admin.consent("learning", False)
    assert memory.behavior.prompt_section() == "" and memory.behavior.preferences() == []
    assert {one.confidence for one in memory.skills.list()} == {0.5}, "what was learned is not used"
    memory.admin.consent("learning", True)
    assert (
        memory.skills.list(),
        memory.skills.style(),
        memory.behavior.rules(),
        memory.behavior.preferences(),
    ) == before
    memory.skills.delete("haiku")
    with pytest.raises(SkillNotFound):
        memory.skills.get("haiku")
    memory.behavior.delete(edited.id)
    assert memory.behavior.rules() == []


@pytest.mark.spec("SEC-07")
def test_a_choice_says_how_sure_it_is_and_how_near_ones_style(memory: Memory) -> None:
    liked = memory.skills.select("What is a monad?")
    memory.feedback(liked.message_id, 1)
    memory.skills.set_style(
        dict(zip(("verbosity", "formality"), liked.skill.dimensions, strict=False))
    )
    choice = memory.skills.select("What is a monad?")
    by_skill = {one.skill: one for one in choice.candidates}
    assert by_skill[liked.skill.id].confidence == pytest.approx(0.59)
    assert all(0 <= one.alignment <= 1 for one in choice.candidates)
    nearest = max(choice.candidates, key=lambda one: one.alignment)
    assert nearest.aligned == max(one.aligned for one in choice.candidates)
    first = by_skill[choice.skill.id]
    for told in (choice.skill.id, "style", f"{first.aligned:.2f}", f"{first.score:.2f}"):
        assert told in choice.reason


@pytest.mark.spec("SEC-08", "XPT-01")
def test_access_change_move_and_erase(memory: Memory, tmp_path: Path) -> None:
    live(memory)
    memory.agents.add_insight("Run the tests before you push.")
    fact = memory.facts.list(predicate="lives_in")[0]
    assert memory.explain(fact.id).record.text and memory.facts.history("user", "lives_in").current
    memory.remember("I moved to Lisbon.")
    assert [one.object for one in memory.facts.list(predicate="lives_in")] == ["Lisbon"]
    lines = list(memory.export())
    taken = kinds_of(memory)
    assert taken >= {"interaction", "pattern", "insight", "behavior", "turn", "fact"}
    told = "".join(lines)
    assert "indent" in told and "Run the tests before you push." in told, "preferences, insights"
    with Memory.open(tmp_path / "moved.db", embedder=HashEmbedder(64)) as moved:
        moved.admin.import_(lines, own=True)
        assert moved.behavior.preferences()[0].value == 4 and moved.agents.insights()
        assert {tool.name for tool in moved.agents.tools()} == {"build", "test", "push"}
    gone = memory.forget(everything=True)
    assert gone.memories > 10 and memory.admin.stats().memories == 0
    with pytest.raises(NotFound):
        memory.explain(fact.id)
    assert b"Porto" not in b"".join(one.read_bytes() for one in tmp_path.glob("m.db*"))


def test_nothing_of_an_erased_user_stays_in_memory(memory: Memory) -> None:
    memory.remember("The zebrafish clinic is in Porto.")
    assert memory.recall("zebrafish").items
    index = resources_of(memory).index
    in_memory = index.inner if isinstance(index, LargeIndex) else index
    assert isinstance(in_memory, RecallIndex) and in_memory.size_bytes > 0
    memory.forget(everything=True)
    assert (in_memory.size_bytes, in_memory.if_loaded(memory.user_id)) == (0, None)


@pytest.mark.spec("SEC-09")
def test_every_use_of_a_skill_is_in_the_audit_log_and_no_word_of_it(memory: Memory) -> None:
    for message in ("My secret plan", "My other secret"):
        memory.skills.select(message)
    entries = [entry for entry in memory.admin.audit() if entry.action == "select_skill"]
    assert len(entries) == 2 and all(entry.at for entry in entries)
    assert "secret" not in str(entries) and memory.user_id not in str(entries)
    assert memory.admin.verify().ok, "each entry holds the digest of the one before"
    assert [one.skill for one in memory.skills.trajectories()], (
        "and which one it was, for the person"
    )


@pytest.mark.spec("SEC-11")
@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    mask = os.umask(0)  # whatever others ask for
    try:
        with Memory.open(folder / "m.db", embedder=HashEmbedder(64)) as memory:
            memory.remember("I live in Porto.")
            memory.admin.backup(folder / "copy.db")
            modes = {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}
    finally:
        os.umask(mask)
    assert {"m.db", "m.db-wal", "copy.db"} <= modes.keys() and set(modes.values()) == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.spec("SEC-15")
def test_the_bandit_keeps_counts_and_nothing_else(memory: Memory) -> None:
    buckets = set()
    for n in range(3):
        choice = memory.skills.select(f"My secret number is {n}, what is a monad?")
        memory.feedback(choice.message_id, 1 if n else -1, free_text="A secret remark.")
        buckets.add(choice.bucket)
    store = workspace_of(memory).store
    odds = [store.tallies(BEHAVIOR + learning.odds_topic(bucket)) for bucket in buckets]
    rows = [row for each in odds for row in each.values()]
    assert {id_ for each in odds for id_ in each} <= {one.skill.id for one in memory.skills.list()}
    for row in rows:
        assert all(isinstance(value, int | float) for value in row.value.values())
    assert sum(float(str(row.value["won"])) for row in rows) == 2


@pytest.mark.spec("SEC-16")
def test_how_long_things_live_is_the_users_to_say(tmp_path: Path, clock: FrozenClock) -> None:
    kept = Settings.model_validate({"retention": {"turns_days": 30}})
    left: dict[str, list[bool]] = {}
    for name, settings in (("for good", Settings()), ("a month", kept)):
        with Memory.open(
            tmp_path / f"{name}.db", settings=settings, clock=clock, embedder=HashEmbedder(64)
        ) as memory:
            memory.remember("I live in Porto.")
            left[name] = []
            for _ in range(6):
                memory.sleep(heavy=True)
                both = memory.facts.list(), memory.admin.stats().by_kind.get("turn", 0)
                assert bool(both[0]) == bool(both[1])
                left[name].append(bool(both[0]))
                clock.advance(days=7)
    assert left == {"for good": [True] * 6, "a month": [True] * 5 + [False]}


@pytest.mark.spec("SEC-16")
def test_a_session_goes_when_the_user_says_so_and_nothing_comes_without_consent(
    memory: Memory,
) -> None:
    memory.remember("I live in Porto.", session="before")
    memory.remember("I am allergic to nuts.", session="now")
    memory.forget(session="now")
    assert [fact.text for fact in memory.facts.list()] == ["The user lives in Porto"]
    memory.admin.consent("memory", False)
    assert memory.remember("I am allergic to nuts.").ids == ()
