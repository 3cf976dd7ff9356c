"""Asking a language model at night: agreed to, redacted, within the day's allowance, and paid for.

A night never depends on it: without an answer the rules do the work.
"""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from sharpwave.errors import ProviderError
from sharpwave.formulas.llm_cost import is_used_up, one_call
from sharpwave.privacy.redaction import redact
from sharpwave.prompts.transcript import Line
from sharpwave.sleep.night import Night
from sharpwave.types.llm import LLMRole, Prompt
from sharpwave.types.records import Record, Role
from sharpwave.types.working import Purpose

Answer = TypeVar("Answer", bound=BaseModel)


def lines(turns: Sequence[Record], night: Night) -> list[Line]:
    """What was said, as it may leave the machine."""
    egress = night.settings.privacy.egress
    return [
        Line(
            turn.role or Role.USER,
            redact(turn.text, egress).text,
            turn.valid_from,
            turn.speaker and redact(turn.speaker, egress).text,
        )
        for turn in turns
    ]


def may_ask(night: Night) -> bool:
    """Whether there is a model, the user agreed to it, and something of the allowance is left."""
    ledger, limits, privacy = night.ports.store.ledger, night.settings.llm, night.settings.privacy
    agreed = ledger.consents(night.user_id)
    if night.ports.llm is None or not agreed.get(Purpose.MEMORY, privacy.consent_assumed):
        return False
    spent = ledger.spent(night.user_id, night.ports.clock.now().date())
    used_up = is_used_up(spent, limits.daily_calls, limits.daily_tokens, limits.daily_cost)
    return agreed.get(Purpose.EGRESS, privacy.egress_assumed) and not used_up


def ask(prompt: Prompt, form: type[Answer], night: Night) -> Answer | None:
    """What a model answers; None if it may not be asked or does not answer."""
    if night.ports.llm is None or not may_ask(night):
        return None
    try:
        answer = night.ports.llm.structured(prompt, form, LLMRole.ANALYZER)
    except ProviderError as error:
        _charge(error.input_tokens, error.output_tokens, night)
        return None
    _charge(answer.usage.input_tokens, answer.usage.output_tokens, night)
    return answer.value


def _charge(sent: int, answered: int, night: Night) -> None:
    prices, today = night.settings.llm, night.ports.clock.now().date()
    spent = one_call(sent, answered, prices.input_price, prices.output_price)
    night.ports.store.ledger.charge(night.user_id, today, spent)
    night.spend(0.0, sent + answered)
