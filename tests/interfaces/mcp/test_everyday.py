"""Weeks with one MCP server: what the user says, takes back, confirms and asks again."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import ElicitRequestParams, ElicitResult
from tests.interfaces.mcp.served import ALL, settings, text

from sharpwave import Memory
from sharpwave.interfaces.mcp.server import ServedMemory, build
from sharpwave.testing import FrozenClock
from sharpwave.types.access import Principal

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Assistant:
    """A program that speaks MCP for one user, who answers forms as `answers` says."""

    def __init__(self, memory: Memory, path: Path) -> None:
        principal = Principal("kari", ALL, "agent")
        served = ServedMemory(memory, settings(path), lambda request: principal)
        self._server = build(served)
        self.memory = memory.user("kari")
        self.forms: list[str] = []

    def __call__(
        self, tool: str, answer: str = "yes", **arguments: Any
    ) -> tuple[dict[str, Any], str]:
        async def form(context: Any, params: ElicitRequestParams) -> ElicitResult:
            self.forms.append(params.message)
            return ElicitResult(action="accept", content={"answer": answer})

        async def meet() -> tuple[dict[str, Any], str]:
            async with Client(self._server, mode="2026-07-28", elicitation_callback=form) as client:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, text(result)
                return result.structured_content or {}, text(result)

        return asyncio.run(meet())

    def says(self, said: str, **structure: Any) -> dict[str, Any]:
        """What becomes of the user's words and of what the assistant understood of them."""
        given: dict[str, Any] = {
            name: [{**one, "quote": one.get("quote", said)} for one in items]
            for name, items in structure.items()
        }
        return self("remember", text=said, role="user", **given)[0]

    def known(self) -> list[str]:
        """What the profile lists as facts."""
        return [fact["text"] for fact in self("profile")[0]["facts"]]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def assistant(tmp_path: Path, clock: FrozenClock) -> Iterator[Assistant]:
    chosen = settings(tmp_path / "m.db")
    with Memory.open(settings=chosen, clock=clock) as memory:
        yield Assistant(memory, tmp_path / "m.db")


@pytest.mark.parametrize(
    ("fact", "over"),
    [
        ({"text": "The user shares a studio with Henrik"}, "henrik moved out of the studio, done"),
        (
            {"subject": "user", "predicate": "works_at", "object": "Fjordvarme"},
            "handed in the laptop, no more fjordvarme for me",
        ),
    ],
)
@pytest.mark.parametrize("mode", ["ended", "negated"])
def test_what_the_user_confirmed_ends_when_the_user_says_so(
    assistant: Assistant, clock: FrozenClock, fact: dict[str, str], over: str, mode: str
) -> None:
    assistant.says("studio with henrik, job at fjordvarme", facts=[fact])
    (waiting,) = assistant("pending_review")[0]["unconfirmed"]
    assistant("ask_user", id=waiting["id"])
    (held,) = assistant.known()
    clock.advance(days=9)
    for _ in range(2):
        receipt = assistant.says(over, facts=[{**fact, "mode": mode}])
        assert "rejected" not in [one["verdict"] for one in receipt["learned"]], receipt
        clock.advance(days=1)
    assert assistant.known() == [held], "an agent's word alone ends nothing"
    (question,) = assistant("pending_review")[0]["questions"]
    assert question["older"] == held and question["newer"] != held
    told, _ = assistant("ask_user", answer="second")
    assert told["action"] == "settled" and held in assistant.forms[-1]
    assert held not in assistant.known()
    assert assistant("pending_review")[0]["questions"] == []


def test_a_no_is_not_a_fact_of_the_profile(assistant: Assistant) -> None:
    wrong = "The user has a red sailing boat with three cabins"
    assistant.says("boat's red, two cabins", facts=[{"text": wrong}])
    (waiting,) = assistant("pending_review")[0]["unconfirmed"]
    assistant("ask_user", answer="no", id=waiting["id"])
    shown = assistant("profile")[0]
    assert not any("cabins" in one["text"] for one in (*shown["facts"], *shown["unconfirmed"]))
    again = assistant.says("the boat is out of the water", facts=[{"text": wrong}])
    assert "accepted" not in [one["verdict"] for one in again["learned"] if one["text"] == wrong]
    assert not any("cabins" in text for text in assistant.known())


def test_confirming_adds_no_words_and_outdates_none(
    assistant: Assistant, clock: FrozenClock
) -> None:
    said = "i keep bees up in Hardanger, four hives"
    assistant.says(said, facts=[{"text": "The user keeps bees in Hardanger"}])
    for waiting in assistant("pending_review")[0]["unconfirmed"]:
        assistant("ask_user", id=waiting["id"])
    assert any("bees" in one for one in assistant.known())
    clock.advance(hours=3)
    found = assistant("recall", query="Where do I keep my bees?")[0]["items"]
    turns = [one["text"] for one in found if one["kind"] == "turn"]
    assert turns == [said]
    assert "no longer so" not in assistant.memory.context("Where do I keep my bees?").text
    assert assistant.memory.facts.shifts() == []


def test_a_rule_is_accepted_shown_with_its_id_and_withdrawn(assistant: Assistant) -> None:
    said = "from now on give me temperatures in celsius"
    assistant.says(said, rules=[{"text": "Give temperatures in celsius"}])
    (waiting,) = assistant("pending_review")[0]["rules"]
    refused, _ = assistant("correct", id=waiting["id"], rule="accept")
    assert not refused["done"] and "ask_user" in refused["message"]
    assert "--db" in refused["message"] and "--user kari" in refused["message"]
    assistant("ask_user", id=waiting["id"])
    shown, words = assistant("profile")
    assert [(one["id"], one["text"]) for one in shown["rules"]] == [
        (waiting["id"], "Give temperatures in celsius")
    ]
    assert waiting["id"] in words
    assert assistant("ask_user")[0]["action"] == "nothing", "what holds is not asked again"
    told, _ = assistant("ask_user", answer="no", id=waiting["id"])
    assert told["action"] == "settled" and "celsius" in assistant.forms[-1]
    assert assistant("profile")[0]["rules"] == []


def test_a_rule_of_one_project_is_seen(assistant: Assistant) -> None:
    said = "in the tide-tables repo never touch the fixtures"
    rule = {"text": "Never touch the fixtures", "scope": "tide-tables"}
    assistant.says(said, rules=[rule, {"text": "Answer in Norwegian", "quote": said}])
    for waiting in assistant("pending_review")[0]["rules"]:
        assistant("ask_user", id=waiting["id"])
    shown, words = assistant("profile")
    (scoped,) = (one for one in shown["rules"] if "fixtures" in one["text"])
    assert "tide-tables" in scoped["kind"]
    (line,) = (one for one in words.splitlines() if "fixtures" in one)
    assert "tide-tables" in line
    advice = assistant("advise", query="clean up the fixtures", context="tide-tables")[1]
    assert "Never touch the fixtures" in advice
    assert "fixtures" not in assistant("advise", query="clean up", context="blog")[1]


def test_a_rule_declined_once_can_be_asked_for_later(
    assistant: Assistant, clock: FrozenClock
) -> None:
    assistant.says("maybe add a summary on top?", rules=[{"text": "Put a summary on top"}])
    (waiting,) = assistant("pending_review")[0]["rules"]
    assistant("ask_user", answer="no", id=waiting["id"])
    clock.advance(days=6)
    nagging = assistant(
        "remember", text="They like summaries.", rules=[{"text": "Put a summary on top"}]
    )[0]
    (refused,) = nagging["rules"]
    assert refused["verdict"] == "rejected" and "declined" in refused["reason"]
    clock.advance(days=6)
    said = "ok I was wrong, always put a short summary on top"
    wanted = "Put a short summary on top"
    receipt = assistant.says(said, rules=[{"text": wanted}])
    assert [(one["verdict"], one["text"]) for one in receipt["rules"]] == [("queued", wanted)]
    assert [one["text"] for one in assistant("pending_review")[0]["rules"]] == [wanted]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_remembered_answer_can_be_rated(assistant: Assistant, role: str) -> None:
    kept = assistant("remember", text="The ferry leaves at nine from Pier 2.", role=role)[0]
    rated, _ = assistant(
        "feedback", message_id=kept["ids"][0], reward=-1, reason="too_verbose", comment="long!"
    )
    assert (rated["status"], rated["skill_updated"]) == ("stored", True)
    again, _ = assistant("feedback", message_id=kept["ids"][0], reward=1)
    assert again["skill"] == rated["skill"]
    (trajectory,) = assistant.memory.skills.trajectories()
    assert trajectory.reward == 1


def test_advice_names_the_parameter_that_fails_and_is_silent_on_other_things(
    assistant: Assistant,
) -> None:
    for week in range(4):
        for action, worked, details in (
            ("pull_tides", True, {"station": "bergen"}),
            ("render_chart", False, {"dpi": 1200, "error": "out of memory"}),
            ("render_chart", True, {"dpi": 300}),
        ):
            given = {"session": f"week {week}", **details}
            assistant("log_interaction", action=action, success=worked, details=given)
    _, risky = assistant("advise", query="render chart again", given={"dpi": 1200})
    (warning,) = (line for line in risky.splitlines() if "dpi" in line and "warning" in line)
    assert "300" in warning
    _, fine = assistant("advise", query="render chart again", given={"dpi": 300})
    assert not any("dpi" in line and "warning" in line for line in fine.splitlines()), fine
    _, unnamed = assistant("advise", query="render chart again")
    assert "dpi" in unnamed and "300 works better" in unnamed
    other, words = assistant("advise", query="find a dentist in Voss")
    assert other["items"] == [] and other["success_chance"] is None, words


def test_a_task_is_due_by_the_clock_it_was_named_by(assistant: Assistant) -> None:
    task = {"title": "Collect the keys in Boston", "due": "2026-03-20T14:30:00-04:00"}
    assistant.says("keys in boston on the 20th, half two there", tasks=[task])
    (shown,) = assistant("profile")[0]["tasks"]
    assert shown["text"] == "Collect the keys in Boston (due 2026-03-20 14:30)"


def test_a_day_is_searched_to_its_end(assistant: Assistant, clock: FrozenClock) -> None:
    assistant.says("we painted the boathouse green")
    clock.advance(days=3)
    for since, until, found in (
        ("2026-03-02", "2026-03-02", True),
        ("2026-03", "2026-03", True),
        ("2026-03-03", "2026-03-05", False),
        ("2026-02-01", "2026-03-02T08:00:00+00:00", False),
    ):
        items = assistant("recall", query="painted the boathouse", since=since, until=until)[0]
        assert any("boathouse" in one["text"] for one in items["items"]) is found, (since, until)


@pytest.mark.parametrize(
    "right", ["I row with the Tuesday crew, on the red boat", "I no longer row with that crew"]
)
def test_what_only_an_agent_said_can_be_set_right(assistant: Assistant, right: str) -> None:
    wrong = "The user rows with the Friday crew on the white boat"
    assistant.says("rowing again this week", facts=[{"text": wrong}])
    (known,) = (one for one in assistant("profile")[0]["unconfirmed"] if one["text"] == wrong)
    told, _ = assistant("correct", id=known["id"], text=right)
    assert told["done"], told
    assert wrong not in [one["text"] for one in assistant("profile")[0]["unconfirmed"]]
    found = assistant("recall", query="Which crew do I row with?")[0]["items"]
    assert any(right in one["text"] for one in found)
