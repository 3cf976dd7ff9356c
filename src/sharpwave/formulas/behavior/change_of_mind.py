"""Whether somebody no longer likes what was liked before."""

from collections.abc import Sequence


def changed_mind(
    ratings: Sequence[int], window: int, dislikes: int, before: int, fewest: int, liked: float
) -> bool:
    """Mostly dislikes (0) now, after mostly likes (1) before.

        at least `dislikes` of the last `window` disliked, and at least a share `liked` of the
        `fewest` to `before` ratings before them liked

    >>> changed_mind([1, 1, 0, 1, 1, 0, 0, 0], window=4, dislikes=3, before=8, fewest=4, liked=0.6)
    True
    >>> changed_mind([1, 0, 0, 0, 1, 0, 0, 0], window=4, dislikes=3, before=8, fewest=4, liked=0.6)
    False
    """
    earlier, now = ratings[:-window][-before:], ratings[-window:]
    if len(earlier) < fewest or now.count(0) < dislikes:
        return False
    return sum(earlier) >= liked * len(earlier)
