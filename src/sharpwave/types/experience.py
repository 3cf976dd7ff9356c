"""Work of agents, and what was learned from it: arguments and return values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AliasChoices, AwareDatetime, BeforeValidator, ConfigDict, Field

from sharpwave.types.answers import ImportProblem
from sharpwave.types.numbers import IsWhole, Whole

_SUCCESS_NAMES = ("outcome", "status")
_OUTCOMES = {
    "success": True,
    "completed": True,
    "ok": True,
    "failure": False,
    "failed": False,
    "error": False,
}


class FeedbackType(StrEnum):
    """The user's reaction to the work of an agent [LOG-04]."""

    APPROVAL = "approval"
    CORRECTION = "correction"
    FOLLOWUP = "followup"
    REJECTION = "rejection"
    NONE = "none"


class PatternType(StrEnum):
    """The type of a pattern [PAT-01, AGT-01, INTP-01]."""

    FILE_ACCESS = "file_access"
    ACTION_SEQUENCE = "action_sequence"
    WORKFLOW = "workflow"
    ERROR = "error_pattern"
    INTENT = "intent"
    SUCCESS = "success"
    CORRECTION = "correction"
    QUERY = "query_pattern"
    PLAN = "plan_pattern"
    TOOL_SEQUENCE = "tool_sequence"


class InsightType(StrEnum):
    """The type of an insight [INS-01]."""

    RULE = "rule"
    OPTIMIZATION = "optimization"
    WARNING = "warning"
    PATTERN = "pattern"
    BEST_PRACTICE = "best_practice"


class AdviceStage(StrEnum):
    """What the agent will do next [RD-19, RD-20, RD-21]."""

    THINK = "think"
    PLAN = "plan"
    ACT = "act"


def _outcome(given: Any) -> Any:
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, str) and given in _OUTCOMES:
        return _OUTCOMES[given]
    raise ValueError("must be True, False or None, or a word such as success or failure")


def _plan(given: Any) -> Any:
    """The names of planned steps, in order [AGT-06]."""
    if not isinstance(given, list | tuple) or not all(isinstance(step, Mapping) for step in given):
        return given
    if not all(isinstance(step.get("order", 0), int | float) for step in given):
        raise ValueError("the order of a planned step must be a number")
    ordered = sorted(given, key=lambda step: step.get("order", 0))
    return [step.get("action") or step.get("name") for step in ordered]


def _step(given: Any) -> Any:
    """A step given as a name, or in the format of frameworks: "" for no error."""
    if isinstance(given, str):
        return {"name": given}
    if not isinstance(given, Mapping):
        return given
    step = {**given, "error": given.get("error") or None}
    if step["error"] is not None and not step.keys() & {"success", *_SUCCESS_NAMES}:
        step["success"] = False
    return step


def _aliased(name: str, *aliases: str) -> Any:
    """A field with aliases used by other programs."""
    return Field(validation_alias=AliasChoices(name, *aliases))


Outcome = Annotated[bool | None, BeforeValidator(_outcome), _aliased("success", *_SUCCESS_NAMES)]
Duration = Annotated[float | None, _aliased("duration_ms", "duration")]


@dataclass(frozen=True, slots=True)
class Action:
    """One step: its name, target, parameters and result."""

    # What frameworks add of their own to a step is ignored.
    __pydantic_config__ = ConfigDict(extra="ignore", revalidate_instances="always")

    name: Annotated[str, _aliased("name", "tool", "action")]
    target: str | None = None
    """What it was done to: a file, a record, an address."""
    details: Annotated[
        Mapping[str, object],
        BeforeValidator(lambda given: given or {}),
        _aliased("details", "parameters", "params", "arguments", "args"),
    ] = field(default_factory=dict)
    """The parameters it was called with, and anything else."""
    success: Outcome = True
    error: str | None = None
    duration_ms: Duration = None
    retries: Annotated[Whole, IsWhole] = 0
    at: AwareDatetime | None = None


Step = Annotated[Action, BeforeValidator(_step)]


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One task that an agent worked on, from query to outcome. Only the query is needed."""

    __pydantic_config__ = ConfigDict(extra="forbid", revalidate_instances="always")

    query: str
    steps: Annotated[tuple[Step, ...], _aliased("steps", "executionHistory")] = ()
    plan: Annotated[tuple[str, ...], BeforeValidator(_plan)] = ()
    """The planned actions, in order, if they differ from the steps."""
    goal: str | None = None
    context: str | None = None
    """The kind of work, such as `shipment_creation`."""
    success: Outcome = None
    task_id: Annotated[str | None, _aliased("task_id", "taskId", "id")] = None
    session: Annotated[str | None, _aliased("session", "session_id")] = None
    at: AwareDatetime | None = None
    duration_ms: Duration = None
    tokens: Annotated[Annotated[Whole, IsWhole] | None, _aliased("tokens", "tokens_used")] = None
    model: str | None = None
    agent: str | None = None
    feedback: str | None = None


@dataclass(frozen=True, slots=True)
class Logged:
    """Result of logging: it is durable, with the patterns it completes [LOG-09]."""

    interaction_id: str
    status: str
    """`logged`, or `replayed` if it was already stored."""
    feedback_type: FeedbackType
    success: bool | None
    detected_patterns: tuple["LearnedPattern", ...] = ()
    """Known patterns that match the latest actions of this session."""
    learned: tuple[str, ...] = ()
    """Ids of records that were published because of it."""


@dataclass(frozen=True, slots=True)
class LearnedPattern:
    """A pattern that recurs more often than by chance, with its evidence."""

    id: str
    """Stable: it does not change when the numbers change."""
    type: PatternType
    name: str
    description: str
    steps: tuple[str, ...]
    support: int
    """How often it was seen."""
    successes: int
    failures: int
    confidence: float
    first_seen: datetime
    last_seen: datetime
    evidence: tuple[str, ...]
    """Ids of the latest records that support it."""
    lift: float | None = None
    """Factor by which it is more frequent than by chance."""
    chance: float | None = None
    """Probability of such a pattern by chance, corrected for all that were tested."""
    avg_duration_ms: float | None = None
    avg_steps: float | None = None
    reliability: float | None = None
    contexts: tuple[str, ...] = ()
    """Where it was seen: contexts, file extensions, trigger words."""
    solutions: tuple[str, ...] = ()
    """For errors: what worked afterwards; for corrections: what was meant."""
    validated_at: datetime | None = None
    """When it was last rated in use [CNF-05]."""
    streak: int = 0
    """Length of the current run of equal outcomes; negative for failures."""
    targets: tuple[str | None, ...] = ()
    """For intents: the target of each step, None if it varies [INTP-01]."""

    @property
    def success_rate(self) -> float | None:
        """Share of successes among known outcomes; None if none is known."""
        known = self.successes + self.failures
        return self.successes / known if known else None


@dataclass(frozen=True, slots=True)
class Match:
    """A known pattern that matches a sequence [PAT-11]."""

    pattern: LearnedPattern
    similarity: float
    match_type: str
    """`exact` or `fuzzy`, by raw similarity."""
    rank: float
    """Similarity, weighted by the age of the pattern."""


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """Statistics of a tool in one context [TOOL-02]."""

    context: str
    uses: int
    success_rate: float
    """Share of successes among known outcomes; 0 if none is known."""
    avg_duration_ms: float | None
    successes: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class RecurringError:
    """An error of a tool, with what worked afterwards [TOOL-03]."""

    error: str
    count: int
    percentage: float
    """Share of the tool's executions, in percent."""
    contexts: tuple[str, ...]
    solutions: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    since: int = 0
    """Executions of the tool since it was last seen."""
    still: float = 1.0
    """Probability that it still occurs, given the executions since."""


@dataclass(frozen=True, slots=True)
class ParameterInsight:
    """A parameter whose values separate success from failure [TOOL-04]."""

    parameter: str
    optimal_value: str
    value_pattern: str
    importance: float
    chance: float
    successes: int
    failures: int
    """Failures with this value; `chance` is corrected for every value that was tested."""
    worst_value: str | None = None
    other_successes: int = 0
    other_failures: int = 0
    """Failures with any other value."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, or not to do, and the evidence [TOOL-05]."""

    type: InsightType
    message: str
    confidence: float
    evidence: tuple[str, ...]
    about: str = ""
    """The statistic of the tool it is about; does not change when its numbers change."""
    counts: tuple[int, int] | None = None
    """k and n of "k of n cases" in the message."""


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """The track record of one tool [TOOL-01…TOOL-06]."""

    name: str
    executions: int
    successes: int
    failures: int
    success_rate: float
    avg_duration_ms: float | None
    p50_ms: float | None
    p95_ms: float | None
    avg_retries: float
    contexts: tuple[ContextRecord, ...]
    errors: tuple[RecurringError, ...]
    parameters: tuple[ParameterInsight, ...]
    recommendations: tuple[Recommendation, ...]
    tasks: int
    """Tasks with a known outcome in which it was used."""
    task_success_rate: float | None
    last_updated: datetime


@dataclass(frozen=True, slots=True)
class Insight:
    """A lesson, with its conditions and evidence [INS-01…INS-05]."""

    id: str
    type: InsightType
    text: str
    rule: str | None
    agents: tuple[str, ...]
    contexts: tuple[str, ...]
    conditions: Mapping[str, object]
    evidence: tuple[Mapping[str, object], ...]
    confidence: float
    evidence_strength: float
    validated: bool
    validated_by: str | None
    usage_count: int
    last_used: datetime | None
    created_at: datetime
    last_updated: datetime
    generated: bool
    """True if it was derived from the data, False if a caller stored it."""
    validated_at: datetime | None = None
    """Time of the last outcome or evidence that validates it [INS-04]."""


@dataclass(frozen=True, slots=True)
class Advised:
    """One piece of advice, with its reason."""

    kind: str
    """`pattern`, `tool`, `insight`, `preference`, `warning`, `next`, `plan`."""
    text: str
    why: str
    score: float
    evidence: tuple[str, ...] = ()
    name: str | None = None
    """The tool, pattern or insight it is about."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice from experience before thinking, planning or acting [RD-17…RD-21]."""

    query: str
    stage: AdviceStage | None
    success_chance: float | None
    """Estimated from similar tasks; None if there are none."""
    patterns: tuple[Advised, ...] = ()
    tools: tuple[Advised, ...] = ()
    insights: tuple[Advised, ...] = ()
    preferences: tuple[Advised, ...] = ()
    warnings: tuple[Advised, ...] = ()
    next_steps: tuple[Advised, ...] = ()
    plans: tuple[Advised, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExperienceMetrics:
    """Whether experience helps [MET-09]; None if nothing is known yet."""

    tasks: int
    """Tasks passed to `observe`; of an interaction only the steps count."""
    steps: int
    pattern_reuse_rate: float | None
    """Share of the tasks whose tool sequence was known before."""
    tool_selection_accuracy: float | None
    """Share of the steps that were predicted from the previous step."""
    error_rate: float | None
    """Error rate of the latest steps."""
    error_reduction: float | None
    """Decrease of the error rate since the first hundred steps."""
    insight_confidence: float | None


@dataclass(frozen=True, slots=True)
class ImportedLog:
    """Result of importing an agent's log."""

    format: str
    added: int
    """Runs that were learned from."""
    already_there: int
    actions: int
    skipped: int
    problems: tuple[ImportProblem, ...] = ()
    """The first of the damaged parts, each with its place and reason."""


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """Outcomes of tasks with one language model [BEH-17]."""

    model: str
    tasks: int
    success_rate: float
    avg_retries: float
