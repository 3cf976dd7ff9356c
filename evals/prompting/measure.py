"""Asks a language model every case, and counts for each prompt what came of it."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sharpwave.errors import ProviderError
from evals.prompting.cases import Case
from sharpwave.ports import LLM


@dataclass(frozen=True, slots=True)
class PromptScore:
    """How a model did with one prompt."""

    prompt: str
    """Name and version."""
    model: str
    asked: int = 0
    answered: int = 0
    """Answers in the right form."""
    right: int = 0
    """Answers that say what they have to."""
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    problem: str | None = None
    """The last failure, if any."""


def measure(
    llm: LLM,
    cases: Iterable[Case],
    tell: Callable[[str], None] = lambda _: None,
    now: Callable[[], float] = time.perf_counter,
) -> list[PromptScore]:
    """One score a prompt, in the order of the cases."""
    scores: dict[str, PromptScore] = {}
    for case in cases:
        name = f"{case.prompt.name} {case.prompt.version}"
        tell(name)
        before = scores.get(name) or PromptScore(name, llm.model(case.role))
        scores[name] = _ask(llm, case, before, now)
    return list(scores.values())


def _ask(llm: LLM, case: Case, before: PromptScore, now: Callable[[], float]) -> PromptScore:
    begin = now()
    try:
        answer = llm.structured(case.prompt, case.output, case.role)
    except ProviderError as error:
        made = replace(before, problem=str(error))
        sent, answered = error.input_tokens, error.output_tokens
    else:
        right = before.right + case.is_right(answer.value)
        made = replace(before, answered=before.answered + 1, right=right)
        sent, answered = answer.usage.input_tokens, answer.usage.output_tokens
    return replace(
        made,
        asked=before.asked + 1,
        input_tokens=before.input_tokens + sent,
        output_tokens=before.output_tokens + answered,
        seconds=before.seconds + now() - begin,
    )
