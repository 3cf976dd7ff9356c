import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.relevance import (
    RelevanceTerms,
    frequency,
    memory_score,
    mmr,
    note_priority,
    priority,
    reciprocal_rank,
    relevance,
    standardised,
)
from sharpwave.settings.weights import RelevanceWeights

share = st.floats(0, 1)


ranks = st.integers(1, 10_000)


constants = st.floats(0.1, 1000)


SEED_RELEVANCE = RelevanceTerms(**RelevanceWeights().model_dump())


UNIT = st.floats(0, 1)


@pytest.mark.spec("SLP-16")
@given(share, st.integers(0, 100), st.floats(0, 400), st.booleans())
def test_score_is_a_share_and_never_falls_with_use(
    importance: float, accesses: int, age: float, associated: bool
) -> None:
    score = memory_score(importance, accesses, age, associated)
    assert importance <= score <= 1.0
    assert memory_score(importance, accesses + 1, age, associated) >= score


@pytest.mark.spec("SLP-16", "SCO-14")
@pytest.mark.parametrize(
    ("importance", "accesses", "age", "associated", "expected"),
    [
        (0.0, 0, 1e6, False, 0.0),
        (0.2, 0, 1e6, False, 0.2),
        (0.2, 0, 1e6, True, 0.3),
        (0.2, 2, 1e6, False, 0.4),
        (0.2, 3, 1e6, False, 0.5),
        (0.2, 4, 1e6, False, 0.5),
        (0.2, -1, 1e6, False, 0.2),
        (0.2, 0, 0.0, False, 0.4),
        (0.2, 0, -5.0, False, 0.4),
        (0.2, 0, 7.0, False, 0.2 + 0.2 / math.e),
        (0.2, 3, 7.0, True, 0.6 + 0.2 / math.e),
        (0.9, 3, 0.0, True, 1.0),
    ],
)
def test_score_as_published(
    importance: float, accesses: int, age: float, associated: bool, expected: float
) -> None:
    score = memory_score(importance, accesses, age, associated)
    assert score == pytest.approx(expected)


@pytest.mark.parametrize(
    ("rank", "rrf_k", "weight", "expected"),
    [(1, 60, 1, 1 / 61), (40, 60, 1, 0.01), (1, 1, 3, 1.5), (7, 60, 0, 0)],
)
def test_by_hand(rank: int, rrf_k: float, weight: float, expected: float) -> None:
    assert reciprocal_rank(rank, rrf_k, weight) == pytest.approx(expected)


@given(ranks, constants, st.floats(0.001, 10))
def test_a_better_rank_counts_more(rank: int, rrf_k: float, weight: float) -> None:
    better, worse = (reciprocal_rank(one, rrf_k, weight) for one in (rank, rank + 1))
    assert weight / rrf_k > better > worse > 0


@given(ranks, constants, st.floats(0, 10), st.floats(0, 10))
def test_weights_add_up(rank: int, rrf_k: float, one: float, other: float) -> None:
    together = reciprocal_rank(rank, rrf_k, one + other)
    apart = reciprocal_rank(rank, rrf_k, one) + reciprocal_rank(rank, rrf_k, other)
    assert together == pytest.approx(apart)


@pytest.mark.spec("SCO-01", "SCO-02")
def test_relevance_by_hand() -> None:
    assert SEED_RELEVANCE == (0.45, 0.15, 0.10, 0.10, 0.10, 0.10)
    terms = RelevanceTerms(0.8, 0.4, 0.5, 0.3, 0.6, 0.9)
    assert relevance(terms, SEED_RELEVANCE) == pytest.approx(
        0.36 + 0.06 + 0.05 + 0.03 + 0.06 + 0.09
    )


@given(st.tuples(UNIT, UNIT, UNIT, UNIT, UNIT, UNIT))
def test_relevance_stays_within_bounds(terms: tuple[float, ...]) -> None:
    assert 0 <= relevance(RelevanceTerms(*terms), SEED_RELEVANCE) <= 1 + 1e-9


@pytest.mark.spec("SCO-05")
@given(UNIT, UNIT)
def test_priority_is_the_product(one: float, other: float) -> None:
    assert priority(one, other) == one * other <= min(one, other)


@pytest.mark.spec("SCO-07")
def test_frequency_by_hand() -> None:
    assert [frequency(n, 3.0) for n in (0, 3, 6)] == pytest.approx([0, 0.63212, 0.86466], abs=1e-5)


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), max_size=20))
def test_standardised_columns_have_no_mean_and_one_spread(rows: list[list[float]]) -> None:
    table = standardised(np.array(rows).reshape(-1, 3))
    assert table.shape == (len(rows), 3)
    for column in table.T if len(rows) else ():
        assert abs(column.mean()) < 1e-6
        assert column.std() == pytest.approx(1, abs=1e-6) or not column.any()


@pytest.mark.spec("RD-07")
@given(st.lists(UNIT, max_size=12), st.integers(0, 15), UNIT)
def test_mmr_picks_k_different_ones(scores: list[float], k: int, balance: float) -> None:
    size = len(scores)
    alike = np.abs(np.subtract.outer(np.arange(size), np.arange(size)) < 2).astype(float)
    chosen = mmr(np.array(scores), alike, balance, k)
    assert len(chosen) == len(set(chosen)) == min(k, size)
    if balance == 1 and chosen:
        assert min(scores[place] for place in chosen) >= max(
            (scores[place] for place in range(size) if place not in chosen), default=0.0
        )


def test_mmr_weighs_what_is_new_against_what_is_good() -> None:
    """0.6 · 0.5 = 0.3 beats 0.6 · 0.9 - 0.4 · 0.8 = 0.22, and not 0.6 · 0.9 - 0.4 · 0.5 = 0.34."""
    scores = np.array([1.0, 0.9, 0.5])
    alike = np.array([[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1.0]])
    assert mmr(scores, alike, balance=0.6, k=3) == [0, 2, 1]
    assert mmr(scores, np.where(alike == 0.8, 0.5, alike), balance=0.6, k=3) == [0, 1, 2]
    assert mmr(scores, alike, balance=1.0, k=3) == [0, 1, 2]
    assert mmr(np.array([0.5, 0.5]), np.eye(2), balance=0.6, k=1) == [0], "of equals the earlier"


def test_a_column_that_hardly_differs_says_nothing() -> None:
    """Up to a spread of a millionth it is rounding; any more is a difference."""
    table = np.array([[0.0, 0.0, 0.0], [1e-6, 2e-6, 3e-6]])
    assert standardised(table) == pytest.approx(np.array([[0, 0, -1], [0, 0, 1]]))


@pytest.mark.spec("REF-07")
def test_a_note_is_worth_its_importance_times_its_sureness_and_fades() -> None:
    assert note_priority(0.5, 0.8, age_days=0.0, tau_days=30.0) == 0.4
    assert note_priority(0.5, 0.8, age_days=-9.0, tau_days=30.0) == 0.4, "the future is now"
    assert note_priority(0.5, 0.8, age_days=60.0, tau_days=30.0) == pytest.approx(0.4 / math.e**2)
