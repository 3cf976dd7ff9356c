"""What a word of a conversation tells [EPI-05]."""

import math


def word_worth(sentences: int, holding: int) -> float:
    """More, the fewer of the sentences hold it.

        worth = ln(1 + sentences / holding)

    >>> round(word_worth(40, 2), 2), round(word_worth(40, 40), 2)
    (3.04, 0.69)
    """
    return math.log(1 + sentences / holding)
