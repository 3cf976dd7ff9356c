"""How far a memory can be believed now.  Design: SCO-03, SCO-04, SCO-10, resolution 4."""

from typing import NamedTuple


class ConfidenceTerms(NamedTuple):
    """What confidence is made of, each from 0 to 1; also its weights, in the same places."""

    base: float
    similarity: float
    votes: float
    source: float


def confidence(terms: ConfidenceTerms, weights: ConfidenceTerms) -> float:
    """How far a memory can be believed as an answer to a question.

        confidence = c_b confidence_base + c_s cos(query, fact) + c_v vote_agreement
                   + c_p source_reliability

    >>> seed = ConfidenceTerms(0.40, 0.20, 0.25, 0.15)
    >>> round(confidence(ConfidenceTerms(1.0, 1.0, 0.0, 0.98), seed), 3)
    0.747
    """
    return sum(weight * term for weight, term in zip(weights, terms, strict=True))


def vote_agreement(observations: int, enough: int) -> float:
    """How many independent observations agree, as a share of those that are enough.

        vote_agreement = min(observations / enough, 1)

    >>> vote_agreement(2, enough=3) == 2 / 3, vote_agreement(5, enough=3)
    (True, 1.0)
    """
    return min(observations / enough, 1.0)
