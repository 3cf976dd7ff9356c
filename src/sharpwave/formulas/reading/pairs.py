"""Pairs of directions of a vector: what two say together, and neither alone.  Design: FB-09."""

import numpy as np
from numpy.typing import NDArray


def main_directions(units: NDArray[np.float32], number: int) -> NDArray[np.float32]:
    """The directions in which some vectors differ most, as columns: shape (dimension, number).

        the eigenvectors of unitsᵀ · units with the largest eigenvalues

    >>> np.abs(main_directions(np.array([[0, 2], [1, 0]], "f"), 1)).tolist()
    [[0.0], [1.0]]
    """
    _, vectors = np.linalg.eigh((units.T @ units).astype(np.float64))
    largest: NDArray[np.float32] = vectors[:, ::-1][:, :number].astype(np.float32)
    return largest


def pairs(placed: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each pair of numbers of each example, multiplied: shape (examples, k · (k + 1) / 2).

        placed[n, i] · placed[n, j]    times √2 for i < j

    The order of a pair tells nothing, so each stands once, and the cosine of two examples is the
    square of what it was.

    >>> pairs(np.array([[1, 2]], "f")).astype(float).round(3).tolist()
    [[1.0, 2.828, 4.0]]
    """
    first, second, once = _each_pair(placed.shape[1])
    return placed[:, first] * placed[:, second] * once


def as_square(by_pair: NDArray[np.float32], number: int) -> NDArray[np.float32]:
    """What is said for each of `pairs`, by the numbers of the two: shape (k, k, targets).

    Nothing stands at i > j.

    >>> as_square(np.array([[1], [2], [3]], "f"), 2)[:, :, 0].astype(float).round(3).tolist()
    [[1.0, 2.828], [0.0, 3.0]]
    """
    first, second, once = _each_pair(number)
    square = np.zeros((number, number, by_pair.shape[1]), dtype=np.float32)
    square[first, second] = by_pair * once[:, None]
    return square


def _each_pair(number: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    first, second = np.triu_indices(number)
    return first, second, np.where(first == second, 1, np.sqrt(2)).astype(np.float32)


def pair_scores(placed: NDArray[np.float32], by_pair: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the pairs of each example say for each target.

        score[n, t] = Σᵢⱼ placed[n, i] · placed[n, j] · by_pair[i, j, t]

    >>> pair_scores(np.array([[1, 2]], "f"), np.ones((2, 2, 1), "f")).tolist()
    [[9.0]]
    """
    number, _, targets = by_pair.shape
    half = (placed @ by_pair.reshape(number, -1)).reshape(-1, number, targets)
    scores: NDArray[np.float32] = (half * placed[:, :, None]).sum(axis=1)
    return scores
