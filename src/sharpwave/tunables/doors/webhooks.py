"""The tunable numbers of webhooks."""

from pydantic import Field

from sharpwave.tunables.group import Group


class WebhookSettings(Group):
    """Telling other servers what happened."""

    allow_private: bool = Field(
        False, description="Also tell addresses inside this network or on this machine."
    )
    timeout_s: float = Field(10.0, gt=0, description="Longest wait for the other server.")
    attempts: int = Field(10, ge=1, description="Tries of one event before a webhook is given up.")
    backoff_s: float = Field(
        5.0, gt=0, description="Wait before the second try; then twice as long each time."
    )
    most: int = Field(20, ge=1, description="Most webhooks of one user.")
    batch: int = Field(100, ge=1, le=1000, description="Events told to one webhook at a time.")
