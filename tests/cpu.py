"""CPU time on a busy machine: the cheapest of some tries, without the garbage collector's."""

import gc
import time
from collections.abc import Callable

TRIES = 5


def seconds(call: Callable[[], object], enough: float = 0.0) -> float:
    """CPU seconds of one call, the least of five; the first that costs less than `enough` will do.

    A limit is guarded by `seconds(call, limit) < limit`: it fails only where all five fail, so
    neither a collection nor a neighbour on the same core can turn a test red.
    """
    best = float("inf")
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(TRIES):
            begun = time.process_time()
            call()
            best = min(best, time.process_time() - begun)
            if best < enough:
                break
    finally:
        if collecting:
            gc.enable()
    return best
