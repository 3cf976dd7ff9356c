"""Update the tallies with each record about skills. A user's tallies sum the records in order.

trajectory   one more use of its skill
rating       confidence, odds in its context and style move at once; a dislike with a comment leaves
             the style to the reading of that comment: "too long" about a short style asks for less
reaction     the same, but weaker, and not counted as a rating
reading      of a comment: style moves in the direction it asks for
decision     the user sets or resets something, or archives a skill

Tallies are small JSON rows by topic and name. They can always be recomputed from the records.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.skills import catalog
from sharpwave.formulas.bandit import Odds, changed_mind, context_bucket, counted
from sharpwave.formulas.skills import (
    learning_rate,
    skill_confidence,
    style_push,
    style_update,
    trusted,
)
from sharpwave.formulas.statistics import Running, taken_in
from sharpwave.tallies import Row, Sheet
from sharpwave.types.records import Kind, Record
from sharpwave.types.skills import DIMENSIONS, ENDS, NEUTRAL, Style, StyleDimension

RATING, REACTION, READING = "rating", "reaction", "reading"
SET_STYLE, RESET, ARCHIVE, RESTORE = "set_style", "reset", "archive", "restore"
EXPLORE = "explore"

SKILL, STYLE, PERSON = "skill", "style", "person"
"""The topics of tallies, beside the odds of each context."""
COUNTS = "counts"
"""The only row of PERSON; it exists once anything was learned."""
GENERAL = "all"
"""The row of STYLE for all contexts."""

PRIOR = Odds(1.0, 1.0)
"""Successes and failures assumed at first [TS-01]."""
BUCKETS = 100
"""Number of context buckets [TS-03]."""
START_CONFIDENCE = 0.5
"""Confidence in a skill before any rating [SKL-08]."""
_NEW_RATE, _SETTLED_RATE, _SETTLED_AFTER = 0.3, 0.1, 10
"""Confidence steps of a new and a settled skill; number of uses until settled [SKL-12]."""
_REACH, _MIN_CONFIDENCE, _MAX_CONFIDENCE = 0.3, 0.2, 0.9
"""Targets are 0.5 ± `_REACH`; the confidence stays between the other two [SKL-12]."""
_STYLE_RATE = 0.1
"""Step of the style with each rating [PV-04]."""
_COMMENT_RATE = 0.15
"""Step of the style with a comment such as "too long" [PV-14]."""
_REACTION_WEIGHT = 0.25
"""Weight of a reaction; a rating has 1."""
SHARED_EVIDENCE = 3.0
"""Number of ratings at which a context's own style outweighs the general style."""
_CHANGE_WINDOW, CHANGE_DISLIKES = 4, 3
"""Latest ratings in a context, and minimum dislikes among them, of a change of mind."""
_CHANGE_BEFORE, _CHANGE_MIN_BEFORE, _CHANGE_LIKED = 8, 4, 0.6
"""Maximum and minimum number of ratings before those, and minimum share of likes among them."""
_CHANGE_KEEPS = 0.25
"""Share of what was learned in the context that is kept after a change of mind."""
RECENT = 10
"""Number of ratings over which the positive rate of a new user is measured [EVL-33]."""
TARGET = 0.7
_DIGITS = 6
Floats = NDArray[np.float64]


def learn(record: Record, sheet: Sheet) -> None:
    """Update the tallies with one record."""
    data = record.metadata
    form = str(data.get("form", ""))
    if record.kind is Kind.TRAJECTORY:
        _use(data, record.valid_from.isoformat(), sheet)
    elif form in (RATING, REACTION):
        _rate(data, form == RATING, sheet)
    elif form in _LESSONS:
        _LESSONS[form](data, sheet)
    if not sheet.row(PERSON, COUNTS):
        sheet.put(PERSON, COUNTS, {"feedback": 0})


def bucket_of(context: str) -> int:
    """The bucket of a context such as "question_neutral_morning"."""
    return context_bucket(context, BUCKETS)


def odds_topic(bucket: int) -> str:
    """The topic of the odds in one context; its rows are named after skills."""
    return f"odds/{bucket}"


def explores(sheet: Sheet) -> bool:
    """Whether the user allows exploration; by default yes [EXP-01]."""
    return bool(sheet.row(PERSON, COUNTS).get("explores", True))


def confidence_of(sheet: Sheet, skill: str) -> float:
    """The confidence in a skill."""
    return float(sheet.row(SKILL, skill).get("confidence", START_CONFIDENCE))


def effective_style(sheet: Sheet, bucket: int | None) -> Floats:
    """The style in a context: set by the user, else learned there, else the general one."""
    general = sheet.row(STYLE, GENERAL)
    if bucket is None:
        return _values(general)
    own = sheet.row(STYLE, str(bucket))
    mixed = trusted(_values(own), _values(general), _evidence(own), SHARED_EVIDENCE)
    mixed = np.where(_pinned(general), _values(general), mixed)
    return np.where(_pinned(own), _values(own), mixed)


def style_evidence(sheet: Sheet, bucket: int) -> float:
    """Number of ratings behind the effective style; infinite if the user has set a dimension."""
    rows = [sheet.row(STYLE, name) for name in _style_rows(bucket)]
    if any(_pinned(row).any() for row in rows):
        return inf
    return float(max(_evidence(row).max() for row in rows))


def style_view(sheet: Sheet, context: str | None) -> Style:
    """The style in a context or in general, every dimension with its evidence [PV-15]."""
    bucket = None if context is None else bucket_of(context)
    row = sheet.row(STYLE, GENERAL if bucket is None else str(bucket))
    values, evidence = effective_style(sheet, bucket), _evidence(row)
    pinned = _pinned(row) | _pinned(sheet.row(STYLE, GENERAL))
    dimensions = tuple(
        StyleDimension(
            name=dimension,
            value=float(values[index]),
            evidence=float(evidence[index]),
            pinned=bool(pinned[index]),
            low=ENDS[dimension][0],
            high=ENDS[dimension][1],
        )
        for index, dimension in enumerate(DIMENSIONS)
        if dimension in ENDS
    )
    return Style(context, bucket, dimensions, tuple(row.get("contexts", ())))


# ---- uses and ratings


def _use(data: Any, at: str, sheet: Sheet) -> None:
    row = sheet.edit(SKILL, str(data["skill"]))
    row["usage"] = row.get("usage", 0) + 1
    row["explored"] = row.get("explored", 0) + int(bool(data.get("is_exploration")))
    row["last_used_at"] = at
    counts = sheet.edit(PERSON, COUNTS)
    counts["uses"] = counts.get("uses", 0) + 1


def _rate(data: Any, explicit: bool, sheet: Sheet) -> None:
    reward = float(data["reward"])
    weighed = reward if explicit else reward * _REACTION_WEIGHT
    skill, bucket = str(data["skill"]), data.get("bucket")
    row = sheet.edit(SKILL, skill)
    _rate_skill(row, data, weighed, explicit)
    learned = bool(data.get("learned_dimensions"))
    says_why = explicit and reward < 0 and bool(data.get("has_text") or data.get("reason"))
    known = row.get("dimensions") if learned else None
    own = np.array(known or data.get("dimensions") or catalog.base()[skill].dimensions)
    if bucket is not None and weighed:
        odds = sheet.row(odds_topic(bucket), skill)
        won, lost = counted(odds.get("won", 0.0), odds.get("lost", 0.0), weighed)
        sheet.put(odds_topic(bucket), skill, {"won": won, "lost": lost})
    for name in _style_rows(bucket):
        style = sheet.edit(STYLE, name)
        if learned or says_why:  # the first follows the user's style, and is no evidence of it
            _note_context(style, data)
        else:
            moved = style_update(_values(style), own, weighed, _STYLE_RATE)
            _move(style, moved, np.full(len(DIMENSIONS), abs(weighed)), data)
        if explicit and reward and name != GENERAL:
            recent = [*style.get("recent", []), int(reward > 0)]
            style["recent"] = recent[-(_CHANGE_BEFORE + _CHANGE_WINDOW) :]
    if learned:
        style_here = effective_style(sheet, bucket)
        row["dimensions"] = _rounded(style_update(own, style_here, weighed, _STYLE_RATE))
    if explicit:
        _count(reward, sheet)
        if bucket is not None:
            _change_of_mind(bucket, sheet)


def _rate_skill(row: Row, data: Any, weighed: float, explicit: bool) -> None:
    rate = learning_rate(row.get("usage", 0), _NEW_RATE, _SETTLED_RATE, _SETTLED_AFTER)
    bounds = (_REACH, _MIN_CONFIDENCE, _MAX_CONFIDENCE)
    before = row.get("confidence", START_CONFIDENCE)
    row["confidence"] = round(skill_confidence(before, weighed, rate, *bounds), _DIGITS)
    row["spread"] = list(taken_in(Running(*row.get("spread", ())), row["confidence"]))
    if not explicit:
        row["implicit"] = row.get("implicit", 0) + 1
    elif weighed:
        counter = "positive" if weighed > 0 else "negative"
        row[counter] = row.get(counter, 0) + 1
        if data.get("is_exploration"):
            row["explored_rated"] = row.get("explored_rated", 0) + 1
            row["explored_positive"] = row.get("explored_positive", 0) + int(weighed > 0)


def _count(reward: float, sheet: Sheet) -> None:
    counts = sheet.edit(PERSON, COUNTS)
    counts["feedback"] = counts.get("feedback", 0) + 1
    counts["rewards"] = counts.get("rewards", 0.0) + reward
    counts["positive"] = counts.get("positive", 0) + int(reward > 0)
    recent = [*counts.get("recent", []), int(reward > 0)][-RECENT:]
    counts["recent"] = recent
    reached = len(recent) == RECENT and sum(recent) >= TARGET * RECENT
    if reached and "reached_after" not in counts:
        counts["reached_after"] = counts["feedback"]


def _change_of_mind(bucket: int, sheet: Sheet) -> None:
    """If a user dislikes what was liked in a context, fade most of what was learned there."""
    if not changed_mind(
        sheet.row(STYLE, str(bucket)).get("recent", ()),
        window=_CHANGE_WINDOW,
        dislikes=CHANGE_DISLIKES,
        before=_CHANGE_BEFORE,
        fewest=_CHANGE_MIN_BEFORE,
        liked=_CHANGE_LIKED,
    ):
        return
    for name, share in ((str(bucket), _CHANGE_KEEPS), (GENERAL, (1.0 + _CHANGE_KEEPS) / 2)):
        row = sheet.edit(STYLE, name)
        faded = NEUTRAL + share * (_values(row) - NEUTRAL)
        row["values"] = _rounded(np.where(_pinned(row), _values(row), faded))
        row["evidence"] = _rounded(share * _evidence(row))
        row.pop("recent", None)
    for skill, odds in sheet.rows(odds_topic(bucket)).items():
        faded_odds = {name: round(_CHANGE_KEEPS * count, _DIGITS) for name, count in odds.items()}
        sheet.put(odds_topic(bucket), skill, faded_odds)
        row = sheet.edit(SKILL, skill)
        gained = row.get("confidence", START_CONFIDENCE) - START_CONFIDENCE
        row["confidence"] = round(START_CONFIDENCE + _CHANGE_KEEPS * gained, _DIGITS)


# ---- comments and decisions


def _read(data: Any, sheet: Sheet) -> None:
    """Move the style in the direction of a classified comment's signals."""
    signals = data.get("signals") or {}
    direction = np.array([float(signals.get(name, 0.0)) for name in DIMENSIONS])
    for name in _style_rows(data.get("bucket")):
        style = sheet.edit(STYLE, name)
        moved = style_push(_values(style), direction, _COMMENT_RATE)
        _move(style, moved, np.abs(direction), data)
    if data.get("learned_dimensions"):
        row = sheet.edit(SKILL, str(data["skill"]))
        own = np.array(row.get("dimensions") or data["dimensions"])
        row["dimensions"] = _rounded(style_push(own, -direction, _COMMENT_RATE))


def _set_style(data: Any, sheet: Sheet) -> None:
    bucket = data.get("bucket")
    style = sheet.edit(STYLE, GENERAL if bucket is None else str(bucket))
    values = _values(style)
    pinned = set(style.get("pinned", ()))
    for dimension, value in data["dimensions"].items():
        values[DIMENSIONS.index(dimension)] = value
        pinned.add(dimension)
    style["values"], style["pinned"] = _rounded(values), sorted(pinned)
    _note_context(style, data)


def _reset(data: Any, sheet: Sheet) -> None:
    skill, bucket, dimension = data.get("skill"), data.get("bucket"), data.get("dimension")
    if skill is not None:
        _reset_skill(str(skill), sheet)
    elif dimension is not None:
        names = list(sheet.rows(STYLE)) if bucket is None else [str(bucket)]
        for name in names:
            _reset_dimension(name, str(dimension), sheet)
    elif bucket is not None:
        sheet.put(STYLE, str(bucket), None)
        _drop(odds_topic(bucket), sheet)
    else:
        for topic in (SKILL, STYLE, PERSON, *map(odds_topic, range(BUCKETS))):
            _drop(topic, sheet)


def _reset_skill(skill: str, sheet: Sheet) -> None:
    kept = {k: v for k, v in sheet.row(SKILL, skill).items() if k == "archived"}
    sheet.put(SKILL, skill, kept or None)
    for bucket in range(BUCKETS):
        sheet.put(odds_topic(bucket), skill, None)


def _reset_dimension(name: str, dimension: str, sheet: Sheet) -> None:
    style, index = sheet.edit(STYLE, name), DIMENSIONS.index(dimension)
    for field, start in (("values", NEUTRAL), ("evidence", 0.0)):
        if field in style:
            style[field] = [start if n == index else v for n, v in enumerate(style[field])]
    style["pinned"] = [pinned for pinned in style.get("pinned", ()) if pinned != dimension]


def _drop(topic: str, sheet: Sheet) -> None:
    for name in sheet.rows(topic):
        sheet.put(topic, name, None)


def _archive(data: Any, sheet: Sheet) -> None:
    sheet.edit(SKILL, str(data["skill"]))["archived"] = data["form"] == ARCHIVE


def _explore(data: Any, sheet: Sheet) -> None:
    counts = sheet.row(PERSON, COUNTS)
    sheet.put(PERSON, COUNTS, {"feedback": 0, **counts, "explores": bool(data["on"])})


_LESSONS: dict[str, Callable[[Any, Sheet], None]] = {
    READING: _read,
    SET_STYLE: _set_style,
    RESET: _reset,
    ARCHIVE: _archive,
    RESTORE: _archive,
    EXPLORE: _explore,
}


# ---- rows of STYLE


def _values(style: Row) -> Floats:
    """The values of the dimensions; all neutral in a new row [PV-03]."""
    return np.array(style.get("values") or [NEUTRAL] * len(DIMENSIONS))


def _evidence(style: Row) -> Floats:
    """Number of ratings behind each dimension."""
    return np.array(style.get("evidence") or [0.0] * len(DIMENSIONS))


def _pinned(style: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Which dimensions the user has set."""
    return np.isin(DIMENSIONS, style.get("pinned", ()))


def _rounded(vector: Floats) -> list[float]:
    return [round(float(value), _DIGITS) for value in vector]


def _move(style: Row, moved: Floats, added: Floats, data: Any) -> None:
    """Store the moved values and evidence, except where the user has set the dimension."""
    pinned = _pinned(style)
    style["values"] = _rounded(np.where(pinned, _values(style), moved))
    style["evidence"] = _rounded(_evidence(style) + np.where(pinned, 0.0, added))
    _note_context(style, data)


def _note_context(style: Row, data: Any) -> None:
    context = data.get("context")
    seen: Sequence[str] = style.get("contexts", ())
    if context and context not in seen:
        style["contexts"] = [*seen, str(context)][-RECENT:]


def _style_rows(bucket: int | None) -> list[str]:
    return [GENERAL] if bucket is None else [str(bucket), GENERAL]
