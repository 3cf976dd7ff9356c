"""How well the words of a text match the words of a query (Okapi BM25).  Design: F-BM25 [RD-11].

The score of a text is the sum, over the query's terms, of `idf * term_weight`.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", float, NDArray[Any])

K1 = 1.2
"""How fast repeated terms saturate: the usual value."""
B = 0.75
"""How much long texts are held back: the usual value."""


def idf(records: float, containing: Value) -> Value:
    """How telling a term is that `containing` of a user's `records` hold.

        idf = ln(1 + (records - containing + 0.5) / (containing + 0.5))        range (0, ∞)

    Always positive, even for a term that every record holds.

    >>> round(float(idf(10, 1)), 4), round(float(idf(10, 10)), 4)
    (1.9924, 0.0465)
    """
    telling: Value = np.log1p((records - containing + 0.5) / (containing + 0.5))
    return telling


def term_weight(count: Value, length: Value, average_length: float, k1: float, b: float) -> Value:
    """How much a term counts that occurs `count` times in a text of `length` terms.

        term_weight = count (k1 + 1) / (count + k1 (1 - b + b length / average_length))

    Range [0, k1 + 1): rises with `count`, falls with `length` if b > 0.

    >>> term_weight(1.0, 8.0, average_length=8.0, k1=1.2, b=0.75)
    1.0
    >>> term_weight(2.0, 8.0, average_length=8.0, k1=1.0, b=0.0)
    1.3333333333333333
    """
    return count * (k1 + 1) / (count + k1 * (1 - b + b * length / average_length))
