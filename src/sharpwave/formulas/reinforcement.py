"""How much surer a fact becomes each time it is seen again [PRO-06, CON-07]."""


def reinforced(confidence: float, gain: float) -> float:
    """Confidence after one more sighting: a share of the remaining doubt goes.

        confidence' = confidence + gain * (1 - confidence)

    Never reaches 1, so that nothing becomes certain by repetition alone.

    >>> round(reinforced(0.7, gain=0.3), 3)
    0.79
    """
    return confidence + gain * (1.0 - confidence)
