from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sharpwave.formulas import linear
from sharpwave.formulas.linear import (
    LEAST_LENGTH,
    as_square,
    centred_units,
    left_out,
    main_directions,
    pair_scores,
    pairs,
    primal_weights,
    products,
    softmax,
)

Floats = NDArray[np.float32]


seeds = st.integers(0, 10_000)


def some(seed: int, *shape: int) -> Floats:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


class Counting(np.ndarray[Any, np.dtype[np.float32]]):
    """Rows that tell how many of them are multiplied at once."""

    at_once: ClassVar[list[int]] = []

    def __matmul__(self, other: Any) -> Any:
        self.at_once.append(len(self))
        return self.view(np.ndarray) @ other


@pytest.mark.parametrize(
    ("others", "at_once"), [(2, [2, 2, 2, 2]), (3, [1] * 8), (5, [1] * 8), (1, [4, 4]), (0, [8])]
)
def test_as_many_rows_are_multiplied_at_once_as_one_thread_does(
    others: int, at_once: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear, "MAX_PRODUCT", 12)
    Counting.at_once.clear()
    rows, columns = some(1, 8, 3), some(2, others, 3)
    found = products(rows.view(Counting), columns)
    assert Counting.at_once == at_once
    assert found == pytest.approx(rows @ columns.T)


def test_no_rows_have_no_products() -> None:
    found = products(some(1, 0, 3), some(2, 5, 3))
    assert found.shape == (0, 5) and found.dtype == np.float32


def test_shares_of_belief_do_not_overflow() -> None:
    assert softmax(np.array([1000.0, 0.0]), 1.0).tolist() == [1.0, 0.0]
    assert softmax(np.log(np.array([1.0, 2.0, 5.0])) - 2000, 1.0) == pytest.approx(
        [0.125, 0.25, 0.625]
    )


@given(seeds)
def test_weights_of_examples_solve_the_ridge_equation(seed: int) -> None:
    examples, targets = some(seed, 5, 3), some(seed + 1, 5, 2)
    likeness, importance = examples @ examples.T, np.abs(some(seed + 2, 5)) + np.float32(0.5)
    before = likeness.copy()
    found, _ = left_out(likeness, targets, importance, ridge=2.0)
    assert (likeness + 2.0 * np.diag(1 / importance)) @ found == pytest.approx(targets, abs=1e-3)
    assert (likeness == before).all(), "what was handed in stays as it was"


@given(seeds)
def test_what_is_left_of_an_example_is_what_the_others_do_not_predict(seed: int) -> None:
    examples, targets = some(seed, 5, 3), some(seed + 1, 5, 2)
    importance = np.abs(some(seed + 2, 5)) + np.float32(0.5)
    _, left = left_out(examples @ examples.T, targets, importance, ridge=2.0)
    others = slice(1, None)
    weights = primal_weights(examples[others], targets[others], importance[others], ridge=2.0)
    assert left[0] == pytest.approx(targets[0] - examples[0] @ weights, abs=1e-2)


@given(seeds)
def test_weights_of_features_are_those_of_the_examples(seed: int) -> None:
    examples, targets = some(seed, 5, 3), some(seed + 1, 5, 2)
    importance = np.abs(some(seed + 2, 5)) + np.float32(0.5)
    by_example, _ = left_out(examples @ examples.T, targets, importance, ridge=2.0)
    by_feature = primal_weights(examples, targets, importance, ridge=2.0)
    assert by_feature == pytest.approx(examples.T @ by_example, abs=1e-2)


@given(seeds)
def test_pairs_say_what_every_example_says_for_them(seed: int) -> None:
    """Scores by pairs are those of the kernel (x·y)², so that no pair counts twice or never."""
    examples, weights, asked = some(seed, 4, 3), some(seed + 1, 4, 2), some(seed + 2, 6, 3)
    by_pair = as_square(pairs(examples).T @ weights, 3)
    assert by_pair.shape == (3, 3, 2) and by_pair.dtype == np.float32
    assert (np.tril(by_pair.transpose(2, 0, 1), -1) == 0).all()
    expected = (asked @ examples.T) ** 2 @ weights
    assert pair_scores(asked, by_pair) == pytest.approx(expected, rel=1e-3, abs=1e-2)


def test_main_directions_are_those_of_the_largest_spread() -> None:
    along = np.diag([1.0, 3.0, 2.0]).astype(np.float32)
    found = main_directions(along, 2)
    assert found.dtype == np.float32
    assert np.abs(found).tolist() == [[0, 0], [1, 0], [0, 1]]


@given(seeds, st.floats(0.1, 50))
def test_shares_add_up_row_by_row_and_keep_their_odds(seed: int, sharpness: float) -> None:
    scores = some(seed, 4, 3)
    shares = softmax(scores, sharpness)
    assert shares.dtype == np.float64
    assert shares.sum(axis=1) == pytest.approx(np.ones(4))
    exact = scores.astype(np.float64)
    odds = np.log(shares[:, :2] / shares[:, 2:], where=shares[:, 2:] > 1e-200, out=np.zeros((4, 2)))
    fine = (shares[:, 2:] > 1e-200) & (shares[:, :2] > 1e-200)
    expected = sharpness * (exact[:, :2] - exact[:, 2:])
    assert odds[fine] == pytest.approx(expected[fine], rel=1e-6, abs=1e-6)


def test_large_scores_do_not_overflow() -> None:
    assert softmax(np.array([[1000.0, 0.0], [-1000.0, -1000.0]]), 10.0).tolist() == [
        [1, 0],
        [0.5, 0.5],
    ]


def test_units_have_length_one_and_the_middle_is_nothing() -> None:
    middle = np.array([1, 2], "f")
    found = centred_units(np.array([[4, 6], [1, 2], [1, 1]], "f"), middle)
    assert found == pytest.approx(np.array([[0.6, 0.8], [0, 0], [0, -1]]))
    assert LEAST_LENGTH == np.float32(1e-6), "shorter ones are nothing but rounding"
    near = centred_units(np.array([[1e-6, 0], [5e-7, 0]], "f"), np.zeros(2, "f"))
    assert near[:, 0] == pytest.approx([1.0, 0.5])
