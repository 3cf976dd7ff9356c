"""A language model behind an endpoint of any vendor in the table.

Answers are checked, never trusted. A structured answer is asked for by schema, else in JSON mode,
else in words; one that does not fit is sent back once, with what is wrong. A call ends, in an
answer or an error, by `llm.deadline_s`.
"""

from collections.abc import Sequence

from sharpwave.errors import InvalidSettings, ProviderError
from sharpwave.formulas.cost import estimated_tokens
from sharpwave.llm.answers import Answer, Malformed, read_form
from sharpwave.llm.chat import Chat, Request
from sharpwave.llm.dialect import Message
from sharpwave.llm.form import Form
from sharpwave.llm.patience import Patience
from sharpwave.llm.sdk_endpoint import SdkEndpoint, sendable
from sharpwave.llm.vendors import VENDORS
from sharpwave.settings.models import LLMSettings
from sharpwave.types.llm import Completion, LLMRole, Output, Prompt, Structured, Usage

BYTES_PER_TOKEN = 4.0  # of English with common tokenizers; only where the endpoint does not count
_ANSWERS = 2  # the first one, and a repaired one
_QUOTED_CHARS = 4000  # of an answer that is sent back


class ChatLLM:
    """Asks the models of one endpoint. Nothing is sent before the first use."""

    def __init__(
        self, settings: LLMSettings, patience: Patience | None = None, group: str = "llm"
    ) -> None:
        """`group` is where the settings name the endpoint."""
        unnamed = [role for role in LLMRole if not settings.models.of(role)]
        if unnamed:
            raise InvalidSettings(
                f"llm.models names no model for {', '.join(unnamed)}; set llm.models.default"
            )
        self._settings = settings
        vendor = VENDORS[settings.provider]
        url = settings.base_url or vendor.base_url
        advice = _advice(group)
        self._endpoint = SdkEndpoint(group, "LLM", url, settings.api_key, advice, vendor.sdk)
        self._chat = Chat(self._endpoint, vendor.dialect, settings, patience or Patience())

    def model(self, role: LLMRole) -> str:
        """The name of the model that plays this role."""
        return self._settings.models.of(role)

    def form(self, role: LLMRole) -> str:
        """How the role's model is told the form of an answer, as far as is known."""
        return self._chat.form(self.model(role))

    def complete(self, prompt: Prompt, role: LLMRole) -> Completion:
        """A text that answers the prompt."""
        request = self._request(prompt, role, _messages(prompt), None)
        answer = self._chat.ask(request, self._chat.deadline())
        usage = _usage(request, answer)
        self._require_words(answer, [usage])
        return Completion(answer.text, usage)

    def structured(self, prompt: Prompt, output: type[Output], role: LLMRole) -> Structured[Output]:
        """An answer in the form of `output`; AnswerUnfit if the model cannot give one."""
        form = Form.of(prompt.name, output)
        messages = _messages(prompt)
        until = self._chat.deadline()
        used: list[Usage] = []
        for _ in range(_ANSWERS):
            request = self._request(prompt, role, messages, form)
            try:
                answer = self._chat.ask(request, until)
            except ProviderError as error:
                raise _counted(error, used) from None
            used.append(_usage(request, answer))
            self._require_words(answer, used)
            try:
                return Structured(read_form(answer.text, output), _sum(used))
            except Malformed as error:
                problem = str(error)
            if answer.cut:
                problem = f"it ends after {request.max_tokens} tokens, before it is complete"
                break
            messages = [*messages, *_sent_back(answer, problem, form)]
        raise _counted(self._unfit(prompt, role, problem), used)

    def _request(
        self, prompt: Prompt, role: LLMRole, messages: list[Message], form: Form | None
    ) -> Request:
        most = min(prompt.max_tokens, self._settings.max_output_tokens)
        return Request(self.model(role), messages, most, form)

    def close(self) -> None:
        """Let go of the connections to the endpoint."""
        self._chat.close()

    def _require_words(self, answer: Answer, used: Sequence[Usage]) -> None:
        """Who refuses the words once refuses them the next time, too."""
        if answer.instead is not None:
            error = self._endpoint.unfit(
                f"{answer.instead}; check {self._endpoint.group}.base_url and llm.models"
            )
            raise _counted(error, used)

    def _unfit(self, prompt: Prompt, role: LLMRole, problem: str) -> ProviderError:
        return self._endpoint.unfit(
            f"an answer to the prompt {prompt.name!r} that does not fit ({problem}); "
            f"name a more capable model in llm.models.{role}, or raise llm.max_output_tokens"
        )


def _advice(group: str) -> dict[int | None, str]:
    return {
        401: f"set {group}.api_key to a valid key",
        403: f"use an {group}.api_key that may use this model",
        404: f"check {group}.base_url and llm.models",
        413: "send less text at once",
        None: f"check {group}.base_url, llm.models and the length of the texts",
    }


def _messages(prompt: Prompt) -> list[Message]:
    return [
        {"role": "system", "content": sendable(prompt.system)},
        {"role": "user", "content": sendable(prompt.user)},
    ]


def _sent_back(answer: Answer, problem: str, form: Form) -> list[Message]:
    """Quote the answer and say what is wrong with it."""
    asked = f"That answer cannot be used. {problem}\nCorrect it. {form.instruction}"
    return [
        {"role": "assistant", "content": sendable(answer.text[:_QUOTED_CHARS])},
        {"role": "user", "content": sendable(asked)},
    ]


def _usage(request: Request, answer: Answer) -> Usage:
    if answer.tokens is not None:
        return Usage(request.model, answer.tokens.input, answer.tokens.output, estimated=False)
    texts = [message["content"] for message in request.messages]
    if request.form is not None:
        texts.append(request.form.instruction)  # in one way or another the model is told the form
    sent = sum(len(text.encode()) for text in texts)
    return Usage(
        request.model,
        estimated_tokens(sent, BYTES_PER_TOKEN),
        estimated_tokens(answer.written_bytes, BYTES_PER_TOKEN),
        estimated=True,
    )


def _sum(used: Sequence[Usage]) -> Usage:
    return Usage(
        used[0].model,
        sum(usage.input_tokens for usage in used),
        sum(usage.output_tokens for usage in used),
        any(usage.estimated for usage in used),
    )


def _counted(error: ProviderError, used: Sequence[Usage]) -> ProviderError:
    """Say with the error what was spent for nothing."""
    error.input_tokens = sum(usage.input_tokens for usage in used)
    error.output_tokens = sum(usage.output_tokens for usage in used)
    return error
