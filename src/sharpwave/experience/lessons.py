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
    said = record.metadata
    is_complete = said.get("form") != "started" and said.get(TEACHES, True)
    return record.kind in (Kind.INTERACTION, Kind.OBSERVATION) and bool(is_complete)


def lesson(record: Record) -> Lesson:
    """Read a record back."""
    said: dict[str, Any] = dict(record.metadata)
    acts = tuple(_act(one, record.valid_from) for one in said.get("actions", ()))
    return Lesson(
        id=record.id,
        at=record.valid_from,
        session=record.session_id or "",
        query=str(said.get("query", "")),
        context=str(said.get("context_name") or GENERAL),
        acts=acts,
        success=said.get("success"),
        feedback_type=FeedbackType(said.get("feedback_type", FeedbackType.NONE)),
        feedback=said.get("feedback"),
        interpretation=said.get("interpretation"),
        plan=tuple(said.get("planned", ())),
        is_task=said.get("form") == "task",
        ms=said.get("duration_ms"),
        model=said.get("model"),
        role=said.get("role"),
        is_cycle=said.get("form") != "action",
        about=said.get("about"),
        same_as=said.get(SAME_AS),
    )


def _act(said: dict[str, Any], otherwise: datetime) -> Act:
    at = said.get("at")
    return Act(
        name=str(said["name"]),
        target=said.get("target"),
        details=said.get("details", {}),
        ok=said.get("success", True),
        error=said.get("error"),
        ms=said.get("duration_ms"),
        retries=int(said.get("retries", 0)),
        at=datetime.fromisoformat(at) if at else otherwise,
    )
