"""How the log as a whole looks: how often each step occurs, how many stretches, how long.

It is what chance is reckoned from.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sharpwave.experience.learners.rows import count
from sharpwave.formulas.significance import binomial_tail, perplexity, subsequence_chances
from sharpwave.tallies.sheet import Row, Sheet

TOPIC = "state"
NAME = "log"
_MOST_STEPS = 2000


def learn(steps: Sequence[str], sheet: Sheet) -> None:
    """Count a closed stretch of work."""
    row = sheet.row(TOPIC, NAME)
    take_in(row, steps)
    sheet.put(TOPIC, NAME, row)


def take_in(row: Row, steps: Sequence[str]) -> None:
    """Count the steps of a stretch, and its length."""
    names = row.setdefault("steps", {})
    for step in steps:
        count(names, step, _MOST_STEPS)
    lengths = row.setdefault("lengths", {})
    lengths[str(len(steps))] = lengths.get(str(len(steps)), 0) + 1


@dataclass(frozen=True, slots=True)
class Background:
    """What a log without any order would look like."""

    shares: dict[str, float]
    lengths: dict[int, int]
    variety: float
    """How many equally frequent steps would be as hard to foretell."""

    @classmethod
    def of(cls, row: Row) -> "Background":
        """The background of a log as it was counted."""
        names: dict[str, int] = row.get("steps", {})
        total = sum(names.values()) or 1
        lengths = {int(length): n for length, n in row.get("lengths", {}).items()}
        shares = {name: n / total for name, n in names.items()}
        return cls(shares, lengths, perplexity(list(names.values())))

    @property
    def segments(self) -> int:
        """How many stretches of work there were."""
        return sum(self.lengths.values())

    @property
    def actions(self) -> int:
        """How many actions there were."""
        return sum(length * n for length, n in self.lengths.items())

    def subsequence(self, steps: Sequence[str], support: int) -> tuple[float, float]:
        """The chance that so many stretches hold the steps in order, and the lift.

        It is that of any sequence of this length, not just of this one: one looks for all.
        """
        given = [self.shares.get(step, 1.0 / max(1, self.actions)) for step in steps]
        chances = subsequence_chances(given, max(self.lengths, default=0))
        expected = sum(n * chances[length] for length, n in self.lengths.items())
        mean = expected / max(1, self.segments)
        tail = binomial_tail(self.segments, mean, support)
        return min(1.0, tail * self.variety ** len(steps)), support / max(expected, 1e-12)

    def run(self, steps: Sequence[str], support: int) -> tuple[float, float]:
        """The same for steps that follow each other without anything in between."""
        share = 1.0
        for step in steps:
            share *= self.shares.get(step, 1.0 / max(1, self.actions))
        places = sum(max(0, length - len(steps) + 1) * n for length, n in self.lengths.items())
        tail = binomial_tail(places, share, support)
        return min(1.0, tail * self.variety ** len(steps)), support / max(places * share, 1e-12)
