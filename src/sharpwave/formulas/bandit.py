"""Thompson sampling over skills: Beta odds, contexts, exploration, and A/B assignment."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


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
    """What was counted, on top of the prior [TS-01, TS-02].

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
    """Prior of a new user: what others liked, worth a few ratings [PV-12].

    >>> population_prior(Odds(1.0, 1.0), 0.75, 4.0)
    Odds(alpha=4.0, beta=2.0)
    """
    return Odds(own.alpha + pseudo_counts * rate, own.beta + pseudo_counts * (1.0 - rate))


_STEPS = 2_000


def credible_range(known: Odds, share: float) -> tuple[float, float]:
    """The middle part of the distribution that holds a share of it [TS-01].

    low, high = F^-1((1 - share) / 2), F^-1((1 + share) / 2), where F is the distribution function
    of Beta(alpha, beta), summed up in 2,000 steps.

    >>> [round(end, 2) for end in credible_range(Odds(1.0, 1.0), 0.9)]
    [0.05, 0.95]
    >>> [round(end, 2) for end in credible_range(Odds(31.0, 11.0), 0.9)]
    [0.62, 0.84]
    """
    rates = (np.arange(_STEPS) + 0.5) / _STEPS
    logs = (known.alpha - 1.0) * np.log(rates) + (known.beta - 1.0) * np.log1p(-rates)
    below = np.cumsum(np.exp(logs - logs.max()))
    ends = (1.0 - share) / 2.0, (1.0 + share) / 2.0
    places = np.searchsorted(below / below[-1], ends)
    low, high = rates[places]
    return float(low), float(high)


_DIGEST_BYTES = 8


def context_key(intent: str, sentiment: str, time_of_day: str) -> str:
    """Name of the context [TS-03].

    >>> context_key("question", "neutral", "morning")
    'question_neutral_morning'
    """
    return f"{intent}_{sentiment}_{time_of_day}"


def context_bucket(key: str, buckets: int) -> int:
    """A number below `buckets`, the same in every process and for all time [TS-03].

    >>> context_bucket("question_neutral_morning", 100)
    68
    """
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES)
    return int.from_bytes(digest.digest(), "big") % buckets


def exploration_rate(ratings: int, start: float, floor: float, decay: float) -> float:
    """Share of exploring choices; decays with every rating, not with use [EXP-02].

        ε = max(floor, start·decay^ratings)

    >>> [round(exploration_rate(n, 0.1, 0.05, 0.95), 4) for n in (0, 1, 14)]
    [0.1, 0.095, 0.05]
    """
    return float(max(floor, start * decay**ratings))


def changed_mind(
    ratings: Sequence[int], window: int, dislikes: int, before: int, fewest: int, liked: float
) -> bool:
    """True if a user who mostly liked something (1) now mostly dislikes it (0).

        at least `dislikes` of the last `window` disliked, and at least a share `liked` of the
        `fewest` to `before` ratings before them liked

    >>> changed_mind([1, 1, 0, 1, 1, 0, 0, 0], window=4, dislikes=3, before=8, fewest=4, liked=0.6)
    True
    >>> changed_mind([1, 0, 0, 0, 1, 0, 0, 0], window=4, dislikes=3, before=8, fewest=4, liked=0.6)
    False
    """
    earlier, now = ratings[:-window][-before:], ratings[-window:]
    if len(earlier) < fewest or now.count(0) < dislikes:
        return False
    return sum(earlier) >= liked * len(earlier)


def position(user_id: str, test: str) -> float:
    """A user's fixed position in [0, 1) for an A/B test; below the share is side B [SCO-13].

        position = first 8 bytes of blake2b(test ‖ 0 ‖ user_id) / 2^64

    >>> position("alice", "spring") == position("alice", "spring")
    True
    >>> 0.0 <= position("bob", "spring") < 1.0
    True
    """
    digest = hashlib.blake2b(f"{test}\0{user_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
