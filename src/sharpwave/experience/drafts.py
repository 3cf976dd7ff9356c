"""An interaction before it is stored, and what holds for everything that is."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from sharpwave.settings.experience import LoggingSettings
from sharpwave.settings.privacy import Policy
from sharpwave.settings.remember import RememberSettings
from sharpwave.types.experience import Action, FeedbackType
from sharpwave.types.storing import NewTally
from sharpwave.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for everything that is taken in."""

    user_id: str
    now: datetime
    policy: Policy
    remember: RememberSettings
    logging: LoggingSettings
    teaches: bool = True
    """Whether anything may be learned from it, now or later."""


def rules(workspace: Workspace, now: datetime) -> Rules:
    """What holds for everything that this user's agents log now."""
    settings = workspace.settings
    learn = workspace.consents.may_learn
    logging, policy = settings.experience.logging, settings.privacy.stored
    return Rules(workspace.user_id, now, policy, settings.remember, logging, learn)


@dataclass(slots=True)
class Draft:
    """An interaction as far as it has come."""

    query: str
    session: str | None
    started_at: datetime
    context: Mapping[str, object] = field(default_factory=dict)
    id: str | None = None
    interpretation: str | None = None
    planned: tuple[str, ...] = ()
    confidence: float | None = None
    role: str | None = None
    actions: list[Action] = field(default_factory=list)
    completed_at: datetime | None = None
    tokens: int = 0
    feedback: str | None = None
    feedback_kind: FeedbackType | None = None
    success: bool | None = None
    idempotency_key: str | None = None
    start_id: str | None = None
    form: str = "interaction"


class Ended(NamedTuple):
    """What is over once something is logged."""

    start_id: str | None = None
    """The record of its start, which has done its duty,"""
    rows: tuple[NewTally, ...] = ()
    """and its steps, as they were kept until now."""


def timed(
    action: Action | str, target: str | None, details: Mapping[str, object], now: datetime
) -> Action:
    """An action with the time at which it was logged, unless it says another."""
    if isinstance(action, str):
        given = dict(details)
        success, error = given.pop("success", True), given.pop("error", None)
        duration, retries = given.pop("duration_ms", None), given.pop("retries", 0)
        if error is not None and success is True:
            success = False
        return Action(
            name=action,
            target=target,
            details=given,
            success=None if success is None else bool(success),
            error=None if error is None else str(error),
            duration_ms=duration if isinstance(duration, (int, float)) else None,
            retries=retries if isinstance(retries, int) else 0,
            at=now,
        )
    return action if action.at is not None else replace(action, at=now)
