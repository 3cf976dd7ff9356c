"""Text to the terms that keyword search counts. Knows nothing of records or users.

Words are folded (compatibility forms, case, accents), stemmed as English and freed of stop words.
Scripts written without spaces, and Korean, give overlapping pairs of characters; a Chinese
character is also a term of its own. An emoji is a term. Any string will do.
"""

import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import chain, count, islice, pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidInput
from sharpwave.formulas.text import stem

MAX_TERMS = 16_384
"""Terms of one text that keyword search knows."""
MAX_WORD_CHARS = 64
"""Longer words are cut to this."""
CACHED_WORDS = 65_536
"""Words whose stems are kept in memory."""
VERSION = 1
"""Raise it when the same text would give other terms, so that saved indexes are built anew."""

STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before being both but
    by can could did do does doing done down each either else ever every for from further get gets
    got had has have having he her here hers herself him himself his how i if in into is it its
    itself just let like many may me might mine more most much must my myself neither no nor not of
    off on once one only onto or other our ours ourselves out over own please quite rather really
    same shall she should since so some such than that the their theirs them themselves then there
    these they this those though through thus to too under until up upon us very was we were what
    when where whether which while who whom whose why will with within without would yes yet you
    your yours yourself yourselves""".split()
)

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SPACELESS = (
    _HAN
    + "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Japanese
    + "\uac00-\ud7a3\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf"  # Korean, Thai, Lao
    + "\u0f40-\u0fbc\u1000-\u103f\u1050-\u109f\u1780-\u17d3"  # Tibetan, Burmese, Khmer
)
_MARKS = (
    "\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0df3\u200d"
)
_EMOJI = (
    "[\U0001f1e6-\U0001f1ff]{2}"
    "|[\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001f3fa\U0001f400-\U0001faff]"
)
_ENDING = r"(?:'(?:s|t|d|m|re|ve|ll)\b)?"
_LETTERS = rf"[^\W_{_SPACELESS}]+"

_ASCII_TOKEN = re.compile(rf"[a-z0-9]+{_ENDING}")


@cache
def _token() -> re.Pattern[str]:
    """What is more than ASCII; compiled with the first text that has it, for that takes long."""
    return re.compile(
        rf"([{_SPACELESS}]+)|{_LETTERS}(?:[{_MARKS}]+(?:{_LETTERS})?)*{_ENDING}|{_EMOJI}"
    )


@cache
def _is_han() -> re.Pattern[str]:
    return re.compile(rf"[{_HAN}]")


_ACCENTS = re.compile("[\u0300-\u036f]")


@cache
def _stemmer_version() -> str:
    return version("PyStemmer")


class TermReader:
    """Reads the terms of texts; remembers the stems of recent words. Safe to share by threads."""

    def __init__(
        self,
        max_terms: int = MAX_TERMS,
        max_word_chars: int = MAX_WORD_CHARS,
        cached_words: int = CACHED_WORDS,
    ) -> None:
        self._max_terms = max_terms
        self._max_word_chars = max_word_chars
        self.signature = f"{VERSION} {_stemmer_version()} {max_terms} {max_word_chars}"
        """Changes whenever the same text might give other terms."""
        self._term = lru_cache(maxsize=cached_words)(self._uncached_term)

    def read(self, text: str) -> list[str]:
        """The terms of a text in order, repeated as they repeat; the first `max_terms` of them."""
        return list(islice(filter(None, self._terms(text)), self._max_terms))

    def required(self, words: Iterable[str]) -> list[str]:
        """The terms of words that a record must hold; InvalidInput for a word without any."""
        terms = []
        for word in words:
            found = self.read(word)
            if not found:
                raise InvalidInput(f"nothing is found by {word!r}; name a word that tells more")
            terms += found
        return terms

    def forget_words(self) -> None:
        """Clear the cached words, since some of what was read was forgotten."""
        self._term.cache_clear()

    def _terms(self, text: str) -> Iterator[str]:
        if text.isascii():
            return map(self._term, map(re.Match.group, _ASCII_TOKEN.finditer(text.lower())))
        return chain.from_iterable(map(self._split, _token().finditer(_folded(text))))

    def _split(self, token: re.Match[str]) -> list[str]:
        run = token.group(1)
        return [self._term(token.group())] if run is None else _pairs(run)

    def _uncached_term(self, word: str) -> str:
        """The term of a word; nothing for a stop word."""
        plain, apostrophe, ending = word.partition("'")
        plain = plain[: self._max_word_chars]
        if plain in STOP_WORDS or (apostrophe and ending == "t"):
            return ""
        return stem(plain) if plain.isascii() and plain.isalpha() else plain


def _folded(text: str) -> str:
    """The text in one spelling: compatibility forms resolved, no case, no Latin accents."""
    apart = unicodedata.normalize("NFKD", text.replace("\u2019", "'")).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart))


def _pairs(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    return [first + second for first, second in pairwise(run)] + _is_han().findall(run)


class Vocabulary:
    """Term ids from 0 up, in order of first use."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._ids: defaultdict[str, int] = defaultdict(count(len(words)).__next__)
        self._ids.update(zip(words, range(len(words)), strict=True))

    @property
    def nbytes(self) -> int:
        """Memory taken, estimated: the table, and for each term a short string and its number."""
        return sys.getsizeof(self._ids) + len(self._ids) * _BYTES_PER_WORD

    def ids(self, terms: Sequence[str]) -> Iterator[int]:
        """The id of each of these terms; a new term gets the next."""
        return map(self._ids.__getitem__, terms)

    def known(self, terms: Sequence[str]) -> NDArray[np.int32]:
        """Ids of those terms that are known, each once, in order of first appearance."""
        found = (self._ids.get(term) for term in dict.fromkeys(terms))
        return np.array([term for term in found if term is not None], np.int32)

    def subset(self, ids: NDArray[np.int32]) -> Self:
        """A vocabulary of only these terms, numbered anew in this order."""
        words = list(self._ids)
        return type(self)([words[term] for term in ids.tolist()])

    def to_bytes(self) -> bytes:
        """All terms in order of their ids."""
        return "\n".join(self._ids).encode()

    @classmethod
    def from_bytes(cls, words: bytes) -> Self:
        """The vocabulary that `to_bytes` wrote."""
        return cls(words.decode().split("\n") if words else ())

    def __len__(self) -> int:
        """How many terms there are."""
        return len(self._ids)


_BYTES_PER_WORD = sys.getsizeof("ordinary") + sys.getsizeof(1 << 20)
