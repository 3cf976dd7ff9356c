"""Vectors as two bits a dimension, after a fixed rotation, and how near they are to a query.

The first bit is the sign of a coordinate, the second says whether it is large. After a rotation the
coordinates of a unit vector are spread like a normal distribution, so half of them are larger than
the quartile, and two bits stand for the mean of what lies on either side of it. Knows nothing of
records or of how the bits are kept.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.index.columns import Column, newest, top
from sharpwave.index.snapshot import require

QUARTILE = 0.67449
"""Half of a normal distribution lies farther than this from 0, in standard deviations."""
MEAN_BELOW, MEAN_ABOVE = 0.32466, 1.27111
"""Mean distance from 0 of the nearer and of the farther half."""
SHRINKAGE = (MEAN_BELOW**2 + MEAN_ABOVE**2) / 2
"""What is left of a vector's product with itself when its coordinates are replaced by the means."""

_FOUR = np.arange(4)
_PAIRS = np.arange(256)[:, np.newaxis]
_SIGNS = (_PAIRS >> (4 + _FOUR) & 1) * 2 - 1
_SIZES = np.where(_PAIRS >> _FOUR & 1, MEAN_ABOVE, MEAN_BELOW)
_VALUES = (_SIGNS * _SIZES).astype(np.float32)
"""What four dimensions are worth, for each byte of four signs (high) and four sizes (low)."""


def is_large(rotated: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The second bit of each coordinate of unit vectors."""
    large: NDArray[np.bool_] = np.abs(rotated) > QUARTILE / np.sqrt(rotated.shape[1])
    return large


def estimate(
    query: NDArray[np.float32], signs: NDArray[np.uint8], large: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """Score of each row of packed bits (little bit order) for a query; higher is nearer.

    Four dimensions are looked up at once, in a table of what each of their 256 forms adds.
    """
    octets = signs.shape[1]
    padded = np.zeros(8 * octets, np.float32)
    padded[: len(query)] = query
    table = (padded.reshape(-1, 4) @ _VALUES.T).reshape(octets, 2, 256)
    start = 256 * np.arange(octets)
    first = table[:, 0].ravel().take(((signs & 15) << 4 | large & 15) + start)
    second = table[:, 1].ravel().take((signs & 240 | large >> 4) + start)
    scores: NDArray[np.float32] = (first + second).sum(axis=1)
    return scores


ROUNDS = 2
LARGEST_FACTOR_BITS = 4


class Rotation:
    """The rotation of one dimension; the same on every machine, so that saved codes stay valid."""

    def __init__(self, dimension: int) -> None:
        self._block = 1 << (dimension.bit_length() - 1)
        self._factors = _hadamard_factors(self._block)
        self._signs = _signs(ROUNDS, dimension)

    def apply(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The rotated vectors, shape (n, dimension) as given."""
        rotated = vectors
        for signs in self._signs:
            rotated = rotated * signs
            rotated[:, : self._block] = self._mix(rotated[:, : self._block])
            if self._block < rotated.shape[1]:
                rotated[:, -self._block :] = self._mix(rotated[:, -self._block :])
        return rotated

    def _mix(self, block: NDArray[np.float32]) -> NDArray[np.float32]:
        count, size = block.shape
        for factor in self._factors:
            side = len(factor)
            mixed = block.reshape(-1, side) @ factor
            block = mixed.reshape(count, size // side, side).transpose(0, 2, 1).reshape(count, size)
        return block


rotation = cache(Rotation)
"""The rotation of a dimension, made once."""


def _hadamard_factors(size: int) -> list[NDArray[np.float32]]:
    """Small orthogonal matrices whose Kronecker product is the Hadamard matrix of this size."""
    bits = size.bit_length() - 1
    factors = []
    while bits > 0:
        step = min(bits, LARGEST_FACTOR_BITS)
        factor = np.ones((1, 1), np.float32)
        for _ in range(step):
            factor = np.block([[factor, factor], [factor, -factor]])
        factors.append((factor / np.sqrt(len(factor))).astype(np.float32))
        bits -= step
    return factors


def _signs(rounds: int, dimension: int) -> NDArray[np.float32]:
    digest = hashlib.shake_256(b"sharpwave rotation").digest(rounds * dimension)
    odd = np.frombuffer(digest, np.uint8).reshape(rounds, dimension) & 1
    return np.where(odd, np.float32(-1), np.float32(1))


BLOCK_ROWS = 65536
"""Rows scanned at once: the buffers then stay in the processor's cache."""

Mask = NDArray[np.bool_]


class Codes:
    """The codes of one user's vectors, one entry per row, and which rows have a vector."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._words = -(-dimension // 64)
        self._rotation = rotation(dimension)
        self._signs = Column(np.uint64, self._words)
        self._large = Column(np.uint64, self._words)
        self._present = Column(np.bool_)

    @property
    def nbytes(self) -> int:
        """Memory taken."""
        return self._signs.nbytes + self._large.nbytes + self._present.nbytes

    def extend(self, vectors: Sequence[bytes | None]) -> None:
        """Add a row for each vector (float16, little-endian).

        A missing, zero, broken or mis-sized one gives a row that the scan never finds.
        """
        size = 2 * self._dimension
        given = [i for i, vector in enumerate(vectors) if vector and len(vector) == size]
        joined = b"".join(vectors[i] or b"" for i in given)
        matrix = np.frombuffer(joined, "<f2").reshape(-1, self._dimension).astype(np.float32)
        squares = np.einsum("ij,ij->i", matrix, matrix)
        usable = np.isfinite(squares) & (squares > 0)
        rows = np.array(given, np.intp)[usable]
        present = np.zeros(len(vectors), np.bool_)
        present[rows] = True
        self._present.extend(present)
        unit = matrix[usable] / np.sqrt(squares[usable])[:, np.newaxis]
        rotated = self._rotation.apply(unit)
        for column, bits in ((self._signs, rotated > 0), (self._large, is_large(rotated))):
            words = np.zeros((self._words, len(vectors)), np.uint64)
            words[:, rows] = self._packed(bits).T
            column.extend(words)

    def missing(self, alive: Mask | None) -> int:
        """How many of these rows have no vector."""
        absent = ~self._present.values
        return int(np.count_nonzero(absent if alive is None else absent & alive))

    def nearest(
        self,
        vector: NDArray[np.float32],
        allowed: Mask | None,
        numbers: NDArray[np.int64],
        shortlist: int,
        count: int,
    ) -> NDArray[np.intp]:
        """Rows of the `count` vectors that seem nearest, in no order.

        All rows are scanned by their signs; the `shortlist` best are compared once more, by the
        exact query against both their bits. Rows that seem equally near: those of higher number.
        """
        rotated = self._rotation.apply(vector[np.newaxis, :].astype(np.float32))
        rows = self._shortlist(
            self._packed(rotated > 0)[0], self._findable(allowed), numbers, shortlist
        )
        if len(rows) <= count:
            return rows
        rows = rows[np.argsort(numbers[rows])]
        return rows[top(numbers[rows], self._estimate(rotated[0], rows), count)]

    def cosines(self, vector: NDArray[np.float32], rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """About the cosine of a unit vector with some rows; 0 for rows without a vector."""
        rotated = self._rotation.apply(vector[np.newaxis, :].astype(np.float32))[0]
        scale = np.float32(SHRINKAGE * np.sqrt(self._dimension))
        return self._estimate(rotated, rows) / scale * self._present.values[rows]

    def keep(self, rows: NDArray[np.intp]) -> None:
        """Keep only these rows, in this order."""
        for column in (self._signs, self._large, self._present):
            column.keep(rows)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What `restore` needs."""
        return {
            "signs": self._signs.values,
            "large": self._large.values,
            "present": self._present.values,
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]], records: int) -> None:
        """Load saved rows; only while it is empty."""
        require({"signs", "large", "present"} <= arrays.keys())
        signs, large, present = arrays["signs"], arrays["large"], arrays["present"]
        require(signs.shape == large.shape == (self._words, records))
        require(present.shape == (records,))
        self._signs.extend(signs)
        self._large.extend(large)
        self._present.extend(present)

    def _findable(self, allowed: Mask | None) -> Mask | None:
        present = self._present.values
        if allowed is not None:
            return present & allowed
        return None if present.all() else present

    def _packed(self, bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
        octets = np.packbits(bits, axis=1, bitorder="little")
        padded = np.zeros((len(octets), 8 * self._words), np.uint8)
        padded[:, : octets.shape[1]] = octets
        return padded.view("<u8").astype(np.uint64)

    def _shortlist(
        self,
        code: NDArray[np.uint64],
        findable: Mask | None,
        numbers: NDArray[np.int64],
        count: int,
    ) -> NDArray[np.intp]:
        found = len(self._present) if findable is None else int(np.count_nonzero(findable))
        if found <= count:
            return np.arange(found) if findable is None else np.flatnonzero(findable)
        distances = self._scan(code, findable)
        cut = _cut(distances, count)
        nearer = np.flatnonzero(distances < cut)
        tied = np.flatnonzero(distances == cut)
        return np.concatenate([nearer, newest(numbers, tied, count - len(nearer))])

    def _scan(self, code: NDArray[np.uint64], findable: Mask | None) -> NDArray[np.uint16]:
        """Hamming distance of every row; beyond any true distance where it must not be found."""
        codes = self._signs.values
        distances = np.zeros(codes.shape[1], np.uint16)
        differing = np.empty(BLOCK_ROWS, np.uint64)
        bits = np.empty(BLOCK_ROWS, np.uint8)
        for start in range(0, len(distances), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            block_distances = distances[block]
            xored, bit_counts = differing[: len(block_distances)], bits[: len(block_distances)]
            for word, expected in zip(codes, code, strict=True):
                np.bitwise_xor(word[block], expected, out=xored)
                np.bitwise_count(xored, out=bit_counts)
                np.add(block_distances, bit_counts, out=block_distances)
        if findable is not None:
            distances[~findable] = self._dimension + 1
        return distances

    def _estimate(
        self, rotated: NDArray[np.float32], rows: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        """Score of the exact query against the bits of some rows; higher is nearer."""
        signs, large = (
            np.ascontiguousarray(column.values[:, rows].T).astype("<u8").view(np.uint8)
            for column in (self._signs, self._large)
        )
        return estimate(rotated, signs, large)


def _cut(distances: NDArray[np.uint16], count: int) -> int:
    """The smallest distance within which `count` rows lie.

    Of many rows, a sample says about where that is, and only rows up to there are counted; if the
    sample misled, all are. The answer is the same, for less than half the time at a million rows.
    """
    stride = len(distances) // BLOCK_ROWS + 1
    if stride == 1:
        return _within(distances, count)
    guess = _within(distances[::stride], 2 * count // stride)
    near = distances[distances <= guess]
    return _within(near if len(near) >= count else distances, count)


def _within(distances: NDArray[np.uint16], count: int) -> int:
    return int(np.searchsorted(np.cumsum(np.bincount(distances)), count))
