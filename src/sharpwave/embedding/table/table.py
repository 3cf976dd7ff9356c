"""The trained table of word pieces, read from its file and checked before anything uses it.

The file is a NumPy archive without pickles. With n pieces and vectors of d numbers it holds

    vocab           uint8            the pieces as UTF-8, one a line; `▁` marks the start of a word
    score           float32 (n,)     log probability of a piece, for cutting words
    table           int8 (n, d)      the vectors, each divided by its scale
    scale           float32 (n,)     what a vector is multiplied by
    weight          float32 (n,)     how much a piece counts in a text
    statement       float32 (d, d)   optional: applied to the sum for a statement (T @ sum)
    question        float32 (d, d)   optional: the same for a question
    query_weight    float32 (n,)     optional: how much a piece of a question counts in a match
    query_turn      float32 (d, d)   optional: applied to a piece of a question before it is matched
    text_weight     float32 (n,)     optional: how much a match with a piece of a text is worth
    text_prior      float32 (n,)     optional: how much a piece makes a text an answer
    meta            uint8            JSON: name, version, dimension

The vectors stay int8 in memory. Everything they are multiplied by becomes whole numbers here, so
that sums are exact, and equal on every platform.
"""

import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.table.tokenizer import Tokenizer
from sharpwave.errors import InvalidSettings
from sharpwave.types.storing import Space

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
    """What cuts text, made when it is first asked for; all tables read from one file share it."""
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
        """Cuts text into rows; one for all that use the table, so that a word is cut once."""
        return self.pieces().afresh()


def load_table(table: Path | Table | None) -> Table:
    """Return the table in the file, or the one that came with the package; a loaded one as is."""
    if isinstance(table, Table):
        return table
    if table is None:
        return replace(_bundled())  # another of the same: it knows nobody else's words
    return _read(table)


@cache
def _bundled() -> Table:
    """The one of the package: read once, whatever number of memories a process opens."""
    return _read(files("sharpwave") / "data" / "embedder.npz", trusted=True)


def _read(source: Path | Traversable, trusted: bool = False) -> Table:
    try:
        found = _table(_arrays(source))
        if not trusted:
            found.pieces()  # whoever names a file hears at once what is wrong with it
        return found
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
    said = json.loads(meta.astype(np.uint8).tobytes())
    if not isinstance(said, dict):
        raise ValueError("meta is not an object")
    space = Space(said.get("name", ""), said.get("version", ""), said.get("dimension", 0))
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
