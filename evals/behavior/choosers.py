"""What chooses skills: ours, through the public surface, and others on the same people."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sharpwave import Memory
from sharpwave.types.intent import ReadContext
from sharpwave.types.skills import Skill

Floats = NDArray[np.float64]


class Chooser(Protocol):
    """Chooses for one person, and may learn from ratings."""

    def choose(self, context: ReadContext, chances: Floats) -> int:
        """The place of a skill; `chances` are those of the person, for whoever may know them."""

    def learn(self, context: ReadContext, skill: int, reward: int) -> None:
        """What the person thought of it."""


class Ours:
    """The real thing: `select_skill` and `feedback`."""

    def __init__(self, memory: Memory, places: Mapping[str, int]) -> None:
        self._memory, self._places = memory, places
        self._message = ""

    def choose(self, context: ReadContext, chances: Floats) -> int:
        """By `select_skill`."""
        choice = self._memory.select_skill("…", context=context)
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
    return not skill.trigger.intent or context.intent in skill.trigger.intent
