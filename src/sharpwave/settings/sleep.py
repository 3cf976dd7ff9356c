"""The numbers behind sleep: when it comes, how long it may take, and what becomes of memories."""

from pydantic import Field

from sharpwave.settings.group import Group


class StageSettings(Group):
    """How raw experience becomes lasting knowledge [SLP-15...17, TIER-13]."""

    working_after_hours: float = Field(
        1.0, gt=0, description="Active memories may move on [SLP-15]."
    )
    working_after_newer: int = Field(10, ge=1, description="Or once so many are newer [TIER-13].")
    working_accesses: int = Field(2, ge=0, description="More accesses than this move it on early.")
    working_importance: float = Field(0.7, ge=0, le=1, description="So does more importance.")
    settle_after_hours: float = Field(
        24.0, gt=0, description="Working memories leave the day's store, once replayed [WM-02]."
    )
    settle_after_working: int = Field(
        5, ge=1, description="Or once so many are newer, if it was worth it [TIER-13]."
    )
    keep_score: float = Field(0.6, ge=0, le=1, description="Above this it was worth it [SLP-16].")
    lasting_after_days: float = Field(
        7.0, gt=0, description="Episodes may become lasting [SLP-17]."
    )
    lasting_accesses: int = Field(10, ge=0, description="More accesses than this make it lasting.")
    lasting_importance: float = Field(0.8, ge=0, le=1, description="So does more importance.")
    promote_days: int = Field(
        3, ge=1, description="Distinct days that make a habit a fact [SLP-22]."
    )
    promote_confidence: float = Field(0.6, ge=0, le=1, description="And at least so sure of it.")


class ReplaySettings(Group):
    """What is gone through again first [RPL]."""

    batch: int = Field(100, ge=1, description="Memories replayed in one transaction [SLP-08].")
    most: int = Field(5000, ge=1, description="Memories replayed in one night; the rest waits.")
    alpha: float = Field(0.6, ge=0, le=1, description="0 draws evenly, 1 by priority [RPL-02].")
    tree_above: int = Field(1000, ge=1, description="With more a sum tree draws [RPL-04].")
    queries: int = Field(10, ge=1, description="Last questions that say what matters [RPL-06].")


class DoubtSettings(Group):
    """Which facts a model is asked about: whether both of them can be true [CON-02]."""

    cosine: float = Field(0.5, ge=0, le=1, description="How near in meaning two facts must be.")
    each: int = Field(3, ge=1, description="Facts that a new one is compared with, the nearest.")
    most: int = Field(20, ge=0, description="Questions in one night; the rest waits for the next.")
    among: int = Field(2000, ge=2, description="Facts that are compared, the newest.")


class SummarySettings(Group):
    """Summaries of sessions, and notes on them [EPI-05, REF]."""

    share: float = Field(0.25, gt=0, le=1, description="Tokens of a summary, of the session's.")
    max_tokens: int = Field(300, ge=20, description="Most tokens of a summary.")
    min_turns: int = Field(4, ge=1, description="Shorter sessions need no summary.")
    min_tokens: int = Field(80, ge=1, description="Nor do those with fewer tokens.")
    max_turns: int = Field(500, ge=1, description="Turns of a session that are looked at.")
    quiet_hours: float = Field(1.0, ge=0, description="A session is over after so long.")
    pause_hours: float = Field(
        4.0, gt=0, description="Without a session, a pause as long as this begins a new stretch."
    )
    sentence_tokens: int = Field(4, ge=0, description="Short sentences are worth less by this.")
    question_weight: float = Field(0.5, ge=0, description="What a question is worth, of 1.")
    telling_weight: float = Field(
        0.5, ge=0, description="More for each: of oneself, with a name, with a number."
    )
    gist_sentences: int = Field(
        2000, ge=0, description="Sentences whose places a summary notes, those of the newest turns."
    )
    max_sessions: int = Field(200, ge=1, description="Sessions summarised in one night.")
    words_per_token: float = Field(
        0.7, gt=0, description="Words that a model is allowed for each token of a summary."
    )
    recurring_days: int = Field(
        3, ge=2, description="A question asked on so many days makes a note [REF-03]."
    )
    recurring_lookback_days: float = Field(90.0, gt=0, description="Within this time.")
    recurring_turns: int = Field(2000, ge=1, description="Turns looked through for it, the newest.")


class EvolveSettings(Group):
    """How changes over time are told [TMP-11]."""

    lookback_days: float = Field(30.0, gt=0, description="Time looked at, in two halves [TMP-11].")
    min_turns: int = Field(10, ge=1, description="Fewer turns tell nothing [TMP-11].")
    max_turns: int = Field(5000, ge=1, description="Turns looked at, the newest.")
    max_chance: float = Field(0.01, gt=0, lt=1, description="More likely by accident is no trend.")
    prior_days: float = Field(
        365.0, gt=0, description="How long a fact lasts, before there is anything to go by."
    )


class FadeSettings(Group):
    """What is let go [REC-05]; after how long, `retention` says."""

    variant_confidence: float = Field(0.3, ge=0, le=1, description="Weaker than this is weak.")
    max_gap_days: float = Field(
        8.0, gt=0, description="After a longer gap the clock may be wrong: nothing is dropped."
    )
    batch: int = Field(500, ge=1, description="Records changed in one transaction.")


class ScheduleSettings(Group):
    """When sleep comes by itself [SLP-02...07, SCH]."""

    enabled: bool = Field(True, description="False: only when somebody asks for it [SLP-24].")
    cron: str = Field("0 2 * * *", description="Daily, in the system's time zone [SLP-04].")
    feedback_cron: str = Field("0 3 * * *", description="Reading of feedback [SCH-04].")
    bandit_cron: str = Field("0 4 * * *", description="Recounting of skills.")
    require_idle: bool = Field(True, description="Wait until the machine has nothing to do.")
    patience_hours: float = Field(6.0, ge=0, description="But no longer than this.")
    idle_cpu_percent: float = Field(20.0, gt=0, le=100, description="Idle below this [SLP-02].")
    idle_s: float = Field(300.0, ge=0, description="For so long without a break [SLP-02].")
    check_s: float = Field(60.0, gt=0, description="How often that is looked at [SLP-02].")
    shards: int = Field(7, ge=1, description="Heavy work of a user comes every so many days.")
    at_once: int = Field(4, ge=1, description="Users that sleep at the same time [SLP-06].")
    max_minutes: float = Field(60.0, gt=0, description="The rest waits for the next run [SLP-07].")
    user_minutes: float = Field(10.0, gt=0, description="Most time for one user [SLP-10].")
    lease_s: float = Field(120.0, gt=0, description="Silence after which another may take over.")


class SleepSettings(Group):
    """Consolidation in the background."""

    schedule: ScheduleSettings = ScheduleSettings()
    replay: ReplaySettings = ReplaySettings()
    stages: StageSettings = StageSettings()
    doubt: DoubtSettings = DoubtSettings()
    summary: SummarySettings = SummarySettings()
    evolve: EvolveSettings = EvolveSettings()
    fade: FadeSettings = FadeSettings()
