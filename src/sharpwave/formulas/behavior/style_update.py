"""How a person's style moves with a rating, or with what a comment says [PV-04, PV-14]."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def style_update(style: Floats, skill: Floats, reward: float, rate: float) -> Floats:
    """Towards the skill that was liked, away from the one that was not.

        new = style + reward·rate·(skill - style), clamped to [0, 1]

    >>> style_update(np.array([0.5, 0.5]), np.array([0.2, 0.5]), 1, 0.1).round(3).tolist()
    [0.47, 0.5]
    """
    if reward == 0:
        return style
    return np.clip(style + reward * rate * (skill - style), 0.0, 1.0)


def style_push(style: Floats, direction: Floats, rate: float) -> Floats:
    """As a comment says: "too long" pushes verbosity down, whatever it was.

        new = style + rate·direction, clamped to [0, 1]

    >>> style_push(np.array([0.5, 0.05]), np.array([1.0, -1.0]), 0.1).tolist()
    [0.6, 0.0]
    """
    return np.clip(style + rate * direction, 0.0, 1.0)


def blended(own: Floats, general: Floats, evidence: Floats, shared: float) -> Floats:
    """The style of a context: its own, as far as it is known; the general one for the rest.

        w = evidence / (evidence + shared);   w·own + (1 - w)·general

    >>> blended(np.array([1.0]), np.array([0.5]), np.array([3.0]), 3.0).tolist()
    [0.75]
    """
    if shared == 0:
        return own
    weight = evidence / (evidence + shared)
    mixed: Floats = weight * own + (1.0 - weight) * general
    return mixed
