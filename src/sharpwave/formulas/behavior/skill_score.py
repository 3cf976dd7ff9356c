"""The score by which skills compete [SKL-16]."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", float, NDArray[np.float64])


def skill_score(
    trigger: Number, sampled: Number, alignment: Number, weights: tuple[float, float, float]
) -> Number:
    """Trigger, luck-weighted experience and style, each from 0 to 1.

        score = w_trigger·trigger + w_sampled·sampled + w_alignment·alignment

    >>> round(skill_score(1.0, 0.5, 0.8, (0.4, 0.3, 0.3)), 4)
    0.79
    """
    return weights[0] * trigger + weights[1] * sampled + weights[2] * alignment


def eviction_order(confidence: float, is_base: bool, bonus: float) -> float:
    """What goes first has the least: base skills are spared by a factor [SKL-20].

    >>> eviction_order(0.4, is_base=True, bonus=1.5) > eviction_order(0.5, False, 1.5)
    True
    """
    return confidence * bonus if is_base else confidence
