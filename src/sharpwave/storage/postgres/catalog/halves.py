"""Vectors of half precision in the binary form of pgvector: nothing is written out and read again.

halfvec    dimension, 0, then each number                 2 bytes each, the high one first
halfvec[]  1, 0, type, count, 1, then each with its size  4 bytes each, likewise
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.storage.postgres.driver import Packed

_HEAD = np.dtype([("dimensions", ">i4"), ("nulls", ">i4"), ("type", ">u4"), ("shape", ">i4", 2)])


def packed(vector: NDArray[Any]) -> Packed:
    """One vector."""
    return Packed(_packed(vector.reshape(1, -1))["vector"].tobytes())


def packed_all(vectors: Sequence[NDArray[Any]], type_no: int) -> Packed:
    """Several of one dimension, as an array of that type."""
    head = np.array([(1, 0, type_no, (len(vectors), 1))], _HEAD)
    return Packed(head.tobytes() + _packed(np.stack(vectors)).tobytes())


def _packed(vectors: NDArray[Any]) -> NDArray[np.void]:
    count, dimension = vectors.shape
    vector = np.dtype([("dimension", ">i2"), ("unused", ">i2"), ("numbers", ">f2", dimension)])
    rows = np.zeros(count, np.dtype([("size", ">i4"), ("vector", vector)]))
    rows["size"] = vector.itemsize
    rows["vector"]["dimension"] = dimension
    rows["vector"]["numbers"] = vectors
    return rows
