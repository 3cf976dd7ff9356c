"""Text into word pieces: the same way when the table is trained and when it is used.

    1 normalised   text   -> compatibility forms folded, case folded, invisible marks dropped
    2 words        text   -> words; a stretch of a script without spaces is one word
    3 pieces       word   -> rows of the table, the likeliest way to cut it (unigram, Viterbi)

A word starts with the marker `▁`, so that a piece knows whether a word starts with it. A script
without spaces (Chinese, Japanese, Thai …) and emoji get no marker, because there words are
not separated. Punctuation separates words and is dropped. What no piece covers is skipped. The
classes of characters are written out instead of taken from Python, so that every version of Python
cuts alike. Knows nothing of vectors.
"""

import json
import re
import threading
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidSettings
from sharpwave.types.storing import Space

MARKER = "\u2581"  # ▁

# These values are part of the model: the table was trained with them.
MAX_WORD_CHARS = 64  # longer ones are cut into words of this length
NORMALISE_CHARS = 256
UNKNOWN_PENALTY = 10.0  # a skipped character costs this much more than the unlikeliest piece

OPENING = 3  # characters, the marker among them: what `_openings` knows words by

# These only trade memory for time.
CACHE_BYTES = 8 * 1024 * 1024
ENTRY_BYTES = 240  # of a cached word besides its characters and row numbers

_UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese, kana
    "\u2600-\u27bf\U0001f000-\U0001faff"  # signs and emoji
    "\U00020000-\U0003ffff"  # rarer ideographs
)
_SEPARATORS = (
    "\u0000-/:-@\\[-`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    "\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b\u061f\u066a-\u066d\u06d4"
    "\u0964\u0965\u1361-\u1368\u1680\u2000-\u206f\u20a0-\u20cf\u2190-\u25ff\u27c0-\u2bff"
    "\u2e00-\u2e7f\u3000-\u3004\u3006\u3008-\u303f\ud800-\uf8ff\ufe00-\ufe0f\ufff0-\uffff"
    "\U000e0000-\U0010ffff"
)
# Soft hyphen, joiners, the dot that folding leaves of a Turkish İ; vowel points and stretching
# strokes of Hebrew and Arabic, which are mostly left out in writing.
_DROPPED = re.compile(
    "[\u00ad\u200c\u200d\u2060\ufeff\u0307\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0640\u064b-\u065f\u0670]+"
)
_ASCII_FOLDED = "".join(chr(c).lower() if chr(c).isalnum() else " " for c in range(128))
# Up to a space where there is one: nothing is composed across it.
_NORMALISED_AT_ONCE = re.compile(rf"(?s:.{{1,{NORMALISE_CHARS}}})(?!\S)|\S{{1,{NORMALISE_CHARS}}}")


@cache
def _word() -> re.Pattern[str]:
    """Pattern of a word beyond ASCII, compiled on first use, since that takes long."""
    return re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}{_SEPARATORS}]+")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]")


def normalised(text: str) -> str:
    """Fold what looks different and means the same; the pieces of a table are folded alike.

    >>> normalised("\uff26ine ca\u00adf\u00e9 \u0130stanbul")
    'fine café istanbul'
    """
    if text.isascii():
        return text.lower()
    # In parts, because a long run of combining marks takes time quadratic in its length.
    parts = _NORMALISED_AT_ONCE.findall(text)
    folded = "".join(unicodedata.normalize("NFKC", part) for part in parts).casefold()
    return _DROPPED.sub("", folded)


def words(text: str) -> list[str]:
    """Return the words of a text, in order, normalised.

    >>> words("Anna's e-mail: 3pm, 東京タワー🎉!")
    ['anna', 's', 'e', 'mail', '3pm', '東京タワー🎉']
    """
    if text.isascii():
        return text.translate(_ASCII_FOLDED).split()  # the same, in a third of the time
    return _word().findall(normalised(text))


def marked(word: str) -> str:
    """Return the word as it is cut: behind the marker, unless its script has no spaces.

    >>> marked("basel"), marked("東京")
    ('▁basel', '東京')
    """
    return MARKER + word if word.isascii() or not _unspaced().match(word) else word


class Tokenizer:
    """Cuts text into the pieces of one table. Safe to share between threads."""

    def __init__(self, rows: Mapping[str, int], scores: Sequence[float]) -> None:
        """Take the row of every piece, and for every row its log probability."""
        self._rows = rows
        self._scores = scores
        self._longest = max(map(len, rows), default=1)
        self._unknown = min(scores, default=0.0) - UNKNOWN_PENALTY
        self._above_zero = max(0.0, max(scores, default=0.0))
        self._beginnings, self._endings = _likeliest(rows, scores)
        self._openings = _openings(rows, scores)
        self._known = _KnownWords(self._cut)

    def ids(self, text: str) -> list[int]:
        """Return the rows of the pieces of a text, in order."""
        return list(chain.from_iterable(map(self.pieces, words(text))))

    @property
    def pieces(self) -> Callable[[str], tuple[int, ...]]:
        """Function from one word, as `words` returns it, to the rows of its pieces."""
        return self._known.__getitem__

    def with_empty_cache(self) -> "Tokenizer":
        """A tokenizer of the same pieces that has none of the words cached here."""
        tokenizer = copy(self)
        tokenizer._known = _KnownWords(tokenizer._cut)
        return tokenizer

    def forget_words(self) -> None:
        """Drop all cached words."""
        self._known.clear()

    def _stays_whole(self, word: str, score: float, minimum: float) -> bool:
        """True if no cut into two or more pieces can be likelier than the whole word."""
        get, scores = self._rows.get, self._scores
        if word[0] == MARKER and self._openings.get(word[:OPENING], -inf) <= minimum:
            marker_row, opening_row = get(MARKER), get(word[:2])
            if (marker_row is None or scores[marker_row] <= minimum) and (
                opening_row is None or scores[opening_row] <= minimum
            ):
                return True
        for end in range(1, len(word)):
            row = get(word[:end])
            if row is not None and scores[row] > minimum:
                rest_row = get(word[end:])
                if rest_row is not None and scores[row] + scores[rest_row] > score:
                    return False
                if scores[row] + self._beginnings.get(word[end], self._unknown) > minimum:
                    return False
        return True

    def _cut(self, word: str) -> tuple[int, ...]:
        """Find the likeliest sequence of pieces that makes up the word.

        Most words are pieces themselves. A way to a position is worth following only if it and the
        likeliest piece that ends as the word does are together likelier than the word.
        """
        word = marked(word)
        rows, scores, unknown, longest = self._rows, self._scores, self._unknown, self._longest
        whole, minimum = rows.get(word), -inf
        if whole is not None:
            minimum = scores[whole] - self._endings.get(word[-1], unknown)
            minimum -= self._above_zero * len(word)
            if self._stays_whole(word, scores[whole], minimum):
                return (whole,)
        best = [0.0]  # score of the likeliest way to reach each position
        back: list[tuple[int, int]] = [(0, -1)]  # where its last piece starts, and that piece's row
        starts = [0]
        for end in range(1, len(word) + 1):
            top, step = best[-1] + unknown, (end - 1, -1)
            for start in starts:
                if end - start <= longest:
                    row = rows.get(word[start:end])
                    if row is not None and best[start] + scores[row] > top:
                        top, step = best[start] + scores[row], (start, row)
            best.append(top)
            back.append(step)
            if top > minimum:
                starts.append(end)
        return tuple(_followed(back))


def _likeliest(
    rows: Mapping[str, int], scores: Sequence[float]
) -> tuple[dict[str, float], dict[str, float]]:
    """For each character the score of the likeliest piece, inside a word, that has it first; last.

    >>> _likeliest({"ab": 0, "b": 1, "▁ab": 2}, [-3.0, -2.0, -1.0])
    ({'a': -3.0, 'b': -2.0}, {'b': -2.0})
    """
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    for piece, row in rows.items():
        score = scores[row]
        if piece[0] != MARKER:
            if score > first.get(piece[0], -inf):
                first[piece[0]] = score
            if score > last.get(piece[-1], -inf):
                last[piece[-1]] = score
    return first, last


def _openings(rows: Mapping[str, int], scores: Sequence[float]) -> dict[str, float]:
    """For the first characters of a word the score of the likeliest piece with them.

    >>> _openings({"▁ab": 0, "▁abc": 1, "▁a": 2, "ab": 3}, [-3.0, -2.0, -1.0, -1.0])
    {'▁ab': -2.0}
    """
    best: dict[str, float] = {}
    for piece, row in rows.items():
        if piece[0] == MARKER and len(piece) >= OPENING:
            first = piece[:OPENING]
            if scores[row] > best.get(first, -inf):
                best[first] = scores[row]
    return best


def _followed(back: list[tuple[int, int]]) -> list[int]:
    """Walk from the end to the start, and return the pieces passed in reading order."""
    passed = []
    position = len(back) - 1
    while position > 0:
        position, row = back[position]
        if row >= 0:
            passed.append(row)
    return passed[::-1]


class _KnownWords(dict[str, tuple[int, ...]]):
    """Cache of the pieces of words; a new word is cut and kept. When full, it is emptied.

    A dictionary, so that a word it holds costs no call of a Python function.
    """

    def __init__(self, cut: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._cut = cut
        self._bytes_left = CACHE_BYTES
        self._lock = threading.Lock()

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(word) > MAX_WORD_CHARS:
            starts = range(0, len(word), MAX_WORD_CHARS)
            parts = (word[start : start + MAX_WORD_CHARS] for start in starts)
            return tuple(chain.from_iterable(map(self.__getitem__, parts)))
        rows = self._cut(word)
        taken = ENTRY_BYTES + 4 * len(word) + 8 * len(rows)
        with self._lock:
            if taken > self._bytes_left:
                self._empty()
            self._bytes_left -= taken
            self[word] = rows
        return rows

    def clear(self) -> None:
        with self._lock:
            self._empty()

    def _empty(self) -> None:
        super().clear()
        self._bytes_left = CACHE_BYTES


# A whole vector, int8 times 22 bits, can be added up 2**24 times before 53 bits overflow; the
# product of 20 bits and 20 bits 2**13 times.
FACTOR_BITS = 22
TRANSFORM_BITS = 20
MAX_DIMENSION = 4096
MAX_PIECE_CHARS = 64
REQUIRED = ("vocab", "score", "table", "scale", "weight", "meta")


@dataclass(frozen=True)
class Table:
    """Everything the file holds, ready for use."""

    space: Space
    pieces: Callable[[], Tokenizer]
    """Returns the tokenizer, made on first use; all tables read from one file share it."""
    vectors: NDArray[np.int8]
    factors: NDArray[np.float64]
    """Weight times scale of each row, as whole numbers of at most 22 bits."""
    statement: NDArray[np.float64] | None
    question: NDArray[np.float64] | None
    """The transforms, as whole numbers of at most 20 bits; the length of a vector is lost."""
    query_weight: NDArray[np.float32] | None
    query_turn: NDArray[np.float32] | None
    text_weight: NDArray[np.float32] | None
    text_prior: NDArray[np.float32] | None
    """What the token scorer learned; see there."""

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Cuts text into rows; shared by all users of the table, so that a word is cut once."""
        return self.pieces().with_empty_cache()


def load_table(table: Path | Table | None) -> Table:
    """Return the table in the file, or the one that came with the package; a loaded one as is."""
    if isinstance(table, Table):
        return table
    if table is None:
        return replace(_bundled())  # a copy, which has no words cached by others
    return _read(table)


@cache
def _bundled() -> Table:
    """The bundled table, read once per process."""
    return _read(files("sharpwave") / "data" / "embedder.npz", trusted=True)


def _read(source: Path | Traversable, trusted: bool = False) -> Table:
    try:
        table = _table(_arrays(source))
        if not trusted:
            table.pieces()  # report at once what is wrong with a named file
        return table
    except OSError as error:
        raise InvalidSettings(f"cannot read the embedder's table {source}: {error}") from error
    except ValueError as error:
        raise InvalidSettings(f"the embedder's table {source} is no use: {error}") from error


def _whole(numbers: NDArray[np.floating[Any]], bits: int) -> NDArray[np.float64]:
    """Scale to whole numbers of at most so many bits; zeros stay zeros.

    >>> _whole(np.array([0.5, -1.0, 0.1]), bits=4).tolist()
    [8.0, -16.0, 2.0]
    """
    exact = numbers.astype(np.float64)
    largest = float(np.abs(exact).max(initial=0.0))
    return np.rint(exact * (2.0**bits / largest)) if largest > 0 else np.zeros_like(exact)


def _arrays(source: Path | Traversable) -> dict[str, NDArray[Any]]:
    try:
        with source.open("rb") as opened, zipfile.ZipFile(opened) as archive:
            return {name.removesuffix(".npy"): _array(archive, name) for name in archive.namelist()}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"it is damaged, or not a NumPy archive ({error})") from error


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(name) as member:
        array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        return array


def _table(arrays: Mapping[str, NDArray[Any]]) -> Table:
    if missing := [name for name in REQUIRED if name not in arrays]:
        raise ValueError(f"it has no {', '.join(missing)}")
    vectors = arrays["table"]
    if vectors.dtype != np.int8 or vectors.ndim != 2 or 0 in vectors.shape:
        raise ValueError(f"table is {vectors.dtype} {vectors.shape}, not int8 (pieces, dimension)")
    count, dimension = vectors.shape
    scale, weight, score = (
        _floats(arrays, name, (count,)) for name in ("scale", "weight", "score")
    )
    square = (dimension, dimension)
    return Table(
        space=_space(arrays["meta"], dimension),
        pieces=cache(lambda: Tokenizer(_rows(arrays["vocab"], count), score.tolist())),
        vectors=vectors,
        factors=_whole(weight.astype(np.float64) * scale, FACTOR_BITS),
        statement=_transform(arrays, "statement", square),
        question=_transform(arrays, "question", square),
        query_weight=_optional(arrays, "query_weight", (count,)),
        query_turn=_optional(arrays, "query_turn", square),
        text_weight=_optional(arrays, "text_weight", (count,)),
        text_prior=_optional(arrays, "text_prior", (count,)),
    )


def _floats(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]
) -> NDArray[np.float32]:
    array = arrays[name]
    if array.dtype != np.float32 or array.shape != shape:
        raise ValueError(f"{name} is {array.dtype} {array.shape}, not float32 {shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has NaN or infinity in it")
    return array


def _optional(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]
) -> NDArray[np.float32] | None:
    return _floats(arrays, name, shape) if name in arrays else None


def _transform(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, int]
) -> NDArray[np.float64] | None:
    if name not in arrays:
        return None
    return _whole(_floats(arrays, name, shape), TRANSFORM_BITS)


def _space(meta: NDArray[Any], dimension: int) -> Space:
    if dimension > MAX_DIMENSION:
        raise ValueError(f"its dimension {dimension} is above {MAX_DIMENSION}")
    fields = json.loads(meta.astype(np.uint8).tobytes())
    if not isinstance(fields, dict):
        raise ValueError("meta is not an object")
    space = Space(fields.get("name", ""), fields.get("version", ""), fields.get("dimension", 0))
    for value in (space.name, space.version):
        if not isinstance(value, str) or not value:
            raise ValueError("meta must give a name and a version as text")
    if space.dimension != dimension:
        raise ValueError(f"meta says dimension {space.dimension}, the table has {dimension}")
    return space


def _rows(vocab: NDArray[Any], count: int) -> dict[str, int]:
    pieces = vocab.astype(np.uint8).tobytes().decode("utf-8").split("\n")
    if len(pieces) != count:
        raise ValueError(f"vocab has {len(pieces)} pieces, the table {count} rows")
    rows = dict(zip(pieces, range(count), strict=True))
    if len(rows) != count:
        raise ValueError("vocab has a piece twice")
    lengths = set(map(len, pieces))
    if min(lengths) < 1 or max(lengths) > MAX_PIECE_CHARS:
        raise ValueError(f"a piece must have 1 to {MAX_PIECE_CHARS} characters")
    return rows
