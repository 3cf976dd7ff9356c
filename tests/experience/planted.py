"""Logs with workflows planted in them, and the same logs without any order."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sharpwave.experience import learning, patterns
from sharpwave.experience.lessons import Act, Lesson
from sharpwave.tallies import Sheet
from sharpwave.types.experience import FeedbackType, LearnedPattern
from sharpwave.types.storing import EXPERIENCE

FLOWS = (
    ("read_file", "edit_file", "run_tests", "commit"),
    ("search", "open_issue", "comment", "close_issue", "notify"),
    ("pull", "build", "deploy", "smoke_test", "announce"),
)
SHORT = tuple(flow[:3] for flow in FLOWS)
OVERLAPPING = (
    ("read_file", "edit_file", "run_tests", "commit"),
    ("read_file", "search", "edit_file", "run_tests", "push"),
    ("search", "read_file", "commit", "push", "deploy"),
)
NOISE = ("scroll", "format", "list_dir", "help", "status", "ping")


def planted(
    rng: random.Random, flows: Sequence[Sequence[str]], inside: int, repeats: int = 4
) -> list[list[str]]:
    """Stretches of work: each workflow so many times, with noise in and between them."""
    stretches = [list(flow) for flow in flows for _ in range(repeats)]
    rng.shuffle(stretches)
    log = []
    for steps in stretches:
        for _ in range(rng.randint(0, inside)):
            steps.insert(rng.randint(0, len(steps)), rng.choice(NOISE))
        log.append(steps)
        if rng.random() < 0.5:
            log.append([rng.choice(NOISE) for _ in range(rng.randint(1, 4))])
    return log


def shuffled(rng: random.Random, log: Sequence[Sequence[str]]) -> list[list[str]]:
    """The same actions in stretches of the same length, in no order."""
    actions = [action for steps in log for action in steps]
    rng.shuffle(actions)
    rest = iter(actions)
    return [[next(rest) for _ in steps] for steps in log]


def learned(log: Sequence[Sequence[str]]) -> list[LearnedPattern]:
    """Every pattern of a log; a pause of twenty minutes lies between the stretches."""
    sheet = Sheet.blank(EXPERIENCE)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    number = 0
    for steps in log:
        now += timedelta(minutes=20)
        for name in steps:
            now += timedelta(seconds=20)
            number += 1
            learning.learn(_lesson(name, f"id-{number}", now), sheet)
    return patterns.every(sheet)


def _lesson(name: str, id_: str, now: datetime) -> Lesson:
    return Lesson(
        id=id_,
        at=now,
        session="",
        query=name,
        context="general",
        acts=(Act(name, None, {}, True, None, None, 0, now),),
        success=None,
        feedback_type=FeedbackType.NONE,
        feedback=None,
        interpretation=None,
        plan=(),
        is_task=False,
        ms=None,
        model=None,
        role=None,
        is_cycle=False,
    )
