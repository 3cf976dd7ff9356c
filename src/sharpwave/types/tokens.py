"""How many tokens the parts of a text take."""

from typing import NamedTuple


class TokenRates(NamedTuple):
    """Tokens for each of the things a text is made of."""

    word: float
    long_part: float
    other_letter: float
    digits: float
    marks: float
    line_break: float
    part_letters: int


TOKEN_RATES = TokenRates(
    word=1.0,
    long_part=0.1,
    other_letter=1.0,
    digits=1.4,
    marks=1.2,
    line_break=0.7,
    part_letters=7,
)
"""Rates of the tokenizers in use, rather too high than too low."""
