"""What the latest choices and ratings show: by the hour, by skill, over time [MET-07]."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean, median

from sharpwave.behavior.skills import catalog, learned, select
from sharpwave.behavior.skills.learned import FEEDBACK, TRAJECTORY
from sharpwave.behavior.skills.learning import RATING, RECENT
from sharpwave.formulas.bandit import credible_range
from sharpwave.tallies import Sheet
from sharpwave.types.records import Record, State
from sharpwave.types.skills import HourOfDay, SkillHistory, SkillOdds, SkillUse
from sharpwave.types.storing import BEHAVIOR
from sharpwave.workspace import Workspace

_SHARE = 0.9


def history(workspace: Workspace, limit: int) -> SkillHistory:
    """The last so many choices, and as many ratings; nothing if learning is not agreed to."""
    chosen = _latest(workspace, TRAJECTORY, limit)
    rated = [
        record
        for record in _latest(workspace, FEEDBACK, limit)
        if record.metadata.get("form") == RATING and record.standing.state is State.ACTIVE
    ]
    liked = [_number(record, "reward") > 0 for record in rated]
    return SkillHistory(
        choices=len(chosen),
        ratings=len(rated),
        hours=_hours(rated, liked),
        uses=_uses(chosen),
        adaptation=tuple(
            fmean(liked[start : start + RECENT])
            for start in range(0, len(liked) - RECENT + 1, RECENT)
        ),
        explored_confidence=_confidence(chosen, tried=True),
        exploited_confidence=_confidence(chosen, tried=False),
    )


def odds_of(workspace: Workspace, context: str) -> list[SkillOdds]:
    """How well each skill does in a context, the best first."""
    numbers = learned.known(workspace) if learned.may_learn(workspace) else Sheet.blank(BEHAVIOR)
    skills = list(catalog.of_user(workspace).values())
    found = select.odds_in(workspace, skills, learned.bucket(workspace, context), numbers)
    told = [
        SkillOdds(skill, *known, known.mean, *credible_range(known, _SHARE))
        for skill, known in found.items()
    ]
    return sorted(told, key=lambda one: (-one.mean, -one.alpha - one.beta, one.skill))


def _latest(workspace: Workspace, begins: str, limit: int) -> list[Record]:
    """The newest records whose slot begins so, oldest first."""
    if not learned.may_learn(workspace):
        return []
    store = workspace.store
    numbers = store.slot_numbers(begins, limit)
    return sorted(store.fetch(numbers), key=lambda record: record.number)


def _hours(rated: Sequence[Record], liked: Sequence[bool]) -> tuple[HourOfDay, ...]:
    every, positive = Counter[int](), Counter[int]()
    for record, good in zip(rated, liked, strict=True):
        every[record.valid_from.hour] += 1
        positive[record.valid_from.hour] += good
    return tuple(HourOfDay(hour, every[hour], positive[hour]) for hour in sorted(every))


def _uses(chosen: Sequence[Record]) -> tuple[SkillUse, ...]:
    by_skill = defaultdict[str, list[Record]](list)
    for record in chosen:
        by_skill[str(record.metadata["skill"])].append(record)
    return tuple(
        SkillUse(
            skill=skill,
            uses=len(own),
            explored=sum(bool(record.metadata["is_exploration"]) for record in own),
            median_ms=median(_number(record, "selection_ms") for record in own),
            slowest_ms=max(_number(record, "selection_ms") for record in own),
        )
        for skill, own in sorted(by_skill.items(), key=lambda each: (-len(each[1]), each[0]))
    )


def _confidence(chosen: Sequence[Record], tried: bool) -> float | None:
    found = [
        _number(record, "confidence")
        for record in chosen
        if bool(record.metadata["is_exploration"]) is tried
    ]
    return fmean(found) if found else None


def _number(record: Record, name: str) -> float:
    return float(str(record.metadata.get(name, 0.0)))
