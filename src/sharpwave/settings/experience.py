"""The tunable numbers of experience; `settings.py` has the others."""

from pydantic import Field

from sharpwave.settings.group import Group


class LoggingSettings(Group):
    """How interactions and tasks are logged."""

    max_actions: int = Field(500, ge=1, description="Most actions one interaction may hold.")
    max_details_bytes: int = Field(
        2048, ge=2, description="Longer details of an action are cut, as JSON."
    )
    max_field_chars: int = Field(
        4000, ge=16, description="Longer queries, errors and feedback are cut to this in metadata."
    )
    max_open: int = Field(
        1000, ge=1, description="Most interactions of one user that are going on [LOG-05]."
    )
    retries: int = Field(8, ge=1, description="Tries to write when others log for the same user.")
    open_sessions: int = Field(
        32, ge=1, description="Sessions whose stretch of work is kept open; the oldest is closed."
    )
    evidence: int = Field(20, ge=1, description="Latest records that are kept as evidence.")
    publish_first: int = Field(
        50, ge=1, description="Lessons before patterns are published; then at twice as many."
    )
    import_batch: int = Field(50, ge=1, description="Runs at once when importing a log.")
    rebuild_batch: int = Field(500, ge=1, description="Records read at once when learning anew.")


class PatternSettings(Group):
    """When something that recurs is called a pattern."""

    gap_minutes: float = Field(5.0, gt=0, description="A longer pause ends a workflow [PAT-12].")
    min_size: int = Field(3, ge=2, description="Fewest steps of a workflow or sequence [PAT-06].")
    min_repeats: int = Field(2, ge=2, description="Fewest repeats of a workflow [PAT-14].")
    max_chance: float = Field(
        0.05, gt=0, lt=1, description="More likely by chance than this is no pattern."
    )
    max_order_chance: float = Field(
        0.2, gt=0, lt=1, description="The same for the order of steps that belong together anyway."
    )
    fuzzy: float = Field(0.7, gt=0, le=1, description="Least similarity of a match [PAT-11].")
    same_workflow: float = Field(
        0.5, gt=0, le=1, description="Share in common that makes two stretches one workflow."
    )
    half_life_days: float = Field(7.0, gt=0, description="Half-life in rankings [PAT-09].")
    likelihood: float = Field(
        0.8, gt=0.5, lt=1, description="How often a right pattern succeeds [PAT-16]."
    )
    learning_rate: float = Field(0.1, gt=0, le=1, description="Share of each Bayes step taken.")
    floor: float = Field(0.01, gt=0, lt=0.5, description="Confidence never falls below this.")
    max_segment: int = Field(64, ge=4, description="Actions after which a stretch is closed.")
    window: int = Field(128, ge=8, description="Actions looked back on for repeated sequences.")
    kept: int = Field(96, ge=8, description="Workflows compared with each new stretch of work.")
    listed: int = Field(1000, ge=10, description="Most patterns kept of each other type.")


class ToolSettings(Group):
    """Track records of tools."""

    quantile_accuracy: float = Field(
        0.05, gt=0, lt=0.5, description="Relative accuracy of quantiles of durations."
    )
    contexts: int = Field(24, ge=1, description="Contexts kept of each tool.")
    parameters: int = Field(16, ge=1, description="Parameters kept of each tool.")
    values: int = Field(12, ge=2, description="Values kept of each parameter.")
    solutions: int = Field(8, ge=1, description="Solutions kept of each error.")
    wilson_z: float = Field(1.28, gt=0, description="How careful rankings are with few tries.")
    warn_below: float = Field(
        0.5, ge=0, le=1, description="A success rate below this is worth a warning."
    )
    slow_ms: float = Field(5000.0, gt=0, description="Slower on average is worth a hint.")
    min_uses: int = Field(5, ge=1, description="Fewest uses before anything is recommended.")
    reliability_weight: float = Field(
        0.3, ge=0, le=1, description="How much an uneven duration counts against reliability."
    )


class InsightSettings(Group):
    """Lessons: when they are drawn, believed and dropped."""

    best_uses: int = Field(5, ge=1, description="Fewest uses of a best practice [INS-06].")
    best_rate: float = Field(0.9, ge=0, le=1, description="Its success rate is above [INS-06].")
    common_percent: float = Field(
        10.0, ge=0, le=100, description="An error in more executions is common [INS-07]."
    )
    common_confidence: float = Field(0.8, ge=0, le=1, description="Warning of a common error.")
    rare_confidence: float = Field(0.5, ge=0, le=1, description="Warning of another error.")
    min_errors: int = Field(2, ge=1, description="Fewest sightings of an error to warn of it.")
    valid_evidence: int = Field(3, ge=1, description="Evidence that validates an insight.")
    valid_confidence: float = Field(0.7, ge=0, le=1, description="Confidence that validates it.")
    prune_below: float = Field(0.3, ge=0, le=1, description="Less sure and unused goes [INS-09].")
    strength_half: float = Field(3.0, gt=0, description="Pieces of evidence for half strength.")
    listed: int = Field(
        500, ge=1, description="Insights that are ranked and listed: of more, the surest."
    )


class AdviseSettings(Group):
    """Advice before thinking, planning and acting."""

    limit: int = Field(5, ge=1, le=100, description="Most pieces of advice of each sort.")
    similar: int = Field(16, ge=1, le=200, description="Similar tasks that are looked at.")
    min_similarity: float = Field(
        0.25, ge=0, le=1, description="Least likeness of a task that counts as similar."
    )
    order: int = Field(3, ge=1, le=5, description="Steps back that the next step depends on.")
    similar_weight: float = Field(
        0.3, ge=0, le=1, description="What followed in similar tasks, beside what followed at all."
    )
    prior_weight: float = Field(
        2.0, ge=0, description="Tasks that the general success rate counts for."
    )
    min_confidence: float = Field(0.5, ge=0, le=1, description="Insights below are not given.")
    warning_cases: int = Field(
        8, ge=1, description="Of the similar tasks, the most alike, on which warnings rest."
    )
    max_warning_chance: float = Field(
        0.02,
        gt=0,
        le=1,
        description="That as many tasks like this fail by chance must be less likely for a "
        "warning of a step [RD-21].",
    )
    warnings_each: int = Field(2, ge=1, description="Most warnings of the same step.")


class ExperienceSettings(Group):
    """What agents did, and what is learned from it."""

    logging: LoggingSettings = LoggingSettings()
    patterns: PatternSettings = PatternSettings()
    tools: ToolSettings = ToolSettings()
    insights: InsightSettings = InsightSettings()
    advise: AdviseSettings = AdviseSettings()
