"""Waiting for another thread or process: as long as it takes, within a bound."""

import threading
import time
from collections.abc import Callable
from typing import Any


def eventually(look: Callable[[], Any], seconds: float = 60) -> Any:
    """What `look` finds, as soon as it finds something; what it found last if it never does."""
    waiting, until = threading.Event(), time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < until:
        waiting.wait(0.01)
    return found
