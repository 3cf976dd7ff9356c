"""How to put a request so that a server takes it: OpenAI-compatible servers differ.

Each knows some ways to be told the form of an answer, and some parameters. A request starts with
the most that OpenAI itself offers; what a server refuses is left out, and not asked of it again.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from sharpwave.providers.openai_endpoint import Failure

Message = dict[str, str]

# A server that does not know a parameter answers one of these, or says so in words.
_REFUSALS = frozenset({400, 422, 501})
_FORMAT_WORDS = ("response_format", "json_schema", "json schema", "json_object", "grammar")


class Format(StrEnum):
    """How the form of an answer is told, strictest first."""

    SCHEMA = "json_schema"
    JSON = "json_object"
    WORDS = "text"


_SIMPLER = {Format.SCHEMA: Format.JSON, Format.JSON: Format.WORDS}


@dataclass(frozen=True, slots=True)
class Form:
    """What a structured answer has to look like."""

    name: str
    schema: dict[str, Any]
    """Without defaults, which OpenAI refuses, and titles, which only repeat the names."""

    @classmethod
    def of(cls, name: str, schema: Mapping[str, Any]) -> "Form":
        """The form that a schema describes."""
        return cls(name, _slim(schema))

    @property
    def instruction(self) -> str:
        """The same in words."""
        schema = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))
        return (
            "Answer with one JSON object and nothing else: no explanation, no code fence. "
            f"It must follow this JSON schema:\n{schema}"
        )


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one model of one server understands."""

    format: Format = Format.SCHEMA
    length: str = "max_tokens"
    temperature: bool = True

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
            asked["messages"] = _instructed(messages, form.instruction)
        if self.format is not Format.WORDS:
            asked["response_format"] = self._response_format(form)
        return asked

    def _response_format(self, form: Form) -> dict[str, Any]:
        if self.format is Format.JSON:
            return {"type": "json_object"}
        name = re.sub(r"\W", "_", form.name, flags=re.ASCII)[:64]
        described = {"name": name, "strict": True, "schema": form.schema}
        return {"type": "json_schema", "json_schema": described}

    def after(self, failure: Failure, form: Form | None) -> "Dialect | None":
        """The dialect to try next if the failure may be about this one; None if it cannot be."""
        said = failure.reason.lower()
        about_format = form is not None and any(word in said for word in _FORMAT_WORDS)
        if failure.status not in _REFUSALS and not about_format:
            return None
        if "max_completion_tokens" in said and self.length == "max_tokens":
            return replace(self, length="max_completion_tokens")
        if "temperature" in said and self.temperature:
            return replace(self, temperature=False)
        if form is not None and self.format in _SIMPLER:
            return replace(self, format=_SIMPLER[self.format])
        return None


def _slim(node: Any, of_names: bool = False) -> Any:
    """These are keywords everywhere but among the names of properties and definitions."""
    if isinstance(node, list):
        return [_slim(part) for part in node]
    if not isinstance(node, Mapping):
        return node
    return {
        key: _slim(part, not of_names and key in ("properties", "$defs"))
        for key, part in node.items()
        if of_names or key not in ("default", "title")
    }


def _instructed(messages: list[Message], instruction: str) -> list[Message]:
    """The same messages, the first of which (the system's) also says which form to keep to."""
    first, *others = messages
    return [{**first, "content": f"{first['content']}\n\n{instruction}"}, *others]
