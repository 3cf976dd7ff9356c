"""`sharpwave worker`: jobs and nights in the background, until it is told to stop."""

import signal
import threading
from types import FrameType

from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import Database, SettingsFile, User, choose


def worker(
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
) -> None:
    """Do queued jobs and let users sleep when it is time, until stopped (Ctrl-C or SIGTERM)."""
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    with choose(db, user, settings, False).open() as memory:
        output.say("Working. Stop with Ctrl-C.")
        memory.run_worker(stop)
    output.say("Stopped.")
