"""How many tokens a model will make of a text, without the model's own tokenizer [PRM-01]."""

import math
import re

from sharpwave.types.tokens import TokenRates

_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d{1,3}")
_MARKS = re.compile(r"[^\w\s]+|_+")
_BREAKS = re.compile(r"\n+")


def token_estimate(text: str, rates: TokenRates) -> int:
    """Tokens, rather too many than too few.

        tokens = ⌈ word·W + long_part·L + other_letter·O + digits·D + marks·M + line_break·B ⌉

    W words of ASCII letters, L further parts of such words (each part_letters letters), O letters
    of other words, D groups of up to three digits, M runs of marks, B runs of line breaks.

    >>> rates = TokenRates(1.0, 0.1, 1.0, 1.4, 1.2, 0.7, 7)
    >>> token_estimate("My sister Ana lives in Porto.", rates)
    8
    """
    plain = letters = parts = 0
    for word in _WORD.findall(text):
        if word.isascii():
            plain += 1
            parts += (len(word) - 1) // rates.part_letters
        else:
            letters += len(word)
    return math.ceil(
        rates.word * plain
        + rates.long_part * parts
        + rates.other_letter * letters
        + rates.digits * len(_DIGITS.findall(text))
        + rates.marks * len(_MARKS.findall(text))
        + rates.line_break * len(_BREAKS.findall(text))
    )
