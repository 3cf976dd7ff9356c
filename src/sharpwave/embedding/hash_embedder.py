"""An embedder without a model: words and pieces of words, hashed into a vector.

It knows spelling, not meaning: texts that share words, stems or typing errors are close, synonyms
are not. Every step up to the final division is exact integer arithmetic, so a text has the same
vector, bit for bit, on every platform and in every Python whose Unicode knows its characters.

    1 words     text                  -> words, each with how often it occurs
    2 rows      words                 -> one row of integers a word, kept for the next text
    3 sum       rows, damped counts   -> one unit vector

A row is a dense random pattern for the word as a whole plus, for each of its boundary-marked
3..5-grams, a few signed random positions. Both are zero-centred, so sign bits keep the cosine.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidSettings
from sharpwave.types.storing import Space

# These values define the vector space. A change of one of them, of the separators or of the
# function words below makes a new space, which needs a new VERSION: stored vectors do not fit it.
NAME = "hash-ngram"
VERSION = "1"
GRAM_SIZES = (3, 4, 5)
GRAM_POSITIONS = 16
MAX_WORD_CHARS = 64
MAX_DISTINCT_CHARS = 256 * 1024  # a vector is full long before; bounds the work for one text
WORD_STEP = 80  # the word as a whole carries a tenth of its row's energy,
GRAM_STEP = 243  # its n-grams the rest: 80**2 + 243**2 is about 256**2
LENGTH_WEIGHTS = (32, 32, 38, 45, 51, 58, 64, 70, 77)  # longer words are rarer and say more
CONTENT_FACTOR = 4  # how much more a word says than a function word of its length
NORMALISE_CHARS = 256

# These only trade memory for time.
CACHE_BYTES = 16 * 1024 * 1024
ENTRY_BYTES = 300  # of a cached row besides its numbers
BLOCK_CELLS = 512 * 1024

_UNSEGMENTED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese, kana
    "\u2600-\u27bf\U0001f000-\U0001faff"  # signs and emoji
    "\U00020000-\U0003ffff"  # rarer ideographs
)
_SEPARATORS = (
    "\u0000-/:-@\\[-`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    "\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b\u061f\u066a-\u066d\u06d4"
    "\u0964\u0965\u1361-\u1368\u1680\u2000-\u206f\u2190-\u25ff\u27c0-\u2bff\u2e00-\u2e7f"
    "\u3000-\u3004\u3006\u3008-\u303f\ud800-\uf8ff\ufe00-\ufe0f\ufff0-\uffff\U000e0000-\U0010ffff"
)
_RUN = re.compile(
    f"([{_UNSEGMENTED}]{{1,{MAX_WORD_CHARS}}})|[^{_UNSEGMENTED}{_SEPARATORS}]{{1,{MAX_WORD_CHARS}}}"
)
_NORMALISED_AT_ONCE = re.compile(rf"\S{{1,{NORMALISE_CHARS}}}\s*|\s+")

_FUNCTION_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can could
    d did do does doing don done for from get got had has have having he her here hers him his how
    i if in into is it its just let like ll m may me might more most much must my no nor not now of
    off oh ok on one only or other our ours out over own re really s same shall she should so some
    such t than that the their theirs them then there these they this those through to too under up
    us ve very was we well were what when where which while who whom whose why will with would yeah
    yes you your yours
    al au aux ce ces das de del dem den der des di die du e ein eine el en er es est et het i ich il
    ist je la las le les lo los mit mon na ne nicht ou para per por que se sich sie su sur te tu un
    una und une van vous y zu в и из к на не по что я это
    """.split()
)

DIMENSION = 384
"""Size of a vector by default."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FNV_PRIME = np.uint64(0x100000001B3)
_START, _END = "\x02", "\x03"


class HashEmbedder:
    """Embeds any text in any script without a model, a download or a service."""

    def __init__(self, dimension: int = DIMENSION) -> None:
        if dimension < 1:
            raise InvalidSettings(f"the dimension must be positive, not {dimension}")
        self._space = Space(NAME, VERSION, dimension)
        self._cached: dict[str, NDArray[np.int16]] = {}
        self._cache_words = max(1, CACHE_BYTES // (2 * dimension + ENTRY_BYTES))
        self._block_words = max(1, BLOCK_CELLS // dimension)

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per statement, shape (n, dimension)."""
        vectors = np.empty((len(statements), self._space.dimension), dtype=np.float32)
        for position, statement in enumerate(statements):
            vectors[position] = self.embed_question(statement)
        return vectors

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with; a question is embedded like any statement."""
        total = self._sum(_weighted(_words(question)))
        if not total.any():
            total = self._sum({"": 1})  # nothing to hash, or all of it cancelled out
        return _unit(total)

    def _sum(self, weighted: dict[str, int]) -> NDArray[np.float64]:
        words = list(weighted)
        weights = np.array(list(weighted.values()), dtype=np.float64)
        total = np.zeros(self._space.dimension)
        for start in range(0, len(words), self._block_words):
            block = slice(start, start + self._block_words)
            # Whole numbers far below 2**53: exact in floating point, in whatever order BLAS adds.
            total += weights[block] @ self._rows(words[block]).astype(np.float64)
        return total

    def _rows(self, words: list[str]) -> NDArray[np.int16]:
        rows = [self._cached.get(word) for word in words]
        missing = [word for word, row in zip(words, rows, strict=True) if row is None]
        if missing:
            new_rows = dict(zip(missing, _word_rows(missing, self._space.dimension), strict=True))
            if len(self._cached) + len(new_rows) > self._cache_words:
                self._cached = {}
            if len(new_rows) <= self._cache_words:
                self._cached.update((word, row.copy()) for word, row in new_rows.items())
            rows = [new_rows.get(word, row) for word, row in zip(words, rows, strict=True)]
        return np.array(rows, dtype=np.int16)


def _words(text: str) -> list[str]:
    """Split a text into words; in scripts without spaces, into characters and their pairs."""
    words = []
    for run in _RUN.finditer(_normalised(text)):
        word = run.group()
        words.append(word)
        if run.group(1) and len(word) > 1:
            words[-1:] = [*word, *(word[at : at + 2] for at in range(len(word) - 1))]
    return words


def _normalised(text: str) -> str:
    if text.isascii():
        return text.lower()
    # In pieces, because a long run of combining marks takes time quadratic in its length.
    pieces = _NORMALISED_AT_ONCE.findall(text)
    return "".join(unicodedata.normalize("NFKC", piece) for piece in pieces).casefold()


def _weighted(words: list[str]) -> dict[str, int]:
    """Each distinct word with its weight; how often it occurs counts by the square root."""
    weighted = {}
    chars_left = MAX_DISTINCT_CHARS
    for word, count in Counter(words).items():
        chars_left -= len(word) + 2
        if chars_left < 0:
            break
        weight = LENGTH_WEIGHTS[min(len(word), len(LENGTH_WEIGHTS) - 1)]
        if word not in _FUNCTION_WORDS:
            weight *= CONTENT_FACTOR
        weighted[word] = isqrt(weight * weight * count)
    return weighted


def _word_rows(words: list[str], dimension: int) -> NDArray[np.int16]:
    """One row per word, of about the same length for every word."""
    grams, owners = _grams(words)
    per_word = np.bincount(owners, minlength=len(words))
    step = np.floor(GRAM_STEP * np.sqrt(dimension / (GRAM_POSITIONS * np.maximum(per_word, 1))))
    positions, signs = _positions(grams, dimension)
    cells = owners[:, None] * dimension + positions
    steps = signs * step[owners][:, None]
    rows = np.bincount(cells.ravel(), steps.ravel(), minlength=len(words) * dimension)
    rows = rows.reshape(len(words), dimension) + _patterns(words, dimension)
    return np.clip(rows, -32767, 32767).astype(np.int16)


def _grams(words: list[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hashes of the n-grams of all words, and which word each belongs to."""
    marked = "".join(f"{_START}{word}{_END}" for word in words)
    points = np.frombuffer(marked.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    lengths = np.array([len(word) + 2 for word in words])
    owner = np.repeat(np.arange(len(words)), lengths)
    hashes, owners = [], []
    rolling = np.full(len(points), _GOLDEN)
    for size in range(1, max(GRAM_SIZES) + 1):
        starts = max(0, len(points) - size + 1)
        rolling = (rolling[:starts] ^ points[size - 1 :]) * _FNV_PRIME
        if size in GRAM_SIZES:
            within = owner[:starts] == owner[size - 1 :]
            hashes.append(_mixed(rolling[within] + np.uint64(size)))
            owners.append(owner[:starts][within])
    return np.concatenate(hashes), np.concatenate(owners)


def _positions(
    hashes: NDArray[np.uint64], dimension: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each hash, where it falls in the vector and with which sign."""
    quarters = [
        _mixed(hashes + draw).astype("<u8").view("<u2").reshape(-1, 4)
        for draw in _draws(GRAM_POSITIONS // 4)
    ]
    bits = np.concatenate(quarters, axis=1).astype(np.int64)
    return ((bits >> 1) * dimension) >> 15, (bits & 1) * 2 - 1


def _patterns(words: list[str], dimension: int) -> NDArray[np.int64]:
    """Draw a dense pattern of plus and minus for each word as a whole."""
    digests = b"".join(hashlib.blake2b(word.encode(), digest_size=8).digest() for word in words)
    seeds = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
    draws = _draws(dimension // 64 + 1)
    octets = _mixed(seeds[:, None] + draws).astype("<u8").view(np.uint8)
    bits = np.unpackbits(octets, axis=1, count=dimension, bitorder="little")
    return (bits.astype(np.int64) * 2 - 1) * WORD_STEP


def _mixed(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Finalise as splitmix64 does: every input bit reaches every output bit."""
    mixed = (seeds ^ (seeds >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _unit(total: NDArray[np.float64]) -> NDArray[np.float32]:
    # Whole numbers of at most 20 bits: the sum of their squares is exact in whatever order.
    scaled = np.rint(total * (2.0**20 / np.abs(total).max()))
    unit: NDArray[np.float32] = (scaled / np.sqrt(scaled @ scaled)).astype(np.float32)
    return unit


def _draws(count: int) -> NDArray[np.uint64]:
    return np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN
