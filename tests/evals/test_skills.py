"""The simulated people, and that the evaluation says what it means to say."""

import numpy as np
import pytest

from evals import skills
from evals.simulated import STEADY, Oracle, Uniform, people


def test_people_are_the_same_for_the_same_seed() -> None:
    one, again = (people(2, STEADY, 5, 2, seed=1) for _ in range(2))
    assert np.array_equal(one[1].luck, again[1].luck)
    assert np.array_equal(one[1].styles[0], again[1].styles[0])
    assert not np.array_equal(one[0].styles[0], one[1].styles[0])


def test_people_like_what_is_near() -> None:
    (person,) = people(1, STEADY, 5, 2, seed=1)
    hidden = person.styles[person.visits[0]]
    near, far = person.likes(0, np.array([hidden, 1 - hidden]))
    assert near > 0.9 > far >= 0.05


@pytest.mark.spec("EVL-33", "EVL-29")
def test_ten_interactions_are_enough() -> None:
    crowd = people(12, STEADY, skills.FIRST, 2, skills.SEED)
    with skills.open_memory(skills.SHIPPED) as memory:
        ours = skills.play_ours(memory, crowd)
    luck, best = skills.play_other(Uniform, crowd), skills.play_other(Oracle, crowd)
    assert ours.chances[:, -3:].mean() >= 0.7
    assert ours.chances.mean() > luck.chances.mean() + 0.1
    assert np.array_equal(best.chances, best.best)


@pytest.mark.spec("EVL-30")
def test_people_are_more_content_than_by_luck() -> None:
    crowd = people(8, STEADY, skills.STEPS, 2, skills.SEED)
    with skills.open_memory(skills.SHIPPED) as memory:
        ours = skills.play_ours(memory, crowd)
    luck = skills.play_other(Uniform, crowd)
    rewards, by_luck = (2 * of.chances - 1 for of in (ours, luck))  # liked is 1, disliked is -1
    assert rewards[:, skills.FIRST :].mean() > 0.5 > by_luck.mean() + 0.1


@pytest.mark.spec("EVL-25")
def test_one_person_changes_nothing_for_another() -> None:
    assert skills.is_isolated()


@pytest.mark.spec("EVL-34")
def test_confidence_settles() -> None:
    variance, size = skills.settling(2)
    assert variance < 0.1
    assert size < 1_000_000
