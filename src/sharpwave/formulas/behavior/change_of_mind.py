"""Whether somebody no longer likes what was liked before."""

from collections.abc import Sequence

_BEFORE = 8
_FEWEST_BEFORE = 4
_LIKED_BEFORE = 0.6


def changed_mind(ratings: Sequence[int], window: int, dislikes: int) -> bool:
    """Mostly dislikes (0) now, after mostly likes (1) before.

        at least `dislikes` of the last `window` disliked, and at least 60 % of the four to eight
        before them liked

    >>> changed_mind([1, 1, 0, 1, 1, 0, 0, 0], window=4, dislikes=3)
    True
    >>> changed_mind([1, 0, 0, 0, 1, 0, 0, 0], window=4, dislikes=3)
    False
    """
    before, now = ratings[:-window][-_BEFORE:], ratings[-window:]
    if len(before) < _FEWEST_BEFORE or now.count(0) < dislikes:
        return False
    return sum(before) >= _LIKED_BEFORE * len(before)
