"""Metrics of choices and ratings: whether learning helps, by hour, by skill and over time."""

import json
import logging
import threading
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from statistics import fmean, median

import numpy as np

from sharpwave.behavior.skills import catalog, editing, learning, scoring, select, state
from sharpwave.behavior.skills.learning import COUNTS, PERSON, RATING, RECENT, SKILL
from sharpwave.behavior.skills.state import FEEDBACK, TRAJECTORY
from sharpwave.formulas.bandit import credible_range
from sharpwave.formulas.statistics import Running, variance
from sharpwave.tallies import Row
from sharpwave.types.records import Record, State
from sharpwave.types.skills import BehaviorMetrics, HourOfDay, SkillHistory, SkillOdds, SkillUse
from sharpwave.workspace import Workspace

LOG_EVERY = timedelta(hours=1)
"""Minimum time between two logs of a user's metrics [MET-03, MET-05]."""
_LOG = logging.getLogger(__name__)
_CREDIBLE_SHARE = 0.9
_MAX_TIMES = 1000
_MAX_USERS = 10_000
_PERCENTILES = (50, 95, 99)


def metrics(workspace: Workspace) -> BehaviorMetrics:
    """Whether learning helps [MET-03, MET-05, MET-07]."""
    sheet = state.load(workspace)
    counts = sheet.row(PERSON, COUNTS)
    skills = list(sheet.rows(SKILL).values())
    ratings = counts.get("feedback", 0)
    explored, liked = (_sum(skills, name) for name in ("explored", "explored_positive"))
    positive, negative = _sum(skills, "positive"), _sum(skills, "negative")
    exploited = positive + negative - _sum(skills, "explored_rated")
    stored = [tally.value for tally in state.stored_rows(workspace).values()]
    spreads = [variance(Running(*row["spread"])) for row in skills if "spread" in row]
    return BehaviorMetrics(
        ratings=ratings,
        positive_rate=counts.get("positive", 0) / ratings if ratings else 0.0,
        mean_reward=counts.get("rewards", 0.0) / ratings if ratings else 0.0,
        interactions_to_target=counts.get("reached_after"),
        exploration_rate=scoring.exploration(ratings),
        explored=explored,
        explored_positive=liked,
        exploited_positive_rate=(positive - liked) / exploited if exploited > 0 else 0.0,
        storage_bytes=sum(len(json.dumps(value)) for value in stored),
        confidence_variance=fmean(spreads) if spreads else 0.0,
        explores=workspace.settings.skills.exploration and learning.explores(sheet),
    )


def _sum(skills: Iterable[Row], name: str) -> int:
    return sum(int(row.get(name, 0)) for row in skills)


def odds_in_context(workspace: Workspace, context: str) -> list[SkillOdds]:
    """How well each skill does in a context, the best first."""
    skills = list(catalog.of_user(workspace).values())
    bucket = learning.bucket_of(context)
    by_skill = select.odds_by_skill(workspace, skills, bucket, state.read(workspace))
    odds = [
        SkillOdds(skill, *estimate, estimate.mean, *credible_range(estimate, _CREDIBLE_SHARE))
        for skill, estimate in by_skill.items()
    ]
    return sorted(
        odds,
        key=lambda skill_odds: (
            -skill_odds.mean,
            -skill_odds.alpha - skill_odds.beta,
            skill_odds.skill,
        ),
    )


def history(workspace: Workspace, limit: int) -> SkillHistory:
    """The latest choices and as many ratings [MET-07]; empty without consent to learning."""
    choices = _latest(workspace, TRAJECTORY, limit)
    ratings = [
        record
        for record in _latest(workspace, FEEDBACK, limit)
        if record.metadata.get("form") == RATING and record.standing.state is State.ACTIVE
    ]
    liked = [_number(record, "reward") > 0 for record in ratings]
    return SkillHistory(
        choices=len(choices),
        ratings=len(ratings),
        hours=_hours(ratings, liked),
        uses=_uses(choices),
        adaptation=tuple(
            fmean(liked[start : start + RECENT])
            for start in range(0, len(liked) - RECENT + 1, RECENT)
        ),
        explored_confidence=_mean_confidence(choices, explored=True),
        exploited_confidence=_mean_confidence(choices, explored=False),
    )


def _latest(workspace: Workspace, prefix: str, limit: int) -> list[Record]:
    """The newest records whose slot begins with a prefix, oldest first."""
    if not state.may_learn(workspace):
        return []
    store = workspace.store
    numbers = store.slot_numbers(prefix, limit)
    return sorted(store.fetch(numbers), key=lambda record: record.number)


def _hours(ratings: Sequence[Record], liked: Sequence[bool]) -> tuple[HourOfDay, ...]:
    every, positive = Counter[int](), Counter[int]()
    for record, good in zip(ratings, liked, strict=True):
        every[record.valid_from.hour] += 1
        positive[record.valid_from.hour] += good
    return tuple(HourOfDay(hour, every[hour], positive[hour]) for hour in sorted(every))


def _uses(choices: Sequence[Record]) -> tuple[SkillUse, ...]:
    by_skill = defaultdict[str, list[Record]](list)
    for record in choices:
        by_skill[str(record.metadata["skill"])].append(record)
    return tuple(
        SkillUse(
            skill=skill,
            uses=len(own),
            explored=sum(bool(record.metadata["is_exploration"]) for record in own),
            median_ms=median(_number(record, "selection_ms") for record in own),
            slowest_ms=max(_number(record, "selection_ms") for record in own),
        )
        for skill, own in sorted(by_skill.items(), key=lambda item: (-len(item[1]), item[0]))
    )


def _mean_confidence(choices: Sequence[Record], explored: bool) -> float | None:
    values = [
        _number(record, "confidence")
        for record in choices
        if bool(record.metadata["is_exploration"]) is explored
    ]
    return fmean(values) if values else None


def _number(record: Record, name: str) -> float:
    return float(str(record.metadata.get(name, 0.0)))


class MetricsLog:
    """Logs the metrics of each active user at most once an hour: numbers and names, never text.

    Keeps the latest selection times of this process.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._milliseconds: deque[float] = deque(maxlen=_MAX_TIMES)
        self._logged_at: OrderedDict[str, datetime] = OrderedDict()

    def add_selection(self, workspace: Workspace, milliseconds: float) -> None:
        """Record the duration of a selection; log if due."""
        with self._lock:
            self._milliseconds.append(milliseconds)
        self.log_if_due(workspace)

    def log_if_due(self, workspace: Workspace) -> None:
        """Log a user's metrics and the selection times, if an hour has passed."""
        if not self._is_due(workspace):
            return
        current = metrics(workspace)
        accuracy = {
            "metric_type": "behavioral_memory_aggregate",
            "user_id": workspace.user_id,
            "skill_accuracy": current.positive_rate,
            "user_satisfaction": current.mean_reward,
            "adaptation_speed": current.interactions_to_target,
            "confidence_variance": current.confidence_variance,
        }
        _LOG.info("how answers are liked", extra=accuracy)
        with self._lock:
            times, users = np.array(self._milliseconds), len(self._logged_at)
        if not len(times):
            return
        p50, p95, p99 = (float(value) for value in np.percentile(times, _PERCENTILES))
        speed = {
            "metric_type": "behavioral_memory_performance",
            "selection_p50_ms": p50,
            "selection_p95_ms": p95,
            "selection_p99_ms": p99,
            "selection_mean_ms": float(times.mean()),
            "storage_bytes": current.storage_bytes,
            "active_people": users,
            "skills": len(editing.list_skills(workspace)),
        }
        _LOG.info("how long choosing takes", extra=speed)

    def _is_due(self, workspace: Workspace) -> bool:
        """Whether an hour has passed since this user was first seen, or last logged."""
        now = workspace.clock.now()
        with self._lock:
            since = self._logged_at.setdefault(workspace.user_id, now)
            due = now - since >= LOG_EVERY
            if due:
                self._logged_at[workspace.user_id] = now
            while len(self._logged_at) > _MAX_USERS:
                self._logged_at.popitem(last=False)
        return due
