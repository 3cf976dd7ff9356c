"""Skills, their style, how one was selected, and feedback on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

ENDS = {
    "verbosity": ("concise", "verbose"),
    "formality": ("casual", "formal"),
    "technical_depth": ("simple", "technical"),
    "proactivity": ("only what was asked", "looks ahead"),
    "emotional_expression": ("neutral", "expressive"),
    "structure": ("free prose", "lists and headings"),
    "explanation_depth": ("brief", "detailed"),
    "example_usage": ("no examples", "many examples"),
    "question_asking": ("states", "asks"),
    "reassurance_level": ("matter-of-fact", "reassuring"),
    "directness": ("indirect", "direct"),
    "enthusiasm": ("reserved", "energetic"),
    "patience": ("efficient", "thorough"),
    "creativity": ("conventional", "inventive"),
}
"""The named dimensions of style, and what 0 and 1 mean."""
DIMENSIONS = (*ENDS, "reserved_1", "reserved_2")
"""The sixteen dimensions of style, each from 0 to 1 [PV-02]; the last two are reserved."""
NEUTRAL = 0.5
Vector = tuple[float, ...]


class SkillType(StrEnum):
    """Where a skill comes from."""

    BASE = "base"
    """Part of the package; never changes."""
    USER_CREATED = "user_created"


@dataclass(frozen=True, slots=True)
class Trigger:
    """The conditions under which a skill applies. An empty field matches everything."""

    intent: tuple[str, ...] = ()
    sentiment: tuple[str, ...] = ()
    time_of_day: tuple[str, ...] = ()
    topic: str = ""
    """A text whose vector is compared with the message's."""
    also: tuple[str, ...] = ()
    """Further intents for which the skill also works."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A way to answer."""

    id: str
    name: str
    type: SkillType
    template: str
    """The instruction for the model that answers."""
    trigger: Trigger
    dimensions: Vector
    """The style of its answers, in the order of `DIMENSIONS`."""
    learned_dimensions: bool = False
    """True if no style was given: it is learned from feedback."""
    record_id: str | None = None
    """The record of a user's skill; base skills have none."""
    also_known_as: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownSkill:
    """A skill with its counts for one user."""

    skill: Skill
    confidence: float
    usage_count: int = 0
    positive: int = 0
    negative: int = 0
    implicit: int = 0
    """Reactions in messages, without a rating."""
    explored: int = 0
    """Uses by exploration; `explored_positive` of them were liked."""
    explored_positive: int = 0
    last_used_at: datetime | None = None
    archived: bool = False

    @property
    def why(self) -> str:
        """What the confidence is based on, and how to change it."""
        if not self.positive + self.negative + self.implicit:
            origin = "nobody has rated it yet, so it stands in the middle"
        else:
            hints = f" and {self.implicit} reactions" if self.implicit else ""
            origin = f"{self.positive} liked and {self.negative} disliked answers{hints}"
        return (
            f"{origin}; used {self.usage_count} times. It follows your feedback; "
            f"skills.reset(skill={self.skill.id!r}) forgets it, skills.archive sets it aside."
        )


@dataclass(frozen=True, slots=True)
class SkillCandidate:
    """A skill that was considered, with every term of its score."""

    skill: str
    score: float
    trigger: float
    sampled: float
    """Thompson sample from Beta(alpha, beta) of this context."""
    alignment: float
    """1 - distance of its style from the user's."""
    aligned: float
    """The alignment relative to the other candidates, as it enters the score."""
    confidence: float
    alpha: float
    beta: float


@dataclass(frozen=True, slots=True)
class SkillChoice:
    """The skill for a message, and why it was selected."""

    skill: Skill
    message_id: str
    """Pass this to `feedback`."""
    context: str
    """The context of the message: intent_sentiment_time."""
    bucket: int
    is_exploration: bool
    epsilon: float
    candidates: tuple[SkillCandidate, ...]
    reason: str
    trajectory_id: str | None = None
    """The record of this choice; None if nothing was stored."""
    ask: str | None = None
    """With exploration, a question to add to the answer."""
    milliseconds: float = 0.0

    @property
    def template(self) -> str:
        """The instruction for the model that answers."""
        return self.skill.template


@dataclass(frozen=True, slots=True)
class FeedbackReceipt:
    """What feedback changed."""

    status: str
    """stored, changed (an earlier one for this message), unchanged, or not_stored."""
    skill: str | None
    skill_updated: bool
    old_confidence: float
    new_confidence: float
    context: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class StyleDimension:
    """The value of a style dimension, its evidence, and how to change it."""

    name: str
    value: float
    evidence: float
    """Number of ratings that changed it; a reaction counts less than a rating."""
    pinned: bool
    """True if the user set it: feedback does not change it."""
    low: str
    high: str

    @property
    def sure(self) -> float:
        """Confidence from 0 (a guess) to 1."""
        return 1.0 if self.pinned else self.evidence / (self.evidence + 5.0)

    @property
    def why(self) -> str:
        """What the value is based on, and how to change it."""
        if self.pinned:
            return f"you set it; skills.reset(dimension={self.name!r}) lets it be learned again"
        if not self.evidence:
            return f"nothing known yet; skills.set_style({{{self.name!r}: ...}}) says it outright"
        return (
            f"moved by {self.evidence:g} ratings between {self.low} (0) and {self.high} (1); "
            f"skills.set_style({{{self.name!r}: ...}}) says it outright"
        )


@dataclass(frozen=True, slots=True)
class Style:
    """The style a user prefers, in one context or in general."""

    context: str | None
    bucket: int | None
    dimensions: tuple[StyleDimension, ...]
    contexts: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        """The value of a dimension."""
        return next(item.value for item in self.dimensions if item.name == name)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A turn with its skill: the message, the answer, and the reward."""

    id: str
    message_id: str
    session: str | None
    turn_number: int
    skill: str
    context: str
    bucket: int
    is_exploration: bool
    at: datetime
    user_input: str
    response: str | None
    reward: float | None
    archived: bool

    @property
    def unsuccessful(self) -> bool:
        """True if the user disliked it."""
        return self.reward is not None and self.reward < 0


@dataclass(frozen=True, slots=True)
class SkillProposal:
    """A proposal for a better template of a skill. Nothing was changed."""

    skill: str
    template: str | None
    """The new template, for `skills.edit`; None if there is none."""
    why: str
    remarks: tuple[str, ...] = ()
    """Ids of the feedback that it is based on."""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What a run of background learning did."""

    read: int = 0
    categories: Mapping[str, int] = field(default_factory=dict)
    """Number of comments by category of complaint."""
    by_skill: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Number of comments by skill and category, to improve the skill's template."""
    hinted: int = 0
    """Reactions that were stored as weak feedback."""
    trajectories: int = 0
    """Rated turns from which the odds were recomputed; 0 if there were too few."""
    skills_updated: int = 0
    mean_alpha_change: float = 0.0
    mean_beta_change: float = 0.0
    archived: int = 0
    deleted: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BehaviorMetrics:
    """Whether learning helps [MET-03]."""

    ratings: int
    positive_rate: float
    mean_reward: float
    interactions_to_target: int | None
    """Ratings until 70 % of the last ten were positive; None if not reached yet."""
    exploration_rate: float
    explored: int
    explored_positive: int
    exploited_positive_rate: float
    storage_bytes: int
    confidence_variance: float = 0.0
    """Variance of a skill's confidence over its ratings; the mean of all skills."""
    explores: bool = True
    """Whether exploration is on; `explore` switches it."""


@dataclass(frozen=True, slots=True)
class SkillOdds:
    """Odds that a skill is liked in one context: Beta(alpha, beta), prior included [TS-01]."""

    skill: str
    alpha: float
    beta: float
    mean: float
    low: float
    high: float
    """The credible interval of 90 %: low to high."""


@dataclass(frozen=True, slots=True)
class HourOfDay:
    """Ratings in one hour of the day (UTC), over all days."""

    hour: int
    ratings: int
    positive: int


@dataclass(frozen=True, slots=True)
class SkillUse:
    """Statistics of the latest choices of one skill."""

    skill: str
    uses: int
    explored: int
    median_ms: float
    slowest_ms: float
    """Time that the selection took."""


@dataclass(frozen=True, slots=True)
class SkillHistory:
    """Statistics of the latest choices and ratings [MET-07]."""

    choices: int
    ratings: int
    """Number of choices and ratings that were used."""
    hours: tuple[HourOfDay, ...]
    uses: tuple[SkillUse, ...]
    """The most used first."""
    adaptation: tuple[float, ...]
    """Share of positive ratings in each ten in a row, oldest first."""
    explored_confidence: float | None
    """Mean confidence of skills that were explored; None without exploration."""
    exploited_confidence: float | None
    """Mean confidence of skills that were selected as the best; None if there are none."""
