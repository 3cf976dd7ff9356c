"""Sends chat requests until one is answered, or there is no time left for another.

A request that fails in passing is tried again, later each time and not before the endpoint wants
it; one that is refused is put more simply (`dialect`). Answers are read within limits of time
and size, whatever the endpoint sends.
"""

from dataclasses import dataclass

from sharpwave.formulas.cost import backoff_s
from sharpwave.llm.answers import Answer
from sharpwave.llm.dialect import Dialect, Message
from sharpwave.llm.form import Form
from sharpwave.llm.limits import Limits, TooLate, Unusable
from sharpwave.llm.patience import Patience
from sharpwave.llm.sdk_endpoint import Failure, SdkEndpoint
from sharpwave.settings.models import LLMSettings


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to ask a model."""

    model: str
    messages: list[Message]
    max_tokens: int
    form: Form | None = None
    """What the answer has to look like; None for any text."""


class Chat:
    """What one endpoint is asked, and answers."""

    def __init__(
        self, endpoint: SdkEndpoint, first: Dialect, settings: LLMSettings, patience: Patience
    ) -> None:
        """`first` is the dialect to begin with."""
        self._endpoint = endpoint
        self._first = first
        self._settings = settings
        self._patience = patience
        self._dialects: dict[str, Dialect] = {}
        limits = Limits(settings.max_answer_bytes, "llm.max_answer_bytes", patience)
        # the package's own retries know no deadline
        self._client = endpoint.client(timeout_s=settings.timeout_s, retries=0, limits=limits)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def deadline(self) -> float:
        """The moment by which a call that begins now has to end."""
        return self._patience.now() + self._settings.deadline_s

    def form(self, model: str) -> str:
        """How a model is told the form of an answer, as far as is known."""
        return str(self._dialects.get(model, self._first).format)

    def ask(self, request: Request, until: float) -> Answer:
        """The answer; a ProviderError if there is none by `until`."""
        dialect = self._dialects.get(request.model, self._first)
        while True:
            answer = self._insist(request, dialect, until)
            if isinstance(answer, Answer):
                self._dialects[request.model] = dialect
                return answer
            simpler = dialect.after(answer, request.form)
            if simpler is None:
                raise answer.error
            dialect = simpler

    def _insist(self, request: Request, dialect: Dialect, until: float) -> Answer | Failure:
        """Try again while the failure is a passing one, and there is time."""
        settings, patience = self._settings, self._patience
        failures = 0
        while True:
            answer = self._once(request, dialect, until - patience.now())
            if isinstance(answer, Answer) or not self._worth_repeating(answer, request, dialect):
                return answer
            failures += 1
            pause = backoff_s(failures, settings.backoff_s, patience.chance())
            pause = max(pause, answer.retry_after_s or 0.0)
            if failures > settings.retries or pause >= until - patience.now():
                return answer
            patience.wait(pause)

    def _worth_repeating(self, failure: Failure, request: Request, dialect: Dialect) -> bool:
        return failure.passing and dialect.after(failure, request.form) is None

    def _once(self, request: Request, dialect: Dialect, left_s: float) -> Answer | Failure:
        if left_s <= 0:
            late = f"did not answer within llm.deadline_s = {self._settings.deadline_s:g} s"
            return Failure(self._endpoint.unavailable(f"{late}; try again later"), passing=False)
        timeout_s = min(self._settings.timeout_s, left_s)
        asked = dialect.request(request.messages, request.max_tokens, request.form)
        try:
            send = dialect.create(self._client)
            sent = send(model=request.model, **asked, timeout=timeout_s)
            return dialect.read(sent.http_response.content)
        except self._endpoint.sdk.APIError as error:
            return self._endpoint.failure(error, timeout_s)
        except TooLate:
            return self._endpoint.unreachable(timeout_s)
        except Unusable as error:
            advice = f"check {self._endpoint.group}.base_url and llm.models"
            return Failure(self._endpoint.misbehaved(f"{error}; {advice}"), passing=False)
