"""What fits into a token budget: estimated tokens, and the parts worth most per token."""

import math
import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple


class BudgetPart(NamedTuple):
    """A part of an item: its share of the information of the whole, and its cost."""

    share: float
    tokens: int


class BudgetItem(NamedTuple):
    """Something that can be shown, whole (one part) or in part."""

    value: float
    section: str
    group: Hashable
    """Items of a group share a frame."""
    alone: int
    """Tokens of a new frame."""
    beside: int
    """Tokens of a place in an existing frame."""
    parts: tuple[BudgetPart, ...]
    """In order of share, largest first."""


def rank_worth(rank: int, power: float) -> float:
    """How likely the item at a rank answers the query, relative to the first [PRM-02].

        worth = 1 / (rank + 1)^power

    >>> [round(rank_worth(rank, 1.3), 2) for rank in (0, 1, 5)]
    [1.0, 0.41, 0.1]
    """
    return float((rank + 1) ** -power)


def part_worth(share: float, first: bool, loss: float) -> float:
    """What a part adds, of the worth of the whole [PRM-02].

        first:    1 - loss (1 - share)        further:  loss · share

    `loss` is how likely the answer is missing when almost nothing is shown.

    >>> round(part_worth(0.6, True, 0.7) + part_worth(0.4, False, 0.7), 3)
    1.0
    """
    return 1.0 - loss * (1.0 - share) if first else loss * share


def bought(
    offers: Sequence[BudgetItem], budget: int, loss: float, caps: Mapping[str, int]
) -> tuple[int, ...]:
    """Indexes of items in the order their parts are chosen, one for each part [PRM-02].

        next = argmax  value · part_worth / tokens,   of those that fit into the budget and the cap

    >>> whole = BudgetItem(1.0, "said", "monday", 10, 2, (BudgetPart(1.0, 30),))
    >>> brief = BudgetItem(0.5, "said", "monday", 10, 2, (BudgetPart(0.8, 7), BudgetPart(0.2, 20)))
    >>> bought([whole, brief], 50, 0.7, {}), bought([whole, brief], 80, 0.7, {})
    ((1, 0), (1, 0, 1))
    """
    taken = [0] * len(offers)
    framed: set[Hashable] = set()
    spent: Counter[str] = Counter()
    order: list[int] = []
    heap: list[tuple[float, int, int, int]] = []

    def offer(place: int) -> None:
        item, at = offers[place], taken[place]
        if at < len(item.parts):
            share, tokens = item.parts[at]
            if at == 0:
                tokens += item.beside if item.group in framed else item.alone
            worth = item.value * part_worth(share, at == 0, loss)
            heappush(heap, (-worth / max(tokens, 1), place, at, tokens))

    for place in range(len(offers)):
        offer(place)
    while heap:
        _, place, at, tokens = heappop(heap)
        item = offers[place]
        over = spent[item.section] + tokens > caps.get(item.section, math.inf)
        if at != taken[place] or tokens > budget or over:
            continue
        budget -= tokens
        spent[item.section] += tokens
        order.append(place)
        taken[place] += 1
        if item.group in framed:
            offer(place)
            continue
        framed.add(item.group)  # what can stand beside it costs less now
        for index, candidate in enumerate(offers):
            if candidate.group == item.group:
                offer(index)
    return tuple(order)


_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d{1,3}")
_MARKS = re.compile(r"[^\w\s]+|_+")
_UNDERLINES = re.compile(r"_+")
_BREAKS = re.compile(r"\n+")

# What is left of ASCII text for each of these; splitting it takes a fifth of the time of a search.
_ASCII = [chr(code) for code in range(128)]
_LETTERS_ONLY = "".join(character if character.isalpha() else " " for character in _ASCII)
_DIGITS_ONLY = "".join(character if character.isdigit() else " " for character in _ASCII)
_MARKS_ONLY = "".join(
    " " if character.isalnum() or character in "_ \t\n" else character for character in _ASCII
)


WORD, LONG_PART, OTHER_LETTER, DIGITS, MARKS, LINE_BREAK = 1.0, 0.1, 1.0, 1.4, 1.2, 0.7
"""Tokens for each: the rates of the tokenizers in use, rather too high than too low."""
PART_LETTERS = 7


def token_estimate(text: str) -> int:
    """Tokens, rather too many than too few [PRM-01].

        tokens = ⌈ word·W + long_part·L + other_letter·O + digits·D + marks·M + line_break·B ⌉

    W words of ASCII letters, L further parts of such words (each part_letters letters), O letters
    of other words, D groups of up to three digits, M runs of marks, B runs of line breaks.

    >>> token_estimate("My sister Ana lives in Porto.")
    8
    """
    sizes, letters, digits, marks = _counted(text) if text.isascii() else _searched(text)
    return math.ceil(
        WORD * len(sizes)
        + LONG_PART * sum([(size - 1) // PART_LETTERS for size in sizes if size > PART_LETTERS])
        + OTHER_LETTER * letters
        + DIGITS * digits
        + MARKS * marks
        + LINE_BREAK * (len(_BREAKS.findall(text)) if "\n" in text else 0)
    )


def _searched(text: str) -> tuple[list[int], int, int, int]:
    """Lengths of the plain words, letters of others, groups of digits and runs of marks.

    >>> _searched("Où? 20 000 __nous__")
    ([4], 2, 2, 3)
    """
    words = _WORD.findall(text)
    sizes = [len(word) for word in words if word.isascii()]
    letters = sum(map(len, words)) - sum(sizes)
    return sizes, letters, len(_DIGITS.findall(text)), len(_MARKS.findall(text))


def _counted(text: str) -> tuple[list[int], int, int, int]:
    """The same for ASCII text.

    >>> _counted("It's 20,000 __init__!?") == _searched("It's 20,000 __init__!?")
    True
    """
    sizes = list(map(len, text.translate(_LETTERS_ONLY).split()))
    digits = sum([(len(run) + 2) // 3 for run in text.translate(_DIGITS_ONLY).split()])
    marks = len(text.translate(_MARKS_ONLY).split())
    return sizes, 0, digits, marks + (len(_UNDERLINES.findall(text)) if "_" in text else 0)
