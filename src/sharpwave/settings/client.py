"""The tunable numbers of a client of a Sharpwave server."""

from pydantic import Field

from sharpwave.settings.group import Group


class ClientSettings(Group):
    """How `Memory.connect` talks to a server."""

    connect_s: float = Field(5.0, gt=0, description="Longest wait for a connection.")
    timeout_s: float = Field(60.0, gt=0, description="Longest wait for an answer.")
    attempts: int = Field(4, ge=1, description="Tries of a request that may be repeated.")
    backoff_s: float = Field(
        0.2, gt=0, description="Wait before the second try; then twice as long each time."
    )
