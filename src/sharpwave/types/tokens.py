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
