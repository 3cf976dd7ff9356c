"""How much a memory has to do with a query: the terms of ranking, and choosing among the ranked."""

import math
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.decay import recency

# Weights of `memory_score`, as published.
BONUS_PER_ACCESS, MAX_ACCESS_BONUS = 0.1, 0.3
RECENCY_BONUS, SCORE_TAU_DAYS = 0.2, 7.0
ASSOCIATION_BONUS = 0.1


class RelevanceTerms(NamedTuple):
    """What relevance is made of, each from 0 to 1; also its weights, in the same places."""

    query: float
    goal: float
    emotion: float
    recency: float
    frequency: float
    importance: float


def relevance(terms: RelevanceTerms, weights: RelevanceTerms) -> float:
    """How much a memory has to do with a query, in [0, 1] if weights sum to 1 [SCO-01, SCO-02].

        relevance = w_q cos(query, fact) + w_g cos(goal, fact) + w_e emotion_match
                  + w_r recency + w_f frequency + w_i intrinsic_importance

    >>> seed = RelevanceTerms(0.45, 0.15, 0.10, 0.10, 0.10, 0.10)
    >>> round(relevance(RelevanceTerms(0.8, 0.0, 0.0, 1.0, 0.5, 0.4), seed), 3)
    0.55
    """
    return sum(weight * term for weight, term in zip(weights, terms, strict=True))


def frequency(seen_count: int, scale: float) -> float:
    """How often a memory was seen, from 0 (never) towards 1 [SCO-07].

        frequency = 1 - exp(-seen_count / scale)

    >>> round(frequency(3, scale=3.0), 4)
    0.6321
    """
    return 1.0 - math.exp(-seen_count / scale)


def mood(positive: int, negative: int) -> float:
    """How positive a text sounds by its signs of either mood; 0 without any [SCO-11].

        mood = (positive - negative) / (positive + negative)     range [-1, 1]

    >>> mood(3, 1), mood(0, 0)
    (0.5, 0.0)
    """
    signs = positive + negative
    return (positive - negative) / signs if signs else 0.0


def emotion_match(query: float, memory: float) -> float:
    """How far two moods are the same [SCO-11].

        emotion_match = max(0, query memory)     range [0, 1]

    >>> emotion_match(-1.0, -0.5), emotion_match(-1.0, 1.0), emotion_match(0.0, 1.0)
    (0.5, 0.0, 0.0)
    """
    return max(0.0, query * memory)


def priority(relevance: float, confidence: float) -> float:
    """What a memory is worth as an answer [SCO-05].

        priority = relevance * confidence

    >>> priority(0.5, 0.5)
    0.25
    """
    return relevance * confidence


def note_priority(importance: float, confidence: float, age_days: float, tau_days: float) -> float:
    """What a note is worth when notes compete for storage, whatever the query [REF-07].

        priority = importance * confidence * recency(age, tau)

    >>> round(note_priority(0.5, 0.7, age_days=30.0, tau_days=30.0), 3)
    0.129
    """
    return importance * confidence * recency(age_days, tau_days)


def memory_score(importance: float, access_count: int, age_days: float, associated: bool) -> float:
    """What a memory of the day is worth keeping in working memory [SLP-16].

        score = min(1, importance + min(accesses / 10, 0.3) + 0.2 recency + 0.1 [associated])

    Bonuses for use, for being recent (`recency` by a week) and for what was learned from it.

    >>> round(memory_score(0.0, 9, 1.0, associated=True), 3)
    0.573
    >>> memory_score(0.9, 50, 0.0, associated=True)
    1.0
    """
    used = min(max(0, access_count) * BONUS_PER_ACCESS, MAX_ACCESS_BONUS)
    recent = RECENCY_BONUS * recency(age_days, SCORE_TAU_DAYS)
    return min(1.0, importance + used + recent + (ASSOCIATION_BONUS if associated else 0.0))


def standardised(features: NDArray[np.floating]) -> NDArray[np.float64]:
    """Each column less its mean, divided by its spread; a column of equals becomes zeros.

        z = (x - mean x) / sd x        over the candidates of one question

    >>> standardised(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    exact = features.astype(np.float64)
    if not len(exact):
        return exact
    centred = exact - exact.mean(axis=0)
    spread = np.sqrt((centred * centred).mean(axis=0))
    standard: NDArray[np.float64] = centred / np.where(spread > 1e-6, spread, np.inf)
    return standard


Value = TypeVar("Value", float, NDArray[Any])


def reciprocal_rank(rank: Value, rrf_k: float, weight: float) -> Value:
    """What one ranking contributes to a candidate it put at `rank` (1 is best) [RD-09].

        contribution = weight / (rrf_k + rank)

    A candidate's fused score is the sum over the rankings that found it.

    >>> round(reciprocal_rank(1, rrf_k=60.0, weight=1.0), 5)
    0.01639
    """
    return weight / (rrf_k + rank)


def mmr(
    scores: NDArray[np.float64], alike: NDArray[np.float64], balance: float, k: int
) -> list[int]:
    """Positions of k candidates, chosen one by one: good, and unlike those chosen before [RD-07].

        next = argmax_i  balance score_i - (1 - balance) max_{j chosen} alike_ij

    `scores` and `alike` are from 0 to 1. With balance 1 they are the k best. Of equals the earlier.

    >>> scores, alike = np.array([1.0, 0.9, 0.5]), np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1.0]])
    >>> mmr(scores, alike, balance=0.5, k=2)
    [0, 2]
    """
    chosen: list[int] = []
    nearest = np.zeros(len(scores))
    worth = balance * scores
    for _ in range(min(k, len(scores))):
        best = int((worth - (1 - balance) * nearest).argmax())
        chosen.append(best)
        worth[best] = -np.inf  # not again
        nearest = np.maximum(nearest, alike[best])
    return chosen
