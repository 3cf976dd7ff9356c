"""A week with one memory: what happened, what it means and what was learned, found as one."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sharpwave import Action, Kind, Memory, TaskRun
from sharpwave.testing import FrozenClock

MONDAY = datetime(2026, 5, 4, 9, tzinfo=UTC)
TALK = [
    {"role": "user", "content": "I work as a baker in Braga and run a small web shop for bread."},
    {"role": "assistant", "content": "How do you deploy the web shop?"},
    {"role": "user", "content": "I deploy the web shop with a script from my laptop on Fridays."},
    {"role": "assistant", "content": "Shall I note when the certificate runs out?"},
    {"role": "user", "content": "Remind me to renew the certificate of the web shop by June 1."},
    {"role": "user", "content": "Always run the tests before you deploy the web shop."},
    {"role": "user", "content": "Lesson learned: test the web shop on a phone."},
]
L0 = {Kind.TURN, Kind.INTERACTION, Kind.OBSERVATION}
L1 = {Kind.FACT, Kind.TASK, Kind.NOTE, Kind.EPISODE}
L2 = {Kind.BEHAVIOR, Kind.PATTERN, Kind.TOOL_RECORD, Kind.INSIGHT}


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    """Opened with nothing set up but a file; then a talk, some work of an agent, and a night."""
    with Memory.open(tmp_path / "m.db", clock=clock) as opened:
        opened.remember(TALK, session="monday")
        for number in range(6):
            with opened.agents.start(f"deploy the web shop, release {number}") as live:
                for name in ("run_tests", "build", "push"):
                    live.action(name)
                live.complete("Perfect, thanks!")
            steps = (Action("run_tests"), Action("build"), Action("push"))
            opened.agents.observe(TaskRun(f"deploy the web shop {number}", steps, success=True))
            clock.advance(hours=1)
        clock.advance(days=2)
        opened.sleep(heavy=True)
        yield opened


@pytest.mark.spec("TMP-01")
def test_every_record_has_its_times(memory: Memory) -> None:
    records = [json.loads(line) for line in list(memory.export())[1:]]
    assert {Kind(record["kind"]) for record in records} >= L0 | L1 | L2
    for record in records:
        begun, recorded = (
            datetime.fromisoformat(record[name]) for name in ("valid_from", "recorded_at")
        )
        assert MONDAY - timedelta(days=1) <= begun and MONDAY <= recorded, record["kind"]
        assert begun.tzinfo is not None and recorded.tzinfo is not None
    held = [record for record in records if record["kind"] == Kind.FACT]
    assert held and all("valid_to" in record for record in held)


@pytest.mark.spec("TIER-03", "TIER-08", "TIER-10", "TIER-20")
def test_one_question_ranks_all_three_layers(memory: Memory) -> None:
    kept = {Kind(kind) for kind, count in memory.admin.stats().by_kind.items() if count}
    assert kept >= L0 | L1 | L2, "learned without a word of set-up"
    question = "What should I know before I deploy the web shop?"
    found = memory.recall(question, k=64)
    assert found.searched == memory.admin.stats().memories, "one index holds them all"
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True), "one ranking, across layers and kinds"
    met = {item.record.kind for item in found}
    assert met & L0 and met & L2
    for kind in L1 | L2:
        assert {item.record.kind for item in memory.recall(question, kinds=[kind])} == {kind}
    (new,) = memory.remember("The deploy key of the web shop lies in the blue safe.").ids
    assert memory.recall("Where is the deploy key?").items[0].record.id == new, "at once"
    memory.forget(new)
    assert "blue safe" not in " ".join(item.text for item in memory.recall("deploy key"))


@pytest.mark.spec("TIER-02", "RD-04", "PRO-01", "SEM-09", "TSK-06", "EPI-01")
def test_four_tiers_each_kept_in_its_own_way(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("My name is Rita. I am in the Lisbon time zone. I am allergic to nuts.")
    known = {fact.predicate: fact.object for fact in memory.facts.profile()}
    assert known["name"] == "Rita" and {"nuts"} <= set(known.values())
    assert [turn.text for turn in memory.admin.recent(7, session="monday")] == [
        said["content"] for said in TALK
    ]
    (summary,) = memory.recall("deploy the web shop", kinds=["episode"])
    assert len(summary.text) < sum(len(said["content"]) for said in TALK) / 2
    (task,) = memory.tasks.list()
    assert [note.text for note in memory.behavior.notes()] == ["Test the web shop on a phone"]

    memory.remember("I moved to Porto.")  # a profile keeps what was so
    memory.remember("I moved to Faro.")
    assert [fact.object for fact in memory.facts.history("user", "lives_in").versions] == [
        "Porto",
        "Faro",
    ]
    memory.tasks.set_status(task.id, "done")  # a task leaves the list
    assert memory.tasks.list() == [] and [one.id for one in memory.tasks.list("done")] == [task.id]
    for _ in range(20):  # an episode gets cold, its words stay
        clock.advance(days=7)
        memory.sleep(heavy=True)
    (turn,) = memory.recall("script from my laptop", kinds=["turn"], k=1)
    assert turn.record.standing.temperature == "cold" and turn.text == TALK[2]["content"]
    assert {fact.object for fact in memory.facts.profile()} >= {"Rita", "Faro", "nuts"}
    for kind in ("fact", "task", "note"):  # a crowd in one tier takes no place in another
        memory.remember([f"The web shop sold {number} loaves." for number in range(80)])
        (first, *_) = memory.recall("certificate of the web shop of Rita", kinds=[kind])
        assert first.record.kind == kind


@pytest.mark.spec("TIER-04", "TIER-06")
def test_what_was_learned_from_work_comes_back_as_advice(memory: Memory) -> None:
    memory.remember("I like releases on Fridays.")
    memory.behavior.set_preference("tool", "push", 0.9)
    assert memory.agents.patterns() and memory.agents.tools() and memory.agents.insights()
    assert memory.behavior.all_preferences().tools == {"push": 0.9}
    advice = memory.agents.advise("deploy the web shop 7", stage="plan")
    assert advice.patterns and advice.tools and advice.insights and advice.preferences
    assert advice.plans[0].text == "run_tests → build → push"
    drawn = {insight.id for insight in memory.agents.insights() if insight.generated}
    assert {each.name for each in advice.insights} <= drawn, "drawn in the night, told by day"


@pytest.mark.spec("TIER-05")
def test_a_task_teaches_after_it_and_a_prompt_after_itself(memory: Memory) -> None:
    before = {tool.name: tool.executions for tool in memory.agents.tools()}
    steps = (
        Action("push", success=False, error="remote rejected"),
        Action("pull"),
        Action("push"),
    )
    for number in range(2):
        memory.agents.observe(TaskRun(f"publish price list {number}", steps, success=True))
    after = {tool.name: tool for tool in memory.agents.tools()}
    assert after["push"].executions == before["push"] + 4
    assert after["push"].errors[0].solutions == ("first pull",)
    assert memory.agents.pattern("tool_sequence", "push → pull → push").successes == 2
    receipt = memory.remember("From now on, answer in Portuguese.")
    assert [one.text for one in receipt.rules] == ["Answer in Portuguese"]


@pytest.mark.spec("TIER-11", "TIER-12", "RD-15", "SEM-11", "WR-11")
def test_one_object_logs_searches_builds_context_and_consolidates(memory: Memory) -> None:
    logged = memory.agents.log("restart_oven", details={"reason": "too cold"})
    found = memory.recall("restart the oven", kinds=["interaction"])
    (item,) = [one for one in found if one.record.id == logged.interaction_id]
    assert item.record.metadata["actions"] and item.terms["cosine"] > 0, "row and vector together"
    context = memory.context("Deploy release 8 of the web shop")
    shown = [memory.explain(id_).record for id_ in context.ids]
    assert {record.kind for record in shown} & L0 and "script from my laptop" in context.text
    assert memory.sleep().counts is not None and len(memory.admin.sleep_log()) == 2


DOMAINS = [
    ("writing", "Always write dates in full.", "My novel is set in Goa.", "Where is my novel set?"),
    ("analysis", "Never round the figures.", "The churn was 4 % in May.", "What was the churn?"),
    ("research", "Always cite the year.", "Our trial enrolled 48 patients.", "How many patients?"),
    (
        "planning",
        "Always add a buffer day.",
        "The wedding is at the mill.",
        "Where is the wedding?",
    ),
    (
        "consulting",
        "Never name the client.",
        "The audit found six gaps.",
        "What did the audit find?",
    ),
]


@pytest.mark.spec("TIER-18")
@pytest.mark.parametrize(("domain", "rule", "said", "question"), DOMAINS)
def test_any_line_of_work_will_do(
    tmp_path: Path, domain: str, rule: str, said: str, question: str
) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember([{"role": "user", "content": text} for text in (rule, said)])
        steps = (Action(f"draft_{domain}"), Action("ask_back"))
        for number in range(3):
            memory.agents.observe(TaskRun(f"{domain} of part {number}", steps, success=True))
        assert [f"{one.rule}." for one in memory.behavior.rules()] == [rule]
        first = memory.recall(question).items[0].record
        parents = memory.admin.texts(first.provenance.parents).values()
        assert said in {first.text, *parents}, "the turn, or the fact that it tells"
        assert memory.agents.advise(f"{domain} of part 4").plans


@pytest.mark.spec("TIER-22", "SEM-04", "KG-05", "CON-09", "CON-08")
def test_relations_preferences_and_rules_have_a_past(memory: Memory, clock: FrozenClock) -> None:
    then = clock.now()
    memory.remember("My boss is Sara.")
    memory.remember("Answer in English.")
    memory.behavior.set_preference("editor", "indent", 2)
    memory.behavior.set_preference("editor", "indent", 6, scope="shop")
    memory.behavior.set_preference("editor", "indent", 8, scope="shop/cart.py")
    clock.advance(days=30)
    memory.remember("My boss is now Rui.")
    memory.remember("Answer in French, not in English.")
    said = memory.behavior.set_preference("editor", "indent", 4)
    guessed = memory.behavior.set_preference(
        "editor", "indent", 3, source="inferred", confidence=0.9
    )
    old, new = memory.facts.history("user", "boss").versions
    assert (old.object, new.object, old.superseded_by) == ("Sara", "Rui", new.id)
    assert old.valid_to == new.valid_from == clock.now()
    assert {edge.other for edge in memory.graph.related("user", at=then)} >= {"Sara"}
    assert "Sara" not in {edge.other for edge in memory.graph.related("user")}
    (shift,) = memory.facts.shifts()
    assert (shift.old.id, shift.new.id) == (old.id, new.id)
    assert (said.version, guessed.value) == (2, 4), "what was said outweighs a guess"
    assert [one.value for one in memory.behavior.preferences("editor")] == [4]
    for scope, value in (("shop/cart.py", 8), ("shop/list.py", 6), ("shop", 6), ("blog", 4)):
        found = memory.behavior.preferences("editor", scope=scope)
        assert [one.value for one in found] == [value], scope
    rules = {one.rule: one for one in memory.behavior.rules(everything=True)}
    assert rules["Answer in English"].superseded_by is not None


@pytest.mark.spec("FB-17")
def test_feedback_has_a_type_and_preferences_a_category(memory: Memory) -> None:
    with memory.agents.start("rename the price list") as live:
        live.action("rename_file")
        taken = live.complete("the other one", feedback_type="correction")
    assert taken.feedback_type == "correction" and memory.agents.patterns("correction")
    memory.behavior.set_preference("editor", "indent", 2, source="inferred", confidence=0.6)
    memory.behavior.set_preference("tool", "push", 0.9)
    assert [one.key for one in memory.behavior.preferences("editor")] == ["indent"]
    assert {one.category for one in memory.behavior.preferences()} == {"editor", "tool"}
    told = memory.behavior.set_preference("editor", "indent", 4)
    assert [one.id for one in memory.behavior.preferences("editor")] == [told.id], (
        "one of two holds"
    )
