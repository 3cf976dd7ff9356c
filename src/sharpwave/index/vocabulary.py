"""The terms one user has used, each with a small number. Knows nothing of who holds them."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Self

import numpy as np
from numpy.typing import NDArray


class Vocabulary:
    """Term ids from 0 up, in order of first use."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._ids: defaultdict[str, int] = defaultdict(count(len(words)).__next__)
        self._ids.update(zip(words, range(len(words)), strict=True))

    @property
    def nbytes(self) -> int:
        """Memory taken, estimated: the table, and for each term a short string and its number."""
        return sys.getsizeof(self._ids) + len(self._ids) * _BYTES_PER_WORD

    def ids(self, terms: Sequence[str]) -> Iterator[int]:
        """The id of each of these terms; a new term gets the next."""
        return map(self._ids.__getitem__, terms)

    def known(self, terms: Sequence[str]) -> NDArray[np.int32]:
        """Ids of those terms that are known, each once, in order of first appearance."""
        found = (self._ids.get(term) for term in dict.fromkeys(terms))
        return np.array([term for term in found if term is not None], np.int32)

    def subset(self, ids: NDArray[np.int32]) -> Self:
        """A vocabulary of only these terms, numbered anew in this order."""
        words = list(self._ids)
        return type(self)([words[term] for term in ids.tolist()])

    def to_bytes(self) -> bytes:
        """All terms in order of their ids."""
        return "\n".join(self._ids).encode()

    @classmethod
    def from_bytes(cls, words: bytes) -> Self:
        """The vocabulary that `to_bytes` wrote."""
        return cls(words.decode().split("\n") if words else ())

    def __len__(self) -> int:
        """How many terms there are."""
        return len(self._ids)


_BYTES_PER_WORD = sys.getsizeof("ordinary") + sys.getsizeof(1 << 20)
