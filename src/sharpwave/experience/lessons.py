"""What a stored interaction or task says to the learners."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sharpwave.types.experience import FeedbackType
from sharpwave.types.records import Kind, Record

GENERAL = "general"
SAME_AS = "same_as"
TEACHES = "teaches"
"""False on what was logged while the user did not agree to being learned from."""


@dataclass(frozen=True, slots=True)
class Act:
    """One action of a lesson."""

    name: str
    target: str | None
    details: dict[str, Any]
    ok: bool | None
    error: str | None
    ms: float | None
    retries: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Lesson:
    """An interaction or task, as the learners see it."""

    id: str
    at: datetime
    session: str
    query: str
    context: str
    acts: tuple[Act, ...]
    success: bool | None
    feedback_type: FeedbackType
    feedback: str | None
    interpretation: str | None
    plan: tuple[str, ...]
    is_task: bool
    ms: float | None
    model: str | None
    role: str | None
    is_cycle: bool = True
    """False for a single action that was logged without a query of a user."""
    about: str | None = None
    """For an outcome: the pattern or insight it is about."""
    same_as: str | None = None
    """For a correction: an earlier one of a query that means the same, by the id of its record."""

    @property
    def order(self) -> list[str]:
        """Names of the actions, in order."""
        return [act.name for act in self.acts]


def teaches(record: Record) -> bool:
    """Whether something is learned from a record."""
    content = record.metadata
    is_complete = content.get("form") != "started" and content.get(TEACHES, True)
    return record.kind in (Kind.INTERACTION, Kind.OBSERVATION) and bool(is_complete)


def lesson(record: Record) -> Lesson:
    """Read a record back."""
    content: dict[str, Any] = dict(record.metadata)
    acts = tuple(_act(action, record.valid_from) for action in content.get("actions", ()))
    return Lesson(
        id=record.id,
        at=record.valid_from,
        session=record.session_id or "",
        query=str(content.get("query", "")),
        context=str(content.get("context_name") or GENERAL),
        acts=acts,
        success=content.get("success"),
        feedback_type=FeedbackType(content.get("feedback_type", FeedbackType.NONE)),
        feedback=content.get("feedback"),
        interpretation=content.get("interpretation"),
        plan=tuple(content.get("planned", ())),
        is_task=content.get("form") == "task",
        ms=content.get("duration_ms"),
        model=content.get("model"),
        role=content.get("role"),
        is_cycle=content.get("form") != "action",
        about=content.get("about"),
        same_as=content.get(SAME_AS),
    )


def _act(content: dict[str, Any], default_at: datetime) -> Act:
    at = content.get("at")
    return Act(
        name=str(content["name"]),
        target=content.get("target"),
        details=content.get("details", {}),
        ok=content.get("success", True),
        error=content.get("error"),
        ms=content.get("duration_ms"),
        retries=int(content.get("retries", 0)),
        at=datetime.fromisoformat(at) if at else default_at,
    )
