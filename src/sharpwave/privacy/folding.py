"""Fold a text to plain characters: no invisible ones, lookalikes replaced by what they look like.

Full-width digits, digits of other scripts and Cyrillic letters inside Latin words look plain to a
reader but hide a number or a word from a rule.
"""

import re
import unicodedata
from typing import NamedTuple

from sharpwave.types.statements import Span

_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u180e")
_CYRILLIC = (
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb"
    "\u051b\u051d\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422"
    "\u0425\u0406\u0408\u0405"
)
_GREEK = (
    "\u03bf\u03b1\u03c1\u03bd\u03ba\u03b9\u0391\u0392\u0395\u0396\u0397\u0399"
    "\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
)
_LOOKALIKES = dict(
    zip(_CYRILLIC + _GREEK, "aeopcyxijsdhqwABEKMHOPCTXIJSoapvkiABEZHIKMNOPTYX", strict=True)
)
_MIXED = re.compile(
    r"(?<![a-zA-Z])[a-zA-Z]++[\u0370-\u052f]\w*"
    r"|(?<![\u0370-\u052f])[\u0370-\u052f]++[a-zA-Z]\w*"
)
_DISGUISE = re.compile(
    r"[\u00a0\u00ad\u180e\u2007\u2009-\u200d\u202f\u2060\u3000\ufeff\uff01-\uff5e]|(?![0-9])\d"
)
_BLANKS = frozenset("\u00a0\u2007\u2009\u200a\u202f\u3000")


class Folded(NamedTuple):
    """A folded text, and the offset of each of its characters in the original."""

    text: str
    offsets: list[int]

    def original(self, span: Span) -> Span:
        """The span in the original text of a span of this one."""
        return Span(self.offsets[span.start], self.offsets[span.end - 1] + 1)


def folded(text: str) -> Folded | None:
    r"""The text with disguised characters folded; None if there are none, as in most texts.

    >>> folded("\u0440in \uff14\uff12").text
    'pin 42'
    """
    if text.isascii() or not (_DISGUISE.search(text) or _MIXED.search(text)):
        return None
    plain, offsets = [], []
    for offset, character in enumerate(_without_lookalikes(text)):
        if character in _INVISIBLE:
            continue
        plain.append(_plain(character))
        offsets.append(offset)
    found = "".join(plain)
    return Folded(found, offsets) if found != text else None


def _plain(character: str) -> str:
    if character in _BLANKS:
        return " "
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return character


def _without_lookalikes(text: str) -> str:
    """Letters of other scripts inside a Latin word, as the Latin letters they look like."""

    def latin(word: re.Match[str]) -> str:
        return "".join(_LOOKALIKES.get(character, character) for character in word[0])

    return _MIXED.sub(latin, text)
