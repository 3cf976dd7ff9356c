"""Entry point of the program: a hook is served without loading the rest, which is much slower."""

import gc
import sys

from sharpwave.interfaces.hooks import client

_GC_THRESHOLD = 50_000
"""Allocations between garbage collections; at startup most objects stay, so few are useful."""


def main() -> None:
    """Run a command."""
    gc.set_threshold(_GC_THRESHOLD, *gc.get_threshold()[1:])
    if sys.argv[1:2] == ["hook"] and client.handle(sys.argv[2:]):
        return
    from sharpwave.interfaces.cli import app  # noqa: PLC0415 - a hook needs none of it

    app.main()
