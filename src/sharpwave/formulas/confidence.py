"""How far something can be believed: calibration, reinforcement, corroboration, updates."""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sharpwave.types.records import Source, Trust


class ConfidenceTerms(NamedTuple):
    """What confidence is made of, each from 0 to 1; also its weights, in the same places."""

    base: float
    similarity: float
    votes: float
    source: float


def confidence(terms: ConfidenceTerms, weights: ConfidenceTerms) -> float:
    """How far a memory can be believed as an answer to a question [SCO-03, SCO-04].

        confidence = c_b confidence_base + c_s cos(query, fact) + c_v vote_agreement
                   + c_p source_reliability

    >>> seed = ConfidenceTerms(0.40, 0.20, 0.25, 0.15)
    >>> round(confidence(ConfidenceTerms(1.0, 1.0, 0.0, 0.98), seed), 3)
    0.747
    """
    return sum(weight * term for weight, term in zip(weights, terms, strict=True))


def vote_agreement(observations: int, enough: int) -> float:
    """How many independent observations agree, as a share of those that are enough [SCO-10].

        vote_agreement = min(observations / enough, 1)

    >>> vote_agreement(2, enough=3) == 2 / 3, vote_agreement(5, enough=3)
    (True, 1.0)
    """
    return min(observations / enough, 1.0)


def logistic(log_odds: float) -> float:
    """The probability with these odds [CNF-04].

        logistic = 1 / (1 + exp(-log_odds))        range [0, 1]

    >>> logistic(0.0), logistic(-1000.0)
    (0.5, 0.0)
    """
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1.0 + odds)


BINS = 10


def bin_of(confidence: float) -> int:
    """The bin of a confidence: tenths, the last with its upper end [MET-01].

    >>> bin_of(0.0), bin_of(0.79), bin_of(1.0)
    (0, 7, 9)
    """
    return min(int(confidence * BINS), BINS - 1)


def calibration_error(bins: Sequence[tuple[int, int, float]]) -> float | None:
    """ECE = sum_b (n_b / n) * |right_b / n_b - confidence_b|; None if there is nothing [MET-01].

    A bin is how many there are, how many were right, and the sum of their confidences.

    >>> calibration_error([(4, 1, 1.0), (4, 4, 3.0)])
    0.125
    """
    total = sum(n for n, _, _ in bins)
    if not total:
        return None
    return sum(abs(right - confidence) for _, right, confidence in bins) / total


def reinforced(confidence: float, gain: float) -> float:
    """Confidence after one more sighting: a share of the remaining doubt goes [PRO-06, CON-07].

        confidence' = confidence + gain * (1 - confidence)

    Never reaches 1, so that nothing becomes certain by repetition alone.

    >>> round(reinforced(0.7, gain=0.3), 3)
    0.79
    """
    return confidence + gain * (1.0 - confidence)


def may_enter_profile(
    trust: Trust, sources: Collection[tuple[Source, str]], independent: int
) -> bool:
    """True if a statement may enter the profile: own word, verified, or corroborated.

        trust >= verified, or min(|distinct sources|, |distinct authors|) >= independent

    `sources` are the source and author of each record that supports the statement. Two texts of the
    same tool, or of one author by two ways, are one source.

    >>> may_enter_profile(Trust.UNTRUSTED, [(Source.WEB, "a"), (Source.WEB, "b")], independent=2)
    False
    >>> may_enter_profile(Trust.UNTRUSTED, [(Source.WEB, "a"), (Source.TOOL, "b")], independent=2)
    True
    """
    if trust >= Trust.VERIFIED:
        return True
    ways = {source for source, _ in sources}
    authors = {author for _, author in sources}
    return min(len(ways), len(authors)) >= independent


def damped_bayes(
    prior: float, success: bool, likelihood: float, rate: float, floor: float, ceiling: float
) -> float:
    """Confidence after one more success or failure; it never sticks at 0 or 1 [PAT-16].

        p   = prior clamped to [floor, ceiling]
        l   = likelihood if success else 1 - likelihood
        b   = l·p / (l·p + (1 - l)·(1 - p))
        new = p + rate·(b - p), clamped to [floor, ceiling]

    >>> round(damped_bayes(0.5, True, likelihood=0.8, rate=0.1, floor=0.01, ceiling=0.99), 4)
    0.53
    >>> round(damped_bayes(0.5, False, likelihood=0.8, rate=0.1, floor=0.01, ceiling=0.99), 4)
    0.47
    >>> damped_bayes(1.0, False, likelihood=0.8, rate=0.1, floor=0.01, ceiling=0.99) < 0.99
    True
    """
    p = min(ceiling, max(floor, prior))
    seen = likelihood if success else 1.0 - likelihood
    posterior = seen * p / (seen * p + (1.0 - seen) * (1.0 - p))
    return min(ceiling, max(floor, p + rate * (posterior - p)))


def continuation_probability(prior: float, share: float, misses: int) -> float:
    """How likely something that was seen in a `share` of cases goes on, after `misses` in a row.

        P(still) = prior·q / (prior·q + 1 - prior)        q = (1 - share)^misses  [INS-09]

    `prior` is how likely it goes on if nothing is known yet; if it is over, it is never seen again.

    >>> continuation_probability(0.98, 0.5, 0), round(continuation_probability(0.98, 0.5, 6), 2)
    (0.98, 0.43)
    """
    seen = prior * (1.0 - share) ** misses
    return seen / (seen + 1.0 - prior)
