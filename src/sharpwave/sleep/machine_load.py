"""How busy this machine is."""

from collections.abc import Callable


def cpu_percent() -> Callable[[], float]:
    """A function that tells the share of CPU in use, in percent, since it was last asked."""
    import psutil

    psutil.cpu_percent(interval=None)  # the first call only begins to measure
    return lambda: float(psutil.cpu_percent(interval=None))
