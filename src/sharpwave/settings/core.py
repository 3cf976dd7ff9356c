"""The base class of settings groups, and the groups of the memory itself.

Remembering, recalling, contexts, behavior, skills, sleep and retention.
"""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, field_validator

MIB = 1024 * 1024


class Group(BaseModel):
    """A frozen group of settings; unknown names are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class RememberSettings(Group):
    """The write path."""

    timezone: str = Field(
        "UTC",
        description='Default time zone of users (IANA name): the meaning of "tomorrow" depends '
        "on it.",
    )
    extract: bool = Field(
        True, description="Extract facts, tasks and notes from messages, by rules [WR-02]."
    )
    read_with_llm: bool = Field(
        True,
        description="If a language model is configured, it also reads the turns, in the "
        "background, for facts, tasks and rules [BEH-06].",
    )
    read_after_turns: int = Field(
        8,
        ge=1,
        description="Number of user turns after which the language model reads a session; it also "
        "does after a minute without messages. 1: read each call of `remember` at once.",
    )
    min_confidence: float = Field(
        0.7, ge=0, le=1, description="Minimum confidence to store a fact, 0 to 1 [WR-04]."
    )

    @property
    def zone(self) -> ZoneInfo:
        """The default time zone of users."""
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
"""Maximum `k` of a recall."""


class RecallSettings(Group):
    """The read path."""

    k: int = Field(
        16, ge=1, le=MAX_RECALLED, description="Maximum number of records a recall returns [RD-03]."
    )
    dated_lift: float = Field(
        0.0,
        ge=0,
        description="Score added to records that were said in the time a query names; above 0, "
        "'last week' is also not searched as keywords. 3 suits diaries; if people report events "
        "later, it does more harm than good.",
    )
    assert_at: float = Field(
        0.8, ge=0, le=1, description="Minimum confidence of the decision assert, 0 to 1 [CNF-01]."
    )
    hedge_at: float = Field(
        0.6, ge=0, le=1, description="Minimum confidence of the decision hedge, 0 to 1 [CNF-01]."
    )


class ContextSettings(Group):
    """The prompt text that `context` assembles [PRM-01]."""

    budget_tokens: int = Field(1740, ge=50, description="Maximum number of tokens of a context.")


class BehaviorSettings(Group):
    """Rules learned from what users say [BEH-01…18]."""

    reflect: bool = Field(True, description="Learn rules from every user turn [BEH-01].")


class SkillSettings(Group):
    """Ways to answer, chosen and learned for each user [CFG-01]."""

    enabled: bool = Field(True, description="Learn about skills and style.")
    threshold: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Minimum trigger match for a skill to apply, 0 to 1 [SKL-15, CFG-05].",
    )
    max_candidates: int = Field(
        5, ge=1, description="Maximum number of skills compared per message [SKL-17, CFG-05]."
    )
    exploration: bool = Field(True, description="Sometimes try other skills [EXP-01].")
    log_trajectories: bool = Field(
        True, description="Store which skill was chosen for each turn [TRJ-01, CFG-04]."
    )
    min_trajectories: int = Field(
        10,
        ge=1,
        description="Minimum number of rated turns before sleep recomputes the odds [TS-06, "
        "CFG-03].",
    )


class SleepSettings(Group):
    """Consolidation in the background."""

    enabled: bool = Field(
        True, description="Run sleep on schedule. False: only when you call it [SLP-24]."
    )
    cron: str = Field(
        "0 2 * * *", description="Cron schedule of sleep, in the system's time zone [SLP-04]."
    )
    feedback_cron: str = Field(
        "0 3 * * *", description="Cron schedule for reading feedback [SCH-04]."
    )
    bandit_cron: str = Field(
        "0 4 * * *", description="Cron schedule for recomputing skill statistics."
    )
    require_idle: bool = Field(
        True, description="Wait until the machine is idle, for at most 6 hours."
    )
    idle_cpu_percent: float = Field(
        20.0,
        gt=0,
        le=100,
        description="CPU load in percent below which the machine is idle [SLP-02].",
    )
    idle_s: float = Field(
        300.0,
        ge=0,
        description="Seconds without interruption that the machine must be idle [SLP-02].",
    )
    at_once: int = Field(
        4, ge=1, description="Maximum number of users consolidated in parallel [SLP-06]."
    )
    max_minutes: float = Field(
        60.0,
        gt=0,
        description="Maximum minutes of a run for all users; the rest continues in the next run "
        "[SLP-07].",
    )


class RetentionSettings(Group):
    """How long records are kept. The weekly part of sleep removes older ones."""

    turns_days: float | None = Field(
        None,
        gt=0,
        description="Days after which turns are erased, with everything learned only from them; "
        "None: never.",
    )
    interactions_days: float | None = Field(
        None,
        gt=0,
        description="Days after which interactions of agents are erased, and experience is "
        "recomputed from the rest; None: never [SEC-12].",
    )
    trajectories_days: float = Field(
        90.0,
        gt=0,
        description="Days after which skill choices without feedback are archived [TRJ-05].",
    )
    trajectories_erased_days: float = Field(
        365.0,
        gt=0,
        description="Days after which skill choices without feedback are erased [TRJ-06].",
    )
