"""Sessions of Claude Code: a line an event, with messages of the user and the assistant.

Each thing the user asks begins a run; the tools used until the next one are its steps.
"""

from collections.abc import Iterator, Mapping

from sharpwave.importers import fields as read
from sharpwave.importers.agents.calls import Cycle, known, told
from sharpwave.types.experience import TaskRun

NAME = "claude-code"
EXPECTED = "lines of type 'user' or 'assistant' with 'message', 'sessionId' and 'timestamp'"
_SKIPPED = ("<command-", "<local-command", "<system-reminder", "Caveat:")


def fits(value: object) -> bool:
    """True for an event of a session."""
    return (
        isinstance(value, dict)
        and value.get("type") in ("user", "assistant")
        and isinstance(value.get("message"), dict)
        and ("sessionId" in value or "uuid" in value)
    )


class Reader:
    """Reads events in order."""

    def __init__(self) -> None:
        self._cycle = Cycle()

    def runs(self, value: object) -> Iterator[TaskRun]:
        """The run that a new question completes."""
        if not fits(value):
            return
        event = read.fields(value, "an event")
        message = read.fields(event["message"], "its message")
        at = read.moment(event.get("timestamp"))
        asked = _asked(event, message)
        if asked:
            yield from self.rest()
            self._cycle = Cycle([asked], session=read.name(event.get("sessionId")), at=at)
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

    def rest(self) -> Iterator[TaskRun]:
        """The last run."""
        cycle, self._cycle = self._cycle, Cycle()
        yield from known([cycle.run(NAME, cycle.session, cycle.at)])


def _parts(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    content = message.get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _asked(event: Mapping[str, object], message: Mapping[str, object]) -> str | None:
    """What the user asked; results of tools and notes of the program are not asked by anybody."""
    if event.get("type") != "user" or event.get("isMeta") or event.get("isSidechain"):
        return None
    if any(part.get("type") == "tool_result" for part in _parts(message)):
        return None
    text = told(message.get("content")).strip()
    return None if not text or text.startswith(_SKIPPED) else text


def _tokens(message: Mapping[str, object]) -> int:
    usage = message.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    found = (counts.get(name) for name in ("input_tokens", "output_tokens"))
    return sum(each for each in found if isinstance(each, int))
