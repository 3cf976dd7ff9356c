"""The tunable numbers of webhooks."""

from typing import Self

from pydantic import Field, model_validator

from sharpwave.settings.group import Group


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
    lease_s: float = Field(
        60.0,
        gt=0,
        description="A process that is telling a webhook and falls silent is stood in for after "
        "so long; at least twice timeout_s.",
    )
    most: int = Field(20, ge=1, description="Most webhooks of one user.")
    batch: int = Field(100, ge=1, le=1000, description="Events told to one webhook at a time.")

    @model_validator(mode="after")
    def _outlasts_the_wait(self) -> Self:
        if self.lease_s < 2 * self.timeout_s:
            raise ValueError("lease_s must be at least twice timeout_s, or two would tell at once")
        return self
