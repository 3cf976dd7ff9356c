"""Replay in sleep: priority of an experience, and weighted sampling without replacement."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


def replay_priority(importance: float, age_days: float, has_feedback: bool) -> float:
    """Important, recent or judged experiences come first [RPL-01].

        priority = |importance| + 1 / max(1, days) + (1 if it has feedback)

    `importance` is how near it lies to recent queries of the user, not the stored one.

    >>> replay_priority(-0.25, 4.0, has_feedback=True)
    1.5
    >>> replay_priority(0.0, 0.0, has_feedback=False)
    1.0
    """
    return abs(importance) + 1.0 / max(1.0, age_days) + (1.0 if has_feedback else 0.0)


def replay_weight(priority: float, alpha: float) -> float:
    """The chance of being drawn is proportional to this [RPL-02].

        weight = priority ^ alpha

    >>> round(replay_weight(2.0, 0.6), 4)
    1.5157
    """
    return float(priority**alpha)


class SumTree:
    """Weights whose sums over halves are kept: drawing and changing one takes log2 n steps.

    >>> tree = SumTree([1.0, 3.0])
    >>> tree.total, tree.at(0.5), tree.at(1.5)
    (4.0, 0, 1)
    >>> tree.change(1, 0.0); tree.at(0.99)
    0
    """

    def __init__(self, weights: Sequence[float]) -> None:
        size = 1
        while size < len(weights):
            size *= 2
        self._size = size
        self._sums = [0.0] * size + list(weights) + [0.0] * (size - len(weights))
        for node in range(size - 1, 0, -1):
            self._sums[node] = self._sums[2 * node] + self._sums[2 * node + 1]

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return self._sums[1]

    def at(self, value: float) -> int:
        """The item in whose share of the total a value in [0, total) falls."""
        node = 1
        while node < self._size:
            node *= 2
            if value >= self._sums[node] and self._sums[node + 1] > 0.0:
                value -= self._sums[node]
                node += 1
        return node - self._size

    def change(self, item: int, weight: float) -> None:
        """Give an item another weight."""
        node = item + self._size
        self._sums[node] = weight
        while node > 1:
            node //= 2
            self._sums[node] = self._sums[2 * node] + self._sums[2 * node + 1]


def by_tree(weights: Sequence[float], draws: Sequence[float]) -> list[int]:
    """Items in the order drawn, one for each draw in [0, 1); none twice [RPL-03].

    >>> by_tree([1.0, 1.0, 8.0], [0.5, 0.0, 0.99])
    [2, 0, 1]
    """
    tree, drawn = SumTree(weights), []
    for draw in draws[: len(weights)]:
        item = tree.at(draw * tree.total)
        tree.change(item, 0.0)
        drawn.append(item)
    return drawn


def one_by_one(weights: Sequence[float], draws: Sequence[float]) -> list[int]:
    """The same by adding up the weights for every draw: simpler, and faster for few items [RPL-03].

    >>> one_by_one([1.0, 1.0, 8.0], [0.5, 0.0, 0.99])
    [2, 0, 1]
    """
    left, drawn = list(range(len(weights))), []
    for draw in draws[: len(weights)]:
        sums = list(accumulate(weights[item] for item in left))
        drawn.append(left.pop(bisect_right(sums, draw * sums[-1])))
    return drawn
