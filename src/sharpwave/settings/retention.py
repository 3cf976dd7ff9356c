"""How long records are kept."""

from pydantic import Field

from sharpwave.settings.group import Group


class RetentionSettings(Group):
    """How long records are kept. The weekly part of sleep removes what is older."""

    turns_days: float | None = Field(
        None, gt=0, description="Turns are erased, and what rests on them alone; None: never."
    )
    interactions_days: float | None = Field(
        None,
        gt=0,
        description="What agents did is erased, and learned anew from what is left; None: never "
        "[SEC-12].",
    )
    trajectories_days: float = Field(
        90.0, gt=0, description="Choices of a skill without feedback are archived [TRJ-05]."
    )
    trajectories_erased_days: float = Field(365.0, gt=0, description="… and erased [TRJ-06].")
    rules_days: float = Field(90.0, gt=0, description="A rule seen once is dropped [BEH-11].")
    journal_days: float = Field(30.0, gt=0, description="How long a run of sleep can be undone.")
