"""Tool calls paired with their answers: what the readers of all log formats share."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import ClassVar

from sharpwave import strict_json
from sharpwave.importers.items import clean, digest
from sharpwave.types.experience import Action, TaskRun

_MAX_STEPS = 500
_ERROR_SIGNS = ("error", "exception", "traceback", "failed", "invalid")
_ERROR_CHARS = 500


class LogReader(ABC):
    """Reads the values of a log in order, and may keep some until the end.

    It yields None for a run that nothing can be learned from.
    """

    name: ClassVar[str]
    expected: ClassVar[str]
    """What a file of this format holds."""

    @staticmethod
    @abstractmethod
    def fits(value: object) -> bool:
        """Whether a value is of this format."""

    @abstractmethod
    def runs(self, value: object) -> Iterator[TaskRun | None]:
        """The runs that are complete with this value."""

    @abstractmethod
    def rest(self) -> Iterator[TaskRun | None]:
        """The runs that are complete only now, at the end of the file."""


@dataclass(slots=True)
class Cycle:
    """What belongs to one run, as it is read."""

    said: list[str] = field(default_factory=list)
    steps: dict[str, Action] = field(default_factory=dict)
    """By the id of the call."""
    success: bool | None = None
    session: str | None = None
    at: datetime | None = None
    end: datetime | None = None
    model: str | None = None
    tokens: int = 0

    def call(self, id_: object, name: str, arguments: object, at: datetime | None) -> None:
        """A tool was called."""
        key = str(id_) if id_ else f"#{len(self.steps)}"
        if key in self.steps:  # some providers use an id twice
            key = f"{key}#{len(self.steps)}"
        self.steps[key] = Action(clean(name), None, parameters(arguments), at=at)

    def answer(
        self, id_: object, content: object, failed: bool | None, at: datetime | None
    ) -> None:
        """What a tool answered."""
        keys = [key for key in self.steps if key.partition("#")[0] == str(id_)]
        if not keys:
            return
        step = self.steps[keys[-1]]
        text = answer_text(content)
        bad = looks_failed(text) if failed is None else failed
        ms = _between_ms(step.at, at)
        error = clean(text)[:_ERROR_CHARS] if bad else None
        self.steps[keys[-1]] = replace(step, success=not bad, error=error, duration_ms=ms)

    def run(self, format_name: str, *ids: object) -> TaskRun | None:
        """The run, if there is anything to learn from it."""
        query = clean("\n".join(self.said)).strip()
        if not query or not self.steps:
            return None
        steps = tuple(self.steps.values())[:_MAX_STEPS]
        ms = _between_ms(self.at, self.end)
        return TaskRun(
            query=query,
            steps=steps,
            success=self.success,
            task_id=f"{format_name}:{digest(*ids, query, *(step.name for step in steps))}",
            session=self.session,
            at=self.at,
            duration_ms=ms,
            tokens=self.tokens or None,
            model=self.model,
        )


def _between_ms(start: datetime | None, end: datetime | None) -> float | None:
    """How long it took; nothing, if the times of the log are in the wrong order."""
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
