from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.sampling import SumTree, by_tree, one_by_one, replay_priority, replay_weight

weights = st.lists(st.integers(1, 50).map(float), min_size=1, max_size=40)


@pytest.mark.spec("RPL-03")
@given(weights, st.data())
def test_both_ways_draw_the_same(weights: list[float], data: st.DataObject) -> None:
    draw = st.floats(0, 1, exclude_max=True)
    draws = data.draw(st.lists(draw, min_size=len(weights), max_size=len(weights)))
    drawn = by_tree(weights, draws)
    assert sorted(drawn) == list(range(len(weights))), "everything once, nothing twice"
    assert drawn == one_by_one(weights, draws)


def test_the_edge_between_two_belongs_to_the_second() -> None:
    draws = [0.5, 0.0]
    assert by_tree([1.0, 1.0], draws) == [1, 0] == one_by_one([1.0, 1.0], draws)


@given(st.lists(st.sampled_from([0.0, 1.0, 3.0]), min_size=1, max_size=9).filter(any))
def test_what_weighs_nothing_is_not_drawn_at_either_end(weights: list[float]) -> None:
    heavy = [item for item, weight in enumerate(weights) if weight]
    tree = SumTree(weights)
    assert (tree.at(0.0), tree.at(tree.total)) == (heavy[0], heavy[-1])


@given(weights, st.data())
def test_the_total_follows_every_change(weights: list[float], data: st.DataObject) -> None:
    tree = SumTree(weights)
    place = data.draw(st.integers(0, len(weights) - 1))
    tree.change(place, 7.0)
    assert tree.total == sum(weights) - weights[place] + 7.0


@pytest.mark.spec("RPL-02")
def test_the_heavier_comes_first_more_often() -> None:
    random = Random(7)
    first = Counter(by_tree([1.0, 3.0], [random.random(), 0.0])[0] for _ in range(4000))
    assert 0.70 < first[1] / 4000 < 0.80


@pytest.mark.spec("RPL-01")
def test_priority_as_published() -> None:
    assert replay_priority(0.3, 0.0, has_feedback=False) == 1.3, "no division by zero"
    assert replay_priority(-0.3, 2.0, has_feedback=True) == pytest.approx(1.8)


@given(st.floats(0.01, 10), st.floats(0, 1))
def test_weight_keeps_the_order(priority: float, alpha: float) -> None:
    assert replay_weight(priority + 1, alpha) >= replay_weight(priority, alpha)


@pytest.mark.spec("RPL-01", "RPL-02")
def test_what_is_younger_than_a_day_counts_as_a_day_old() -> None:
    assert [replay_priority(0.0, age, has_feedback=False) for age in (-3, 0.5, 1, 2)] == [
        1,
        1,
        1,
        0.5,
    ]
    assert replay_priority(0.0, 0.5, has_feedback=True) == 2.0
    assert replay_weight(2.0, 0.0) == 1.0 and replay_weight(3.0, 1.0) == 3.0
    assert replay_weight(4.0, 0.5) == 2.0
