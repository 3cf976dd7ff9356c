"""Time, chance and waiting, for whatever tries again; a test puts its own in their place."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """How to pass the time between two tries."""

    wait: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic
    """Seconds from some beginning; it never goes back."""
    chance: Callable[[], float] = random.random
    """A number in [0, 1)."""
