"""How much a memory has to do with what is asked.  Design: SCO-01, SCO-02."""

from typing import NamedTuple


class RelevanceTerms(NamedTuple):
    """What relevance is made of, each from 0 to 1; also its weights, in the same places."""

    query: float
    goal: float
    emotion: float
    recency: float
    frequency: float
    importance: float


def relevance(terms: RelevanceTerms, weights: RelevanceTerms) -> float:
    """How much a memory has to do with a question, from 0 to 1 if the weights add up to 1.

        relevance = w_q cos(query, fact) + w_g cos(goal, fact) + w_e emotion_match
                  + w_r recency + w_f frequency + w_i intrinsic_importance

    >>> seed = RelevanceTerms(0.45, 0.15, 0.10, 0.10, 0.10, 0.10)
    >>> round(relevance(RelevanceTerms(0.8, 0.0, 0.0, 1.0, 0.5, 0.4), seed), 3)
    0.55
    """
    return sum(weight * term for weight, term in zip(weights, terms, strict=True))
