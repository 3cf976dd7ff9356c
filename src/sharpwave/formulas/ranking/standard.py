"""Features of candidates on one scale, whatever the question.  Design: the learned ranking."""

import numpy as np
from numpy.typing import NDArray


def standardised(features: NDArray[np.floating]) -> NDArray[np.float64]:
    """Each column less its mean, divided by its spread; a column of equals becomes zeros.

        z = (x - mean x) / sd x        over the candidates of one question

    >>> standardised(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    exact = features.astype(np.float64)
    if not len(exact):
        return exact
    apart = exact - exact.mean(axis=0)
    spread = np.sqrt((apart * apart).mean(axis=0))
    standard: NDArray[np.float64] = apart / np.where(spread > 1e-6, spread, np.inf)
    return standard
