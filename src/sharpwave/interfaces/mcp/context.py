"""The context of a tool call: principal, memory and settings."""

import hashlib
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.types.access import Principal

Data = TypeVar("Data", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class CallContext:
    """The caller and the memory of its credential. Arguments cannot select another memory."""

    memory: Memory
    principal: Principal
    settings: Settings
    passed_over: set[str] = field(default_factory=set)
    """Ids of questions that the user left unanswered since the server started."""
    questions: list[Any] = field(default_factory=list)
    """The question that this call asked the user, if any."""


@dataclass(frozen=True, slots=True)
class ToolAnswer(Generic[Data]):
    """A tool's answer: text for a model, and the same as data for a program."""

    text: str
    data: Data


def key_of(key: str | None, *parts: object) -> str:
    """The idempotency key of a call: the given one, or a digest of its arguments.

    A call that is repeated because its answer got lost has the same arguments and so the same key:
    nothing is stored twice.
    """
    if key:
        return key
    joined = "\x1f".join("" if part is None else str(part) for part in parts)
    digest = hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16)
    return f"mcp:{digest.hexdigest()}"
