"""The settings of the dashboard."""

from pydantic import Field

from sharpwave.settings.group import Group


class DashboardSettings(Group):
    """The web pages beside the REST door [UI-01]."""

    enabled: bool = Field(True, description="Show the pages, if `sharpwave[dashboard]` is there.")
    port: int = Field(
        8767, ge=0, le=65535, description="The port of `sharpwave dashboard`; 0 takes any."
    )
    session_hours: float = Field(12.0, gt=0, description="How long one signs in for.")
    sessions: int = Field(1000, ge=1, description="Most people signed in at once; older ones go.")
    wrong_keys_per_minute: float = Field(
        12.0, ge=0, description="Wrong keys that one address may try on average; 0: any."
    )
    wrong_keys_at_once: int = Field(10, ge=1, description="Wrong keys that it may try at once.")
    page_size: int = Field(20, ge=1, le=200, description="Rows of a list before one turns over.")
