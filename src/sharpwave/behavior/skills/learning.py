"""What each record teaches. The running numbers are the sum of these lessons, in order.

a turn        one more use of its skill
a rating      confidence, odds in its context and style move at once
a reaction    the same, but weaker, and not counted as a rating
a comment     once it is read: style moves where it says
a decision    the person sets or resets something, or sets a skill aside
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.skills import catalog, rows
from sharpwave.formulas.bandit import changed_mind, counted
from sharpwave.formulas.skills import learning_rate, skill_confidence, style_push, style_update
from sharpwave.formulas.statistics import Running, taken_in
from sharpwave.settings.skills import SkillSettings
from sharpwave.tallies import Row, Sheet
from sharpwave.types.records import Kind, Record
from sharpwave.types.skills import DIMENSIONS, NEUTRAL

RATING, REACTION, READING = "rating", "reaction", "reading"
SET_STYLE, RESET, ARCHIVE, RESTORE = "set_style", "reset", "archive", "restore"
EXPLORE = "explore"
RECENT = 10
"""Ratings over which the positive rate of a new person is watched [EVL-33]."""
TARGET = 0.7
_DIGITS = 6
Floats = NDArray[np.float64]


def learn(record: Record, known: Sheet, settings: SkillSettings) -> None:
    """Take in one record."""
    said = record.metadata
    form = str(said.get("form", ""))
    if record.kind is Kind.TRAJECTORY:
        _use(said, record.valid_from.isoformat(), known)
    elif form in (RATING, REACTION):
        _rate(said, form == RATING, known, settings)
    elif form in _LESSONS:
        _LESSONS[form](said, known, settings)
    if not known.row(rows.PERSON, rows.COUNTS):
        known.put(rows.PERSON, rows.COUNTS, {"feedback": 0})


def _use(said: Any, at: str, known: Sheet) -> None:
    skill = str(said["skill"])
    row = known.row(rows.SKILL, skill)
    row["usage"] = row.get("usage", 0) + 1
    row["explored"] = row.get("explored", 0) + int(bool(said.get("is_exploration")))
    row["last_used_at"] = at
    known.put(rows.SKILL, skill, row)
    counts = known.row(rows.PERSON, rows.COUNTS)
    counts["uses"] = counts.get("uses", 0) + 1
    known.put(rows.PERSON, rows.COUNTS, counts)


def _rate(said: Any, explicit: bool, known: Sheet, settings: SkillSettings) -> None:
    reward = float(said["reward"])
    weighed = reward if explicit else reward * settings.feedback.implicit_weight
    skill, bucket = str(said["skill"]), said.get("bucket")
    row = _rated_skill(known.row(rows.SKILL, skill), said, weighed, explicit, settings)
    own = np.array(said.get("dimensions") or catalog.base()[skill].dimensions)
    if bucket is not None and weighed:
        odds = known.row(rows.odds_of(bucket), skill)
        won, lost = counted(odds.get("won", 0.0), odds.get("lost", 0.0), weighed)
        known.put(rows.odds_of(bucket), skill, {"won": won, "lost": lost})
    rate = settings.style.learning_rate
    looked_at = settings.style.change_before + settings.style.change_window
    for name in _style_rows(bucket):
        style = known.row(rows.STYLE, name)
        moved = style_update(values(style), own, weighed, rate)
        _move(style, moved, np.full(len(DIMENSIONS), abs(weighed)), said)
        if explicit and reward and name != rows.GENERAL:
            style["recent"] = [*style.get("recent", []), int(reward > 0)][-looked_at:]
        known.put(rows.STYLE, name, style)
        if said.get("learned_dimensions") and name != rows.GENERAL:
            row["dimensions"] = rounded(style_update(own, values(style), weighed, rate))
    known.put(rows.SKILL, skill, row)
    if explicit:
        _count(reward, known)
        if bucket is not None:
            _change_of_mind(bucket, known, settings)


def _rated_skill(
    row: Row, said: Any, weighed: float, explicit: bool, settings: SkillSettings
) -> Row:
    numbers = settings.confidence
    uses = row.get("usage", 0)
    rate = learning_rate(uses, numbers.new_rate, numbers.settled_rate, numbers.settled_after)
    bounds = (numbers.reach, numbers.low, numbers.high)
    current = row.get("confidence", numbers.start)
    row["confidence"] = round(skill_confidence(current, weighed, rate, *bounds), _DIGITS)
    row["spread"] = list(taken_in(Running(*row.get("spread", ())), row["confidence"]))
    if not explicit:
        row["implicit"] = row.get("implicit", 0) + 1
    elif weighed:
        counter = "positive" if weighed > 0 else "negative"
        row[counter] = row.get(counter, 0) + 1
        if said.get("is_exploration"):
            row["explored_rated"] = row.get("explored_rated", 0) + 1
            row["explored_positive"] = row.get("explored_positive", 0) + int(weighed > 0)
    return row


def _change_of_mind(bucket: int, known: Sheet, settings: SkillSettings) -> None:
    """If what was liked in a context no longer is, most of what is known of it is let go."""
    style, numbers = known.row(rows.STYLE, str(bucket)), settings.style
    if not changed_mind(
        style.get("recent", ()),
        window=numbers.change_window,
        dislikes=numbers.change_dislikes,
        before=numbers.change_before,
        fewest=numbers.change_fewest_before,
        liked=numbers.change_liked,
    ):
        return
    kept = numbers.change_keeps
    for name, share in ((str(bucket), kept), (rows.GENERAL, (1.0 + kept) / 2)):
        row = known.row(rows.STYLE, name)
        pinned = np.isin(DIMENSIONS, row.get("pinned", ()))
        faded = NEUTRAL + share * (values(row) - NEUTRAL)
        row["values"] = rounded(np.where(pinned, values(row), faded))
        row["evidence"] = rounded(share * evidence(row))
        row.pop("recent", None)
        known.put(rows.STYLE, name, row)
    start = settings.confidence.start
    for skill, odds in known.rows(rows.odds_of(bucket)).items():
        less = {name: round(kept * count, _DIGITS) for name, count in odds.items()}
        known.put(rows.odds_of(bucket), skill, less)
        row = known.row(rows.SKILL, skill)
        row["confidence"] = round(start + kept * (row.get("confidence", start) - start), _DIGITS)
        known.put(rows.SKILL, skill, row)


def _count(reward: float, known: Sheet) -> None:
    counts = known.row(rows.PERSON, rows.COUNTS)
    counts["feedback"] = counts.get("feedback", 0) + 1
    counts["rewards"] = counts.get("rewards", 0.0) + reward
    counts["positive"] = counts.get("positive", 0) + int(reward > 0)
    recent = [*counts.get("recent", []), int(reward > 0)][-RECENT:]
    counts["recent"] = recent
    enough = len(recent) == RECENT and sum(recent) >= TARGET * RECENT
    if enough and "reached_after" not in counts:
        counts["reached_after"] = counts["feedback"]
    known.put(rows.PERSON, rows.COUNTS, counts)


def _read(said: Any, known: Sheet, settings: SkillSettings) -> None:
    """A comment, once it is read: which dimensions should move, and where to."""
    signals = said.get("signals") or {}
    direction = np.array([float(signals.get(name, 0.0)) for name in DIMENSIONS])
    rate = settings.style.text_rate
    for name in _style_rows(said.get("bucket")):
        style = known.row(rows.STYLE, name)
        _move(style, style_push(values(style), direction, rate), np.abs(direction), said)
        known.put(rows.STYLE, name, style)
    if said.get("learned_dimensions"):
        skill = str(said["skill"])
        row = known.row(rows.SKILL, skill)
        own = np.array(row.get("dimensions") or said["dimensions"])
        row["dimensions"] = rounded(style_push(own, -direction, rate))
        known.put(rows.SKILL, skill, row)


def _set_style(said: Any, known: Sheet, settings: SkillSettings) -> None:
    bucket = said.get("bucket")
    name = rows.GENERAL if bucket is None else str(bucket)
    style = known.row(rows.STYLE, name)
    now = values(style)
    pinned = set(style.get("pinned", ()))
    for dimension, value in said["dimensions"].items():
        now[DIMENSIONS.index(dimension)] = value
        pinned.add(dimension)
    style["values"], style["pinned"] = rounded(now), sorted(pinned)
    _note_context(style, said)
    known.put(rows.STYLE, name, style)


def _reset(said: Any, known: Sheet, settings: SkillSettings) -> None:
    skill, bucket, dimension = said.get("skill"), said.get("bucket"), said.get("dimension")
    if skill is not None:
        _reset_skill(str(skill), known, settings)
    elif dimension is not None:
        names = list(known.rows(rows.STYLE)) if bucket is None else [str(bucket)]
        for name in names:
            _reset_dimension(name, str(dimension), known)
    elif bucket is not None:
        known.put(rows.STYLE, str(bucket), None)
        _drop(rows.odds_of(bucket), known)
    else:
        for topic in rows.topics(settings.bandit.buckets):
            _drop(topic, known)


def _reset_skill(skill: str, known: Sheet, settings: SkillSettings) -> None:
    kept = {k: v for k, v in known.row(rows.SKILL, skill).items() if k == "archived"}
    known.put(rows.SKILL, skill, kept or None)
    for bucket in range(settings.bandit.buckets):
        known.put(rows.odds_of(bucket), skill, None)


def _reset_dimension(name: str, dimension: str, known: Sheet) -> None:
    style, place = known.row(rows.STYLE, name), DIMENSIONS.index(dimension)
    for field, start in (("values", NEUTRAL), ("evidence", 0.0)):
        if field in style:
            style[field] = [start if n == place else v for n, v in enumerate(style[field])]
    style["pinned"] = [one for one in style.get("pinned", ()) if one != dimension]
    known.put(rows.STYLE, name, style)


def _drop(topic: str, known: Sheet) -> None:
    for name in known.rows(topic):
        known.put(topic, name, None)


def _archive(said: Any, known: Sheet, settings: SkillSettings) -> None:
    skill = str(said["skill"])
    row = known.row(rows.SKILL, skill)
    row["archived"] = said["form"] == ARCHIVE
    known.put(rows.SKILL, skill, row)


def _explore(said: Any, known: Sheet, settings: SkillSettings) -> None:
    counts = known.row(rows.PERSON, rows.COUNTS)
    known.put(rows.PERSON, rows.COUNTS, {"feedback": 0, **counts, "explores": bool(said["on"])})


def explores(known: Sheet) -> bool:
    """Whether the person lets something else be tried now and then; by default yes [EXP-01]."""
    return bool(known.row(rows.PERSON, rows.COUNTS).get("explores", True))


_LESSONS: dict[str, Callable[[Any, Sheet, SkillSettings], None]] = {
    READING: _read,
    SET_STYLE: _set_style,
    RESET: _reset,
    ARCHIVE: _archive,
    RESTORE: _archive,
    EXPLORE: _explore,
}


# ---- style rows


def values(style: Row) -> Floats:
    """The dimensions of a row of style; all neutral if it is new [PV-03]."""
    return np.array(style.get("values") or [NEUTRAL] * len(DIMENSIONS))


def evidence(style: Row) -> Floats:
    """How many ratings moved each dimension."""
    return np.array(style.get("evidence") or [0.0] * len(DIMENSIONS))


def rounded(vector: Floats) -> list[float]:
    """Short enough to be stored."""
    return [round(float(one), _DIGITS) for one in vector]


def _move(style: Row, moved: Floats, more: Floats, said: Any) -> None:
    """Take over what moved, except where the person has set it."""
    pinned = np.isin(DIMENSIONS, style.get("pinned", ()))
    style["values"] = rounded(np.where(pinned, values(style), moved))
    style["evidence"] = rounded(evidence(style) + np.where(pinned, 0.0, more))
    _note_context(style, said)


def _note_context(style: Row, said: Any) -> None:
    context = said.get("context")
    seen: Sequence[str] = style.get("contexts", ())
    if context and context not in seen:
        style["contexts"] = [*seen, str(context)][-RECENT:]


def _style_rows(bucket: int | None) -> list[str]:
    return [rows.GENERAL] if bucket is None else [str(bucket), rows.GENERAL]
