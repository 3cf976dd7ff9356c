"""Transcripts with tool calls in the form of OpenAI's chat messages.

A value is a transcript: an object with `messages` (or `traj`), or a list of messages. Its outcome
is `success`, `outcome` or a `reward` of 1, if there is one.
"""

from collections.abc import Iterator, Mapping

from sharpwave.importers import fields as read
from sharpwave.importers.agents.calls import Cycle, known, told
from sharpwave.types.experience import TaskRun

NAME = "openai-tools"
EXPECTED = "transcripts with 'messages' of role user, assistant (tool_calls) and tool"
_LISTS = ("messages", "traj", "trajectory", "conversation")


def fits(value: object) -> bool:
    """True for a transcript with tool calls, or a message."""
    messages = _messages(value)
    return any(
        isinstance(each, dict) and ("tool_calls" in each or each.get("role") == "tool")
        for each in messages
    )


class Reader:
    """Reads transcripts; plain messages in a row are one transcript."""

    def __init__(self) -> None:
        self._loose: list[object] = []

    def runs(self, value: object) -> Iterator[TaskRun]:
        """The run of a transcript."""
        if isinstance(value, dict) and "role" in value:
            self._loose.append(value)
            return
        about = value if isinstance(value, dict) else {}
        yield from known([_run(_messages(value), about)])

    def rest(self) -> Iterator[TaskRun]:
        """The run of loose messages."""
        yield from known([_run(self._loose, {})] if self._loose else [])


def _messages(value: object) -> list[object]:
    if isinstance(value, dict):
        if "role" in value:
            return [value]
        lists = (value[name] for name in _LISTS if isinstance(value.get(name), list))
        return list(next(lists, []))
    return value if isinstance(value, list) else []


def _run(messages: list[object], about: Mapping[str, object]) -> TaskRun | None:
    cycle = Cycle(success=_outcome(about))
    cycle.session = read.name(read.first(about, "session", "session_id", "conversation_id"))
    cycle.model = read.name(about.get("model"))
    cycle.at = read.moment(read.first(about, "at", "created_at", "timestamp"))
    for each in messages:
        _take(cycle, read.fields(each, "a message"))
    ids = [about.get(name) for name in ("id", "task_id", "trial") if about.get(name) is not None]
    return cycle.run(NAME, *ids)


def _take(cycle: Cycle, message: Mapping[str, object]) -> None:
    role, content = message.get("role"), message.get("content")
    at = read.moment(read.first(message, "timestamp", "at", "created_at"))
    if role == "user":
        cycle.said.append(told(content))
    elif role in ("tool", "function"):
        cycle.answer(message.get("tool_call_id") or message.get("name"), content, None, at)
    for call in read.elements(message.get("tool_calls"), "tool_calls"):
        given = read.fields(call, "a tool call")
        function = read.optional_fields(given.get("function"), "its function")
        name = read.name(function.get("name") or given.get("name"))
        if name:
            arguments = function.get("arguments", given.get("args"))
            cycle.call(given.get("id") or name, name, arguments, at)


def _outcome(about: Mapping[str, object]) -> bool | None:
    for name in ("success", "outcome", "reward"):
        found = about.get(name)
        if isinstance(found, bool):
            return found
        if isinstance(found, (int, float)):
            return found >= 1.0
        if isinstance(found, str):
            return found.lower() in ("success", "completed", "passed", "resolved")
    return None
