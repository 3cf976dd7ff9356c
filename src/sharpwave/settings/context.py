"""The prompt text that `context` assembles."""

from pydantic import Field

from sharpwave.settings.group import Group


class ContextSettings(Group):
    """The prompt text that `context` assembles [PRM-01]."""

    budget_tokens: int = Field(1740, ge=50, description="Most tokens of a whole context.")
    items: int = Field(48, ge=1, description="Records recalled for a context.")
