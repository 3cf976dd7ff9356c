"""As many lines of remembered data as a budget allows, behind a fence."""

from collections.abc import Sequence
from typing import NamedTuple

from sharpwave.formulas.budget import token_estimate
from sharpwave.rendering.fence import RULE, fenced, new_code
from sharpwave.types.tokens import TokenRates


class Block(NamedTuple):
    """Lines behind a fence, and how many there was room for."""

    text: str
    shown: int


def block(lines: Sequence[str], budget: int, rates: TokenRates) -> Block:
    """The first lines that fit, with the rule for reading them; nothing at all without lines.

    >>> from sharpwave.types.tokens import TokenRates
    >>> rates = TokenRates(1.0, 0.1, 1.0, 1.4, 1.2, 0.7, 7)
    >>> block(["one two", "three four"], 100, rates).shown
    2
    >>> block(["one two", "word " * 90], 100, rates).shown
    1
    """
    left = budget - token_estimate(fenced([RULE], new_code()), rates)
    shown = 0
    for line in lines:
        left -= token_estimate(line + "\n", rates)
        if left < 0:
            break
        shown += 1
    if not shown:
        return Block("", 0)
    return Block(f"{RULE}\n{fenced(lines[:shown], new_code())}", shown)
