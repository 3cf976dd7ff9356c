"""An interaction before it is stored, and what holds for everything that is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sharpwave.tunables.experience import LoggingSettings
from sharpwave.tunables.privacy import Policy
from sharpwave.tunables.remembering import RememberSettings
from sharpwave.types.work.experience import Action, FeedbackType


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
