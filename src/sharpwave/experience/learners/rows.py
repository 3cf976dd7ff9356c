"""Building blocks for the rows of several learners."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sharpwave.formulas.confidence import continuation_probability, damped_bayes
from sharpwave.formulas.statistics import Running, lower_bound, taken_in
from sharpwave.tallies import Row, Sheet
from sharpwave.types.experience import LearnedPattern, PatternType

RARE = "rare/"
"""Prefix of topics of what was seen too seldom to be listed; it is found by name only."""
NEUTRAL = 0.5
LISTED = "listed"
MAX_EVIDENCE = 20
"""Latest records that are kept as evidence."""
MAX_LISTED = 1000
"""Most patterns kept of each type."""
MAX_CONTEXTS = 24
"""Most contexts kept of a tool or an error."""
MIN_STEPS = 3
"""Fewest steps of a workflow or sequence, and fewest sightings of other patterns [PAT-06]."""
MIN_REPEATS = 2
"""Fewest repeats of a workflow [PAT-14] or a task."""
MIN_SIMILARITY = 0.7
"""Least similarity of a match [PAT-11]."""
MAX_CHANCE = 0.05
"""What is more likely by chance is no pattern."""
LIKELIHOOD = 0.8
"""How often a right pattern succeeds [PAT-16]."""
LEARNING_RATE = 0.1
"""Share of each Bayes step taken."""
MIN_CONFIDENCE = 0.01
"""Confidence stays within this distance of 0 and 1."""

WILSON_Z = 1.28
"""Caution with few cases, in standard deviations."""
GOES_ON = 0.98
"""How likely a regularity that was seen continues, before any case contradicts it."""
OVER_BELOW = 0.5
"""A regularity less likely to continue counts as over, until it is seen again [INS-09]."""


def note(row: Row, evidence: str, at: datetime) -> None:
    """Count one sighting, with its evidence and time."""
    row["n"] = row.get("n", 0) + 1
    row["ev"] = [*row.get("ev", ()), evidence][-MAX_EVIDENCE:]
    moment = at.isoformat()
    row["first"] = min(row.get("first", moment), moment)
    row["last"] = max(row.get("last", moment), moment)


def outcome(row: Row, success: bool | None) -> None:
    """Count an outcome, and let confidence follow it."""
    if success is None:
        return
    count_outcome(row, success)
    row["conf"] = damped_bayes(
        row.get("conf", NEUTRAL),
        success,
        LIKELIHOOD,
        LEARNING_RATE,
        MIN_CONFIDENCE,
        1.0 - MIN_CONFIDENCE,
    )


def count_outcome(row: Row, success: bool) -> None:
    """Count a success or failure; `run` is how many of the same sort came last, below 0 if bad."""
    row["ok" if success else "bad"] = row.get("ok" if success else "bad", 0) + 1
    before, step = row.get("run", 0), 1 if success else -1
    row["run"] = before + step if before * step > 0 else step


def still(seen: int, cases: int, misses: int) -> float:
    """How likely what was seen in `seen` of `cases` continues, after `misses` misses in a row."""
    if not misses:
        return 1.0
    return continuation_probability(GOES_ON, lower_bound(seen, cases, WILSON_Z), misses)


def average(row: Row, field: str, value: float | None) -> None:
    """Add a value to a running mean."""
    if value is not None:
        row[field] = list(taken_in(Running(*row.get(field, ())), float(value)))


def running(row: Mapping[str, Any], field: str) -> Running:
    """A running mean of a row."""
    return Running(*row.get(field, ()))


def count(counts: dict[str, Any], name: str, most: int) -> None:
    """Count a name among the most frequent; a new one replaces the rarest."""
    if name not in counts and len(counts) >= most:
        del counts[min(counts, key=lambda known: counts[known])]
    counts[name] = counts.get(name, 0) + 1


def tiered(sheet: Sheet, topic: str, name: str) -> Row:
    """The row of a name, listed or still rare."""
    return sheet.row(topic, name) or sheet.row(RARE + topic, name)


def put_tiered(sheet: Sheet, topic: str, name: str, row: Row, from_count: int = MIN_STEPS) -> None:
    """Put a row back: among the listed ones once it was seen often enough."""
    if row["n"] < from_count:
        sheet.put(RARE + topic, name, row)
        return
    if not sheet.row(topic, name):
        sheet.put(RARE + topic, name, None)
        _add_listed(sheet, topic)
    sheet.put(topic, name, row)


def _add_listed(sheet: Sheet, topic: str) -> None:
    """Count one more listed row; if there are too many, drop the half seen least often."""
    state = sheet.edit("state", LISTED)
    state[topic] = state.get(topic, 0) + 1
    if state[topic] > MAX_LISTED:
        rows = sheet.rows(topic)
        ranked = sorted(rows, key=lambda name: (rows[name]["n"], rows[name]["last"]))
        for name in ranked[: len(ranked) // 2]:
            sheet.put(topic, name, None)
        state[topic] = len(ranked) - len(ranked) // 2 + 1


def pattern(kind: PatternType, key: str, row: Mapping[str, Any], **fields: Any) -> LearnedPattern:
    """The pattern that a row has counted; `fields` add to what the row says, or replace it."""
    counted = {
        "support": row["n"],
        "successes": row.get("ok", 0),
        "failures": row.get("bad", 0),
        "confidence": row.get("conf", NEUTRAL),
        "first_seen": datetime.fromisoformat(row["first"]),
        "last_seen": datetime.fromisoformat(row["last"]),
        "evidence": tuple(row["ev"]),
    }
    return LearnedPattern(id=f"{kind}:{key}", type=kind, **counted | fields)


def short(name: str, most: int = 200) -> str:
    """A name of bounded length."""
    return name if len(name) <= most else name[: most - 1] + "…"
