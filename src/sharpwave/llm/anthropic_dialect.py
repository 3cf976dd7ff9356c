"""Anthropic's messages: how to put a request, and how to read what comes back.

The form of an answer is told by schema; to models that do not take one, as the only tool there is;
else in words.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, NonNegativeInt, ValidationError

from sharpwave.llm.answers import REFUSAL, Answer, Tokens, cleaned
from sharpwave.llm.dialect import REFUSALS, Message, instructed
from sharpwave.llm.form import Form
from sharpwave.llm.limits import Unusable
from sharpwave.llm.sdk_endpoint import Failure

_TOOL = "answer"


class AnthropicFormat(StrEnum):
    """How the form of an answer is told, strictest first."""

    SCHEMA = "json_schema"
    TOOL = "tool"
    WORDS = "text"


_SIMPLER = {
    AnthropicFormat.SCHEMA: AnthropicFormat.TOOL,
    AnthropicFormat.TOOL: AnthropicFormat.WORDS,
}


@dataclass(frozen=True, slots=True)
class AnthropicDialect:
    """What one of Anthropic's models understands."""

    format: AnthropicFormat = AnthropicFormat.SCHEMA

    def create(self, client: Any) -> Callable[..., Any]:
        """Messages, as they came."""
        send: Callable[..., Any] = client.messages.with_raw_response.create
        return send

    def request(
        self, messages: list[Message], max_tokens: int, form: Form | None
    ) -> dict[str, Any]:
        """The parameters of a message, without the model."""
        if form is not None and self.format is AnthropicFormat.WORDS:
            messages = instructed(messages, form.instruction)
        system, *said = messages
        asked: dict[str, Any] = {
            "system": system["content"],
            "messages": said,
            "max_tokens": max_tokens,
        }
        return asked if form is None else asked | self._told(form)

    def _told(self, form: Form) -> dict[str, Any]:
        if self.format is AnthropicFormat.SCHEMA:
            return {"output_config": {"format": {"type": "json_schema", "schema": form.schema}}}
        if self.format is AnthropicFormat.WORDS:
            return {}
        tool = {
            "name": _TOOL,
            "description": f"Give the answer ({form.name}).",
            "input_schema": form.schema,
        }
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}

    def read(self, body: bytes) -> Answer:
        """The text of a message, or what was handed to the tool."""
        try:
            message = _Message.model_validate_json(body)
        except ValidationError:
            raise Unusable("something else than a message") from None
        written = "".join(block.written for block in message.content)
        instead = None if written else "a message without text"
        return Answer(
            cleaned(written),
            Tokens(took.sent, took.output_tokens) if (took := message.usage) else None,
            len(written.encode()),
            cut=message.stop_reason == "max_tokens",
            instead=REFUSAL if message.stop_reason == "refusal" else instead,
        )

    def after(self, failure: Failure, form: Form | None) -> "AnthropicDialect | None":
        """Put it more simply, if that may be what was refused."""
        if failure.status not in REFUSALS or form is None or self.format not in _SIMPLER:
            return None
        return AnthropicDialect(_SIMPLER[self.format])


class _Block(BaseModel):
    type: str
    text: str = ""
    input: dict[str, Any] | None = None

    @property
    def written(self) -> str:
        """What is in it for us; thinking is not."""
        if self.type == "tool_use" and self.input is not None:
            return json.dumps(self.input, ensure_ascii=False)
        return self.text if self.type == "text" else ""


class _Usage(BaseModel):
    input_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    cache_creation_input_tokens: NonNegativeInt | None = None
    cache_read_input_tokens: NonNegativeInt | None = None

    @property
    def sent(self) -> int:
        """All tokens that went there, those the vendor knew already too."""
        known = (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        return self.input_tokens + known


class _Message(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage | None = None
