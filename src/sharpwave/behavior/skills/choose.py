"""Which skill fits a message best: trigger, experience and style, and now and then something else.

Pure: everything that is known comes in, nothing is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.bandit import Odds, exploration_rate
from sharpwave.formulas.skills import relative, skill_score, style_alignment, trigger_match
from sharpwave.settings.skills import MatchSettings, SkillSettings
from sharpwave.types.intent import ReadContext
from sharpwave.types.skills import Candidate, Skill, Trigger

Floats = NDArray[np.float64]
Topics = Mapping[str, NDArray[np.float32] | None]


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a person in one context."""

    style: Floats
    odds: Mapping[str, Odds]
    """By skill, with the prior; complete."""
    confidence: Mapping[str, float]
    ratings: int
    explores: bool = True
    """Whether the person lets something else be tried now and then."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The skill, and what it was weighed against."""

    skill: Skill
    is_exploration: bool
    epsilon: float
    candidates: tuple[Candidate, ...]
    """Those that were weighed, the best first; one that is only tried comes first of all."""
    applicable: int
    """How many applied at all; 0 if none did and the best of all was taken."""


def choose(
    skills: Sequence[Skill],
    context: ReadContext,
    topics: Topics,
    standing: Standing,
    settings: SkillSettings,
    dice: np.random.Generator,
) -> Chosen:
    """The skill for a message [SKL-16, EXP-01]."""
    fits = np.array([_fit(skill.trigger, context, topics, settings.match) for skill in skills])
    places = np.flatnonzero(fits >= settings.match.threshold)
    applicable = len(places)
    if not applicable:
        places = np.arange(len(skills))
    weighed = _weigh([skills[int(n)] for n in places], fits[places], standing, settings.match, dice)
    sure = [one for one in weighed if one.confidence >= settings.match.min_confidence]
    shortlist = _shortlist(sure or weighed, settings.match)
    best = shortlist[0]
    numbers = settings.exploration
    epsilon = exploration_rate(standing.ratings, numbers.start, numbers.floor, numbers.decay)
    others = [one for one in weighed if one.skill != best.skill]
    by_id = {skill.id: skill for skill in skills}
    tries = numbers.enabled and standing.explores
    if not tries or not others or dice.random() >= epsilon:
        return Chosen(by_id[best.skill], False, epsilon, tuple(shortlist), applicable)
    less_sure = [one for one in others if one.confidence <= best.confidence] or others
    tried = less_sure[int(dice.integers(len(less_sure)))]
    listed = (tried, *(one for one in shortlist if one.skill != tried.skill))
    return Chosen(by_id[tried.skill], True, epsilon, listed, applicable)


def _fit(trigger: Trigger, context: ReadContext, topics: Topics, match: MatchSettings) -> float:
    fits = (
        not trigger.intent or context.intent in trigger.intent,
        not trigger.time_of_day or context.time_of_day in trigger.time_of_day,
        not trigger.sentiment or context.sentiment in trigger.sentiment,
    )
    about = topics.get(trigger.topic) if trigger.topic else None
    cosine = None
    if about is not None and context.topic is not None:
        cosine = float(about @ context.topic)
    weights = (match.intent, match.time_of_day, match.sentiment, match.topic)
    return trigger_match(fits, cosine, weights)


def _weigh(
    skills: Sequence[Skill],
    fits: Floats,
    standing: Standing,
    match: MatchSettings,
    dice: np.random.Generator,
) -> list[Candidate]:
    """Every skill that applies, with all terms of its score; the best first."""
    odds = [standing.odds[skill.id] for skill in skills]
    alpha, beta = np.array([one.alpha for one in odds]), np.array([one.beta for one in odds])
    sampled = dice.beta(alpha, beta)
    alignment = style_alignment(standing.style, np.array([skill.dimensions for skill in skills]))
    aligned = relative(alignment) if match.relative_alignment else alignment
    weights = _weights(match)
    scores = skill_score(fits, sampled, aligned, weights)
    found = [
        Candidate(
            skill=skill.id,
            score=float(scores[n]),
            trigger=float(fits[n]),
            sampled=float(sampled[n]),
            alignment=float(alignment[n]),
            aligned=float(aligned[n]),
            confidence=standing.confidence[skill.id],
            alpha=float(alpha[n]),
            beta=float(beta[n]),
        )
        for n, skill in enumerate(skills)
    ]
    return sorted(found, key=lambda one: -one.score)


def _shortlist(weighed: Sequence[Candidate], match: MatchSettings) -> list[Candidate]:
    """The few with the best prospects (without luck), ordered by their scores (with it)."""
    weights = _weights(match)

    def prospects(one: Candidate) -> float:
        return skill_score(one.trigger, Odds(one.alpha, one.beta).mean, one.aligned, weights)

    best = sorted(weighed, key=lambda one: -prospects(one))[: match.max_candidates]
    return sorted(best, key=lambda one: -one.score)


def _weights(match: MatchSettings) -> tuple[float, float, float]:
    return match.trigger_weight, match.sampled_weight, match.alignment_weight
