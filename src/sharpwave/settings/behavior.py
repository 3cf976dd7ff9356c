"""Settings of rules and preferences learned from the user."""

from pydantic import Field

from sharpwave.settings.group import Group


class BehaviorSettings(Group):
    """Rules learned from what users say [BEH-01…18]."""

    reflect: bool = Field(True, description="Learn rules from every user turn [BEH-01].")
    reflect_with_llm: bool = Field(
        True, description="If a language model is set up, let it read turns too, later [BEH-06]."
    )
    max_rules: int = Field(15, ge=1, description="Most rules in a prompt [PRM-08].")
