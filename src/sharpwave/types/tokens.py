"""How many tokens the parts of a text take."""

from typing import NamedTuple


class TokenRates(NamedTuple):
    """Tokens for each of the things a text is made of.

    The rates of the tokenizers in use, rather too high than too low.
    """

    word: float = 1.0
    long_part: float = 0.1
    other_letter: float = 1.0
    digits: float = 1.4
    marks: float = 1.2
    line_break: float = 0.7
    part_letters: int = 7


TOKEN_RATES = TokenRates()
