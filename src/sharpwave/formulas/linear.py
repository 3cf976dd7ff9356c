"""Linear algebra: products of rows; and of the feedback reader ridge regression, pairs, softmax."""

import numpy as np
from numpy.typing import NDArray

MAX_PRODUCT = 250_000  # multiplications that OpenBLAS does in the thread that asks for them


def products(rows: NDArray[np.float32], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The product of each row with each of the vectors, a few rows at once.

    Larger products BLAS spreads over threads, and to wake these, and to let them wait for more,
    costs far more than it saves.

    >>> products(np.array([[1, 2], [0, 1]], "f"), np.array([[3, 4]], "f")).tolist()
    [[11.0], [4.0]]
    """
    step = max(1, MAX_PRODUCT // max(1, vectors.size))
    parts = [rows[start : start + step] @ vectors.T for start in range(0, len(rows), step)]
    return np.concatenate(parts) if parts else np.zeros((0, len(vectors)), np.float32)


def main_directions(units: NDArray[np.float32], number: int) -> NDArray[np.float32]:
    """Directions in which vectors differ most, as columns: shape (dimension, number) [FB-09].

        the eigenvectors of unitsᵀ · units with the largest eigenvalues

    >>> np.abs(main_directions(np.array([[0, 2], [1, 0]], "f"), 1)).tolist()
    [[0.0], [1.0]]
    """
    _, vectors = np.linalg.eigh((units.T @ units).astype(np.float64))
    largest: NDArray[np.float32] = vectors[:, ::-1][:, :number].astype(np.float32)
    return largest


def pairs(placed: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each pair of numbers of each example, multiplied: shape (examples, k · (k + 1) / 2) [FB-09].

        placed[n, i] · placed[n, j]    times √2 for i < j

    The order of a pair carries no information, so each occurs once. The cosine of two examples
    is squared by this.

    >>> pairs(np.array([[1, 2]], "f")).astype(float).round(3).tolist()
    [[1.0, 2.828, 4.0]]
    """
    first, second, scale = _each_pair(placed.shape[1])
    return placed[:, first] * placed[:, second] * scale


def as_square(by_pair: NDArray[np.float32], number: int) -> NDArray[np.float32]:
    """Weights per pair as an upper triangular array: shape (k, k, targets) [FB-09].

    >>> as_square(np.array([[1], [2], [3]], "f"), 2)[:, :, 0].astype(float).round(3).tolist()
    [[1.0, 2.828], [0.0, 3.0]]
    """
    first, second, scale = _each_pair(number)
    square = np.zeros((number, number, by_pair.shape[1]), dtype=np.float32)
    square[first, second] = by_pair * scale[:, None]
    return square


def _each_pair(number: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    first, second = np.triu_indices(number)
    return first, second, np.where(first == second, 1, np.sqrt(2)).astype(np.float32)


def pair_scores(placed: NDArray[np.float32], by_pair: NDArray[np.float32]) -> NDArray[np.float32]:
    """Score of each example for each target by its pairs [FB-09].

        score[n, t] = Σᵢⱼ placed[n, i] · placed[n, j] · by_pair[i, j, t]

    >>> pair_scores(np.array([[1, 2]], "f"), np.ones((2, 2, 1), "f")).tolist()
    [[9.0]]
    """
    number, _, targets = by_pair.shape
    half = (placed @ by_pair.reshape(number, -1)).reshape(-1, number, targets)
    scores: NDArray[np.float32] = (half * placed[:, :, None]).sum(axis=1)
    return scores


Numbers = NDArray[np.float32]


def left_out(
    likeness: Numbers, targets: Numbers, importance: Numbers, ridge: float
) -> tuple[Numbers, Numbers]:
    """Weight of each example for each target, and its leave-one-out error [FB-09].

        A = K + ridge · diag(1 / importance)
        weights = A⁻¹ · targets
        error[i] = targets[i] - prediction for i from the rest = weights[i] / (A⁻¹)[i, i]

    K holds the likeness of every two examples: kernel ridge regression, whose leave-one-out
    error has a closed form.

    >>> one = np.ones(2, "f")
    >>> [part.tolist() for part in left_out(np.eye(2, dtype="f"), np.eye(2, dtype="f"), one, 1.0)]
    [[[0.5, 0.0], [0.0, 0.5]], [[1.0, 0.0], [0.0, 1.0]]]
    """
    regularised = likeness.copy()
    regularised[np.diag_indices_from(regularised)] += ridge / importance
    inverse: Numbers = np.linalg.inv(regularised)
    weights: Numbers = inverse @ targets
    return weights, weights / np.diag(inverse)[:, None]


def primal_weights(
    features: Numbers, targets: Numbers, importance: Numbers, ridge: float
) -> Numbers:
    """Weight of each feature for each target: ridge regression [FB-09].

        weights = (Xᵀ · diag(importance) · X + ridge · I)⁻¹ · Xᵀ · diag(importance) · targets

    >>> primal_weights(np.eye(2, dtype="f"), np.eye(2, dtype="f"), np.ones(2, "f"), 1.0).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    root = np.sqrt(importance)[:, None]
    weighed = features * root
    regularised = weighed.T @ weighed
    regularised[np.diag_indices_from(regularised)] += np.float32(ridge)
    weights: Numbers = np.linalg.solve(regularised, weighed.T @ (targets * root))
    return weights


LEAST_LENGTH = np.float32(1e-6)


def centred_units(vectors: NDArray[np.float32], middle: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each vector less the middle, scaled to length 1; zeros for the middle itself [FB-09].

        unit = (v - middle) / |v - middle|

    >>> centred_units(np.array([[4, 1], [0, 1]], "f"), np.array([0, 1], "f")).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    moved = vectors - middle
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    units: NDArray[np.float32] = moved / np.maximum(lengths, LEAST_LENGTH)
    return units


def softmax(scores: NDArray[np.floating], sharpness: float) -> NDArray[np.float64]:
    """Shares that add up to 1, row by row [FB-10].

        share_i = exp(sharpness · s_i) / Σ exp(sharpness · s_j)

    >>> softmax(np.log([[1.0, 3.0], [2.0, 2.0]]), sharpness=1.0).round(2).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    scaled = sharpness * np.asarray(scores, dtype=np.float64)
    powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return shares
