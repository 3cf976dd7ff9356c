"""Tests a language model without any user's data: one word, and one answer in a form."""

import time

from pydantic import BaseModel

from sharpwave.errors import ProviderError
from sharpwave.ports import LLM, FormTelling
from sharpwave.types.llm import LLMRole, Probe, Prompt

_MAX_TOKENS = 1000  # a model that thinks first uses most of them
_WORD = Prompt(
    "probe_word", "1", "Answer with one word.", "What colour is a ripe lemon?", _MAX_TOKENS
)
_FORM = Prompt(
    "probe_form",
    "1",
    "You read a sentence and say who is meant and where they live.",
    "Ana lives in Porto.",
    _MAX_TOKENS,
)


class Lives(BaseModel):
    """What the model is asked to fill in."""

    name: str
    city: str


def probe(llm: LLM, role: LLMRole) -> Probe:
    """Which features of one role's model work. Costs two short calls."""
    started, sent, answered, estimated = time.perf_counter(), 0, 0, False
    wire = structured = False
    problem: str | None = None
    try:
        word_answer = llm.complete(_WORD, role)
        wire = True
        sent, answered = word_answer.usage.input_tokens, word_answer.usage.output_tokens
        form_answer = llm.structured(_FORM, Lives, role)
        structured = True
        sent, answered = (
            sent + form_answer.usage.input_tokens,
            answered + form_answer.usage.output_tokens,
        )
        estimated = word_answer.usage.estimated or form_answer.usage.estimated
        if "porto" not in form_answer.value.city.casefold():
            problem = (
                f"it reads badly: 'Ana lives in Porto' is {form_answer.value.city[:40]!r} to it"
            )
    except ProviderError as error:
        sent, answered = sent + error.input_tokens, answered + error.output_tokens
        problem = str(error)
    return Probe(
        role=role,
        model=llm.model(role),
        wire=wire,
        structured=structured,
        form=llm.form(role) if isinstance(llm, FormTelling) else None,  # optional for custom models
        seconds=time.perf_counter() - started,
        input_tokens=sent,
        output_tokens=answered,
        estimated=estimated,
        problem=problem,
    )
