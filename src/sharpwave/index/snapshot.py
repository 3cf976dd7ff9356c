"""The bytes of a saved index: a small JSON header and raw little-endian arrays. No pickle.

    magic · version · checksum of the rest · header length · header (JSON) · arrays, one by one

Knows nothing of what the arrays mean.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FORMAT = 1
"""Raise it when the layout, or the meaning of an array, changes; older ones are then not read."""

_MAGIC = b"SWIX"
_START = struct.Struct("<4sIII")
_DTYPES = frozenset({"|b1", "|u1", "<u2", "<u4", "<u8", "<i4", "<i8"})


class InvalidSnapshot(Exception):
    """These bytes are not a snapshot that this version can use."""


class Contents(NamedTuple):
    """What a snapshot holds."""

    about: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def pack(about: Mapping[str, object], arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """The bytes of an index: a few JSON values, and its arrays."""
    plain = {
        name: np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
        for name, values in arrays.items()
    }
    layout = [[name, values.dtype.str, values.shape] for name, values in plain.items()]
    header = json.dumps({"about": about, "arrays": layout}).encode()
    body = b"".join([header, *(values.tobytes() for values in plain.values())])
    return _START.pack(_MAGIC, FORMAT, zlib.crc32(body), len(header)) + body


def unpack(payload: bytes) -> Contents:
    """What `pack` put in; InvalidSnapshot for anything damaged, cut short, or of another form."""
    require(len(payload) >= _START.size)
    magic, version, checksum, header_size = _START.unpack_from(payload)
    body = memoryview(payload)[_START.size :]
    require(magic == _MAGIC and version == FORMAT and zlib.crc32(body) == checksum)
    header = _header(bytes(body[:header_size]))
    arrays = {}
    at = header_size
    for name, dtype, shape in header["arrays"]:
        require(dtype in _DTYPES)
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        require(at + size <= len(body))
        values = np.frombuffer(body[at : at + size], dtype).reshape(shape)
        arrays[name] = values.astype(values.dtype.newbyteorder("="))
        at += size
    require(at == len(body))
    return Contents(header["about"], arrays)


def require(condition: bool) -> None:
    """Refuse the snapshot unless this holds."""
    if not condition:
        raise InvalidSnapshot


def _header(encoded: bytes) -> dict[str, Any]:
    try:
        header = json.loads(encoded)
    except ValueError as error:
        raise InvalidSnapshot from error
    require(isinstance(header, dict) and {"about", "arrays"} <= header.keys())
    return dict(header)
