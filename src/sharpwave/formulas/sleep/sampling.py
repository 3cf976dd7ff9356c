"""Drawing without replacement, each item with a chance proportional to its weight [RPL-03]."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


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
    """Items in the order drawn, one for each draw in [0, 1); none twice.

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
    """The same by adding up the weights for every draw: simpler, and faster for few items.

    >>> one_by_one([1.0, 1.0, 8.0], [0.5, 0.0, 0.99])
    [2, 0, 1]
    """
    left, drawn = list(range(len(weights))), []
    for draw in draws[: len(weights)]:
        sums = list(accumulate(weights[item] for item in left))
        drawn.append(left.pop(bisect_right(sums, draw * sums[-1])))
    return drawn
