"""Cache of what was computed for a text, by a digest of it: no words stay in memory."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The most recently used values, up to a number of entries. Safe to share between threads."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._values: OrderedDict[bytes, Value] = OrderedDict()
        self._lock = threading.Lock()
        self.lookups = 0
        self.hits = 0

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Value]:
        """Return the known values, and count them as used."""
        with self._lock:
            known = {key: self._values[key] for key in keys if key in self._values}
            for key in known:
                self._values.move_to_end(key)
            self.lookups += len(keys)
            self.hits += sum(key in known for key in keys)
        return known

    def put(self, values: Mapping[bytes, Value]) -> None:
        """Keep these, and drop those unused for longest."""
        with self._lock:
            self._values.update(values)
            while len(self._values) > self._entries:
                self._values.popitem(last=False)


def digest(text: str) -> bytes:
    """The key of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
