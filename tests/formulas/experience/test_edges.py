"""Where the formulas of experience end: nothing seen, certainty; and small exact cases."""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.experience import chance, quantiles, sequences
from sharpwave.formulas.experience.damped_bayes import damped_bayes
from sharpwave.formulas.experience.half_life import half_life_decay
from sharpwave.formulas.experience.next_step import next_share
from sharpwave.formulas.experience.reliability import reliability
from sharpwave.formulas.experience.running import Running, relative_variance, taken_in
from sharpwave.formulas.experience.track_record import (
    evidence_strength,
    keyword_similarity,
    lower_bound,
    shrunk,
)

SHORT = [list(each) for size in range(5) for each in product("abc", repeat=size)]


def test_what_must_or_cannot_happen() -> None:
    assert chance.binomial_tail(5, 1.0, 5) == 1.0 and chance.binomial_tail(5, 0.0, 1) == 0.0
    assert chance.binomial_tail(5, 0.0, 0) == 1.0 and chance.binomial_tail(5, 0.5, 6) == 0.0
    assert chance.binomial_tail(5, 0.3, -1) == 1.0
    assert chance.binomial_tail(9, 0.99, 1) == 1.0, "rounding makes it no surer than sure"
    assert chance.binomial_tail(1000, 0.5, 500) == pytest.approx(0.5126125, abs=1e-7)


def test_steps_in_order_by_hand() -> None:
    assert chance.subsequence_chances([], 2) == [1.0, 1.0, 1.0]
    assert chance.subsequence_chances([0.5, 0.25], 3) == pytest.approx(
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
    assert chance.lift(together, one, other, total) == expected


def test_association_by_hand() -> None:
    assert chance.association(0, 5, 5, 0) == -1.0
    assert chance.association(1, 1, 1, 1) == 0.0
    assert chance.association(3, 1, 1, 1) == pytest.approx(2 / math.sqrt(4 * 2 * 4 * 2))
    assert chance.association(3, 0, 2, 0) == 0.0, "nothing to tell apart"


def test_how_many_kinds_there_seem_to_be() -> None:
    assert chance.perplexity([]) == chance.perplexity([0, 0]) == chance.perplexity([7]) == 1.0
    assert chance.perplexity([1, 1, 0]) == pytest.approx(2.0)
    assert chance.perplexity([3, 1]) == pytest.approx(4 / 27**0.25)


@pytest.mark.spec("PAT-10")
def test_what_is_common_is_the_same_by_all_ways() -> None:
    """Every two sequences of up to four steps of three kinds, beside trying all parts of one."""
    for one, other in product(SHORT, SHORT[::7]):
        common = sequences.common_subsequence(one, other)
        parts = (
            [s for n, s in enumerate(other) if kept >> n & 1] for kept in range(1 << len(other))
        )
        longest = max(len(part) for part in parts if sequences.holds(one, part))
        assert len(common) == longest == sequences.common_length(one, other)
        assert sequences.holds(one, common) and sequences.holds(other, common)


@pytest.mark.spec("PAT-07", "PAT-10")
def test_similarity_by_hand() -> None:
    assert sequences.sequence_similarity(["a"], []) == sequences.sequence_similarity([], []) == 0.0
    assert (
        sequences.levenshtein("kitten", "sitting")
        == 3
        == sequences.levenshtein("sitting", "kitten")
    )
    assert sequences.levenshtein("ab", "ba") == 2 and sequences.levenshtein("", "abc") == 3
    assert sequences.sequence_similarity(["a", "b", "c"], ["c", "d"]) == 0.0
    assert sequences.common_subsequence("ab", "ba") == ["a"], "of equals always the same one"
    assert not sequences.holds(["a", "b"], ["b", "a"]) and sequences.holds(["a"], [])


@pytest.mark.spec("PAT-16")
@pytest.mark.parametrize(
    ("prior", "success", "expected"),
    [
        (0.5, True, 0.5 + 0.1 * 0.3),
        (0.2, True, 0.2 + 0.1 * (0.16 / 0.32 - 0.2)),
        (0.2, False, 0.2 + 0.1 * (0.04 / 0.68 - 0.2)),
        (0.98, True, 0.98 + 0.1 * (0.784 / 0.788 - 0.98)),
        (0.99, True, 0.99),
        (1.0, True, 0.99),
        (0.0, False, 0.01),
        (0.0, True, 0.01 + 0.1 * (0.008 / 0.206 - 0.01)),
    ],
)
def test_damped_bayes_by_hand(prior: float, success: bool, expected: float) -> None:
    moved = damped_bayes(prior, success, likelihood=0.8, rate=0.1, floor=0.01, ceiling=0.99)
    assert moved == pytest.approx(expected, rel=1e-9)


@pytest.mark.spec("PAT-09")
def test_half_of_it_is_left_after_each_half_life() -> None:
    assert [half_life_decay(days, 7.0) for days in (-7, 0, 7, 14)] == [1.0, 1.0, 0.5, 0.25]


def test_a_step_never_seen_has_what_the_shorter_context_gives() -> None:
    assert next_share({"edit": 3.0, "test": 1.0}, "wait", shorter=0.25) == 0.5 / 6
    assert next_share({"edit": 3.0}, "edit", shorter=0.0) == 0.75


def test_quantiles_by_hand() -> None:
    assert quantiles.quantile({}, 0.5, accuracy=0.05) == 0.0
    assert quantiles.bucket(0.0, accuracy=0.05) == quantiles.bucket(1e-6, accuracy=0.05)
    assert quantiles.bucket(1.2e-6, accuracy=0.05) > quantiles.bucket(1e-6, accuracy=0.05)
    growth = 1.5 / 0.5  # at an accuracy of one half
    assert [quantiles.bucket(value, 0.5) for value in (1, 2.9, 3.1, 0.3)] == [0, 1, 2, -1]
    counts = {0: 2, 1: 1, 3: 1}
    middles = [2 * growth**place / (growth + 1) for place in (0, 1, 3)]
    found = [quantiles.quantile(counts, share, accuracy=0.5) for share in (0.0, 0.3, 0.67, 1.0)]
    assert found == pytest.approx([middles[0], middles[0], middles[1], middles[2]])


@pytest.mark.spec("AGT-03")
@pytest.mark.parametrize(
    ("successes", "total", "variance", "expected"),
    [
        (0, 0, 0.0, 0.0),
        (1, 1, 0.0, 1.0),
        (1, 2, 0.5, 0.5 * 0.85),
        (1, 2, 1.0, 0.5 * 0.7),
        (1, 2, 9.0, 0.5 * 0.7),
        (1, 2, -1.0, 0.5),
    ],
)
def test_reliability_by_hand(successes: int, total: int, variance: float, expected: float) -> None:
    assert reliability(successes, total, variance, weight=0.3) == pytest.approx(expected)


def test_running_starts_from_nothing() -> None:
    assert Running() == (0, 0.0, 0.0)
    assert taken_in(Running(), 5.0) == (1, 5.0, 0.0)
    assert relative_variance(Running(1, 5.0, 3.0)) == 0.0, "one value does not vary"
    assert relative_variance(Running(2, 0.0, 3.0)) == 0.0
    assert relative_variance(Running(2, 2.0, 8.0)) == 1.0


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20))
def test_running_spread_is_the_spread(values: list[int]) -> None:
    state, mean = Running(), sum(values) / len(values)
    for value in values:
        state = taken_in(state, value)
    assert state.squares == pytest.approx(sum((value - mean) ** 2 for value in values), abs=1e-6)


def test_track_records_by_hand() -> None:
    assert lower_bound(0, 0, z=1.96) == lower_bound(0, 4, z=2.0) == 0.0
    assert lower_bound(4, 4, z=2.0) == 0.5
    assert lower_bound(8, 16, z=2.0) == pytest.approx((0.625 - math.sqrt(0.0625 + 1 / 64)) / 1.25)
    assert lower_bound(0.5, 1, z=2.0) == pytest.approx((2.5 - math.sqrt(1 + 4)) / 5)
    assert shrunk(3, 4, prior=0.25, weight=4.0) == 0.5
    assert [evidence_strength(n, half=3.0) for n in (0, 1, 9)] == [0.0, 0.25, 0.75]
    assert keyword_similarity({"a"}, {"b"}) == 0.0 == keyword_similarity(set(), set())
    assert keyword_similarity({"a", "b"}, {"b", "c"}) == 1 / 3
