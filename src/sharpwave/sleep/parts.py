"""The phases of a night, in order."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sharpwave.settings.sleep import SleepSettings
from sharpwave.sleep.night import Night
from sharpwave.sleep.phases import (
    distil,
    doubt,
    evolve,
    fade,
    promote,
    reconsolidate,
    replay,
    stretches,
    summarise,
)
from sharpwave.sleep.step import Step
from sharpwave.types.sleep import Phase


class Part(NamedTuple):
    """A phase: how its plan is made, how a few items are worked on, and how many at once."""

    phase: Phase
    find: Callable[[Night], list[str]]
    work: Callable[[Sequence[str], Night], Step]
    at_once: Callable[[SleepSettings], int]
    weekly: bool = False
    rehearsed: bool = True
    """False if it cannot be told what it would do without doing it."""


PARTS = (
    Part(Phase.REPLAY, replay.find, replay.work, lambda s: s.replay.batch),
    Part(
        Phase.RECONSOLIDATE, reconsolidate.find, reconsolidate.work, lambda s: s.replay.batch, True
    ),
    Part(Phase.DOUBT, doubt.find, doubt.work, lambda s: 1, weekly=True, rehearsed=False),
    Part(Phase.PROMOTE, promote.find, promote.work, lambda s: s.replay.batch),
    Part(Phase.SUMMARISE, stretches.find, summarise.work, lambda s: 1),
    Part(Phase.EVOLVE, evolve.find, evolve.work, lambda s: 1, weekly=True),
    Part(Phase.DISTIL, distil.find, distil.work, lambda s: 1, rehearsed=False),
    Part(Phase.FADE, fade.find, fade.work, lambda s: s.fade.batch, True),
)
