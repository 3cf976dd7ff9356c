"""Which process a store belongs to."""

import os

from sharpwave.errors import UnsafeStore


def refuse_fork(opened_by: int) -> None:
    """Connections to a database do not survive a fork, and threads that write do not either."""
    if os.getpid() != opened_by:
        raise UnsafeStore(
            "this memory was opened before the process forked; open it again in the child"
        )
