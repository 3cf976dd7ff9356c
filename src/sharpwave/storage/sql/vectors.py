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
    """The vectors of blobs of the right size, one a row."""
    stored = np.frombuffer(b"".join(blobs), dtype=_STORED)
    with np.errstate(invalid="ignore"):  # a damaged vector may hold NaN, which matches nothing
        return stored.reshape(-1, space.dimension).astype(np.float32)


def stored_bytes(space: Space) -> int:
    """Size of one stored vector of this space."""
    return _STORED.itemsize * space.dimension


def intact(blob: object, check: object, dimension: int) -> bool:
    """True if this is the vector that was stored; in a damaged file it may be anything."""
    return (
        isinstance(blob, bytes)
        and len(blob) == _STORED.itemsize * dimension
        and checksum(blob) == check
    )


def checksum(blob: bytes) -> int:
    """A checksum of the stored bytes."""
    return zlib.crc32(blob)
