"""Simulated people with a hidden style in each of several contexts.

Three leanings make a style (terse or thorough, matter-of-fact or warm, reactive or forward), spread
over the dimensions by fixed loadings and blurred, so that no person's style is that of a skill. A
person likes an answer by how near the style of its skill is to the hidden one, and may be moody:

    p(like) = mood + (1 - 2·mood) / (1 + exp(-steepness·(near - distance)))

with the distance as the root mean square over the dimensions that have a name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sharpwave import Memory, Skill
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
class PersonKind:
    """What people are like."""

    name: str
    mood: float
    """How often they like or dislike something for no reason."""
    rates: float
    """Share of answers that they rate."""


STEADY = PersonKind("steady", 0.05, 1.0)
MOODY = PersonKind("noisy", 0.15, 1.0)
QUIET = PersonKind("silent (rates 3 of 10)", 0.05, 0.3)


@dataclass(frozen=True, slots=True)
class Person:
    """One person, and everything that chance will bring."""

    name: str
    kind: PersonKind
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


def people(count: int, kind: PersonKind, steps: int, contexts: int, seed: int) -> list[Person]:
    """People that are the same for the same seed."""
    return [
        _person(f"{kind.name}-{n}", kind, steps, contexts, np.random.default_rng([seed, n]))
        for n in range(count)
    ]


def _person(
    name: str, kind: PersonKind, steps: int, contexts: int, dice: np.random.Generator
) -> Person:
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


class Chooser(Protocol):
    """Chooses for one person, and may learn from ratings."""

    def choose(self, context: ReadContext, chances: Floats) -> int:
        """The place of a skill; `chances` are those of the person, which only an oracle uses."""

    def learn(self, context: ReadContext, skill: int, reward: int) -> None:
        """What the person thought of it."""


class Ours:
    """The real thing: `skills.select` and `feedback`."""

    def __init__(self, memory: Memory, places: Mapping[str, int]) -> None:
        self._memory, self._places = memory, places
        self._message = ""

    def choose(self, context: ReadContext, chances: Floats) -> int:
        """By `skills.select`."""
        choice = self._memory.skills.select("…", context=context)
        self._message = choice.message_id
        return self._places[choice.skill.id]

    def learn(self, context: ReadContext, skill: int, reward: int) -> None:
        """By `feedback`."""
        self._memory.feedback(self._message, reward)


class Among:
    """Others choose among the skills whose trigger fits, as ours does."""

    def __init__(self, skills: Sequence[Skill], dice: np.random.Generator) -> None:
        self.skills, self.dice = skills, dice

    def fitting(self, context: ReadContext) -> NDArray[np.int64]:
        """Places of the skills that apply."""
        return np.flatnonzero([_fits(skill, context) for skill in self.skills])

    def learn(self, context: ReadContext, skill: int, reward: int) -> None:
        """Nothing is learned."""


class Uniform(Among):
    """Any skill that applies."""

    def choose(self, context: ReadContext, chances: Floats) -> int:
        """One of them."""
        return int(self.dice.choice(self.fitting(context)))


class Oracle(Among):
    """Knows what the person likes."""

    def choose(self, context: ReadContext, chances: Floats) -> int:
        """The best there is."""
        places = self.fitting(context)
        return int(places[chances[places].argmax()])


class EpsilonGreedy(Among):
    """The best mean so far in this context; one in ten at random."""

    epsilon = 0.1

    def __init__(self, skills: Sequence[Skill], dice: np.random.Generator) -> None:
        super().__init__(skills, dice)
        self._won: dict[tuple[str, int], list[int]] = {}

    def choose(self, context: ReadContext, chances: Floats) -> int:
        """The best mean, ties by chance."""
        places = self.fitting(context)
        if self.dice.random() < self.epsilon:
            return int(self.dice.choice(places))
        means = [self._mean(context, int(place)) for place in places]
        ties = self.dice.random(len(places)) * 1e-6
        return int(places[(np.array(means) + ties).argmax()])

    def learn(self, context: ReadContext, skill: int, reward: int) -> None:
        """Count."""
        self._won.setdefault((_key(context), skill), []).append(int(reward > 0))

    def _mean(self, context: ReadContext, skill: int) -> float:
        seen = self._won.get((_key(context), skill), [])
        return (1 + sum(seen)) / (2 + len(seen))


class LinUCB(Among):
    """A linear model of the reward by style, one a context, chosen by its upper bound."""

    alpha = 0.5

    def __init__(self, skills: Sequence[Skill], dice: np.random.Generator) -> None:
        super().__init__(skills, dice)
        styles = np.array([skill.dimensions for skill in skills])
        self._features = np.hstack([np.ones((len(skills), 1)), 2 * styles - 1])
        self._models: dict[str, tuple[Floats, Floats]] = {}

    def choose(self, context: ReadContext, chances: Floats) -> int:
        """The highest upper bound."""
        matrix, moment = self._model(context)
        inverse = np.linalg.inv(matrix)
        places = self.fitting(context)
        rows = self._features[places]
        spread = np.sqrt(np.einsum("ij,jk,ik->i", rows, inverse, rows))
        return int(places[(rows @ inverse @ moment + self.alpha * spread).argmax()])

    def learn(self, context: ReadContext, skill: int, reward: int) -> None:
        """One more equation."""
        matrix, moment = self._model(context)
        row = self._features[skill]
        self._models[_key(context)] = (matrix + np.outer(row, row), moment + reward * row)

    def _model(self, context: ReadContext) -> tuple[Floats, Floats]:
        size = self._features.shape[1]
        return self._models.get(_key(context), (np.eye(size), np.zeros(size)))


def _key(context: ReadContext) -> str:
    return f"{context.intent}_{context.sentiment}_{context.time_of_day}"


def _fits(skill: Skill, context: ReadContext) -> bool:
    """As in the simulation no topic is known: an intent that is named decides."""
    served = (*skill.trigger.intent, *skill.trigger.also)
    return not served or context.intent in served
