"""How often a memory was seen, with less and less to gain.  Design: SCO-07."""

import math


def frequency(seen_count: int, scale: float) -> float:
    """From 0 (never seen) towards 1.

        frequency = 1 - exp(-seen_count / scale)

    >>> round(frequency(3, scale=3.0), 4)
    0.6321
    """
    return 1.0 - math.exp(-seen_count / scale)
