"""Settings of skills: ways to answer, chosen and learned for each user."""

from pydantic import Field

from sharpwave.settings.group import Group


class SkillSettings(Group):
    """Ways to answer, chosen and learned for each user [CFG-01]."""

    enabled: bool = Field(True, description="Learn about skills and style.")
    threshold: float = Field(
        0.5, ge=0, le=1, description="Least trigger match of a skill that applies [SKL-15, CFG-05]."
    )
    max_candidates: int = Field(
        5, ge=1, description="Most skills that are compared for a message [SKL-17, CFG-05]."
    )
    exploration: bool = Field(True, description="Try other skills now and then [EXP-01].")
    population: bool = Field(
        True, description="Start a new user from what other users, who agreed, liked [PV-12]."
    )
    log_trajectories: bool = Field(
        True, description="Store which skill was used when [TRJ-01, CFG-04]."
    )
    min_trajectories: int = Field(
        10,
        ge=1,
        description="Rated turns needed before sleep recomputes the odds [TS-06, CFG-03].",
    )
    seed: int | None = Field(None, description="Makes every choice repeatable, for tests.")
