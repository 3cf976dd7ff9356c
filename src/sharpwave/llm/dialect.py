"""How to put a request so that a server takes it: servers that speak OpenAI's protocol differ.

Each knows some ways to be told the form of an answer, and some parameters. A request starts with
the most that OpenAI itself offers; what a server refuses is left out, and not asked of it again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

from sharpwave.llm.answers import Answer, read_openai
from sharpwave.llm.form import Form
from sharpwave.llm.sdk_endpoint import Failure

Message = dict[str, str]

# A server that does not know a parameter answers one of these, or says so in words.
REFUSALS = frozenset({400, 422, 501})
_FORMAT_WORDS = ("response_format", "json_schema", "json schema", "json_object", "grammar")


class Format(StrEnum):
    """How the form of an answer is told, strictest first."""

    SCHEMA = "json_schema"
    JSON = "json_object"
    WORDS = "text"


_SIMPLER = {Format.SCHEMA: Format.JSON, Format.JSON: Format.WORDS}


class Dialect(Protocol):
    """What one model of one server understands."""

    @property
    def format(self) -> str:
        """How it is told the form of an answer."""

    def create(self, client: Any) -> Callable[..., Any]:
        """What sends a request, of the client of the vendor's package."""

    def request(
        self, messages: list[Message], max_tokens: int, form: Form | None
    ) -> dict[str, Any]:
        """The parameters of a request, without the model."""

    def read(self, body: bytes) -> Answer:
        """What came back; Unusable if it is no answer."""

    def after(self, failure: Failure, form: Form | None) -> "Dialect | None":
        """The dialect to try next if the failure may be about this one; None if it cannot be."""


@dataclass(frozen=True, slots=True)
class OpenAIDialect:
    """OpenAI's chat completions."""

    format: Format = Format.SCHEMA
    length: str = "max_tokens"
    temperature: bool = True

    def create(self, client: Any) -> Callable[..., Any]:
        """Chat completions, as they came."""
        send: Callable[..., Any] = client.chat.completions.with_raw_response.create
        return send

    def read(self, body: bytes) -> Answer:
        """The first choice of a chat completion."""
        return read_openai(body)

    def request(
        self, messages: list[Message], max_tokens: int, form: Form | None
    ) -> dict[str, Any]:
        """The parameters of a chat completion, without the model."""
        asked: dict[str, Any] = {"messages": messages, self.length: max_tokens}
        if self.temperature:
            asked["temperature"] = 0.0
        if form is None:
            return asked
        if self.format is not Format.SCHEMA:
            asked["messages"] = instructed(messages, form.instruction)
        if self.format is not Format.WORDS:
            asked["response_format"] = self._response_format(form)
        return asked

    def _response_format(self, form: Form) -> dict[str, Any]:
        if self.format is Format.JSON:
            return {"type": "json_object"}
        name = re.sub(r"\W", "_", form.name, flags=re.ASCII)[:64]
        described = {"name": name, "strict": True, "schema": form.schema}
        return {"type": "json_schema", "json_schema": described}

    def after(self, failure: Failure, form: Form | None) -> "OpenAIDialect | None":
        """Put it more simply, if that may be what was refused."""
        said = failure.reason.lower()
        about_format = form is not None and any(word in said for word in _FORMAT_WORDS)
        if failure.status not in REFUSALS and not about_format:
            return None
        if "max_completion_tokens" in said and self.length == "max_tokens":
            return replace(self, length="max_completion_tokens")
        if "temperature" in said and self.temperature:
            return replace(self, temperature=False)
        if form is not None and self.format in _SIMPLER:
            return replace(self, format=_SIMPLER[self.format])
        return None


def instructed(messages: list[Message], instruction: str) -> list[Message]:
    """The same messages, the first of which (the system's) also says which form to keep to."""
    first, *others = messages
    return [{**first, "content": f"{first['content']}\n\n{instruction}"}, *others]
