"""What to show when there is not room for all: the parts of most worth a token [PRM-01, PRM-02]."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple


class Part(NamedTuple):
    """A part of something: the share of what the whole tells, and what it costs."""

    share: float
    tokens: int


class Offer(NamedTuple):
    """Something that can be shown, whole (one part) or as far as it pays."""

    value: float
    section: str
    group: Hashable
    """What it can share a frame with."""
    alone: int
    """Tokens of a frame of its own, and"""
    beside: int
    """of its place in a frame that is there already."""
    parts: tuple[Part, ...]
    """The one that tells most first."""


def rank_worth(rank: int, power: float) -> float:
    """How likely the item at a rank is what was asked for, against the first.

        worth = 1 / (rank + 1)^power

    >>> [round(rank_worth(rank, 1.3), 2) for rank in (0, 1, 5)]
    [1.0, 0.41, 0.1]
    """
    return float((rank + 1) ** -power)


def part_worth(share: float, first: bool, loss: float) -> float:
    """What a part adds, of the worth of the whole.

        first:    1 - loss (1 - share)        further:  loss · share

    `loss` is how likely what is asked for is missing when everything but nothing is shown.

    >>> round(part_worth(0.6, True, 0.7) + part_worth(0.4, False, 0.7), 3)
    1.0
    """
    return 1.0 - loss * (1.0 - share) if first else loss * share


def bought(
    offers: Sequence[Offer], room: int, loss: float, caps: Mapping[str, int]
) -> tuple[int, ...]:
    """Places of offers in the order their parts are bought, a place for each part.

        next = argmax  value · part_worth / tokens,   of those that fit into the room and the cap

    >>> whole = Offer(1.0, "said", "monday", 10, 2, (Part(1.0, 30),))
    >>> brief = Offer(0.5, "said", "monday", 10, 2, (Part(0.8, 7), Part(0.2, 20)))
    >>> bought([whole, brief], 50, 0.7, {}), bought([whole, brief], 80, 0.7, {})
    ((1, 0), (1, 0, 1))
    """
    taken = [0] * len(offers)
    framed: set[Hashable] = set()
    spent: Counter[str] = Counter()
    order: list[int] = []
    heap: list[tuple[float, int, int, int]] = []

    def offer(place: int) -> None:
        one, at = offers[place], taken[place]
        if at < len(one.parts):
            share, tokens = one.parts[at]
            if at == 0:
                tokens += one.beside if one.group in framed else one.alone
            worth = one.value * part_worth(share, at == 0, loss)
            heappush(heap, (-worth / max(tokens, 1), place, at, tokens))

    for place in range(len(offers)):
        offer(place)
    while heap:
        _, place, at, tokens = heappop(heap)
        one = offers[place]
        over = spent[one.section] + tokens > caps.get(one.section, math.inf)
        if at != taken[place] or tokens > room or over:
            continue
        room -= tokens
        spent[one.section] += tokens
        order.append(place)
        taken[place] += 1
        if one.group in framed:
            offer(place)
            continue
        framed.add(one.group)  # what can stand beside it costs less now
        for other, each in enumerate(offers):
            if each.group == one.group:
                offer(other)
    return tuple(order)
