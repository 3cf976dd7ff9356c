"""Weights of examples from which a linear reader is made.  Design: FB-09, resolution 30."""

import numpy as np
from numpy.typing import NDArray


def dual_weights(
    likeness: NDArray[np.float32],
    targets: NDArray[np.float32],
    importance: NDArray[np.float32],
    ridge: float,
) -> NDArray[np.float32]:
    """How much each example says for each target: kernel ridge regression.

        weights = (K + ridge · diag(1 / importance))⁻¹ · targets

    K holds the likeness of every two examples.

    >>> dual_weights(np.eye(2, dtype="f"), np.eye(2, dtype="f"), np.ones(2, "f"), 1.0).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    held = likeness.copy()
    held[np.diag_indices_from(held)] += ridge / importance
    weights: NDArray[np.float32] = np.linalg.solve(held, targets)
    return weights
