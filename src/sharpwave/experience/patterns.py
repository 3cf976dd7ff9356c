"""All known patterns, ready to be shown: no part twice, nothing due to chance."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.experience import learning, matching
from sharpwave.experience.learners import (
    errors,
    files,
    intents,
    progress,
    repeats,
    rows,
    segments,
    task_patterns,
    workflows,
)
from sharpwave.formulas.decay import half_life_decay
from sharpwave.formulas.sequences import holds, sequence_similarity
from sharpwave.tallies import Sheet
from sharpwave.types.experience import LearnedPattern, Match, PatternType

_DAY_S = 86_400.0
HALF_LIFE_DAYS = 7.0
"""Half-life of a pattern in rankings [PAT-09]."""
SEQUENTIAL = frozenset(
    {
        PatternType.WORKFLOW,
        PatternType.ACTION_SEQUENCE,
        PatternType.PLAN,
        PatternType.TOOL_SEQUENCE,
    }
)


def every(sheet: Sheet) -> list[LearnedPattern]:
    """All patterns, those of interactions first."""
    learning.settle(sheet)
    found = [
        *sequences(sheet),
        *files.patterns(sheet, _background(sheet).segments),
        *(errors.pattern(row) for row in sheet.rows(errors.TOPIC).values()),
        *intents.patterns(sheet),
        *task_patterns.patterns(sheet),
    ]
    return [_with_outcomes(pattern, sheet) for pattern in found]


def named(sheet: Sheet, ids: Sequence[str]) -> list[LearnedPattern]:
    """The patterns with these ids; of queries, plans and tool sequences without reading others."""
    found, rest = [], set(ids)
    for kind, topic in task_patterns.TOPICS.items():
        names = [id_.partition(":")[2] for id_ in ids if id_.startswith(f"{kind}:")]
        sheet.fetch(topic, names)
        rest -= {f"{kind}:{name}" for name in names}
        known = {name: row for name in names if (row := sheet.row(topic, name))}
        found += [task_patterns.pattern(kind, name, row) for name, row in known.items()]
    if rest:
        learning.settle(sheet)
        found += [pattern for pattern in sequences(sheet) if pattern.id in rest]
    return [_with_outcomes(pattern, sheet) for pattern in found]


def sequences(sheet: Sheet) -> list[LearnedPattern]:
    """Workflows, and sequences that are part of none."""
    found = _maximal(_workflows(sheet, sheet.rows(workflows.TOPIC)))
    cores = [matching.step_names(pattern.steps) for pattern in found]
    return [*found, *repeats.patterns(sheet, cores, _background(sheet))]


def fitting(steps: Sequence[str], sheet: Sheet, now: datetime) -> list[Match]:
    """The workflows that a sequence fits; only those that are like it are tested."""
    wanted = matching.step_names(steps)
    near = [
        name
        for name, row in sheet.rows(workflows.TOPIC).items()
        if sequence_similarity(wanted, row["core"]) >= rows.MIN_SIMILARITY
    ]
    return matches(steps, _workflows(sheet, near), now)


def _workflows(sheet: Sheet, names: Iterable[str]) -> list[LearnedPattern]:
    known, background = sheet.rows(workflows.TOPIC), _background(sheet)
    found = (workflows.pattern(name, known, background) for name in names)
    return [pattern for pattern in found if pattern]


def _maximal(found: Sequence[LearnedPattern]) -> list[LearnedPattern]:
    """The patterns, without those that equal or are part of a longer one."""
    kept: list[LearnedPattern] = []
    for pattern in sorted(
        found, key=lambda candidate: (-len(candidate.steps), -candidate.support, candidate.id)
    ):
        steps = matching.step_names(pattern.steps)
        if not any(holds(matching.step_names(longer.steps), steps) for longer in kept):
            kept.append(pattern)
    return sorted(kept, key=lambda pattern: (-pattern.support, pattern.id))


def matches(sequence: Sequence[str], found: Sequence[LearnedPattern], now: datetime) -> list[Match]:
    """Which patterns a sequence fits, by raw similarity; age only ranks [PAT-11]."""
    wanted = matching.step_names(sequence)
    result = []
    for pattern in found:
        similarity = sequence_similarity(wanted, matching.step_names(pattern.steps))
        if similarity >= rows.MIN_SIMILARITY:
            age = (now - pattern.last_seen).total_seconds() / _DAY_S
            decay = half_life_decay(age, HALF_LIFE_DAYS)
            kind = "exact" if similarity == 1.0 else "fuzzy"
            result.append(Match(pattern, similarity, kind, similarity * decay))
    return sorted(result, key=lambda match: (-match.similarity, -match.rank, match.pattern.id))


def _background(sheet: Sheet) -> segments.ChanceModel:
    return segments.ChanceModel.of(sheet.row(segments.STATE, segments.LOG))


def _with_outcomes(pattern: LearnedPattern, sheet: Sheet) -> LearnedPattern:
    """The pattern, with the reported outcomes of its use, if there are any."""
    outcome = sheet.row(progress.OUTCOME, pattern.id)
    if not outcome:
        return pattern
    return replace(
        pattern,
        successes=pattern.successes + outcome.get("ok", 0),
        failures=pattern.failures + outcome.get("bad", 0),
        confidence=outcome.get("conf", rows.NEUTRAL),
        validated_at=datetime.fromisoformat(outcome["last"]),
    )
