"""What every group of settings is made of, and the groups of what a memory does.

Remembering, recalling, contexts, behavior, skills, sleep and retention.
"""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, field_validator

MIB = 1024 * 1024


class Group(BaseModel):
    """A frozen group of settings; unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class RememberSettings(Group):
    """The write path."""

    timezone: str = Field(
        "UTC", description='Where users are who do not say: "tomorrow" depends on it.'
    )
    extract: bool = Field(
        True, description="Learn facts, tasks and notes from what is said, by rules [WR-02]."
    )
    read_with_llm: bool = Field(
        True,
        description="If a language model is set up, let it read the turns too, afterwards: for "
        "facts, tasks and rules [BEH-06].",
    )
    read_after_turns: int = Field(
        8,
        ge=1,
        description="It reads a session when nothing was said for a minute, or after so many turns "
        "of the user; 1: each call of `remember` by itself, at once.",
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


MAX_RECALLED = 1000
"""The most records one recall may be asked for."""


class RecallSettings(Group):
    """The read path."""

    k: int = Field(16, ge=1, le=MAX_RECALLED, description="Records a recall returns [RD-03].")
    dated_lift: float = Field(
        0.0,
        ge=0,
        description="What it counts on top that something was said in the time asked for; above 0, "
        "'last week' is not searched for as words either. 3 suits diaries; where people tell later "
        "what happened then, it costs more than it brings.",
    )
    assert_at: float = Field(
        0.8, ge=0, le=1, description="As sure as this, it can be said outright [CNF-01]."
    )
    hedge_at: float = Field(0.6, ge=0, le=1, description="As sure as this, with a hedge [CNF-01].")


class ContextSettings(Group):
    """The prompt text that `context` assembles [PRM-01]."""

    budget_tokens: int = Field(1740, ge=50, description="Most tokens of a whole context.")


class BehaviorSettings(Group):
    """Rules learned from what users say [BEH-01…18]."""

    reflect: bool = Field(True, description="Learn rules from every user turn [BEH-01].")


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
    log_trajectories: bool = Field(
        True, description="Store which skill was used when [TRJ-01, CFG-04]."
    )
    min_trajectories: int = Field(
        10,
        ge=1,
        description="Rated turns needed before sleep recomputes the odds [TS-06, CFG-03].",
    )


class SleepSettings(Group):
    """Consolidation in the background."""

    enabled: bool = Field(True, description="False: only when you call it [SLP-24].")
    cron: str = Field(
        "0 2 * * *", description="When users are consolidated, in the system's time zone [SLP-04]."
    )
    feedback_cron: str = Field("0 3 * * *", description="When feedback is read [SCH-04].")
    bandit_cron: str = Field("0 4 * * *", description="When skill statistics are recomputed.")
    require_idle: bool = Field(True, description="Wait, up to 6 hours, until the machine is idle.")
    idle_cpu_percent: float = Field(
        20.0, gt=0, le=100, description="The machine is idle below this CPU load [SLP-02]."
    )
    idle_s: float = Field(
        300.0, ge=0, description="And has been for so many seconds without a break [SLP-02]."
    )
    at_once: int = Field(4, ge=1, description="Users consolidated at the same time [SLP-06].")
    max_minutes: float = Field(
        60.0, gt=0, description="Time for all users; the rest waits for the next run [SLP-07]."
    )


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
