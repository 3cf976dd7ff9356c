import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.rank_fusion import reciprocal_rank

ranks = st.integers(1, 10_000)
constants = st.floats(0.1, 1000)


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
