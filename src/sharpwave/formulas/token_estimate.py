"""How many tokens a model will make of a text, without the model's own tokenizer [PRM-01]."""

import math
import re

from sharpwave.types.tokens import TokenRates

_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d{1,3}")
_MARKS = re.compile(r"[^\w\s]+|_+")
_UNDERLINES = re.compile(r"_+")
_BREAKS = re.compile(r"\n+")

# What is left of ASCII text for each of these; splitting it takes a fifth of the time of a search.
_ASCII = [chr(code) for code in range(128)]
_LETTERS_ONLY = "".join(each if each.isalpha() else " " for each in _ASCII)
_DIGITS_ONLY = "".join(each if each.isdigit() else " " for each in _ASCII)
_MARKS_ONLY = "".join(" " if each.isalnum() or each in "_ \t\n" else each for each in _ASCII)


def token_estimate(text: str, rates: TokenRates) -> int:
    """Tokens, rather too many than too few.

        tokens = ⌈ word·W + long_part·L + other_letter·O + digits·D + marks·M + line_break·B ⌉

    W words of ASCII letters, L further parts of such words (each part_letters letters), O letters
    of other words, D groups of up to three digits, M runs of marks, B runs of line breaks.

    >>> rates = TokenRates(1.0, 0.1, 1.0, 1.4, 1.2, 0.7, 7)
    >>> token_estimate("My sister Ana lives in Porto.", rates)
    8
    """
    sizes, letters, digits, marks = _counted(text) if text.isascii() else _searched(text)
    long = rates.part_letters
    return math.ceil(
        rates.word * len(sizes)
        + rates.long_part * sum([(size - 1) // long for size in sizes if size > long])
        + rates.other_letter * letters
        + rates.digits * digits
        + rates.marks * marks
        + rates.line_break * (len(_BREAKS.findall(text)) if "\n" in text else 0)
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
