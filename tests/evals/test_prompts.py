"""Whether the evaluation of prompts tells a good model from a bad one, with scripted ones."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from evals import prompts
from evals.__main__ import app
from evals.prompts import cases, measure
from sharpwave import InvalidInput
from sharpwave.errors import ProviderUnavailable
from sharpwave.testing import LLMCall, ScriptedLLM
from sharpwave.types.llm import LLMRole

SURE = {"confidence": 0.9}
USER = {"op": "new", "subject": "user", "text": "It is so."}


def fact(quote: str, predicate: str, value: str) -> dict[str, Any]:
    return USER | SURE | {"quote": quote, "predicate": predicate, "object": value}


def rule(quote: str) -> dict[str, Any]:
    return SURE | {"op": "new", "kind": "rule", "quote": quote, "text": "Do so"}


GOOD: dict[str, dict[str, Any]] = {
    "took me on": {"operations": [fact("Acme", "works_at", "Acme")]},
    "to Porto": {"operations": [fact("moved from Lisbon to Porto", "lives_in", "Porto")]},
    "I can't have peanuts": {"operations": [fact("can't have peanuts", "allergic_to", "peanuts")]},
    "sonnet": {},
    "lived in Rome": {},
    "Ana lives in Lisbon": {"why": "One home.", "inconsistent": True},
    "never eats meat": {"why": "Steak is meat.", "inconsistent": True},
    "Ana has a cat": {"why": "One can have both.", "inconsistent": False},
    "works in Zurich": {"why": "It only says more.", "inconsistent": False},
    "under five lines": {"operations": [rule("keep answers under five lines")]},
    "with tabs": {"operations": [rule("indent with tabs")]},
    "pushed me back": {
        "operations": [SURE | {"op": "update", "id": "F1", "quote": "the 9th", "text": "The 9th."}]
    },
    "capital of Peru": {},
    "Funny man": {},
    "Only the command": {
        "notes": [{"text": "Give only the command.", "about": "preference", "turns": [1, 3]}]
    },
    "Never mind, bye": {},
    "fly to Lisbon": {
        "summary": "Ana and the user fly to Lisbon on 12 June for nine days. No peanuts for Ana."
    },
    "Heron": {"summary": "Heron moves to 3 March. Clara tells the customers."},
    "migration": {"insights": [{"text": "Run migrate before deploy.", "turns": [1, 2]}]},
    "too verbose": {"why": "Too long.", "instruction": "Answer in two sentences."},
    "about Rome": {"why": "Nothing.", "instruction": ""},
}


def good(asked: LLMCall) -> str:
    return next(json.dumps(told) for words, told in GOOD.items() if words in asked.prompt.user)


def test_a_model_that_does_all_of_it_is_right_every_time() -> None:
    scores = measure(ScriptedLLM(good), cases())

    names = [score.prompt.split()[0] for score in scores]
    assert names == [
        "conversation", "conflict", "notes", "summary", "insights", "optimise"
    ]  # fmt: skip
    assert [(score.asked, score.answered) for score in scores] == [
        (score.right, score.right) for score in scores
    ]
    assert sum(score.asked for score in scores) == 21
    assert all(score.input_tokens > 0 and score.problem is None for score in scores)


WRONG = {
    "conversation": {"operations": [fact("I like it", "likes", "everything")]},
    "conflict": {"why": "", "inconsistent": True},
    "notes": {"notes": [{"text": "Smile.", "about": "strategy", "turns": [1]}]},
    "summary": {"summary": "Ana and Clara met Bruno 17 times in Lisbon; Heron has peanuts."},
    "insights": {"insights": [{"text": "Run migrate before deploy.", "turns": [2]}]},
    "optimise": {"why": "", "instruction": "Answer at length."},
}


def test_a_model_that_says_anything_is_not() -> None:
    scores = measure(ScriptedLLM(lambda asked: json.dumps(WRONG[asked.prompt.name])), cases())

    found = {score.prompt.split()[0]: score for score in scores}
    assert all(score.answered == score.asked for score in scores)
    assert found["conflict"].right == 2, "yes is right half of the time"
    assert found["conversation"].right == 4, "what it cannot quote does not count: four are empty"
    others = found.keys() - {"conflict", "conversation"}
    assert [found[name].right for name in others] == [0] * len(others)


def test_a_model_that_fails_is_counted_and_told() -> None:
    llm = ScriptedLLM()
    llm.failing = ProviderUnavailable("down")
    llm.failing.input_tokens = 7

    scores = measure(llm, [case for case in cases() if case.prompt.name == "summary"])

    assert [(one.asked, one.answered, one.right) for one in scores] == [(2, 0, 0)]
    assert (scores[0].input_tokens, scores[0].problem) == (14, "down")
    assert scores[0].model == f"scripted-{LLMRole.GENERATOR}"


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "language_model", lambda settings: ScriptedLLM(good))

    ran = CliRunner().invoke(app, ["prompts", "--only", "notes", "--json"])
    assert [(one["prompt"], one["right"]) for one in json.loads(ran.stdout)["prompts"]] == [
        ("notes 1", 2)
    ]
    shown = CliRunner().invoke(app, ["prompts"]).stdout
    assert "optimise 1" in shown and "scripted-utility" in shown
    wrong = CliRunner().invoke(app, ["prompts", "--only", "poems"])
    assert isinstance(wrong.exception, InvalidInput) and "conversation" in str(wrong.exception)
