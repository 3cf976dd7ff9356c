"""`/responses`: upstream may keep the conversation itself.

If it does (`store`, its default), what is remembered goes to the end of `instructions`, which are
those of one request: as part of a message it would stay in the conversation, be sent again with
every later turn, and outlive what the user forgets. If it does not, it goes where it does in
`/chat/completions`.
"""

import json
from collections.abc import Mapping
from typing import Any

from sharpwave.interfaces.proxy.dialects.talk import (
    INTRODUCTION,
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
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    at = last_of_user(items) if isinstance(items, list) else None
    if not isinstance(items, list) or at is None:
        return None
    content = items[at].get("content")
    question = words(content)
    if not question.strip():
        return None

    def reminded(context: str) -> bytes:
        if body.get("store") is False:
            told = with_message(items, at, before(context, content, "input_text"))
            return json.dumps({**body, "input": told}).encode()
        own = body.get("instructions")
        parts = [own] if isinstance(own, str) and own else []
        instructions = "\n\n".join([*parts, INTRODUCTION, context])
        return json.dumps({**body, "instructions": instructions}).encode()

    said = spoken(items[: at + 1])
    earlier = body.get("previous_response_id")
    return Talk(
        question=question,
        beginning=said[0][1],
        reply=first_reply(items),
        so_far=digest([("earlier", str(earlier or "")), *said]),
        steps=len(items) - at - 1,
        model=str(body.get("model") or ""),
        conversation=_conversation(body.get("conversation")),
        reminded=reminded,
    )


def said(answer: Mapping[str, Any]) -> str:
    """What the model says in an answer; empty if it only calls tools or is not done."""
    if answer.get("status") not in ("completed", "incomplete"):
        return ""
    messages = [one for one in answer.get("output") or () if one.get("type") == "message"]
    return "\n".join(filter(None, (words(one.get("content")) for one in messages)))


def heard(event: Mapping[str, Any]) -> tuple[str, bool]:
    """What one event of a stream adds: the last one holds the whole answer."""
    if event.get("type") not in ("response.completed", "response.incomplete"):
        return "", False
    return said(event.get("response", {})), True


def _conversation(given: object) -> str | None:
    named = given.get("id") if isinstance(given, Mapping) else given
    return named if isinstance(named, str) and named else None
