"""Where the program begins: a hook is served without loading the rest, which takes much longer."""

import sys
from importlib import import_module

from sharpwave.interfaces.hooks import client


def main() -> None:
    """Run a command."""
    if sys.argv[1:2] == ["hook"] and client.handled(sys.argv[2:]):
        return
    import_module("sharpwave.interfaces.cli.app").main()
