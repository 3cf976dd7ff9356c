"""Bindings in the server's binary form, made by NumPy: nothing is written out and read again.

halfvec  dimension, 0, then each number                2 bytes each
array    1, 0, type, count, 1, then each with its size  4 bytes each; the high one first
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.storage.postgres.driver import Packed

_HEAD = np.dtype([("dimensions", ">i4"), ("nulls", ">i4"), ("type", ">u4"), ("shape", ">i4", 2)])
_NUMBER = np.dtype([("size", ">i4"), ("number", ">i8")])
_BIGINT = 20
"""The number of that type, in every database."""


def numbers(wanted: Sequence[int] | NDArray[np.int64]) -> Packed:
    """Whole numbers, as `bigint[]`."""
    rows = np.zeros(len(wanted), _NUMBER)
    rows["size"], rows["number"] = 8, wanted
    return _array(rows, _BIGINT)


def vector(numbers: NDArray[Any]) -> Packed:
    """One vector, as `halfvec`."""
    return Packed(_vectors(numbers.reshape(1, -1))["vector"].tobytes())


def vectors(several: Sequence[NDArray[Any]], type_no: int) -> Packed:
    """Several of one dimension, as `halfvec[]`; the database says which number that type has."""
    return _array(_vectors(np.stack(several)), type_no)


def _vectors(matrix: NDArray[Any]) -> NDArray[np.void]:
    count, dimension = matrix.shape
    form = np.dtype([("dimension", ">i2"), ("unused", ">i2"), ("numbers", ">f2", dimension)])
    rows = np.zeros(count, np.dtype([("size", ">i4"), ("vector", form)]))
    rows["size"] = form.itemsize
    rows["vector"]["dimension"] = dimension
    rows["vector"]["numbers"] = matrix
    return rows


def _array(rows: NDArray[np.void], type_no: int) -> Packed:
    head = np.array([(1, 0, type_no, (len(rows), 1))], _HEAD)
    return Packed(head.tobytes() + rows.tobytes())
