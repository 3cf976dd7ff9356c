"""Cuts text into the word pieces of a BERT vocabulary, as the model was trained with.

    1 plain    each character    -> lower case without accents; punctuation and ideographs apart
    2 words    at white space
    3 pieces   each word         -> its longest beginning in the vocabulary, then the next, …

The same pieces as the library `tokenizers` gives for the same vocabulary, without installing it.
"""

import unicodedata
from collections.abc import Sequence

MAX_WORD_CHARS = 100
"""Maximum number of characters of a word; a longer one is unknown as a whole."""
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_REMOVED = frozenset({"Cc", "Cf", "Co", "Cs"})
_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class WordPieces:
    """A vocabulary with one piece per line; `##` begins a piece inside of a word."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids = {piece: place for place, piece in enumerate(vocabulary)}
        self._plain = _Plain()
        self.begin, self.end = self._ids["[CLS]"], self._ids["[SEP]"]
        self._unknown = self._ids["[UNK]"]

    def ids(self, text: str) -> list[int]:
        """The pieces of a text, by their numbers."""
        found: list[int] = []
        for word in text.translate(self._plain).split():
            known = self._ids.get(word)
            if known is not None:
                found.append(known)
            else:
                found += self._cut(word)
        return found

    def _cut(self, word: str) -> list[int]:
        if len(word) > MAX_WORD_CHARS:
            return [self._unknown]
        found: list[int] = []
        start, mark = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                known = self._ids.get(mark + word[start:end])
                if known is not None:
                    break
            else:
                return [self._unknown]
            found.append(known)
            start, mark = end, "##"
        return found


class _Plain(dict[int, str]):
    """What each character becomes, computed on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = plain = _plain(chr(code))
        return plain


def _plain(character: str) -> str:
    r"""A character as the vocabulary knows it.

    >>> [_plain(character) for character in ("É", "\t", "\x00", "?", "水")]
    ['e', ' ', '', ' ? ', ' 水 ']
    """
    if character in "\t\n\r":
        return " "
    if unicodedata.category(character) in _REMOVED or character == "\ufffd":
        return ""
    if character.isspace():
        return " "
    if any(first <= ord(character) <= last for first, last in _IDEOGRAPHS):
        return f" {character} "
    parts = unicodedata.normalize("NFD", character)
    kept = "".join(part.lower() for part in parts if unicodedata.category(part) != "Mn")
    return "".join(f" {part} " if _is_mark(part) else part for part in kept)


def _is_mark(character: str) -> bool:
    return character in _ASCII_MARKS or unicodedata.category(character).startswith("P")
