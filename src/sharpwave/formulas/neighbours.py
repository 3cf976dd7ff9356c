"""A turn is worth more when the turn before or after it bears on the question too.

with_neighbours = own + share · max(score before, score after)
"""

from collections.abc import Mapping, Sequence


def with_neighbours(
    scores: Mapping[int, float], places: Sequence[int], share: float
) -> list[float]:
    """Scores of the turns at these places, from the scores of all that were looked at.

    >>> with_neighbours({3: 0.5, 4: 0.25, 5: 1.0}, [4], share=0.5)
    [0.75]
    >>> with_neighbours({9: 0.5}, [9], share=0.5)
    [0.5]
    """
    found = []
    for place in places:
        around = [scores[near] for near in (place - 1, place + 1) if near in scores]
        found.append(scores[place] + share * max(around, default=0.0))
    return found
