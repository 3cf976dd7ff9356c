"""How long things are kept: the one table of it."""

from pydantic import Field

from sharpwave.settings.group import Group


class RetentionSettings(Group):
    """How long things are kept. A night of the week lets go of what is over its time."""

    turns_days: float | None = Field(
        None, gt=0, description="What was said is erased, and what rests on it alone; None: never."
    )
    interactions_days: float | None = Field(
        None,
        gt=0,
        description="What agents did is erased, and learned anew from what is left; None: never "
        "[SEC-12].",
    )
    open_interactions_days: float = Field(
        1.0,
        gt=0,
        description="An interaction that nobody goes on with is completed as it stands [LOG-05].",
    )
    trajectories_days: float = Field(
        90.0, gt=0, description="Choices of a skill without feedback are set aside [TRJ-05]."
    )
    trajectories_erased_days: float = Field(365.0, gt=0, description="… and erased [TRJ-06].")
    rules_days: float = Field(90.0, gt=0, description="A rule seen once is let go of [BEH-11].")
    variants_days: float = Field(90.0, gt=0, description="Weak variants are dropped [REC-05].")
    insights_days: float = Field(
        30.0, gt=0, description="An insight that nobody believes or uses is dropped [INS-09]."
    )
    journal_days: float = Field(30.0, gt=0, description="A night can be undone for so long.")
