"""Choosing a skill and learning from a rating: trigger, score, confidence, style vectors."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = TypeVar("Number", float, NDArray[np.float64])


def skill_score(
    trigger: Number, sampled: Number, alignment: Number, weights: tuple[float, float, float]
) -> Number:
    """Score of a skill from trigger, Thompson sample and style, each in [0, 1] [SKL-16].

        score = w_trigger·trigger + w_sampled·sampled + w_alignment·alignment

    >>> round(skill_score(1.0, 0.5, 0.8, (0.4, 0.3, 0.3)), 4)
    0.79
    """
    return weights[0] * trigger + weights[1] * sampled + weights[2] * alignment


def eviction_order(confidence: float, is_base: bool, bonus: float) -> float:
    """Eviction key, least first: base skills are spared by a factor [SKL-20].

    >>> eviction_order(0.4, is_base=True, bonus=1.5) > eviction_order(0.5, False, 1.5)
    True
    """
    return confidence * bonus if is_base else confidence


def trigger_match(
    fits: tuple[float, float, float],
    cosine: float | None,
    weights: tuple[float, float, float, float],
) -> float:
    """Weighted share of what fits: intent, time of day, sentiment, and the topic's cosine [SKL-14].

        score = Σ w·fit + w_topic·max(0, cosine), divided by the weights that could count

    A fit is from 0 to 1. A trigger that does not name a key fits it. Without a topic on either
    side (`cosine` None) its weight is left out and the others make up for it.

    >>> weights = (0.4, 0.15, 0.15, 0.3)
    >>> round(trigger_match((True, False, True), 0.5, weights), 4)
    0.7
    >>> round(trigger_match((True, True, True), None, weights), 4)
    1.0
    >>> round(trigger_match((False, True, True), None, weights), 4)
    0.4286
    """
    *named, topic = weights
    score = sum(weight * fit for weight, fit in zip(named, fits, strict=True))
    total = sum(named)
    if cosine is not None:
        score += topic * min(1.0, max(0.0, cosine))
        total += topic
    return score / total if total else 0.0


def trusted(
    estimate: Floats, guess: Floats | float, evidence: Floats | float, shared: float
) -> Floats:
    """An estimate as far as there is evidence for it, a guess for the rest.

        w = 1 - shared / (evidence + shared);   guess + w·(estimate - guess)

    >>> [float(trusted(np.array(0.9), 0.5, n, shared=3.0)) for n in (0, 3, np.inf)]
    [0.5, 0.7, 0.9]
    """
    weight = 1.0 - shared / (evidence + shared)
    mixed: Floats = guess + weight * (estimate - guess)
    return mixed


def skill_confidence(
    current: float, reward: float, rate: float, reach: float, low: float, high: float
) -> float:
    """Confidence after a rating: moving average towards a target set by the reward [SKL-12].

        target = 0.5 + reach·sign(reward)
        new    = a·target + (1 - a)·current   with a = rate·|reward|, clamped to [low, high]

    A reward of 0 changes nothing; one of less than 1 is a weaker sign and takes a smaller step.

    >>> round(skill_confidence(0.5, 1, rate=0.3, reach=0.3, low=0.2, high=0.9), 4)
    0.59
    >>> round(skill_confidence(0.5, -1, rate=0.1, reach=0.3, low=0.2, high=0.9), 4)
    0.47
    """
    if reward == 0:
        return current
    target = 0.5 + (reach if reward > 0 else -reach)
    step = rate * min(1.0, abs(reward))
    return max(low, min(high, step * target + (1.0 - step) * current))


def learning_rate(uses: int, new: float, settled: float, settled_after: int) -> float:
    """Fast while a skill is new, slow once it is settled [SKL-12].

    >>> [learning_rate(uses, 0.3, 0.1, 10) for uses in (0, 9, 10)]
    [0.3, 0.3, 0.1]
    """
    return new if uses < settled_after else settled


def style_alignment(person: Floats, skills: Floats) -> Floats:
    """How close a person's style is to each row of `skills` [PV-05].

        alignment = 1 - distance / √dimensions        range [0, 1]

    >>> style_alignment(np.full(4, 0.5), np.array([[0.5] * 4, [1.0] * 4])).tolist()
    [1.0, 0.5]
    """
    distance = np.linalg.norm(skills - person, axis=1)
    result: Floats = 1.0 - distance / np.sqrt(len(person))
    return result


def relative(alignments: Floats) -> Floats:
    """Alignments stretched over those that compete: the closest 1, the farthest 0.

        (a - min) / (max - min); all the same: 0.5

    Skills differ by a tenth or so in alignment, while a sample of the bandit differs by up to 1: as
    it stands, style would hardly ever decide.

    >>> relative(np.array([0.8, 0.9, 0.85])).round(2).tolist()
    [0.0, 1.0, 0.5]
    """
    if not len(alignments):
        return alignments
    low, high = float(alignments.min()), float(alignments.max())
    if high - low < 1e-9:
        return np.full_like(alignments, 0.5)
    stretched: Floats = (alignments - low) / (high - low)
    return stretched


def style_update(style: Floats, skill: Floats, reward: float, rate: float) -> Floats:
    """Style after a rating: towards a liked skill, away from a disliked one [PV-04].

        new = style + reward·rate·(skill - style), clamped to [0, 1]

    >>> style_update(np.array([0.5, 0.5]), np.array([0.2, 0.5]), 1, 0.1).round(3).tolist()
    [0.47, 0.5]
    """
    if reward == 0:
        return style
    return np.clip(style + reward * rate * (skill - style), 0.0, 1.0)


def style_push(style: Floats, direction: Floats, rate: float) -> Floats:
    """Style after a comment: "too long" pushes verbosity down, whatever it was [PV-14].

        new = style + rate·direction, clamped to [0, 1]

    >>> style_push(np.array([0.5, 0.05]), np.array([1.0, -1.0]), 0.1).tolist()
    [0.6, 0.0]
    """
    return np.clip(style + rate * direction, 0.0, 1.0)
