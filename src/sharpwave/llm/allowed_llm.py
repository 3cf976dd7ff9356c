"""Language model calls of one user: consent, redaction, daily allowance and cost."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from sharpwave.errors import BudgetSpent, ProviderError
from sharpwave.formulas.cost import is_used_up, one_call
from sharpwave.llm.prompts.transcript import TranscriptLine
from sharpwave.ports import LLM
from sharpwave.privacy.consent import Consents
from sharpwave.privacy.redaction import redact
from sharpwave.types.llm import Completion, LLMRole, Prompt, Structured
from sharpwave.types.records import Record, Role
from sharpwave.workspace import Workspace

Answer = TypeVar("Answer", bound=BaseModel)
_LOG = logging.getLogger(__name__)
Paid = TypeVar("Paid", Completion, Structured[Any])


@dataclass(frozen=True, slots=True)
class AllowedLLM:
    """One user's access to the language model; no other code sends a user's data to one."""

    workspace: Workspace

    def may_ask(self) -> bool:
        """Whether there is a model, the user agreed to it, and something is left for today."""
        return self.may_send() and not self._is_used_up()

    def redacted(self, text: str) -> str:
        """The text as it may leave the machine."""
        return redact(text, self.workspace.settings.privacy.egress).text

    def line(self, turn: Record) -> TranscriptLine:
        """A turn, redacted as it may leave the machine."""
        speaker = turn.speaker and self.redacted(turn.speaker)
        return TranscriptLine(
            turn.role or Role.USER, self.redacted(turn.text), turn.valid_from, speaker
        )

    def ask(self, prompt: Prompt, form: type[Answer], role: LLMRole) -> Structured[Answer] | None:
        """The model's answer; None without a model or without consent.

        Raises BudgetSpent when today's allowance is used up, ProviderError when there is no usable
        answer; the tokens of a failed call are charged too.
        """
        return self._charged_call(lambda model: model.structured(prompt, form, role), prompt, role)

    def write(self, prompt: Prompt, role: LLMRole) -> Completion | None:
        """A text written by the model; None and errors as in `ask`."""
        return self._charged_call(lambda model: model.complete(prompt, role), prompt, role)

    def _charged_call(
        self, call: Callable[[LLM], Paid], prompt: Prompt, role: LLMRole
    ) -> Paid | None:
        model = self.workspace.llm
        if model is None or not self.may_send():
            return None
        if self._is_used_up():
            raise BudgetSpent(
                "this user's models took all that llm.daily_calls, daily_tokens or daily_cost "
                "allow for today; it goes on tomorrow"
            )
        try:
            answer = call(model)
        except ProviderError as error:
            self._charge(prompt, role, error.input_tokens, error.output_tokens, error.code)
            raise
        self._charge(prompt, role, answer.usage.input_tokens, answer.usage.output_tokens)
        return answer

    def may_send(self) -> bool:
        """Whether there is a model and the user agrees; read on every call."""
        consents = Consents(self.workspace.store.consents(), self.workspace.settings.privacy)
        return self.workspace.llm is not None and consents.may_send

    def _is_used_up(self) -> bool:
        caps, today = self.workspace.settings.llm, self.workspace.clock.now().date()
        spent = self.workspace.store.spent(today)
        return is_used_up(spent, caps.daily_calls, caps.daily_tokens, caps.daily_cost)

    def _charge(
        self, prompt: Prompt, role: LLMRole, sent: int, received: int, failure: str = "none"
    ) -> None:
        """Record the cost of a call and log it: numbers, never words."""
        prices, today = self.workspace.settings.llm.of(role), self.workspace.clock.now().date()
        spent = one_call(sent, received, prices.input_price, prices.output_price)
        self.workspace.store.charge(today, spent)
        label, usage = f"{role.value} {prompt.name} {prompt.version}", (sent, received, spent.cost)
        _LOG.info(
            "asked %s: %d tokens sent, %d answered, cost %.6f, failure %s", label, *usage, failure
        )
