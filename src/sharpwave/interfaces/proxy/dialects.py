"""The chat endpoints of OpenAI's API: read conversations and answers, whole or streamed."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sharpwave import strict_json
from sharpwave.interfaces.proxy import conversation


class _LastMessage(NamedTuple):
    """The user's last message, and its position."""

    messages: list[Any]
    at: int
    question: str


def _last_message(messages: object) -> _LastMessage | None:
    """The question among the messages of a request; None if there is none."""
    if not isinstance(messages, list):
        return None
    at = max(
        (
            position
            for position, message in enumerate(messages)
            if conversation.is_of(message, "user")
        ),
        default=None,
    )
    if at is None:
        return None
    question = conversation.text_of(messages[at].get("content"))
    return _LastMessage(messages, at, question) if question.strip() else None


def _conversation(
    body: Mapping[str, Any],
    last: _LastMessage,
    reminded: Callable[[str], bytes],
    earlier: Sequence[tuple[str, str]] = (),
    upstream_id: str | None = None,
) -> conversation.Conversation:
    turns = conversation.exchange(last.messages[: last.at + 1])
    return conversation.Conversation(
        question=last.question,
        beginning=turns[0][1],
        reply=conversation.first_reply(last.messages),
        so_far=conversation.digest([*earlier, *turns]),
        steps=len(last.messages) - last.at - 1,
        model=str(body.get("model") or ""),
        upstream_id=upstream_id,
        reminded=reminded,
    )


def read_chat(body: Mapping[str, Any]) -> conversation.Conversation | None:
    """The conversation in a request; None if it has no message."""
    last = _last_message(body.get("messages"))
    if last is None:
        return None

    def reminded(context: str) -> bytes:
        changed = conversation.with_context(last.messages, last.at, context, "text")
        return json.dumps({**body, "messages": changed}).encode()

    return _conversation(body, last, reminded)


def chat_answer(answer: Mapping[str, Any]) -> str:
    """The text of an answer; empty if it only calls tools."""
    return conversation.text_of(_first(answer).get("message", {}).get("content"))


def chat_event(event: Mapping[str, Any]) -> tuple[str, bool]:
    """The text added by one event of a stream, and whether it is the last."""
    choice = _first(event)
    return conversation.text_of(choice.get("delta", {}).get("content")), choice.get(
        "finish_reason"
    ) is not None


def _first(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first of several choices; the others are ignored."""
    choices = [choice for choice in answer.get("choices") or () if choice.get("index", 0) == 0]
    return choices[0] if choices else {}


def read_responses(body: Mapping[str, Any]) -> conversation.Conversation | None:
    """The conversation in a request; None if it has no message."""
    items = body.get("input")
    last = _last_message([{"role": "user", "content": items}] if isinstance(items, str) else items)
    if last is None:
        return None

    def reminded(context: str) -> bytes:
        if body.get("store") is False:
            changed = conversation.with_context(last.messages, last.at, context, "input_text")
            return json.dumps({**body, "input": changed}).encode()
        instructions_text = body.get("instructions")
        parts = (
            [instructions_text] if isinstance(instructions_text, str) and instructions_text else []
        )
        instructions = "\n\n".join([*parts, conversation.INTRODUCTION, context])
        return json.dumps({**body, "instructions": instructions}).encode()

    earlier = ("earlier", str(body.get("previous_response_id") or ""))
    return _conversation(body, last, reminded, [earlier], _upstream_id(body.get("conversation")))


def responses_answer(answer: Mapping[str, Any]) -> str:
    """The text of an answer; empty if it only calls tools or is not complete."""
    if answer.get("status") not in ("completed", "incomplete"):
        return ""
    messages = [item for item in answer.get("output") or () if item.get("type") == "message"]
    return "\n".join(filter(None, (conversation.text_of(item.get("content")) for item in messages)))


def responses_event(event: Mapping[str, Any]) -> tuple[str, bool]:
    """The text of an event of a stream: only the last one has it, complete."""
    if event.get("type") not in ("response.completed", "response.incomplete"):
        return "", False
    return responses_answer(event.get("response", {})), True


def _upstream_id(reference: object) -> str | None:
    id_ = reference.get("id") if isinstance(reference, Mapping) else reference
    return id_ if isinstance(id_, str) and id_ else None


class Dialect(NamedTuple):
    """How to read one of the APIs."""

    read: Callable[[Mapping[str, Any]], conversation.Conversation | None]
    read_answer: Callable[[Mapping[str, Any]], str]
    read_event: Callable[[Mapping[str, Any]], tuple[str, bool]]


DIALECTS = {
    "/chat/completions": Dialect(read_chat, chat_answer, chat_event),
    "/responses": Dialect(read_responses, responses_answer, responses_event),
}
"""By the path after `/v1`."""


def conversation_in(body: bytes, dialect: Dialect) -> conversation.Conversation | None:
    """The conversation in a request; None if it cannot be parsed."""
    try:
        request = strict_json.loads(body)
        return dialect.read(request) if isinstance(request, dict) else None
    except (ValueError, TypeError, AttributeError, KeyError):
        return None  # upstream reports what is wrong


def reader(kind: str, dialect: Dialect, limit: int) -> "AnswerReader | None":
    """A reader for an answer of this content type; None for other types."""
    plain = kind.partition(";")[0].strip().lower()
    if plain not in ("text/event-stream", "application/json"):
        return None
    return AnswerReader(dialect, limit, streamed=plain == "text/event-stream")


class AnswerReader:
    """Extracts the text of a passing answer: one JSON document, or server-sent events."""

    def __init__(self, dialect: Dialect, limit: int, *, streamed: bool) -> None:
        self._dialect, self._limit, self._streamed = dialect, limit, streamed
        self._body = bytearray()
        """The unread part; for a stream, the incomplete last line."""
        self._texts: list[str] = []
        self._size = 0
        self._ended = self._complete = False

    def feed(self, chunk: bytes) -> None:
        """Add a chunk, up to the limit; events are read as they arrive."""
        self._size += len(chunk)
        if self._size > self._limit:
            self._body.clear()
            self._texts.clear()
            return
        self._body += chunk
        if self._streamed and b"\n" in chunk:
            *lines, self._body = self._body.split(b"\n")
            for line in lines:
                self._read_event(line)

    def end(self) -> None:
        """Mark a JSON answer as complete; a stream is complete with its last event."""
        self._ended = True

    def text(self) -> str:
        """The text of the answer; empty if it is incomplete."""
        if self._streamed:
            self._read_event(self._body)
            self._body.clear()
            return "".join(self._texts) if self._complete else ""
        if not self._ended:
            return ""
        try:
            return self._dialect.read_answer(strict_json.loads(self._body))
        except (ValueError, TypeError, AttributeError):
            return ""

    def _read_event(self, line: bytearray) -> None:
        if not line.startswith(b"data:"):
            return
        try:
            text, is_last = self._dialect.read_event(strict_json.loads(line[len(b"data:") :]))
        except (ValueError, TypeError, AttributeError):  # [DONE], or an event of another kind
            return
        self._texts.append(text)
        self._complete = self._complete or is_last
