"""How much is taken in, and how facts settle."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator

from sharpwave.settings.group import Group
from sharpwave.settings.storage import MIB


class RememberSettings(Group):
    """The write path."""

    max_text_bytes: int = Field(MIB, ge=1, description="Longest text one record may hold, UTF-8.")
    timezone: str = Field(
        "UTC", description='Where users are who do not say: "tomorrow" depends on it.'
    )
    extract: bool = Field(
        True, description="Learn facts, tasks and notes from what is said, by rules [WR-02]."
    )
    extract_with_llm: bool = Field(
        True, description="If a language model is set up, let it read the turns too, afterwards."
    )

    min_confidence: float = Field(
        0.7, ge=0, le=1, description="Less sure than this is not stored as a fact [WR-04]."
    )

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of users who do not say."""
        return ZoneInfo(self.timezone)

    @field_validator("timezone")
    @classmethod
    def _is_a_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"there is no time zone {name!r}; use a name such as UTC") from error
        return name
