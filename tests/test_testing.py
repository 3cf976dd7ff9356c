"""The scripted language model that users get for their own tests."""

import pytest

from sharpwave import LLM
from sharpwave.errors import ProviderMisbehaved, ProviderUnavailable
from sharpwave.llm.prompts import sleep
from sharpwave.testing import LLMCall, ScriptedLLM
from sharpwave.types.llm import LLMRole, Prompt, Usage

PROMPT = Prompt("p", "1", "sys.", "user", 9)
YES = sleep.ConflictOutput(why="Both cannot be.", inconsistent=True)


def test_answers_come_in_order_and_prompts_are_kept() -> None:
    script = ScriptedLLM(["four", YES, YES.model_dump_json(), ProviderUnavailable("down")])
    llm: LLM = script

    assert llm.complete(PROMPT, LLMRole.GENERATOR).text == "four"
    for _ in range(2):
        assert llm.structured(PROMPT, sleep.ConflictOutput, LLMRole.UTILITY).value == YES
    with pytest.raises(ProviderUnavailable, match="down"):
        llm.complete(PROMPT, LLMRole.UTILITY)
    with pytest.raises(AssertionError, match="the script is over, but call 5 asks for 'p'"):
        llm.complete(PROMPT, LLMRole.UTILITY)

    assert script.asked[0] == LLMCall(PROMPT, LLMRole.GENERATOR, None)
    assert [asked.output for asked in script.asked[1:3]] == [sleep.ConflictOutput] * 2
    size = -(-len(YES.model_dump_json()) // 4)
    assert script.usage == Usage("scripted", 6, 1 + 2 * size, estimated=True)


def test_a_function_can_be_the_script() -> None:
    llm = ScriptedLLM(lambda asked: f"{asked.role}: {asked.prompt.user}")

    completion = llm.complete(PROMPT, LLMRole.ANALYZER)

    assert completion.text == "analyzer: user"
    assert completion.usage == Usage("scripted-analyzer", 2, 4, estimated=True)


def test_it_fails_on_demand_and_heals() -> None:
    llm = ScriptedLLM(["first"])
    llm.failing = ProviderUnavailable("down")
    with pytest.raises(ProviderUnavailable):
        llm.complete(PROMPT, LLMRole.UTILITY)

    llm.failing = None

    assert llm.complete(PROMPT, LLMRole.UTILITY).text == "first"
    assert len(llm.asked) == 2


def test_an_answer_that_does_not_fit_is_misbehaviour() -> None:
    with pytest.raises(ProviderMisbehaved, match="does not fit"):
        ScriptedLLM(["no"]).structured(PROMPT, sleep.ConflictOutput, LLMRole.UTILITY)
