"""CPU time on a busy machine: the cheapest of some tries, without the garbage collector's.

How fast a processor is changes with the machine and from second to second with its neighbours, so
each try stands between two of a fixed piece of work, and counts as if that had cost `WORK` seconds.
"""

import gc
import time
from collections.abc import Callable

TRIES = 5
WORK = 0.0025
"""What `_work` costs on a calm machine of 2.5 GHz. A faster one is not held to more."""


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
            before = _cost(_work)
            spent = _cost(call)
            slower = max(1.0, (before + _cost(_work)) / 2 / WORK)
            best = min(best, spent / slower)
            if best < enough:
                break
    finally:
        if collecting:
            gc.enable()
    return best


def times_as_much(call: Callable[[], object], other: Callable[[], object], enough: float) -> float:
    """How many times as much CPU one call costs as another, measured one right after the other.

    The least of five pairs, or the first below `enough`: what costs too much does so each time.
    """
    best = float("inf")
    for _ in range(TRIES):
        best = min(best, _cost(call) / _cost(other))
        if best < enough:
            break
    return best


def _cost(call: Callable[[], object]) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def _work() -> int:
    return len({str(number * number): number for number in range(10_000)})
