"""Request formats: servers that speak OpenAI's protocol support different parts of it.

Each supports some answer formats and some parameters. The first request uses all that OpenAI
itself offers; what a server refuses is left out of later requests.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, NonNegativeInt, ValidationError

from sharpwave.llm.answers import (
    REFUSAL,
    ChatAnswer,
    OutputSchema,
    TokenCount,
    cleaned,
    read_openai,
)
from sharpwave.llm.endpoint import Failure, Unusable
from sharpwave.types.llm import LLMProvider

ChatMessage = dict[str, str]

# Statuses for an unknown parameter; some servers say it in the message instead.
REFUSALS = frozenset({400, 422, 501})
_FORMAT_WORDS = ("response_format", "json_schema", "json schema", "json_object", "grammar")


class AnswerFormat(StrEnum):
    """How the form of an answer is requested."""

    SCHEMA = "json_schema"
    JSON = "json_object"
    TOOL = "tool"
    WORDS = "text"


_SIMPLER = {AnswerFormat.SCHEMA: AnswerFormat.JSON, AnswerFormat.JSON: AnswerFormat.WORDS}
_SIMPLER_ANTHROPIC = {AnswerFormat.SCHEMA: AnswerFormat.TOOL, AnswerFormat.TOOL: AnswerFormat.WORDS}


@dataclass(frozen=True, slots=True)
class OpenAIDialect:
    """The features supported by one model of an OpenAI-compatible server."""

    format: AnswerFormat = AnswerFormat.SCHEMA
    length: str = "max_tokens"
    temperature: bool = True

    def create(self, client: Any) -> Callable[..., Any]:
        """The method of the vendor's client that sends a request."""
        send: Callable[..., Any] = client.chat.completions.with_raw_response.create
        return send

    def read(self, body: bytes) -> ChatAnswer:
        """The first choice of a chat completion; Unusable if it is none."""
        return read_openai(body)

    def request(
        self, messages: list[ChatMessage], max_tokens: int, form: OutputSchema | None
    ) -> dict[str, Any]:
        """The parameters of a chat completion, without the model."""
        parameters: dict[str, Any] = {"messages": messages, self.length: max_tokens}
        if self.temperature:
            parameters["temperature"] = 0.0
        if form is None:
            return parameters
        if self.format is not AnswerFormat.SCHEMA:
            parameters["messages"] = instructed(messages, form.instruction)
        if self.format is not AnswerFormat.WORDS:
            parameters["response_format"] = self._response_format(form)
        return parameters

    def _response_format(self, form: OutputSchema) -> dict[str, Any]:
        if self.format is AnswerFormat.JSON:
            return {"type": "json_object"}
        name = re.sub(r"\W", "_", form.name, flags=re.ASCII)[:64]
        described = {"name": name, "strict": True, "schema": form.schema}
        return {"type": "json_schema", "json_schema": described}

    def after(self, failure: Failure, form: OutputSchema | None) -> "OpenAIDialect | None":
        """A simpler dialect after a refusal; None if there is none or it would not help."""
        reason = failure.reason.lower()
        about_format = form is not None and any(word in reason for word in _FORMAT_WORDS)
        if failure.status not in REFUSALS and not about_format:
            return None
        if "max_completion_tokens" in reason and self.length == "max_tokens":
            return replace(self, length="max_completion_tokens")
        if "temperature" in reason and self.temperature:
            return replace(self, temperature=False)
        if form is not None and self.format in _SIMPLER:
            return replace(self, format=_SIMPLER[self.format])
        return None


def instructed(messages: list[ChatMessage], instruction: str) -> list[ChatMessage]:
    """The messages with the form's instruction added to the first (system) message."""
    first, *rest = messages
    return [{**first, "content": f"{first['content']}\n\n{instruction}"}, *rest]


_TOOL = "answer"


@dataclass(frozen=True, slots=True)
class AnthropicDialect:
    """The features supported by one of Anthropic's models."""

    format: AnswerFormat = AnswerFormat.SCHEMA

    def create(self, client: Any) -> Callable[..., Any]:
        """The method of the client that sends a message and returns the raw response."""
        send: Callable[..., Any] = client.messages.with_raw_response.create
        return send

    def request(
        self, messages: list[ChatMessage], max_tokens: int, form: OutputSchema | None
    ) -> dict[str, Any]:
        """The parameters of a message, without the model."""
        if form is not None and self.format is AnswerFormat.WORDS:
            messages = instructed(messages, form.instruction)
        system, *conversation = messages
        parameters: dict[str, Any] = {
            "system": system["content"],
            "messages": conversation,
            "max_tokens": max_tokens,
        }
        return parameters if form is None else parameters | self._format_parameters(form)

    def _format_parameters(self, form: OutputSchema) -> dict[str, Any]:
        if self.format is AnswerFormat.SCHEMA:
            return {"output_config": {"format": {"type": "json_schema", "schema": form.schema}}}
        if self.format is AnswerFormat.WORDS:
            return {}
        tool = {
            "name": _TOOL,
            "description": f"Give the answer ({form.name}).",
            "input_schema": form.schema,
        }
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}

    def read(self, body: bytes) -> ChatAnswer:
        """The text of a message, or what was handed to the tool."""
        try:
            message = _AnthropicMessage.model_validate_json(body)
        except ValidationError:
            raise Unusable("something else than a message") from None
        written = "".join(block.written for block in message.content)
        instead = None if written else "a message without text"
        return ChatAnswer(
            cleaned(written),
            TokenCount(usage.sent, usage.output_tokens) if (usage := message.usage) else None,
            len(written.encode()),
            cut=message.stop_reason == "max_tokens",
            instead=REFUSAL if message.stop_reason == "refusal" else instead,
        )

    def after(self, failure: Failure, form: OutputSchema | None) -> "AnthropicDialect | None":
        """A simpler dialect after a refusal; None if there is none or it would not help."""
        if failure.status not in REFUSALS or form is None or self.format not in _SIMPLER_ANTHROPIC:
            return None
        return AnthropicDialect(_SIMPLER_ANTHROPIC[self.format])


ChatDialect = OpenAIDialect | AnthropicDialect


def first_dialect(vendor: LLMProvider) -> ChatDialect:
    """The dialect to start with; what a server refuses is then left out."""
    if vendor.sdk == "anthropic":
        return AnthropicDialect()
    return OpenAIDialect(AnswerFormat(vendor.first_format))


class _Block(BaseModel):
    type: str
    text: str = ""
    input: dict[str, Any] | None = None

    @property
    def written(self) -> str:
        """The text or tool input of a block; empty for thinking."""
        if self.type == "tool_use" and self.input is not None:
            return json.dumps(self.input, ensure_ascii=False)
        return self.text if self.type == "text" else ""


class _AnthropicUsage(BaseModel):
    input_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    cache_creation_input_tokens: NonNegativeInt | None = None
    cache_read_input_tokens: NonNegativeInt | None = None

    @property
    def sent(self) -> int:
        """All input tokens, including those read from or written to the vendor's cache."""
        cached = (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        return self.input_tokens + cached


class _AnthropicMessage(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _AnthropicUsage | None = None
