"""Transcripts of agents as task runs: Claude Code sessions, chat messages with tool calls.

Claude Code writes an event a line; each request of the user begins a run, and the tools used until
the next are its steps. A transcript in the form of OpenAI's chat messages is an object with
`messages` (or `traj`), or a list of messages; its outcome is `success`, `outcome` or a `reward` of
1, if there is one.
"""

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from sharpwave import strict_json
from sharpwave.importers import items as read
from sharpwave.types.experience import Action, TaskRun

_MAX_STEPS = 500
_ERROR_SIGNS = ("error", "exception", "traceback", "failed", "invalid")
_ERROR_CHARS = 500


class LogReader(read.FormatReader):
    """Reads the values of a log in order, and may keep some until the end.

    It yields None for a run from which nothing can be learned.
    """

    @abstractmethod
    def runs(self, value: object) -> Iterator[TaskRun | None]:
        """The runs that are complete with this value."""

    @abstractmethod
    def rest(self) -> Iterator[TaskRun | None]:
        """The runs that are complete only now, at the end of the file."""


@dataclass(slots=True)
class Cycle:
    """State of one run while it is read."""

    queries: list[str] = field(default_factory=list)
    steps: dict[str, Action] = field(default_factory=dict)
    """By the id of the call."""
    success: bool | None = None
    session: str | None = None
    at: datetime | None = None
    end: datetime | None = None
    model: str | None = None
    tokens: int = 0

    def call(self, id_: object, name: str, arguments: object, at: datetime | None) -> None:
        """Record a tool call."""
        key = str(id_) if id_ else f"#{len(self.steps)}"
        if key in self.steps:  # some providers reuse ids
            key = f"{key}#{len(self.steps)}"
        self.steps[key] = Action(read.clean(name), None, parameters(arguments), at=at)

    def answer(
        self, id_: object, content: object, failed: bool | None, at: datetime | None
    ) -> None:
        """Record a tool's answer."""
        keys = [key for key in self.steps if key.partition("#")[0] == str(id_)]
        if not keys:
            return
        step = self.steps[keys[-1]]
        text = answer_text(content)
        has_failed = looks_failed(text) if failed is None else failed
        ms = _between_ms(step.at, at)
        error = read.clean(text)[:_ERROR_CHARS] if has_failed else None
        self.steps[keys[-1]] = replace(step, success=not has_failed, error=error, duration_ms=ms)

    def run(self, format_name: str, *ids: object) -> TaskRun | None:
        """The run, if there is anything to learn from it."""
        query = read.clean("\n".join(self.queries)).strip()
        if not query or not self.steps:
            return None
        steps = tuple(self.steps.values())[:_MAX_STEPS]
        ms = _between_ms(self.at, self.end)
        return TaskRun(
            query=query,
            steps=steps,
            success=self.success,
            task_id=f"{format_name}:{read.digest(*ids, query, *(step.name for step in steps))}",
            session=self.session,
            at=self.at,
            duration_ms=ms,
            tokens=self.tokens or None,
            model=self.model,
        )


def _between_ms(start: datetime | None, end: datetime | None) -> float | None:
    """Milliseconds between two times; 0 if the log has them in the wrong order."""
    return max(0.0, (end - start).total_seconds() * 1000.0) if start and end else None


def parameters(arguments: object) -> Mapping[str, object]:
    """The arguments of a call; JSON in a text is read."""
    if isinstance(arguments, str):
        try:
            arguments = strict_json.loads(arguments)
        except ValueError:
            return {"arguments": arguments} if arguments else {}
    return arguments if isinstance(arguments, dict) else {}


def answer_text(content: object) -> str:
    """The text of an answer, whatever form it has."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(part for part in parts if isinstance(part, str))
    return "" if content is None else json.dumps(content, ensure_ascii=False, default=str)


def looks_failed(text: str) -> bool:
    """True if an answer begins like an error.

    >>> looks_failed("Error: flight not available"), looks_failed("[]")
    (True, False)
    """
    return text.lstrip(" \n{\"'[").lower()[:20].startswith(_ERROR_SIGNS)


_SKIPPED = ("<command-", "<local-command", "<system-reminder", "Caveat:")


class ClaudeCodeReader(LogReader):
    """Reads events in order."""

    name = "claude-code"
    expected = "lines of type 'user' or 'assistant' with 'message', 'sessionId' and 'timestamp'"

    def __init__(self) -> None:
        self._cycle = Cycle()

    @staticmethod
    def fits(value: object) -> bool:
        """True for an event of a session."""
        return (
            isinstance(value, dict)
            and value.get("type") in ("user", "assistant")
            and isinstance(value.get("message"), dict)
            and ("sessionId" in value or "uuid" in value)
        )

    def runs(self, value: object) -> Iterator[TaskRun | None]:
        """The run that a new question completes."""
        if not self.fits(value):
            return
        event = read.fields(value, "an event")
        message = read.fields(event["message"], "its message")
        at = read.moment(event.get("timestamp"))
        query = _user_query(event, message)
        if query:
            yield from self.rest()
            self._cycle = Cycle([query], session=read.name(event.get("sessionId")), at=at)
        self._cycle.end = at or self._cycle.end
        model = read.name(message.get("model"))
        self._cycle.model = model or self._cycle.model
        self._cycle.tokens += _tokens(message)
        for part in _parts(message):
            if part.get("type") == "tool_use":
                name = read.name(part.get("name")) or "tool"
                self._cycle.call(part.get("id"), name, part.get("input"), at)
            elif part.get("type") == "tool_result":
                failed = part.get("is_error") is True
                self._cycle.answer(part.get("tool_use_id"), part.get("content"), failed, at)

    def rest(self) -> Iterator[TaskRun | None]:
        """The last run."""
        cycle, self._cycle = self._cycle, Cycle()
        yield cycle.run(self.name, cycle.session, cycle.at)


def _parts(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    content = message.get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _user_query(event: Mapping[str, object], message: Mapping[str, object]) -> str | None:
    """The user's request; None for tool results and notes of the program."""
    if event.get("type") != "user" or event.get("isMeta") or event.get("isSidechain"):
        return None
    if any(part.get("type") == "tool_result" for part in _parts(message)):
        return None
    text = answer_text(message.get("content")).strip()
    return None if not text or text.startswith(_SKIPPED) else text


def _tokens(message: Mapping[str, object]) -> int:
    usage = message.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    values = (counts.get(name) for name in ("input_tokens", "output_tokens"))
    return sum(value for value in values if isinstance(value, int))


_LISTS = ("messages", "traj", "trajectory", "conversation")


class OpenAIToolsReader(LogReader):
    """Reads transcripts; plain messages in a row are one transcript."""

    name = "openai-tools"
    expected = "transcripts with 'messages' of role user, assistant (tool_calls) and tool"

    def __init__(self) -> None:
        self._loose: list[object] = []

    @staticmethod
    def fits(value: object) -> bool:
        """True for a transcript with tool calls, or a message."""
        return any(
            isinstance(message, dict) and ("tool_calls" in message or message.get("role") == "tool")
            for message in _messages(value)
        )

    def runs(self, value: object) -> Iterator[TaskRun | None]:
        """The run of a transcript."""
        if isinstance(value, dict) and "role" in value:
            self._loose.append(value)
            return
        about = value if isinstance(value, dict) else {}
        yield _run(_messages(value), about)

    def rest(self) -> Iterator[TaskRun | None]:
        """The run of loose messages."""
        if self._loose:
            yield _run(self._loose, {})


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
    for message in messages:
        _take(cycle, read.fields(message, "a message"))
    ids = [about.get(name) for name in ("id", "task_id", "trial") if about.get(name) is not None]
    return cycle.run(OpenAIToolsReader.name, *ids)


def _take(cycle: Cycle, message: Mapping[str, object]) -> None:
    role, content = message.get("role"), message.get("content")
    at = read.moment(read.first(message, "timestamp", "at", "created_at"))
    if role == "user":
        cycle.queries.append(answer_text(content))
    elif role in ("tool", "function"):
        cycle.answer(message.get("tool_call_id") or message.get("name"), content, None, at)
    for call in read.elements(message.get("tool_calls"), "tool_calls"):
        call_fields = read.fields(call, "a tool call")
        function = read.optional_fields(call_fields.get("function"), "its function")
        name = read.name(function.get("name") or call_fields.get("name"))
        if name:
            arguments = function.get("arguments", call_fields.get("args"))
            cycle.call(call_fields.get("id") or name, name, arguments, at)


def _outcome(about: Mapping[str, object]) -> bool | None:
    for name in ("success", "outcome", "reward"):
        value = about.get(name)
        if isinstance(value, bool):
            return value
        if isinstance(value, (int, float)):
            return value >= 1.0
        if isinstance(value, str):
            return value.lower() in ("success", "completed", "passed", "resolved")
    return None
