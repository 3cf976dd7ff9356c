from math import log2

import pytest

from evals import metrics

LONG = list(range(100, 120))


@pytest.mark.parametrize(
    ("ranked", "right", "expected"),
    [
        ([1, 2, 3], {1}, 1.0),
        ([2, 1, 3], {1}, 1 / log2(3)),
        ([1, 2, 3], {1, 3}, (1 + 1 / 2) / (1 + 1 / log2(3))),
        ([2, 1, 3], {4}, 0.0),
        ([*LONG[:9], 1], {1}, 1 / log2(11)),
        ([*LONG[:10], 1], {1}, 0.0),
    ],
)
def test_ndcg_by_hand(ranked: list[int], right: set[int], expected: float) -> None:
    assert metrics.ndcg(ranked, right, 10) == pytest.approx(expected)


def test_ndcg_is_whole_when_more_is_right_than_fits() -> None:
    assert metrics.ndcg(LONG, set(LONG), 10) == pytest.approx(1.0)


@pytest.mark.parametrize(("k", "expected"), [(1, 0.0), (2, 0.5), (3, 0.5), (4, 1.0)])
def test_recall_by_hand(k: int, expected: float) -> None:
    assert metrics.recall([9, 1, 8, 2], {1, 2}, k) == expected


def test_reciprocal_rank_by_hand() -> None:
    assert metrics.reciprocal_rank([9, 8, 1, 2], {1, 2}) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank([9, 8], {1}) == 0.0


def test_every_measure_of_one_ranking() -> None:
    found = metrics.scores([9, 1, 8, 7, 6, 5, 2], {1, 2})
    assert found.ndcg_at_10 == pytest.approx((1 / log2(3) + 1 / 3) / (1 + 1 / log2(3)))
    assert (found.recall_at_1, found.recall_at_5, found.recall_at_10) == (0.0, 0.5, 1.0)
    assert found.mrr == 0.5
