"""How close the style of skills is to the style a person likes [PV-05]."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def style_alignment(person: Floats, skills: Floats) -> Floats:
    """1 - distance / √dimensions, a row of `skills` each.

    >>> style_alignment(np.full(4, 0.5), np.array([[0.5] * 4, [1.0] * 4])).tolist()
    [1.0, 0.5]
    """
    distance = np.linalg.norm(skills - person, axis=1)
    result: Floats = 1.0 - distance / np.sqrt(len(person))
    return result


def relative(alignments: Floats) -> Floats:
    """Alignments stretched over those that compete: the closest 1, the farthest 0.

        (a - min) / (max - min); all the same: 0.5

    Skills differ by a tenth or so in alignment, while a sample of the bandit differs by up to 1: as
    it stands, style would hardly ever decide.

    >>> relative(np.array([0.8, 0.9, 0.85])).round(2).tolist()
    [0.0, 1.0, 0.5]
    """
    if not len(alignments):
        return alignments
    low, high = float(alignments.min()), float(alignments.max())
    if high - low < 1e-9:
        return np.full_like(alignments, 0.5)
    stretched: Floats = (alignments - low) / (high - low)
    return stretched
