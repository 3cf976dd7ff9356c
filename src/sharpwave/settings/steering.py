"""The tunable numbers of steering and preferences."""

from pydantic import Field

from sharpwave.settings.group import Group


class SteeringSettings(Group):
    """Rules learned from what users say [BEH-01…18]."""

    reflect: bool = Field(True, description="Look back on every user turn [BEH-01].")
    reflect_with_llm: bool = Field(
        True, description="If a language model is set up, let it look too, afterwards [BEH-06]."
    )
    min_confidence: float = Field(0.6, ge=0, le=1, description="Signals below are left alone.")
    gain: float = Field(0.3, gt=0, lt=1, description="Share of doubt that each repeat takes away.")
    same_cosine: float = Field(
        0.7, gt=0, le=1, description="Least cosine of two wordings of the same rule [BEH-08]."
    )
    same_words: float = Field(
        0.6, gt=0, le=1, description="Least share of words that the same rule has in common."
    )
    compared: int = Field(1000, ge=1, description="Most rules that a new one is compared with.")
    rule_importance: float = Field(0.8, ge=0, le=1, description="Of a rule, beside other memories.")
    preference_importance: float = Field(0.7, ge=0, le=1, description="Of a preference.")
    max_rules: int = Field(15, ge=1, description="Most rules in a prompt [PRM-08].")
    section_tokens: int = Field(200, ge=20, description="Most tokens of Learned Preferences.")
    max_rule_chars: int = Field(200, ge=20, description="Longer rules are not stored.")
    retries: int = Field(5, ge=1, description="Tries to write when others change the same rules.")
    looked_back: int = Field(
        8, ge=1, description="Turns of a session in which the previous answer is looked for."
    )
    reported_confidence: float = Field(
        0.5, ge=0, le=1, description="Most of a rule that an agent reports; it waits for the user."
    )
    inferred_confidence: float = Field(
        0.7, ge=0, le=1, description="Of a preference that a correction suggests [UPR-04]."
    )
    tool_step: float = Field(
        0.2, gt=0, le=1, description="How far a correction moves a tool's score to 1 or 0."
    )
