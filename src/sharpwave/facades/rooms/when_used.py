"""A part that is made when it is first used."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Part = TypeVar("Part")


class WhenUsed(Generic[Part]):
    """Makes a part once, whichever thread asks first.

    >>> numbers = WhenUsed(lambda: [1])
    >>> numbers() is numbers()
    True
    """

    def __init__(self, make: Callable[[], Part]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[Part] = []

    def __call__(self) -> Part:
        """The part."""
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]
