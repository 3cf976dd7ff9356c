"""The numbers behind the prompt text that `context` assembles."""

from pydantic import Field

from sharpwave.settings.group import Group
from sharpwave.types.tokens import TokenRates


class ContextSettings(Group):
    """The prompt text that `context` assembles [PRM-01]."""

    budget_tokens: int = Field(1740, ge=50, description="Most tokens of a whole context.")
    system_tokens: int = Field(300, ge=0, description="Most tokens of the caller's own words.")
    skill_tokens: int = Field(200, ge=0, description="Most tokens of the skill [PRM-12].")
    profile_tokens: int = Field(200, ge=0, description="Most tokens of User Profile [PRO-10].")
    profile_fact_tokens: int = Field(
        10, ge=1, description="Tokens a fact of it takes at least: more than fit are not read."
    )
    goals_tokens: int = Field(120, ge=0, description="Most tokens of Active Goals [TSK-05].")
    rules_tokens: int = Field(
        200, ge=0, description="Most tokens of Learned Preferences [resolution 70]."
    )
    notes_tokens: int = Field(120, ge=0, description="Most tokens of Reflective Notes [REF-08].")
    facts_tokens: int = Field(400, ge=0, description="Most tokens of Relevant Facts.")
    episodes_tokens: int = Field(600, ge=0, description="Most tokens of Episodic Highlights.")
    items: int = Field(48, ge=1, description="Records recalled for a context.")
    summary_lines: int = Field(2, ge=1, description="Most sentences of one summary shown.")
    item_tokens: int = Field(160, ge=10, description="Most tokens of one recalled text.")
    whole_items: int = Field(3, ge=0, description="Recalled items that are never cut to a gist.")
    rank_power: float = Field(
        1.3, ge=0, description="How fast an item is worth less with its rank [PRM-02]."
    )
    gist_loss: float = Field(
        0.8, ge=0, le=1, description="What is lost of a turn if next to nothing of it is shown."
    )
    fence_tokens: int = Field(60, ge=0, description="Tokens of the two fences around the data.")
    word_rate: float = Field(1.0, gt=0, description="Tokens of a word of ASCII letters.")
    long_part_rate: float = Field(0.1, ge=0, description="Tokens of each further part of it.")
    part_letters: int = Field(7, ge=1, description="Letters of such a part.")
    other_letter_rate: float = Field(1.0, gt=0, description="Tokens of a letter of other words.")
    digits_rate: float = Field(1.4, gt=0, description="Tokens of a group of up to three digits.")
    marks_rate: float = Field(1.2, gt=0, description="Tokens of a run of marks.")
    line_break_rate: float = Field(0.7, ge=0, description="Tokens of a run of line breaks.")

    @property
    def profile_facts(self) -> int:
        """The most facts that could fit into the profile."""
        return self.profile_tokens // self.profile_fact_tokens

    @property
    def rates(self) -> TokenRates:
        """The rates in one value."""
        return TokenRates(
            self.word_rate,
            self.long_part_rate,
            self.other_letter_rate,
            self.digits_rate,
            self.marks_rate,
            self.line_break_rate,
            self.part_letters,
        )
