"""The packages that only the extra `zeromq` brings."""

from importlib import import_module
from typing import Any

from sharpwave.errors import InvalidSettings


def load(name: str) -> Any:
    """A module of pyzmq or protobuf."""
    try:
        return import_module(name)
    except ImportError as error:
        raise InvalidSettings(f"the bus needs `pip install sharpwave[zeromq]` ({error})") from error
