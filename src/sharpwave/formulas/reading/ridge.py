"""Weights from which a linear reader is made.  Design: FB-09, resolution 30."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]


def left_out(
    likeness: Numbers, targets: Numbers, importance: Numbers, ridge: float
) -> tuple[Numbers, Numbers]:
    """How much each example says for each target, and what all the others leave unsaid of it.

        A = K + ridge · diag(1 / importance)
        weights = A⁻¹ · targets
        left[i] = targets[i] - what the others predict of i = weights[i] / (A⁻¹)[i, i]

    K holds the likeness of every two examples: kernel ridge regression, with its leave-one-out
    error in closed form.

    >>> one = np.ones(2, "f")
    >>> [part.tolist() for part in left_out(np.eye(2, dtype="f"), np.eye(2, dtype="f"), one, 1.0)]
    [[[0.5, 0.0], [0.0, 0.5]], [[1.0, 0.0], [0.0, 1.0]]]
    """
    held = likeness.copy()
    held[np.diag_indices_from(held)] += ridge / importance
    inverse: Numbers = np.linalg.inv(held)
    weights: Numbers = inverse @ targets
    return weights, weights / np.diag(inverse)[:, None]


def primal_weights(
    features: Numbers, targets: Numbers, importance: Numbers, ridge: float
) -> Numbers:
    """How much each feature says for each target: ridge regression.

        weights = (Xᵀ · diag(importance) · X + ridge · I)⁻¹ · Xᵀ · diag(importance) · targets

    >>> primal_weights(np.eye(2, dtype="f"), np.eye(2, dtype="f"), np.ones(2, "f"), 1.0).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    root = np.sqrt(importance)[:, None]
    weighed = features * root
    held = weighed.T @ weighed
    held[np.diag_indices_from(held)] += np.float32(ridge)
    weights: Numbers = np.linalg.solve(held, weighed.T @ (targets * root))
    return weights
