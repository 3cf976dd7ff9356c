"""A fixed rotation that spreads what a vector says evenly over all its dimensions.

One bit per dimension says little when most dimensions are zero or share a mean, as with hashed
n-grams. After a rotation every sign carries a share of the whole vector, and angles stay as they
were. It is a product of sign flips and Hadamard matrices, so it needs no stored matrix, no random
state, and far fewer operations than a dense one. Knows nothing of codes or records.
"""

import hashlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

ROUNDS = 2
LARGEST_FACTOR_BITS = 4


@cache
def rotation(dimension: int) -> "Rotation":
    """The rotation of this dimension, made once."""
    return Rotation(dimension)


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
