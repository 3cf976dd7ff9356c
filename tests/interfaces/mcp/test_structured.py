"""What an agent understood, handed over through MCP."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.mcp.served import ALL, Knock, settings, text

from sharpwave import Memory
from sharpwave.interfaces.hooks import events
from sharpwave.interfaces.mcp.context import CallContext
from sharpwave.types.access import Principal
from sharpwave.types.records import Trust
from sharpwave.types.structured import FactInput, RuleInput, TaskInput

AGENT = Principal("ann", ALL, "agent")
SAID = "the twins start at Oakwood in September"
FACT = {"text": "The twins start at Oakwood in September", "quote": SAID, "about": "twins"}
RULE = {"text": "Answer in metric units", "quote": "answer in metric units"}


@pytest.fixture
def knock(tmp_path: Path) -> Iterator[Knock]:
    chosen = settings(tmp_path / "m.db")
    with Memory.open(settings=chosen) as memory:
        yield Knock(memory, chosen, AGENT)


def test_it_is_kept_as_the_agents_word(knock: Knock) -> None:
    kept = knock.data(
        "remember",
        text=SAID,
        role="user",
        facts=[FACT],
        tasks=[{"title": "Order school uniforms", "due": "2026-08-20"}],
        rules=[RULE],
    )
    assert {one["verdict"] for one in kept["learned"]} == {"accepted"}
    assert [one["verdict"] for one in kept["rules"]] == ["queued"]
    memory = knock.memory.user("ann")
    assert {fact.trust for fact in memory.facts.list()} == {Trust.INFERRED}
    assert memory.facts.profile() == [] == memory.behavior.rules()
    assert "Oakwood" in text(knock("recall", query="Which school do the twins go to?"))
    waits = knock.data("pending_review")
    assert any("metric" in one["text"] for one in waits["rules"])


def test_the_same_call_again_is_one_call(knock: Knock) -> None:
    def call(**more: Any) -> dict[str, Any]:
        return knock.data("remember", text=SAID, role="user", **more)

    first, again = call(facts=[FACT]), call(facts=[FACT])
    assert again["already_known"] and again["ids"] == first["ids"]
    other = call(facts=[{"text": "The twins are called Ida and Jon"}])
    assert not other["already_known"], "something else was understood"


@pytest.mark.parametrize("mode", ["ended", "negated"])
@pytest.mark.parametrize("first", ["The user has a kayak", "The user's shed is full of paddles"])
def test_what_was_just_recalled_can_be_ended(knock: Knock, first: str, mode: str) -> None:
    knock.data("remember", text=first, facts=[{"text": first}])
    recalled = knock.data("recall", query="What about the kayak and the paddles?", kinds=["fact"])
    shown = recalled["items"][0]["text"]
    assert shown == first
    ended = {"text": shown, "mode": mode}
    knock.data("remember", text="sold it all lol", role="user", facts=[ended])
    memory = knock.memory.user("ann")
    if mode == "ended":
        assert first not in [fact.text for fact in memory.facts.list()]
    else:
        assert len(memory.facts.conflicts()) == 1, "a contradiction a moment later is a question"


def test_what_the_hooks_heard_may_be_quoted(knock: Knock, tmp_path: Path) -> None:
    memory = knock.memory.user("ann")
    caller = CallContext(memory, AGENT, settings(tmp_path / "m.db"))
    prompt = f"{SAID}. and answer in metric units from now on"
    events.answer("UserPromptSubmit", {"prompt": prompt, "session_id": "7"}, caller)
    forged = {"text": "The twins start at Evil Academy", "quote": "the twins start at Evil Academy"}
    kept = knock.data(
        "remember", text="School and units.", facts=[FACT, forged], rules=[RULE], session=None
    )
    believed = {fact.text: fact.trust for fact in memory.facts.list()}
    assert believed["The twins start at Oakwood in September"] is Trust.USER
    assert believed["The twins start at Evil Academy"] is Trust.INFERRED
    assert any("facts[1]" in note for note in kept["notes"])
    assert [rule.rule for rule in memory.behavior.rules()] == ["Answer in metric units"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"facts": [{"txt": "x"}]}, "facts.0.txt"),
        ({"facts": [{"subject": "user"}]}, "go together"),
        ({"facts": [{"text": "x" * 2**20}]}, "at most 300"),
        ({"facts": [{"text": "x"}] * 10_000}, "at most 100"),
        ({"tasks": [{"title": "x", "due": "soon"}]}, "no date"),
    ],
)
def test_what_is_wrong_is_said(knock: Knock, given: dict[str, Any], says: str) -> None:
    result = knock("remember", text="hello", **given)
    assert result.is_error and says in text(result) and len(text(result)) < 600
    assert knock.memory.user("ann").admin.stats().memories == 0


def test_the_schema_is_that_of_the_models(knock: Knock) -> None:
    listed = knock.say(lambda client: client.list_tools()).tools
    (tool,) = (one for one in listed if one.name == "remember")
    models = tool.input_schema["$defs"]
    assert set(models) == {"FactInput", "TaskInput", "RuleInput"}
    for model in (FactInput, TaskInput, RuleInput):
        assert set(models[model.__name__]["properties"]) == set(model.model_fields)
    assert models["TaskInput"]["required"] == ["title"]
    assert models["FactInput"]["additionalProperties"] is False
    assert models["FactInput"]["properties"]["text"]["type"] == "string"
    assert len(tool.description or "") < 1200
