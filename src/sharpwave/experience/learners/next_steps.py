"""What follows what: counts of the next step after the last one, two, three [AGT-08]."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sharpwave.experience.learners import rows, segments
from sharpwave.experience.lessons import Lesson
from sharpwave.formulas.sequences import next_share
from sharpwave.tallies import Sheet

TOPIC = "next"
START = "^"
END = "$"
_JOIN = "\x1f"
_MOST_FOLLOWERS = 64
ORDER = 3
"""Number of steps back that the next step depends on."""


def learn(lesson: Lesson, sheet: Sheet) -> None:
    """Count every step under the contexts it followed, from none to `ORDER` steps long.

    A longer context is counted only once the shorter one is known, so that what happened once
    does not fill the store. A single action follows those of its session.
    """
    before = [] if lesson.is_cycle else segments.before(lesson, sheet)
    steps = [START, *before, *lesson.order, *([END] if lesson.is_cycle else [])]
    places = range(1 + len(before), len(steps))
    sheet.fetch(TOPIC, (name for place in places for name in _contexts(steps[:place])))
    for place in places:
        for name in _contexts(steps[:place]):
            row = sheet.edit(TOPIC, name)
            was_known = bool(row)
            rows.count(row.setdefault("s", {}), steps[place], _MOST_FOLLOWERS)
            if not was_known:
                break


def _contexts(before: Sequence[str]) -> list[str]:
    """The last 0, 1, 2, … steps, as names of rows."""
    return [_JOIN.join(before[len(before) - size :]) for size in range(min(ORDER, len(before)) + 1)]


def shares(before: Sequence[str], sheet: Sheet) -> dict[str, float]:
    """How likely each known step comes next, given all the steps before it."""
    steps = [START, *before]
    names = _contexts(steps)
    sheet.fetch(TOPIC, names)
    counted: list[Mapping[str, float]] = [sheet.row(TOPIC, name).get("s", {}) for name in names]
    return blended(counted)


def of_sequences(
    before: Sequence[str], sequences: Sequence[tuple[Sequence[str], float]]
) -> dict[str, float]:
    """The same as `shares`, from a few weighted sequences such as those of similar tasks."""
    steps = [START, *before]
    contexts = [steps[len(steps) - size :] for size in range(min(ORDER, len(steps)) + 1)]
    counted: list[Mapping[str, float]] = []
    for context in contexts:
        followers: defaultdict[str, float] = defaultdict(float)
        for sequence, weight in sequences:
            whole = [START, *sequence, END]
            for place in range(1, len(whole)):
                if whole[max(0, place - len(context)) : place] == context or not context:
                    followers[whole[place]] += weight
        counted.append(followers)
    return blended(counted)


def blended(counted: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Shares by the longest context, with ever shorter ones behind it."""
    known = {step for counts in counted for step in counts}
    found = dict.fromkeys(known, 1.0 / len(known)) if known else {}
    for counts in counted:
        found = {step: next_share(counts, step, found[step]) for step in known}
    return found
