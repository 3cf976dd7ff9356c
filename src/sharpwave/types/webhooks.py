"""Webhooks."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Webhook:
    """A URL that receives the events of a user: ids, never text."""

    id: str
    url: str
    topics: tuple[str, ...]
    """Only events of these topics; of all if empty."""
    created_at: datetime
    after: int
    """The last event that was delivered or skipped."""
    failures: int = 0
    not_before: datetime | None = None
    error: str | None = None
    given_up: bool = False
    """True after too many failures; add it again to retry."""


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """A new webhook, with the secret that signs its events."""

    secret: str
    webhook: Webhook
