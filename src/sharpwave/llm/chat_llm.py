"""Sends chat requests until one is answered, or there is no time left for another.

A request that fails temporarily is retried with growing waits, not before the endpoint's
`Retry-After`; one that is refused is simplified (`dialect`). Answers are read within limits of time
and size.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import SecretStr

from sharpwave.errors import InvalidSettings, ProviderError
from sharpwave.formulas.cost import backoff_s, estimated_tokens
from sharpwave.llm.answers import ChatAnswer, Malformed, OutputSchema, read_form
from sharpwave.llm.dialects import ChatDialect, ChatMessage, first_dialect
from sharpwave.llm.endpoint import Failure, SdkEndpoint, Timing, TooLate, Unusable, sendable
from sharpwave.settings.models import LLMSettings
from sharpwave.types.llm import Completion, LLMProvider, LLMRole, Output, Prompt, Structured, Usage

DEADLINE_S = 180.0
"""Longest time for one call, with all its retries."""
RETRIES = 2
"""Retries after a failed request."""
BACKOFF_S = 0.5
"""Wait before the first retry; doubled each time."""
MAX_OUTPUT_TOKENS = 4096
"""Longest answer to ask for; some models refuse requests for more."""
MAX_ANSWER_BYTES = 4 * 2**20
"""Longest answer that is read; a longer one is refused."""
BYTES_PER_TOKEN = 4.0  # of English with common tokenizers; only where the endpoint does not count
_ANSWERS = 2  # the first one, and a repaired one
_QUOTED_CHARS = 4000  # of an answer that is sent back


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model."""

    model: str
    messages: list[ChatMessage]
    max_tokens: int
    form: OutputSchema | None = None
    """What the answer has to look like; None for any text."""


class Chat:
    """Requests to one endpoint, with retries and simpler dialects."""

    def __init__(
        self, settings: LLMSettings, timing: Timing | None = None, group: str = "llm"
    ) -> None:
        """`group` is where the settings name the endpoint."""
        unnamed = [role for role in LLMRole if not settings.model_of(role)]
        if unnamed:
            raise InvalidSettings(
                f"llm.models names no model for {', '.join(unnamed)}; set llm.models.default"
            )
        vendor = settings.provider
        url = settings.base_url or vendor.base_url
        advice = {
            401: f"set {group}.api_key to a valid key",
            403: f"use an {group}.api_key that may use this model",
            404: f"check {group}.base_url and llm.models",
            413: "send less text at once",
            None: f"check {group}.base_url, llm.models and the length of the texts",
        }
        self.model_of = settings.model_of
        self.endpoint = SdkEndpoint(group, "LLM", url, settings.api_key, advice, vendor.sdk)
        self._first = first_dialect(vendor)
        self._timeout_s = settings.timeout_s
        self._timing = timing or Timing()
        self._dialects: dict[str, ChatDialect] = {}
        # the package's own retries know no deadline
        self._client = self.endpoint.client(
            timeout_s=self._timeout_s, retries=0, max_bytes=MAX_ANSWER_BYTES, timing=self._timing
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def deadline(self) -> float:
        """The time by which a call that begins now has to end."""
        return self._timing.now() + DEADLINE_S

    def form(self, model: str) -> str:
        """The answer format used for a model: the last that worked, or the first to try."""
        return str(self._dialects.get(model, self._first).format)

    def ask(self, request: Request, until: float) -> ChatAnswer:
        """The answer; a ProviderError if there is none by `until`."""
        dialect = self._dialects.get(request.model, self._first)
        while True:
            answer = self._ask_with_retries(request, dialect, until)
            if isinstance(answer, ChatAnswer):
                self._dialects[request.model] = dialect
                return answer
            simpler = dialect.after(answer, request.form)
            if simpler is None:
                raise answer.error
            dialect = simpler

    def _ask_with_retries(
        self, request: Request, dialect: ChatDialect, until: float
    ) -> ChatAnswer | Failure:
        """Retry while the failure is temporary and there is time."""
        timing = self._timing
        failures = 0
        while True:
            answer = self._ask_once(request, dialect, until - timing.now())
            if isinstance(answer, ChatAnswer) or not answer.passing:
                return answer
            if dialect.after(answer, request.form) is not None:  # try a simpler dialect first
                return answer
            failures += 1
            pause = backoff_s(failures, BACKOFF_S, timing.chance())
            pause = max(pause, answer.retry_after_s or 0.0)
            if failures > RETRIES or pause >= until - timing.now():
                return answer
            timing.wait(pause)

    def _ask_once(
        self, request: Request, dialect: ChatDialect, left_s: float
    ) -> ChatAnswer | Failure:
        if left_s <= 0:
            late = f"did not answer within {DEADLINE_S:g} s"
            return Failure(self.endpoint.unavailable(f"{late}; try again later"), passing=False)
        timeout_s = min(self._timeout_s, left_s)
        parameters = dialect.request(request.messages, request.max_tokens, request.form)
        try:
            send = dialect.create(self._client)
            sent = send(model=request.model, **parameters, timeout=timeout_s)
            return dialect.read(sent.http_response.content)
        except self.endpoint.sdk.APIError as error:
            return self.endpoint.failure(error, timeout_s)
        except TooLate:
            return self.endpoint.unreachable(timeout_s)
        except Unusable as error:
            advice = f"check {self.endpoint.group}.base_url and llm.models"
            return Failure(self.endpoint.misbehaved(f"{error}; {advice}"), passing=False)


class ChatLLM:
    """Asks the model of each role at its endpoint. Nothing is sent before the first use."""

    def __init__(self, chats: Mapping[LLMRole, Chat]) -> None:
        self._chats = chats

    def model(self, role: LLMRole) -> str:
        """The name of the model that plays this role."""
        return self._chats[role].model_of(role)

    def form(self, role: LLMRole) -> str:
        """The answer format used for the role's model."""
        return self._chats[role].form(self.model(role))

    def complete(self, prompt: Prompt, role: LLMRole) -> Completion:
        """A text that answers the prompt."""
        chat, request = self._chats[role], self._request(prompt, role, _messages(prompt), None)
        answer = chat.ask(request, chat.deadline())
        usage = _usage(request, answer)
        _require_text(chat.endpoint, answer, [usage])
        return Completion(answer.text, usage)

    def structured(self, prompt: Prompt, output: type[Output], role: LLMRole) -> Structured[Output]:
        """An answer in the form of `output`; AnswerUnfit if the model cannot give one."""
        form = OutputSchema.of(prompt.name, output)
        chat, messages = self._chats[role], _messages(prompt)
        until = chat.deadline()
        usages: list[Usage] = []
        for _ in range(_ANSWERS):
            request = self._request(prompt, role, messages, form)
            try:
                answer = chat.ask(request, until)
            except ProviderError as error:
                raise _with_usage(error, usages) from None
            usages.append(_usage(request, answer))
            _require_text(chat.endpoint, answer, usages)
            try:
                return Structured(read_form(answer.text, output), _sum(usages))
            except Malformed as error:
                problem = str(error)
            if answer.cut:
                problem = f"it ends after {request.max_tokens} tokens, before it is complete"
                break
            messages = [*messages, *_correction_messages(answer, problem, form)]
        unfit = chat.endpoint.unfit(
            f"an answer to the prompt {prompt.name!r} that does not fit ({problem}); "
            f"name a more capable model in llm.models.{role}"
        )
        raise _with_usage(unfit, usages)

    def _request(
        self, prompt: Prompt, role: LLMRole, messages: list[ChatMessage], form: OutputSchema | None
    ) -> Request:
        max_tokens = min(prompt.max_tokens, MAX_OUTPUT_TOKENS)
        return Request(self.model(role), messages, max_tokens, form)

    def close(self) -> None:
        """Close the connections to every endpoint."""
        for chat in self._chats.values():
            chat.close()


def _require_text(endpoint: SdkEndpoint, answer: ChatAnswer, usages: Sequence[Usage]) -> None:
    """Raise AnswerUnfit without text; a refusal is not retried, since it would be repeated."""
    if answer.instead is not None:
        advice = f"check {endpoint.group}.base_url and llm.models"
        raise _with_usage(endpoint.unfit(f"{answer.instead}; {advice}"), usages)


def _messages(prompt: Prompt) -> list[ChatMessage]:
    return [
        {"role": "system", "content": sendable(prompt.system)},
        {"role": "user", "content": sendable(prompt.user)},
    ]


def _correction_messages(answer: ChatAnswer, problem: str, form: OutputSchema) -> list[ChatMessage]:
    """Quote the answer and say what is wrong with it."""
    request = f"That answer cannot be used. {problem}\nCorrect it. {form.instruction}"
    return [
        {"role": "assistant", "content": sendable(answer.text[:_QUOTED_CHARS])},
        {"role": "user", "content": sendable(request)},
    ]


def _usage(request: Request, answer: ChatAnswer) -> Usage:
    if answer.tokens is not None:
        return Usage(request.model, answer.tokens.input, answer.tokens.output, estimated=False)
    texts = [message["content"] for message in request.messages]
    if request.form is not None:
        texts.append(request.form.instruction)  # every dialect sends the form in some way
    sent = sum(len(text.encode()) for text in texts)
    return Usage(
        request.model,
        estimated_tokens(sent, BYTES_PER_TOKEN),
        estimated_tokens(answer.written_bytes, BYTES_PER_TOKEN),
        estimated=True,
    )


def _sum(usages: Sequence[Usage]) -> Usage:
    return Usage(
        usages[0].model,
        sum(usage.input_tokens for usage in usages),
        sum(usage.output_tokens for usage in usages),
        any(usage.estimated for usage in usages),
    )


def _with_usage(error: ProviderError, usages: Sequence[Usage]) -> ProviderError:
    """The error with the tokens that were spent on failed answers."""
    error.input_tokens = sum(usage.input_tokens for usage in usages)
    error.output_tokens = sum(usage.output_tokens for usage in usages)
    return error


def open_llm(settings: LLMSettings, variables: Mapping[str, str]) -> ChatLLM | None:
    """The models of the settings; missing keys come from the vendors' environment variables."""
    if not settings.named:
        return None
    settings_by_role = {role: settings.of(role) for role in LLMRole}
    for role, role_settings in settings_by_role.items():
        if role_settings.provider is LLMProvider.NONE:
            raise InvalidSettings(f"llm.provider: say who plays the role {role}, too")
    chats: dict[LLMRole, Chat] = {}
    for role, role_settings in settings_by_role.items():
        shared = next(
            (
                chats[known_role]
                for known_role in chats
                if settings_by_role[known_role] is role_settings
            ),
            None,
        )
        group = "llm" if role_settings is settings else f"llm.elsewhere.{role}"
        chats[role] = shared or Chat(_with_key(role_settings, variables, group), group=group)
    return ChatLLM(chats)


def _with_key(settings: LLMSettings, variables: Mapping[str, str], group: str) -> LLMSettings:
    """Add the vendor's key from `variables`; with a `base_url` only an explicit key is sent."""
    variable = settings.provider.key_variable
    if settings.api_key is not None or settings.base_url is not None or variable is None:
        return settings
    if not (key := variables.get(variable)):
        raise InvalidSettings(
            f"{settings.provider} wants a key: set {group}.api_key or the variable {variable}"
        )
    return settings.model_copy(update={"api_key": SecretStr(key)})
