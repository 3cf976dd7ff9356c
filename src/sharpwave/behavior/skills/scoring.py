"""Which skill fits a message best: trigger, experience and style, with some exploration.

Also which skills the user's rules allow: a rule wins over any skill. Nothing is stored.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior import length_limits, meaning, rules
from sharpwave.behavior.skills.learning import PRIOR
from sharpwave.formulas.bandit import Odds, exploration_rate
from sharpwave.formulas.rules import holds_in
from sharpwave.formulas.skills import relative, skill_score, style_alignment, trigger_match, trusted
from sharpwave.settings.core import SkillSettings
from sharpwave.types.intent import ReadContext
from sharpwave.types.skills import DIMENSIONS, NEUTRAL, Skill, SkillCandidate, SkillType, Trigger
from sharpwave.workspace import Workspace

TRIGGER_WEIGHTS = (0.4, 0.15, 0.15, 0.3)
"""Of intent, time of day, sentiment and the topic's cosine in a trigger's match [SKL-14]."""
SCORE_WEIGHTS = (0.4, 0.3, 0.3)
"""Of trigger, Thompson sample and style alignment in a skill's score [SKL-16]."""
FURTHER, ALSO, ANY_FIT = 0.5, 0.2, 0.75
"""Weights of a trigger's further intents and of those it also serves, relative to its likeliest
intent; fit of a trigger that names no intent."""
EVEN = 0.5
"""Style alignment of a skill while nothing is known of the style."""
EVIDENCE = 1.0
"""Number of ratings at which learned values outweigh `EVEN` or the mean."""
MIN_CONFIDENCE = 0.3
"""Minimum confidence of a preferred skill; below it, a skill is only explored [SKL-17]."""
EXPLORATION_START, EXPLORATION_FLOOR, EXPLORATION_DECAY = 0.1, 0.05, 0.95
"""Rate before any rating, minimum rate, and factor with each rating [EXP-01, EXP-02]."""
RULE_MARGIN = 0.15
"""Minimum distance from neutral, on the opposite side, of a style that contradicts a rule."""
_AXES = {
    "length": ("verbosity", 1),
    "formality": ("formality", 1),
    "difficulty": ("technical_depth", 1),
    "firmness": ("directness", -1),
}
"""The style dimension of each axis of rules, and its direction."""
_SENTENCE_END = re.compile(r"(?<=[.!?\n;])\s+")
Floats = NDArray[np.float64]
Topics = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class ContextState:
    """What is known about a user in one context."""

    style: Floats
    odds: Mapping[str, Odds]
    """Odds of every skill, including the prior."""
    confidence: Mapping[str, float]
    ratings: int
    style_evidence: float = 0.0
    """Number of ratings behind the style; infinite if the user has set it."""
    used: frozenset[str] = frozenset()
    """Skills that were used before: others are explored only if the best one was."""
    explores: bool = True
    """Whether the user allows exploration."""


@dataclass(frozen=True, slots=True)
class Selected:
    """The selected skill, and the candidates it was compared with."""

    skill: Skill
    is_exploration: bool
    epsilon: float
    candidates: tuple[SkillCandidate, ...]
    """The best first; an explored skill comes first of all."""
    applicable: int
    """Number of skills that applied; 0 if none did and the best of all was taken."""


def choose(
    skills: Sequence[Skill],
    context: ReadContext,
    topics: Topics,
    state: ContextState,
    settings: SkillSettings,
    rng: np.random.Generator,
) -> Selected:
    """The skill for a message [SKL-16, EXP-01]."""
    matches = trigger_matches(skills, context, topics)
    places = np.flatnonzero(matches >= settings.threshold)
    applicable = len(places)
    if not applicable:
        places = np.arange(len(skills))
    weighed = _weigh([skills[int(n)] for n in places], matches[places], state, rng)
    sure = [candidate for candidate in weighed if candidate.confidence >= MIN_CONFIDENCE]
    shortlist = _shortlist(sure or weighed, settings.max_candidates)
    best = shortlist[0]
    epsilon = exploration(state.ratings)
    alternatives = [candidate for candidate in weighed if candidate.skill != best.skill]
    by_id = {skill.id: skill for skill in skills}
    explores = settings.exploration and state.explores and best.skill in state.used
    if not explores or not alternatives or rng.random() >= epsilon:
        return Selected(by_id[best.skill], False, epsilon, tuple(shortlist), applicable)
    less_confident = [
        candidate for candidate in alternatives if candidate.confidence <= best.confidence
    ] or alternatives
    explored = less_confident[int(rng.integers(len(less_confident)))]
    listed = (
        explored,
        *(candidate for candidate in shortlist if candidate.skill != explored.skill),
    )
    return Selected(by_id[explored.skill], True, epsilon, listed, applicable)


def exploration(ratings: int) -> float:
    """The exploration rate after so many ratings [EXP-02]."""
    return exploration_rate(ratings, EXPLORATION_START, EXPLORATION_FLOOR, EXPLORATION_DECAY)


def trigger_matches(skills: Sequence[Skill], context: ReadContext, topics: Topics) -> Floats:
    """How well the trigger of each skill fits a message [SKL-14]."""
    fits = zip(skills, _intent_fits(skills, context), strict=True)
    return np.array([_match(skill.trigger, fit, context, topics) for skill, fit in fits])


def _match(trigger: Trigger, intent_fit: float, context: ReadContext, topics: Topics) -> float:
    fits = (
        intent_fit,
        float(not trigger.time_of_day or context.time_of_day in trigger.time_of_day),
        float(not trigger.sentiment or context.sentiment in trigger.sentiment),
    )
    about = topics.get(trigger.topic)
    cosine = None
    if about is not None and context.topic is not None:
        cosine = float(about @ context.topic)
    return trigger_match(fits, cosine, TRIGGER_WEIGHTS)


def _intent_fits(skills: Sequence[Skill], context: ReadContext) -> list[float]:
    """How well the intents of each skill fit: 1 for the skill that serves the likely intents best.

    Intents that one skill serves count together. A user's own skill also fits fully if it names the
    likeliest intent.
    """
    likely = context.intents or {context.intent: 1.0}
    shares = [_served(skill.trigger, likely) for skill in skills]
    best = max(shares) or 1.0
    fits = []
    for skill, share in zip(skills, shares, strict=True):
        trigger = skill.trigger
        own = skill.type is SkillType.USER_CREATED and context.intent in trigger.intent
        named = trigger.intent or trigger.also
        fits.append((1.0 if own else share / best) if named else ANY_FIT)
    return fits


def _served(trigger: Trigger, likely: Mapping[str, float]) -> float:
    """Weighted probability of the intents that a trigger serves."""
    made_for = [likely.get(name, 0.0) for name in trigger.intent]
    best = max(made_for, default=0.0)
    also = sum(likely.get(name, 0.0) for name in trigger.also)
    return best + FURTHER * (sum(made_for) - best) + ALSO * also


def _weigh(
    skills: Sequence[Skill], matches: Floats, state: ContextState, rng: np.random.Generator
) -> list[SkillCandidate]:
    """Every skill with all terms of its score; the best first."""
    odds = [state.odds[skill.id] for skill in skills]
    alpha, beta = (
        np.array([estimate.alpha for estimate in odds]),
        np.array([estimate.beta for estimate in odds]),
    )
    # Before any rating in this context, a sample would be noise: use the mean and the trigger.
    rated = float((alpha + beta).sum()) - len(odds) * sum(PRIOR)
    sampled = trusted(rng.beta(alpha, beta), alpha / (alpha + beta), rated, EVIDENCE)
    alignment = style_alignment(state.style, np.array([skill.dimensions for skill in skills]))
    # Absolute distances hardly differ between skills: compare them among the candidates [PV-05].
    # An unknown style is near neutral skills by chance.
    aligned = trusted(relative(alignment), EVEN, state.style_evidence, EVIDENCE)
    scores = skill_score(matches, sampled, aligned, SCORE_WEIGHTS)
    candidates = [
        SkillCandidate(
            skill=skill.id,
            score=float(scores[n]),
            trigger=float(matches[n]),
            sampled=float(sampled[n]),
            alignment=float(alignment[n]),
            aligned=float(aligned[n]),
            confidence=state.confidence[skill.id],
            alpha=float(alpha[n]),
            beta=float(beta[n]),
        )
        for n, skill in enumerate(skills)
    ]
    named = {skill.id: _named_keys(skill.trigger) for skill in skills}
    mixed = [candidates[int(n)] for n in rng.permutation(len(candidates))]
    return sorted(mixed, key=lambda candidate: (-candidate.score, -named[candidate.skill]))


def _named_keys(trigger: Trigger) -> int:
    """How specific a trigger is."""
    return sum(map(bool, (trigger.intent, trigger.sentiment, trigger.time_of_day, trigger.topic)))


def _shortlist(candidates: Sequence[SkillCandidate], size: int) -> list[SkillCandidate]:
    """The candidates with the best expected scores, ordered by their sampled scores."""

    def expected(candidate: SkillCandidate) -> float:
        return skill_score(
            candidate.trigger,
            Odds(candidate.alpha, candidate.beta).mean,
            candidate.aligned,
            SCORE_WEIGHTS,
        )

    best = sorted(candidates, key=lambda candidate: -expected(candidate))[:size]
    return sorted(best, key=lambda candidate: -candidate.score)


# ---- rules


def rules_in_force(workspace: Workspace) -> list[str]:
    """The rules that hold everywhere: the user's own, and agents' reports once accepted."""
    return [rule.text for rule in rules.stored(workspace) if holds_in(rule.scope, None)]


def compatible(skills: Sequence[Skill], accepted: Sequence[str]) -> list[Skill]:
    """The skills that contradict no rule; all skills if every one does."""
    left = [skill for skill in skills if not any(contradicts(skill, rule) for rule in accepted)]
    return left or list(skills)


def contradicts(skill: Skill, rule: str) -> bool:
    """Whether a skill's style or template contradicts a rule."""
    stance = meaning.stance(rule)
    sides = dict(stance.sides) if meaning.is_of_answers(stance) else {}
    if length_limits.wants_short(rule):
        sides["length"] = -1
    for axis, side in sides.items():
        dimension, direction = _AXES[axis]
        lean = (skill.dimensions[DIMENSIONS.index(dimension)] - NEUTRAL) * side * direction
        if lean <= -RULE_MARGIN:
            return True
    if stance.tail or skill.type is not SkillType.USER_CREATED:
        return False  # the rule only applies to some occasions, or there is no template to compare
    return any(meaning.opposed(rule, line) for line in _SENTENCE_END.split(skill.template))
