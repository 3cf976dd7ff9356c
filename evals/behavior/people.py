"""Simulated people with a hidden style in each of several contexts.

Three leanings make a style (terse or thorough, matter-of-fact or warm, reactive or forward), spread
over the dimensions by fixed loadings and blurred, so that nobody's style is that of a skill. A
person likes an answer by how near the style of its skill is to the hidden one, and may be moody:

    p(like) = mood + (1 - 2·mood) / (1 + exp(-steepness·(near - distance)))

with the distance as the root mean square over the dimensions that have a name.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharpwave.types.intent import ReadContext
from sharpwave.types.skills import DIMENSIONS, ENDS

Floats = NDArray[np.float64]
STEEPNESS, NEAR = 40.0, 0.27
_OWN, _PLACE, _BLUR = 0.6, 0.6, 0.08
NAMED = np.array([name in ENDS for name in DIMENSIONS])

CONTEXTS = tuple(
    ReadContext(*words, topic=None, entities=())
    for words in (
        ("question", "neutral", "morning"),
        ("request", "neutral", "afternoon"),
        ("chat", "positive", "evening"),
        ("emotional_support", "negative", "evening"),
        ("explanation", "neutral", "afternoon"),
        ("planning", "neutral", "morning"),
    )
)
_LOADINGS = (
    {"verbosity": 0.8, "explanation_depth": 0.8, "example_usage": 0.6, "patience": 0.6}
    | {"question_asking": 0.2},
    {"formality": -0.7, "technical_depth": -0.6, "emotional_expression": 0.8, "structure": -0.4}
    | {"reassurance_level": 0.7, "enthusiasm": 0.5, "creativity": 0.3, "directness": -0.3},
    {"proactivity": 0.8, "question_asking": 0.6, "creativity": 0.6, "enthusiasm": 0.4}
    | {"structure": 0.1, "directness": 0.1},
)
_MATRIX = np.array([[leaning.get(name, 0.0) for name in DIMENSIONS] for leaning in _LOADINGS])


@dataclass(frozen=True, slots=True)
class Kind:
    """What people are like."""

    name: str
    mood: float
    """How often they like or dislike something for no reason."""
    rates: float
    """Share of answers that they rate."""


STEADY = Kind("steady", 0.05, 1.0)
MOODY = Kind("noisy", 0.15, 1.0)
QUIET = Kind("silent (rates 3 of 10)", 0.05, 0.3)


@dataclass(frozen=True, slots=True)
class Person:
    """One person, and everything that chance will bring."""

    name: str
    kind: Kind
    styles: tuple[Floats, ...]
    """One a context, as they are at first."""
    later: tuple[Floats, ...]
    """The same after a change of mind."""
    contexts: tuple[int, ...]
    visits: NDArray[np.int64]
    """Which of the contexts each interaction is in."""
    luck: Floats
    speaks: NDArray[np.bool_]

    def likes(self, step: int, styles: Floats, changed: bool = False) -> Floats:
        """The chance that this person likes each of these styles."""
        hidden = (self.later if changed else self.styles)[self.visits[step]]
        distance = np.sqrt(((styles - hidden)[:, NAMED] ** 2).mean(axis=1))
        nearness = 1.0 / (1.0 + np.exp(-STEEPNESS * (NEAR - distance)))
        liked: Floats = self.kind.mood + (1.0 - 2.0 * self.kind.mood) * nearness
        return liked

    def context(self, step: int) -> ReadContext:
        """The context of an interaction."""
        return CONTEXTS[self.contexts[int(self.visits[step])]]


def people(count: int, kind: Kind, steps: int, contexts: int, seed: int) -> list[Person]:
    """People that are the same for the same seed."""
    return [
        _person(f"{kind.name}-{n}", kind, steps, contexts, np.random.default_rng([seed, n]))
        for n in range(count)
    ]


def _person(name: str, kind: Kind, steps: int, contexts: int, dice: np.random.Generator) -> Person:
    chosen = tuple(int(n) for n in dice.choice(len(CONTEXTS), contexts, replace=False))
    return Person(
        name=name,
        kind=kind,
        styles=_styles(dice, chosen),
        later=_styles(dice, chosen),
        contexts=chosen,
        visits=dice.integers(contexts, size=steps),
        luck=dice.random(steps),
        speaks=dice.random(steps) < kind.rates,
    )


def _styles(dice: np.random.Generator, contexts: Sequence[int]) -> tuple[Floats, ...]:
    own = dice.uniform(-1, 1, len(_LOADINGS))
    made = []
    for _ in contexts:
        leaning = np.clip(_OWN * own + _PLACE * dice.uniform(-1, 1, len(_LOADINGS)), -1, 1)
        blur = np.where(NAMED, dice.normal(0, _BLUR, len(DIMENSIONS)), 0.0)
        made.append(np.clip(0.5 + 0.5 * leaning @ _MATRIX + blur, 0, 1))
    return tuple(made)
