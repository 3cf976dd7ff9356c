"""What the counts say, in sentences: each is tied to the statistic it states.

A sentence is made from the counts whenever it is shown, so that it cannot outlive them. It is no
longer made once the latest executions speak against it (`rows.still`) [INS-09].
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sharpwave.experience import patterns
from sharpwave.experience.learners import errors, rows, task_patterns, tools
from sharpwave.experience.lessons import GENERAL
from sharpwave.tallies import Sheet
from sharpwave.temporal.clock import digest
from sharpwave.types.experience import (
    InsightType,
    LearnedPattern,
    PatternType,
    RecurringError,
    ToolRecord,
)

BEST_PRACTICE_USES = 5
"""Fewest uses of a best practice, and of a pattern that lasts [INS-06]."""
BEST_PRACTICE_RATE = 0.9
"""A best practice succeeds more often than this [INS-06]."""
COMMON_CONFIDENCE = 0.8
"""Confidence in the warning of a common error, if the latest executions do not weaken it."""
RARE_CONFIDENCE = 0.5
"""Confidence in the warning of a less common error [INS-07]."""
MIN_CONFIDENCE = 0.3
"""An insight below this confidence is neither shown nor kept [INS-09]."""
_NAME_CHARS, _DIGITS = 200, 16
TOOL, PATTERN, PARENTS = "tool", "pattern", "parents"
_OF_SESSIONS = frozenset({PatternType.WORKFLOW, PatternType.ACTION_SEQUENCE})
"""What is seen in stretches of work, which need not be the same in each step."""
_PRACTICES = _OF_SESSIONS | task_patterns.TOPICS.keys()


@dataclass(frozen=True, slots=True)
class InsightDraft:
    """An insight before it is published."""

    name: str
    type: InsightType
    text: str
    confidence: float
    support: int
    evidence: tuple[str, ...]
    contexts: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    rule: str | None = None
    conditions: Mapping[str, object] | None = None
    about: Mapping[str, object] = field(default_factory=dict)
    """Where its statistic is found: a tool, a pattern, or the insights it follows from."""
    stated: tuple[int, int] | None = None
    """Cases and all cases (k of n), as the text says."""
    lately: str = ""
    """What the latest cases say against it; for the reader, not stored since it changes daily."""
    is_dated: bool = False
    """Whether it is stored with the day, since not every lesson is compared with it."""

    @property
    def shown(self) -> str:
        """The text as it is shown now."""
        return f"{self.text} {self.lately}" if self.lately else self.text


def drawn(known: Iterable[LearnedPattern], records: Iterable[ToolRecord]) -> list[InsightDraft]:
    """Every insight that patterns and tool records give now."""
    found = [*_best_practices(known), *(draft for tool in records for draft in _of_tool(tool))]
    return [draft for draft in found if draft.confidence >= MIN_CONFIDENCE]


def drawn_about(sheet: Sheet, about: Sequence[Mapping[str, object]]) -> dict[str, InsightDraft]:
    """What the counts say now of these tools and patterns, by the names of the insights."""
    names = dict.fromkeys(str(source[TOOL]) for source in about if TOOL in source)
    ids = dict.fromkeys(str(source[PATTERN]) for source in about if PATTERN in source)
    records = tools.records(sheet, list(names)) if names else []
    known = patterns.named(sheet, list(ids)) if ids else []
    return {draft.name: draft for draft in drawn(known, records)}


def _best_practices(known: Iterable[LearnedPattern]) -> Iterator[InsightDraft]:
    """What is used often and nearly always succeeds is a best practice [INS-06]."""
    for pattern in known:
        rate, misses = pattern.success_rate, max(0, -pattern.streak)
        if pattern.type is PatternType.QUERY and not pattern.steps:
            continue  # nothing says what to do again
        if pattern.type not in _PRACTICES or pattern.support < BEST_PRACTICE_USES:
            continue
        judged = pattern.successes + pattern.failures
        still = rows.still(pattern.successes, judged - misses, misses)
        if rate is None or rate <= BEST_PRACTICE_RATE or still < rows.OVER_BELOW:
            continue
        shown = " → ".join(pattern.steps) if pattern.steps else pattern.name
        about = f'For "{pattern.name}": ' if pattern.type is PatternType.QUERY else ""
        if pattern.type in _OF_SESSIONS:
            about = "Work like "
        yield InsightDraft(
            name=f"best_practice:{pattern.id}",
            type=InsightType.BEST_PRACTICE,
            text=f"{about}{shown} succeeded {pattern.successes} of {judged} times.",
            confidence=rate * still,
            support=pattern.support,
            evidence=pattern.evidence,
            contexts=tuple(context for context in pattern.contexts if context != GENERAL),
            rule=f"steps: {shown}",
            about={PATTERN: pattern.id},
            stated=(pattern.successes, judged),
            lately=f"Failures in a row since: {misses}." if misses else "",
            is_dated=pattern.type in _OF_SESSIONS,
        )


def _of_tool(tool: ToolRecord) -> Iterator[InsightDraft]:
    """Errors that recur, with what worked, and what else the track record recommends."""
    for error in tool.errors:
        if error.count >= errors.MIN_ERRORS and error.still >= rows.OVER_BELOW:
            yield _warning(tool, error)
    for hint in tool.recommendations:
        if hint.about.startswith("error|"):
            continue  # covered above
        yield InsightDraft(
            name=_name(tool, hint.about),
            type=hint.type,
            text=hint.message,
            confidence=hint.confidence,
            support=tool.executions,
            evidence=(),
            contexts=tuple(c.context for c in tool.contexts if c.context != GENERAL),
            about={TOOL: tool.name},
            stated=hint.counts,
        )


def _warning(tool: ToolRecord, error: RecurringError) -> InsightDraft:
    common = error.percentage > errors.COMMON_PERCENT
    solution = f" What worked: {error.solutions[0]}." if error.solutions else ""
    return InsightDraft(
        name=_name(tool, f"error|{error.error}"),
        type=InsightType.WARNING,
        text=f"{frequency(tool, error)}{solution}",
        confidence=(COMMON_CONFIDENCE if common else RARE_CONFIDENCE) * error.still,
        support=error.count,
        evidence=error.evidence,
        contexts=tuple(context for context in error.contexts if context != GENERAL),
        rule=f"before {tool.name}: {error.solutions[0]}" if error.solutions else None,
        about={TOOL: tool.name},
        stated=(error.count, tool.executions),
        lately=since(error),
    )


def _name(tool: ToolRecord, about: str) -> str:
    """A name that fits into a slot; long ones end in a digest."""
    name = f"{TOOL}:{tool.name}|{about}"
    return name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…{digest(name)[:_DIGITS]}"


def frequency(tool: ToolRecord, error: RecurringError) -> str:
    """How often a tool failed with an error."""
    times = "once" if error.count == 1 else f"{error.count} times"
    share = f"{error.percentage:.0f} % of its {tool.executions} executions"
    return f'{tool.name} failed {times} ({share}): "{error.error}".'


def since(error: RecurringError) -> str:
    """For how many executions an error has not occurred."""
    return f"Executions without it since: {error.since}." if error.since else ""
