"""Asking a language model at night. A night never depends on it: without one the rules work."""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from sharpwave.errors import BudgetSpent, ProviderError, ProviderUnavailable
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts.transcript import Line
from sharpwave.sleep.journal import Step
from sharpwave.sleep.run import SleepRun
from sharpwave.types.llm import LLMRole, Prompt
from sharpwave.types.records import Record

Answer = TypeVar("Answer", bound=BaseModel)
AWAY = "the language model did not answer: rules did its work"


def lines(turns: Sequence[Record], night: SleepRun) -> list[Line]:
    """What was said, as it may leave the machine."""
    llm = _llm(night)
    return [llm.line(turn) for turn in turns]


def may_ask(night: SleepRun) -> bool:
    """Whether there is a model that answers, the user agreed to it, and some allowance is left."""
    return not night.model_is_away and _llm(night).may_ask()


def ask(
    prompt: Prompt, form: type[Answer], night: SleepRun, role: LLMRole = LLMRole.ANALYZER
) -> Answer | None:
    """What a model answers; None if it may not be asked or does not answer.

    Once it is away it is not asked again in this night, which would wait as long every time.
    """
    if night.model_is_away:
        return None
    try:
        answer = _llm(night).ask(prompt, form, role)
    except ProviderError as error:
        night.spend(0.0, error.input_tokens + error.output_tokens)
        night.model_is_away = isinstance(error, ProviderUnavailable)
        if night.model_is_away and not isinstance(error, BudgetSpent):
            night.add(Step(notes=(AWAY,)))
        return None
    if answer is None:
        return None
    night.spend(0.0, answer.usage.input_tokens + answer.usage.output_tokens)
    return answer.value


def _llm(night: SleepRun) -> AllowedLLM:
    return AllowedLLM(night.workspace)
