"""How much is taken in, and how facts settle."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator

from sharpwave.settings.group import Group
from sharpwave.settings.storage import MIB


class RememberSettings(Group):
    """The write path."""

    max_text_bytes: int = Field(MIB, ge=1, description="Longest text one record may hold, UTF-8.")
    batch_records: int = Field(
        500, ge=1, le=10_000, description="Records at once when importing, exporting or embedding."
    )
    timezone: str = Field(
        "UTC", description='Where users are who do not say: "tomorrow" depends on it.'
    )
    extract: bool = Field(
        True, description="Learn facts, tasks and notes from what is said, by rules [WR-02]."
    )
    extract_with_llm: bool = Field(
        True, description="If a language model is set up, let it read the turns too, afterwards."
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


class KnowledgeSettings(Group):
    """How facts, tasks and notes settle among what is known."""

    min_confidence: float = Field(
        0.7, ge=0, le=1, description="Less sure than this is not stored as a fact [WR-04]."
    )
    max_statement_chars: int = Field(
        300, ge=20, description="A subject, object or sentence that is longer is no statement."
    )
    novelty_cosine: float = Field(
        0.92, gt=0, le=1, description="As near as this means the same thing said again [WR-03]."
    )
    look_cosine: float = Field(
        0.8,
        ge=0,
        le=1,
        description="Sentences that are less near are not compared by their objects.",
    )
    compared: int = Field(
        200,
        ge=0,
        description="Newest facts of a kind among which the same in other words is sought.",
    )
    reinforce_gain: float = Field(
        0.3, ge=0, le=1, description="Share of the remaining doubt that each sighting removes."
    )
    max_variants: int = Field(
        3, ge=0, description="Variants kept beside a fact; the weakest is replaced [REC-04]."
    )
    change_of_mind_days: float = Field(
        30.0, ge=0, description="A contradiction of what was last said so long ago is a change."
    )
    independent_sources: int = Field(
        2, ge=2, description="Sources that must agree before untrusted facts enter the profile."
    )
    echo_hours: float = Field(
        1.0, ge=0, description="What was recalled so lately is no new evidence from an assistant."
    )
    max_notes: int = Field(100, ge=1, description="Notes kept; the least worth go first [REF-07].")
    note_confidence: float = Field(
        0.7, ge=0, le=1, description="Confidence of a note nobody rated [REF-05]."
    )
    note_importance: float = Field(0.4, ge=0, le=1, description="Importance of a note.")
    note_tau_days: float = Field(
        30.0, gt=0, description="A note is worth 1/e after so long without being seen."
    )
    task_importance: float = Field(0.6, ge=0, le=1, description="Importance of a task.")
    same_task_share: float = Field(
        0.75, gt=0, le=1, description="Titles that share this much of their words are one task."
    )
    done_task_share: float = Field(
        0.5, gt=0, le=1, description="Enough shared words to tell which task was finished."
    )
    due_soon_days: float = Field(3.0, gt=0, description="A task due within this time is due soon.")
    retries: int = Field(
        8, ge=1, description="Tries to write when others keep changing the same facts."
    )
