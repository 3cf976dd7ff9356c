"""Vectors as the file keeps them: float16, little-endian, with a checksum."""

import zlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidInput
from sharpwave.types.storing import Space

_STORED = np.dtype("<f2")


def to_blobs(vectors: NDArray[np.float32], space: Space, count: int) -> list[bytes]:
    """One blob a vector, after checking that each is a finite vector of this space."""
    if vectors.shape != (count, space.dimension):
        raise InvalidInput(
            f"vectors of {space} must have shape ({count}, {space.dimension}), not {vectors.shape}"
        )
    with np.errstate(over="ignore"):
        stored = vectors.astype(_STORED)  # what is too large becomes infinite
    if not np.isfinite(stored).all():
        raise InvalidInput("a vector holds NaN, infinity or a huge number; fix the embedder")
    return [row.tobytes() for row in stored]


def to_matrix(blobs: Iterable[bytes], space: Space) -> NDArray[np.float32]:
    """The vectors of blobs, one a row; a damaged one becomes zeros, which match nothing."""
    size = _STORED.itemsize * space.dimension
    joined = b"".join(blob if fits(blob, space.dimension) else bytes(size) for blob in blobs)
    matrix = np.frombuffer(joined, dtype=_STORED).reshape(-1, space.dimension).astype(np.float32)
    damaged = ~np.isfinite(matrix).all(axis=1)
    matrix[damaged] = 0.0
    return matrix


def fits(blob: object, dimension: int) -> bool:
    """True if this is a vector of that many dimensions; in a damaged file it may be anything."""
    return isinstance(blob, bytes) and len(blob) == _STORED.itemsize * dimension


def checksum(blob: bytes) -> int:
    """A checksum of the stored bytes."""
    return zlib.crc32(blob)
