"""Which extras are installed, and what to install where one is missing."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from sharpwave.errors import InvalidSettings


def has_mcp() -> bool:
    """Whether MCP is installed."""
    return find_spec("mcp") is not None


def has_dashboard() -> bool:
    """Whether the dashboard is installed."""
    return find_spec("nicegui") is not None


@contextmanager
def requires(what: str, extra: str) -> Iterator[None]:
    """Around imports that need packages of an extra: say which one if they are missing.

    >>> with requires("this adapter", "'sharpwave[langgraph]'"):
    ...     import no_such_package
    Traceback (most recent call last):
    ...
    sharpwave.errors.InvalidSettings: this adapter needs `pip install 'sharpwave[langgraph]'` \
(No module named 'no_such_package')
    """
    try:
        yield
    except ImportError as error:
        raise InvalidSettings(f"{what} needs `pip install {extra}` ({error})") from error
