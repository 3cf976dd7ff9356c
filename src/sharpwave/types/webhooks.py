"""Addresses that are told what happened, and the topics there are."""

from dataclasses import dataclass
from datetime import datetime

REMEMBERED = "memory.remembered"
FORGOTTEN = "memory.forgotten"


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is told what happens to a user's memory: ids, never words."""

    id: str
    url: str
    topics: tuple[str, ...]
    """Only these; all of them if there are none."""
    created_at: datetime
    after: int
    """The last event that was delivered, or passed over."""
    failures: int = 0
    """Tries in a row that failed."""
    not_before: datetime | None = None
    """When it is tried again."""
    error: str | None = None
    """Why the last try failed."""
    given_up: bool = False
    """True after too many failures; make it anew to try again."""


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """A webhook that was just made, with the secret that signs what it is told."""

    secret: str
    webhook: Webhook
