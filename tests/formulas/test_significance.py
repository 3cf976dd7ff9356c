import math
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas import significance
from sharpwave.formulas.significance import trend_chance

shares = st.floats(0, 1)


def test_what_must_or_cannot_happen() -> None:
    assert significance.binomial_tail(0, 1.0, 1) == 0.0, "more successes than trials"
    assert (
        significance.binomial_tail(5, 1.0, 5) == 1.0
        and significance.binomial_tail(5, 0.0, 1) == 0.0
    )
    assert (
        significance.binomial_tail(5, 0.0, 0) == 1.0
        and significance.binomial_tail(5, 0.5, 6) == 0.0
    )
    assert significance.binomial_tail(5, 0.3, -1) == 1.0
    assert significance.binomial_tail(9, 0.99, 1) == 1.0, "rounding makes it no surer than sure"
    assert significance.binomial_tail(1000, 0.5, 500) == pytest.approx(0.5126125, abs=1e-7)


def test_steps_in_order_by_hand() -> None:
    assert significance.subsequence_chances([], 2) == [1.0, 1.0, 1.0]
    assert significance.subsequence_chances([0.5, 0.25], 3) == pytest.approx(
        [0, 0, 0.125, 0.125 + 0.15625]
    )


@pytest.mark.parametrize(
    ("together", "one", "other", "total", "expected"),
    [
        (4, 4, 8, 16, 2.0),
        (1, 4, 8, 16, 0.5),
        (0, 0, 8, 16, 0.0),
        (0, 0, 0, 0, 0.0),
        (2, 4, 8, 16, 1.0),
    ],
)
def test_lift(together: int, one: int, other: int, total: int, expected: float) -> None:
    assert significance.lift(together, one, other, total) == expected


def test_association_by_hand() -> None:
    assert significance.association(0, 5, 5, 0) == -1.0
    assert significance.association(1, 1, 1, 1) == 0.0
    assert significance.association(3, 1, 1, 1) == pytest.approx(2 / math.sqrt(4 * 2 * 4 * 2))
    assert significance.association(3, 0, 2, 0) == 0.0, "nothing to tell apart"


def test_how_many_kinds_there_seem_to_be() -> None:
    assert (
        significance.perplexity([])
        == significance.perplexity([0, 0])
        == significance.perplexity([7])
        == 1.0
    )
    assert significance.perplexity([1, 1, 0]) == pytest.approx(2.0)
    assert significance.perplexity([3, 1]) == pytest.approx(4 / 27**0.25)


@given(st.integers(0, 40), shares, st.integers(0, 40))
def test_binomial_tail_by_the_sum(trials: int, p: float, least: int) -> None:
    exact = sum(
        math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(least, trials + 1)
    )
    assert significance.binomial_tail(trials, p, least) == pytest.approx(min(1.0, exact), abs=1e-9)


def test_the_chance_of_an_order_is_what_counting_gives() -> None:
    for told in (["a", "b", "c"], ["a", "a", "b", "c"]):
        every = list(permutations(told))
        counted = sum(list(each) == told for each in every) / len(every)
        assert significance.order_chance(told) == pytest.approx(counted)


@given(st.lists(st.floats(0, 0.3), min_size=1, max_size=4), st.integers(0, 12))
def test_longer_logs_hold_more(given_shares: list[float], longest: int) -> None:
    chances = significance.subsequence_chances(given_shares, longest)
    assert len(chances) == longest + 1
    assert all(0.0 <= each <= 1.0 + 1e-12 for each in chances)
    assert all(b >= a - 1e-12 for a, b in pairwise(chances))
    assert all(each == 0.0 for each in chances[: len(given_shares)])


@given(*[st.integers(0, 12)] * 4)
def test_separation_is_a_probability_and_symmetric(a: int, b: int, c: int, d: int) -> None:
    p = significance.separation(a, b, c, d)
    assert 0.0 < p <= 1.0
    assert p == pytest.approx(significance.separation(c, d, a, b))
    assert p == pytest.approx(significance.separation(b, a, d, c))
    assert -1.0 <= significance.association(a, b, c, d) <= 1.0


@given(*[st.integers(0, 40)] * 4, st.floats(0.001, 0.999))
def test_separation_adds_up_what_is_not_likelier(
    a: int, b: int, c: int, d: int, limit: float
) -> None:
    """Beside the definition, term by term; beyond a limit it only says that it is beyond it."""
    drawn = a + b
    ways = [math.comb(a + c, k) * math.comb(b + d, drawn - k) for k in range(drawn + 1)]
    expected = sum(each for each in ways if each <= ways[a]) / math.comb(a + b + c + d, drawn)
    assert significance.separation(a, b, c, d) == pytest.approx(expected, rel=1e-6)
    limited = significance.separation(a, b, c, d, limit)
    assert limited == pytest.approx(expected, rel=1e-6) or limit < limited <= expected * 1.000001


@pytest.mark.parametrize(
    ("table", "chance"), [((0, 2, 2, 3), 1.0), ((0, 4, 2, 2), 3 / 7), ((0, 5, 2, 3), 4 / 9)]
)
def test_a_table_just_as_likely_counts_though_it_is_rounded(
    table: tuple[int, int, int, int], chance: float
) -> None:
    assert significance.separation(*table) == pytest.approx(chance)


@pytest.mark.spec("TMP-08")
def test_a_trend_is_tested_on_both_sides() -> None:
    assert trend_chance(0, 0) == 1.0
    assert trend_chance(0, 5) == trend_chance(5, 0) == pytest.approx(2 / 2**5)
    assert trend_chance(1, 9) == pytest.approx(2 * 11 / 2**10)
