"""One ranking out of several, by ranks alone [RD-09]."""

from typing import Any, TypeVar

from numpy.typing import NDArray

Value = TypeVar("Value", float, NDArray[Any])


def reciprocal_rank(rank: Value, rrf_k: float, weight: float) -> Value:
    """What one ranking contributes to a candidate it put at `rank` (1 is best).

        contribution = weight / (rrf_k + rank)

    A candidate's fused score is the sum over the rankings that found it.

    >>> round(reciprocal_rank(1, rrf_k=60.0, weight=1.0), 5)
    0.01639
    """
    return weight / (rrf_k + rank)
