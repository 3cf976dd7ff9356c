"""Advice: what each stage needs, where it applies, as much as wanted, found by meaning."""

import pytest

from sharpwave import Action, InvalidInput, Memory, TaskRun
from sharpwave.types.experience import Advice

SECTIONS = (
    "patterns",
    "tools",
    "insights",
    "preferences",
    "warnings",
    "next_steps",
    "plans",
)


def filled(advice: Advice) -> set[str]:
    return {name for name in SECTIONS if getattr(advice, name)}


@pytest.fixture
def bakery(memory: Memory) -> Memory:
    for number in range(12):
        cold = number % 3 == 0
        proof = Action("proof_dough", success=not cold, error="too cold" if cold else None)
        steps = (Action("knead"), proof, Action("bake_loaf"))
        memory.agents.observe(TaskRun(f"make rye bread {number}", steps, success=not cold))
    memory.agents.generate_insights()
    memory.behavior.set_preference("parameter", "oven", "low")
    return memory


@pytest.mark.spec("RD-17", "RD-18", "RD-19", "RD-20", "RD-21")
def test_each_stage_gets_what_it_needs(bakery: Memory) -> None:
    def advised(stage: str | None) -> Advice:
        return bakery.agents.advise("make rye bread 70", {"done": ["knead"]}, stage)

    assert filled(advised("think")) == {"patterns", "insights", "preferences"}
    assert filled(advised("plan")) == {"tools", "plans", "patterns", "insights", "preferences"}
    assert filled(advised("act")) == {"warnings", "next_steps", "insights", "preferences"}
    assert filled(advised(None)) == set(SECTIONS)


@pytest.mark.spec("RD-21")
def test_while_acting_the_errors_of_the_next_step_are_told(bakery: Memory) -> None:
    advice = bakery.agents.advise("something quite different", {"done": ["knead"]}, "act")
    assert advice.next_steps[0].text == "proof_dough"
    assert any("too cold" in each.text for each in (*advice.warnings, *advice.insights))


@pytest.mark.spec("INS-02")
@pytest.mark.parametrize(
    ("conditions", "given", "shown"),
    [
        ({"region": "EU"}, {"region": "eu"}, True),
        ({"region": "EU"}, {"region": "US"}, False),
        ({"region": "EU"}, {}, False),
        ({"region": ["EU", "UK"]}, {"region": "UK"}, True),
        ({"rows": {"min": 1000}}, {"rows": 5000}, True),
        ({"rows": {"min": 1000}}, {"rows": 10}, False),
        ({"rows": {"min": 1000}}, {"rows": "many"}, False),
        ({"dry_run": False}, {"dry_run": True}, False),
        ({"region": {"not": "US"}}, {"region": "EU"}, True),
        ({"labels": "urgent"}, {"labels": ["urgent", "billing"]}, True),
        ({"cloud": {"zone": "b"}}, {"cloud": {"zone": "b", "size": 3}}, True),
        ({"stage": "act"}, {}, False),
    ],
)
def test_conditions_are_compared_with_the_context(
    memory: Memory, conditions: dict[str, object], given: dict[str, object], shown: bool
) -> None:
    memory.agents.add_insight(
        "Export customers in two files.", applies_to={"conditions": conditions}
    )
    advice = memory.agents.advise("export the customers", given)
    assert bool(advice.insights) is shown


@pytest.mark.spec("INS-02")
def test_one_that_is_meant_for_a_context_stays_there(memory: Memory) -> None:
    memory.agents.add_insight("Export in two files.", applies_to={"contexts": ["billing"]})
    assert memory.agents.advise("export the customers", "billing").insights
    assert not memory.agents.advise("export the customers", "marketing").insights


def test_the_caller_says_how_many(memory: Memory) -> None:
    for letter in "abcdefghijkl":
        memory.agents.add_insight(f"Tram rule {letter}: stamp the ticket.")
    for limit in (1, 5, 12):
        assert len(memory.agents.advise("ride the tram", limit=limit).insights) == limit
    for limit in (0, 51):
        with pytest.raises(InvalidInput, match="limit"):
            memory.agents.advise("ride the tram", limit=limit)


@pytest.mark.spec("TOOL-08")
@pytest.mark.parametrize(
    ("tool", "query"),
    [
        ("upscalePhoto", "can I trust upscalePhoto with scans?"),
        ("merge_branches", "is merge branches the right thing here"),
        ("vacuum-db", "vacuum db tonight"),
        ("ImportCSV", "run import csv on the list"),
    ],
)
def test_a_tool_is_found_by_its_name(memory: Memory, tool: str, query: str) -> None:
    for number in range(5):
        memory.agents.log(tool, details={"error": "no memory"} if number < 3 else {})
    memory.agents.log("unrelated_step")
    first = memory.agents.advise(query, stage="plan").tools[0]
    assert first.name == tool and "2 of 5 executions succeeded" in first.why
    assert not first.text.startswith("Use "), "it fails in most cases"


def corrected(memory: Memory, query: str, did: str, meant: str) -> str:
    with memory.agents.start(query) as live:
        live.interpretation(did)
        live.action("act")
        return live.complete(meant).interaction_id


MISREAD = [
    ("shorten the newsletter", "cut paragraphs", "No, I meant fewer images, keep the text"),
    ("invite the neighbours", "sent an e-mail", "No, I meant print a card"),
    ("file the tax papers", "sent them to the office", "No, I meant put them into the tax folder"),
]


@pytest.mark.spec("INTP-03", "UPR-04")
@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("make the newsletter shorter", "fewer images"),
        ("send an invitation to our neighbours", "print a card"),
        ("put the tax documents away", "tax folder"),
        ("convert 40 miles to kilometres", None),
        ("play some jazz", None),
    ],
)
def test_a_correction_is_found_by_its_meaning(
    memory: Memory, query: str, meant: str | None
) -> None:
    for each in MISREAD:
        corrected(memory, *each)
    shown = memory.agents.advise(query, stage="think").preferences
    assert [meant in each.text for each in shown] == [True] if meant else shown == ()


@pytest.mark.spec("INTP-03")
def test_corrections_in_other_words_are_one_pattern(memory: Memory) -> None:
    first = corrected(memory, *MISREAD[0])
    corrected(memory, "make the newsletter shorter", "dropped a section", "No, fewer images please")
    corrected(memory, *MISREAD[1])
    support = sorted(p.support for p in memory.agents.patterns("correction"))
    assert support == [1, 2]
    memory.agents.rebuild()
    assert sorted(p.support for p in memory.agents.patterns("correction")) == support
    memory.forget(first)
    (left,) = [p for p in memory.agents.patterns("correction") if "newsletter" in p.name]
    assert left.support == 1 and "keep the text" not in str(left)


@pytest.mark.spec("INTP-01")
def test_intents_keep_their_targets(memory: Memory) -> None:
    for number in range(30):
        with memory.agents.start(
            f"update the price list for shop {number}"
            if number % 3 == 0
            else f"paint tile {number}"
        ) as live:
            if number % 3 == 0:
                live.action("open_sheet", "prices/shops.xlsx")
                live.action("edit_cell", f"B{number}")
            else:
                live.action("mix", f"colour{number}.png")
    found = {p.steps: p for p in memory.agents.patterns("intent")}
    prices = found["open_sheet", "edit_cell"]
    assert prices.targets == ("prices/shops.xlsx", None), "the cell is another each time"
    assert "open_sheet prices/shops.xlsx (10 of 10 times)" in prices.description
    shown = memory.agents.advise("the price list is old", stage="plan").patterns
    assert any("prices/shops.xlsx" in each.text for each in shown)


@pytest.mark.parametrize("failures", [1, 4, 7])
@pytest.mark.parametrize("stage", ["plan", None])
def test_a_tool_that_never_succeeded_is_not_recommended(
    memory: Memory, failures: int, stage: str | None
) -> None:
    for _ in range(failures):
        with memory.agents.start("order track cleaner") as work:
            work.action("place_order", success=False, error="card refused")
            work.complete(success=False)
    (tool,) = memory.agents.advise("order track cleaner", stage=stage).tools
    assert "Use place_order" not in tool.text and "use something else" in tool.text
    with memory.agents.start("order track cleaner") as work:
        work.action("ask_shop", success=True)
        work.complete(success=True)
    first, *_ = memory.agents.advise("order track cleaner", stage=stage).tools
    assert first.text == "Use ask_shop."


def test_what_the_user_said_of_a_task_is_no_answer(memory: Memory) -> None:
    with memory.agents.start("book a taxi") as work:
        work.action("call_taxi", success=True)
        work.complete(feedback="thanks")
    text = memory.recall("taxi").items[0].text
    assert text.endswith("Feedback: thanks") and "Answer" not in text


def test_single_actions_of_a_session_follow_one_another(memory: Memory) -> None:
    """As agents log them: one call an action, those of several sessions mixed."""
    missing = {"error": "ModuleNotFoundError: polars"}
    for run in range(0, 6, 2):
        here, there = f"s{run}", f"s{run + 1}"
        memory.agents.log("pytest", details=missing, success=False, session=here)
        memory.agents.log("git pull", session=there)
        memory.agents.log("uv sync", session=here)
        memory.agents.log("cargo build", session=there)
        memory.agents.log("pytest", session=here)
    after = {
        done: memory.agents.advise("run the tests", {"done": [done]}).next_steps[0].text
        for done in ("pytest", "uv sync", "git pull")
    }
    assert after == {"pytest": "uv sync", "uv sync": "pytest", "git pull": "cargo build"}
    warned = memory.agents.advise("run the tests", {"done": ["git pull"], "tools": ["pytest"]})
    assert any("first uv sync" in one.text for one in (*warned.warnings, *warned.tools))


def test_what_failed_too_is_not_what_mended_a_failure(memory: Memory) -> None:
    for run in range(3):
        for name, ok in (
            ("build", False), ("build", False), ("lint", False), ("install", True), ("build", True),
        ):  # fmt: skip
            memory.agents.log(name, success=ok, session=f"s{run}")
    (build,) = (tool for tool in memory.agents.tools() if tool.name == "build")
    assert [error.solutions for error in build.errors] == [("first install",)]
    (pattern,) = (one for one in memory.agents.patterns("error_pattern") if "build" in one.steps)
    assert pattern.confidence == 1.0, "got over each time"


def test_single_actions_without_a_session_follow_nothing(memory: Memory) -> None:
    for _ in range(4):
        memory.agents.log("pytest", success=False)
        memory.agents.log("uv sync")
        memory.agents.log("pytest")
    likely = memory.agents.advise("run the tests", {"done": ["uv sync"]}).next_steps
    assert all(one.score < 0.9 for one in likely)
    (pytest_,) = (tool for tool in memory.agents.tools() if tool.name == "pytest")
    assert [error.solutions for error in pytest_.errors] == [()]
