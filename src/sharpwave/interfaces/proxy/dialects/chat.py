"""`/chat/completions`: the whole conversation comes with every request.

What is remembered stands at the beginning of the user's last message. All before it reaches the
models letter for letter as the client sent it, so that their caches of prompts hold; the roles
still take turns, which some models insist on; and the system prompt stays the client's own.
"""

import json
from collections.abc import Mapping
from typing import Any

from sharpwave.interfaces.proxy.dialects.talk import (
    Talk,
    before,
    digest,
    first_reply,
    last_of_user,
    spoken,
    with_message,
    words,
)


def read(body: Mapping[str, Any]) -> Talk | None:
    """The conversation in a request; None if nobody says anything in it."""
    messages = body.get("messages")
    at = last_of_user(messages) if isinstance(messages, list) else None
    if not isinstance(messages, list) or at is None:
        return None
    content = messages[at].get("content")
    question = words(content)
    if not question.strip():
        return None

    def reminded(context: str) -> bytes:
        told = with_message(messages, at, before(context, content, "text"))
        return json.dumps({**body, "messages": told}).encode()

    said = spoken(messages[: at + 1])
    return Talk(
        question=question,
        beginning=said[0][1],
        reply=first_reply(messages),
        so_far=digest(said),
        steps=len(messages) - at - 1,
        model=str(body.get("model") or ""),
        conversation=None,
        reminded=reminded,
    )


def said(answer: Mapping[str, Any]) -> str:
    """What the model says in an answer; empty if it only calls tools."""
    return words(_first(answer).get("message", {}).get("content"))


def heard(event: Mapping[str, Any]) -> tuple[str, bool]:
    """What one event of a stream adds, and whether it is the last."""
    choice = _first(event)
    return words(choice.get("delta", {}).get("content")), choice.get("finish_reason") is not None


def _first(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first of several answers; only that one is kept."""
    choices = [one for one in answer.get("choices") or () if one.get("index", 0) == 0]
    return choices[0] if choices else {}
