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


def pair_weights(placed: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """What each pair of directions says for each target, from examples: (k, k, targets).

        by_pair[i, j, t] = Σₙ weights[n, t] · placed[n, i] · placed[n, j]    twice that for i < j

    The order of a pair tells nothing, so nothing stands at i > j.

    >>> pair_weights(np.array([[1, 2]], "f"), np.array([[3]], "f"))[:, :, 0].tolist()
    [[3.0, 12.0], [0.0, 12.0]]
    """
    once = np.triu(2 - np.eye(placed.shape[1], dtype=np.float32))
    return np.stack([(placed * one[:, None]).T @ placed * once for one in weights.T], axis=2)


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
