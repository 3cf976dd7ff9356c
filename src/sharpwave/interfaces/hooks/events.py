"""Handle events of Claude Code: record what happened, return what is remembered.

SessionStart          returns the profile and the user's standing instructions
UserPromptSubmit      remembers the prompt as the user's words, returns related memories
PostToolUse(Failure)  logs what a tool did, and whether it worked
Stop                  remembers the last answer as the assistant's
SessionEnd            draws lessons from what was logged
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from sharpwave.interfaces.mcp import rendering
from sharpwave.interfaces.mcp.context import CallContext
from sharpwave.interfaces.mcp.tools.recall import DEFAULT_KINDS, profile
from sharpwave.types.answers import Decision
from sharpwave.types.message import Message
from sharpwave.types.records import Channel, Kind, Record, Role, Source
from sharpwave.types.working import Purpose

Payload = Mapping[str, Any]
_COMMANDS = ("/", "!", "#", "<command-", "<local-command", "<system-reminder")
"""Prefixes of prompts that are commands, or written by the program."""
CONTEXT_TOKENS = 500
"""Maximum tokens of memory added to a prompt or session: every turn of an agent costs them."""
_CONTEXT_ITEMS = 6
"""Maximum number of memories added to a prompt."""
_QUERY_CHARS = 2000
"""Characters of a prompt used as the query."""
_TURNS_IN_VIEW = 200
"""Last turns of a session, which the model still sees: facts learned from them are left out."""
_ANSWER_CHARS = 2000
_MAX_ERROR = 500
_HOST = "claude-code"
_INTRODUCTION = "What Sharpwave, the user's long-term memory, holds that may help here:"


def answer(event: str, payload: Payload, caller: CallContext) -> str:
    """What to print for an event: JSON for the host, or nothing."""
    act = ACTS.get(event)
    if act is None or not caller.memory.admin.consents()[Purpose.MEMORY]:
        return ""
    text = act(payload, caller)
    if not text:
        return ""
    shown_to_model = {"hookEventName": event, "additionalContext": f"{_INTRODUCTION}\n{text}"}
    return json.dumps({"hookSpecificOutput": shown_to_model}, ensure_ascii=False)


def _session_start(payload: Payload, caller: CallContext) -> str:
    found = profile(caller, CONTEXT_TOKENS)
    content = found.data.model_dump(exclude={"left_out", "notice"})
    return found.text if any(content.values()) else ""


def _prompt(payload: Payload, caller: CallContext) -> str:
    prompt = str(payload.get("prompt") or "").strip()
    if not prompt or prompt.startswith(_COMMANDS) or _is_duplicate(prompt, payload, caller):
        return ""
    text = _context_for(prompt, payload, caller)
    prompt_id = payload.get("prompt_id")  # of newer hosts: the same for every hook of one prompt
    key = _key("prompt", payload, f"{prompt_id}\x1f{prompt}") if prompt_id else None
    _remember(prompt, "user", Source.USER_MESSAGE, payload, caller, key)
    return text


def _is_duplicate(prompt: str, payload: Payload, caller: CallContext) -> bool:
    """True if the last turn is the same prompt: two hooks sent one prompt."""
    session = _session(payload)
    last = caller.memory.admin.recent(1, session=session) if session else []
    return any(turn.role is Role.USER and turn.text == prompt for turn in last)


def _context_for(prompt: str, payload: Payload, caller: CallContext) -> str:
    """Memories of earlier conversations about a prompt; empty if recall abstains."""
    question = prompt[:_QUERY_CHARS]
    recollection = caller.memory.recall(question, k=2 * _CONTEXT_ITEMS, kinds=DEFAULT_KINDS)
    if recollection.decision is Decision.ABSTAIN:
        return ""
    session = _session(payload)
    turns = caller.memory.admin.recent(_TURNS_IN_VIEW, session=session) if session else []
    seen = {turn.id for turn in turns}
    relevant = [
        found
        for found in recollection.items
        if found.record.session_id != session and not _is_learned_from(seen, found.record)
    ]
    items = [rendering.of_record(found.record, found.score) for found in relevant[:_CONTEXT_ITEMS]]
    return rendering.fenced([rendering.line(item) for item in items], CONTEXT_TOKENS)[0]


def _is_learned_from(turns: set[str], record: Record) -> bool:
    """True for a fact or a task that was learned from these turns alone."""
    parents = record.provenance.parents
    return record.kind in (Kind.FACT, Kind.TASK) and bool(parents) and turns.issuperset(parents)


def _tool(payload: Payload, caller: CallContext) -> str:
    if payload.get("is_interrupt"):
        return ""  # the user stopped it: that says nothing about the tool
    tool_input = payload.get("tool_input") or {}
    failed = payload.get("hook_event_name", payload.get("event")) == "PostToolUseFailure"
    details = {name: payload[name] for name in ("error", "duration_ms") if payload.get(name)}
    if "error" in details:
        details["error"] = str(details["error"])[:_MAX_ERROR]
    caller.memory.agents.log(
        str(payload.get("tool_name") or "tool"),
        tool_input.get("file_path") if isinstance(tool_input, Mapping) else None,
        details or None,
        success=not failed,
        session=_session(payload),
        idempotency_key=_key("tool", payload, str(payload.get("tool_use_id") or tool_input)),
    )
    return ""


def _stop(payload: Payload, caller: CallContext) -> str:
    last_answer = str(payload.get("last_assistant_message") or "").strip()
    if last_answer:
        text = last_answer[:_ANSWER_CHARS]
        _remember(text, "assistant", None, payload, caller, _key("answer", payload, text))
    return ""


def _session_end(payload: Payload, caller: CallContext) -> str:
    caller.memory.agents.generate_insights()
    if session := _session(payload):
        caller.memory.behavior.end_session(session)
    return ""


ACTS: dict[str, Callable[[Payload, CallContext], str]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PostToolUse": _tool,
    "PostToolUseFailure": _tool,
    "Stop": _stop,
    "SessionEnd": _session_end,
}


def _remember(
    text: str,
    role: str,
    source: Source | None,
    payload: Payload,
    caller: CallContext,
    key: str | None = None,
) -> None:
    caller.memory.remember(
        Message(
            text,
            role,
            session=_session(payload),
            source=source,
            channel=Channel.ADAPTER,
            author=caller.memory.user_id if role == "user" else _HOST,
            metadata={"cwd": str(payload.get("cwd") or "")},
            idempotency_key=key,
        )
    )


def _session(payload: Payload) -> str | None:
    session_id = payload.get("session_id")
    return f"{_HOST}:{session_id}" if session_id else None


def _key(kind: str, payload: Payload, text: str) -> str:
    joined = f"{kind}\x1f{payload.get('session_id')}\x1f{text}"
    return "hook:" + hashlib.blake2b(joined.encode("utf-8", "replace"), digest_size=16).hexdigest()
