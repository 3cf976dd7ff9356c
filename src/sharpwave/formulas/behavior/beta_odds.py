"""The odds of a skill in a context: Beta(alpha, beta) [TS-01, TS-02]."""

from typing import NamedTuple


class Odds(NamedTuple):
    """Successes and failures, with the prior."""

    alpha: float
    beta: float

    @property
    def mean(self) -> float:
        """The share of successes to expect.

        >>> Odds(3.0, 1.0).mean
        0.75
        """
        return self.alpha / (self.alpha + self.beta)


def odds(successes: float, failures: float, prior: Odds) -> Odds:
    """What was counted, on top of the prior.

    >>> odds(2, 1, Odds(1.0, 1.0))
    Odds(alpha=3.0, beta=2.0)
    """
    return Odds(prior.alpha + successes, prior.beta + failures)


def counted(successes: float, failures: float, reward: float) -> tuple[float, float]:
    """One more outcome: a reward above 0 is a success, below 0 a failure, 0 is neither [TS-04].

    >>> counted(2.0, 1.0, -1), counted(2.0, 1.0, 0), counted(2.0, 1.0, 0.25)
    ((2.0, 2.0), (2.0, 1.0), (2.25, 1.0))
    """
    return successes + max(0.0, reward), failures + max(0.0, -reward)


def population_prior(own: Odds, rate: float, pseudo_counts: float) -> Odds:
    """The prior of somebody new: what others liked, worth a few ratings [PV-12].

    >>> population_prior(Odds(1.0, 1.0), 0.75, 4.0)
    Odds(alpha=4.0, beta=2.0)
    """
    return Odds(own.alpha + pseudo_counts * rate, own.beta + pseudo_counts * (1.0 - rate))
