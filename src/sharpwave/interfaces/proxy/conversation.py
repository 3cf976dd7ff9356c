"""The conversation in a request, independent of the API."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sharpwave.memory import Memory
from sharpwave.types.message import joined_parts

INTRODUCTION = "What Sharpwave, the user's long-term memory, holds that may help here:"
MESSAGE = "The user's message:"
TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Conversation:
    """The question of a request, and what identifies its conversation."""

    question: str
    """The text of the user's last message."""
    beginning: str
    """The text of the user's first message."""
    reply: str | None
    """The assistant's first reply to it; empty for a tool call, None if there is none."""
    so_far: str
    """Digest of the messages up to the question, without tools and instructions."""
    steps: int
    """Number of messages after the question: tool calls and their results."""
    model: str
    upstream_id: str | None
    """Upstream's id of the conversation."""
    reminded: Callable[[str], bytes]
    """Returns the request with a text added before the question."""


def text_of(content: object) -> str:
    """The text of a message; of content in parts, the text parts.

    It is unknown which of several parts the user wrote, so each is marked as attached.

    >>> text_of([{"type": "text", "text": "Who is this?"}, {"type": "image_url", "image_url": {}}])
    'Who is this?'
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, Mapping)]
    text_parts = [part for part in parts if part.get("type") in TEXT_PARTS]
    texts = [text for part in text_parts if isinstance(text := part.get("text"), str)]
    of_model = all(part.get("type") == "output_text" for part in text_parts)
    return "\n".join(texts) if of_model else joined_parts(texts)


def digest(messages: Iterable[tuple[str, str]]) -> str:
    """A digest of (role, text) pairs, in order."""
    written = json.dumps(list(messages)).encode()
    return hashlib.blake2b(written, digest_size=_DIGEST_BYTES).hexdigest()


def with_context(messages: Sequence[Any], at: int, context: str, part_type: str) -> list[Any]:
    """The messages with remembered data before the content of one of them."""
    prefix, content = f"{INTRODUCTION}\n\n{context}\n\n{MESSAGE}\n", messages[at].get("content")
    if isinstance(content, list):
        content = [{"type": part_type, "text": prefix}, *content]
    else:
        content = f"{prefix}{content}"
    return [*messages[:at], {**messages[at], "content": content}, *messages[at + 1 :]]


def is_of(message: object, *roles: str) -> bool:
    """Whether this is a message of one of these roles."""
    return isinstance(message, Mapping) and message.get("role") in roles


def first_reply(messages: Iterable[Any]) -> str | None:
    """The assistant's first reply to the user; see `Conversation.reply`."""
    after_user = False
    for message in messages:
        if is_of(message, "user"):
            after_user = True
        elif after_user and is_of(message, "assistant"):
            return text_of(message.get("content"))
        elif (
            after_user
            and isinstance(message, Mapping)
            and str(message.get("type")).endswith("_output")
        ):
            return ""  # of a tool that the client called
    return None


def exchange(messages: Iterable[Any]) -> list[tuple[str, str]]:
    """The texts of user and assistant, without tool calls and instructions."""
    spoken = [message for message in messages if is_of(message, "user", "assistant")]
    turns = [(str(message["role"]), text_of(message.get("content"))) for message in spoken]
    return [(role, text) for role, text in turns if text]


_NAME_CHARS = 256
"""Longest name that `remember` accepts; a longer one is stored as a digest."""
_REPLY_CHARS = 1000
"""Characters of an answer that identify it."""
REPEAT_SEPARATOR = "/"
"""Separates the session of an exchange from the id of a later one with the same beginning."""


def opened_by(session_name: str | None, conversation: Conversation) -> str:
    """The session, from the client's name for it or from the user's first message."""
    if session_name and session_name.isprintable() and len(session_name) <= _NAME_CHARS:
        return session_name
    return _digest(session_name or conversation.beginning)


def session_of(session_name: str | None, conversation: Conversation, answer: str = "") -> str:
    """The session, from its name or its first exchange; `answer` is the reply to this request."""
    reply = " ".join((answer if conversation.reply is None else conversation.reply).split())
    if session_name or not reply:
        return opened_by(session_name, conversation)
    return _digest(f"{conversation.beginning}\x1f{reply[:_REPLY_CHARS]}")


def latest_alike(memory: Memory, session: str) -> str:
    """The latest session that began with the same exchange; else the given one."""
    turns = memory.admin.recent(1, within=session)
    return turns[0].session_id or session if turns else session


def _digest(identity: str) -> str:
    written = identity.encode("utf-8", "surrogatepass")
    return f"proxy:{hashlib.blake2b(written, digest_size=12).hexdigest()}"
