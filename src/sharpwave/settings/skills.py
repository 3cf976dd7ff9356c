"""The tunable numbers of skills, style and feedback; `settings.py` has the others."""

from pydantic import Field

from sharpwave.settings.group import Group


class MatchSettings(Group):
    """When a skill applies, and what its score is made of."""

    intent: float = Field(0.4, ge=0, le=1, description="Weight of the intent [SKL-14].")
    time_of_day: float = Field(0.15, ge=0, le=1, description="Weight of the time [SKL-14].")
    sentiment: float = Field(0.15, ge=0, le=1, description="Weight of the mood [SKL-14].")
    topic: float = Field(0.3, ge=0, le=1, description="Weight of the topic's cosine [SKL-14].")
    threshold: float = Field(0.5, ge=0, le=1, description="A skill applies from here [SKL-15].")
    trigger_weight: float = Field(0.4, ge=0, description="Share of the trigger [SKL-16].")
    sampled_weight: float = Field(0.3, ge=0, description="Share of the Thompson sample [SKL-16].")
    alignment_weight: float = Field(0.3, ge=0, description="Share of the style [SKL-16].")
    relative_alignment: bool = Field(
        True,
        description="Compare styles among the candidates, so that their share counts in full. "
        "False: the distance as it is, which hardly differs between skills [PV-05].",
    )
    rule_margin: float = Field(
        0.15,
        gt=0,
        le=0.5,
        description="So far from the middle a style speaks against a rule that was agreed to.",
    )
    max_candidates: int = Field(5, ge=1, description="Skills that are weighed [SKL-17].")
    min_confidence: float = Field(
        0.3, ge=0, le=1, description="Below this a skill is only tried, never preferred [SKL-17]."
    )


class ExplorationSettings(Group):
    """How often something else is tried."""

    enabled: bool = Field(True, description="Try other skills now and then [EXP-01].")
    start: float = Field(0.1, ge=0, le=1, description="Rate before any feedback [EXP-01].")
    floor: float = Field(0.05, ge=0, le=1, description="Rate that is never undercut [EXP-02].")
    decay: float = Field(0.95, gt=0, le=1, description="Factor with each rating [EXP-02].")


class ConfidenceSettings(Group):
    """How sure we are of a skill, after each rating."""

    start: float = Field(0.5, ge=0, le=1, description="Before any rating [SKL-08].")
    new_rate: float = Field(0.3, gt=0, le=1, description="Step for a new skill [SKL-12].")
    settled_rate: float = Field(0.1, gt=0, le=1, description="Step for a settled one [SKL-12].")
    settled_after: int = Field(10, ge=1, description="Uses after which it is settled [SKL-12].")
    reach: float = Field(0.3, gt=0, le=0.5, description="Targets are 0.5 ± this [SKL-12].")
    low: float = Field(0.2, ge=0, le=1, description="Never below: it can be tried [SKL-12].")
    high: float = Field(0.9, ge=0, le=1, description="Never above [SKL-12].")


class BanditSettings(Group):
    """The odds of each skill in each context."""

    prior_alpha: float = Field(1.0, gt=0, description="Successes assumed at first [TS-01].")
    prior_beta: float = Field(1.0, gt=0, description="Failures assumed at first [TS-01].")
    buckets: int = Field(100, ge=1, le=10_000, description="Kinds of context [TS-03].")
    min_trajectories: int = Field(
        10, ge=1, description="Fewer rated turns are not computed anew at night [TS-06]."
    )


class StyleSettings(Group):
    """How a person's style is learned."""

    learning_rate: float = Field(0.1, gt=0, le=1, description="Step of one rating [PV-04].")
    text_rate: float = Field(
        0.15, gt=0, le=1, description="Step that a comment such as 'too long' takes [PV-14]."
    )
    change_window: int = Field(
        4, ge=2, le=8, description="Latest ratings in a context that may tell of a change of mind."
    )
    change_dislikes: int = Field(
        3,
        ge=1,
        description="So many dislikes among them, after mostly likes, are one; more than the "
        "window switches this off.",
    )
    change_before: int = Field(8, ge=1, description="Ratings before them that are looked at.")
    change_fewest_before: int = Field(4, ge=1, description="With fewer, nothing is told of it.")
    change_liked: float = Field(0.6, ge=0, le=1, description="Share of those that were likes.")
    change_keeps: float = Field(
        0.25, ge=0, le=1, description="Share of what was learned there that is kept then."
    )
    shared_evidence: float = Field(
        3.0,
        ge=0,
        description="Ratings a context needs until its own style outweighs the general one; "
        "0: contexts share nothing.",
    )


class FeedbackSettings(Group):
    """What is taken as feedback, and when it is read."""

    max_text_chars: int = Field(300, ge=1, description="Longest comment [FB-02].")
    implicit_weight: float = Field(
        0.25, ge=0, le=1, description="What a mere reaction counts, next to a rating."
    )
    min_feedback_count: int = Field(
        5, ge=1, description="Comments that wait for each other before they are read [FB-14]."
    )
    max_processing_minutes: float = Field(
        30.0, gt=0, description="Longest time that reading them may take [FB-14]."
    )
    log_trajectories: bool = Field(True, description="Keep which skill was used when [TRJ-01].")


class PopulationSettings(Group):
    """What others, who agreed, liked: where a new person starts [PV-12]."""

    enabled: bool = Field(True, description="Start from it, once there is something.")
    min_people: int = Field(
        5, ge=2, description="Fewer people behind a number: it is neither kept nor used."
    )
    pseudo_counts: float = Field(
        4.0, ge=0, le=20, description="Ratings that it weighs; soon outweighed by one's own."
    )
    step: float = Field(
        0.05, gt=0, le=0.5, description="Rates are rounded to this, so that nobody shows in them."
    )


class SkillLogSettings(Group):
    """What is logged of choices and ratings: numbers and names, never words [CFG-06]."""

    selections: bool = Field(True, description="Every choice, with the time it took [MET-04].")
    ratings: bool = Field(True, description="Every rating [MET-02].")
    confidence: bool = Field(
        True, description="With it, how sure we were of the skill before and after."
    )
    every_minutes: float = Field(
        60.0, gt=0, description="How a person fares is told at most so often [MET-03, MET-05]."
    )


class SkillSettings(Group):
    """Ways to answer, chosen and learned for each person [CFG-01]."""

    enabled: bool = Field(True, description="Whether anything is learned about skills.")
    max_skills: int = Field(100, ge=1, description="Most skills of a person [SKL-17].")
    evicted: int = Field(10, ge=1, description="Set aside at once when there are more [SKL-20].")
    base_bonus: float = Field(1.5, ge=1, description="How much base skills are spared [SKL-20].")
    max_template_chars: int = Field(4000, ge=1, description="Longest template.")
    seed: int | None = Field(None, description="Makes every choice repeatable, for tests.")
    retries: int = Field(8, ge=1, description="Tries to write when others do so too.")
    match: MatchSettings = MatchSettings()
    exploration: ExplorationSettings = ExplorationSettings()
    confidence: ConfidenceSettings = ConfidenceSettings()
    bandit: BanditSettings = BanditSettings()
    style: StyleSettings = StyleSettings()
    feedback: FeedbackSettings = FeedbackSettings()
    population: PopulationSettings = PopulationSettings()
    log: SkillLogSettings = SkillLogSettings()
