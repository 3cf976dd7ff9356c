"""The package of a framework, or an error that says how to get it."""

from collections.abc import Iterator
from contextlib import contextmanager

from sharpwave.errors import InvalidSettings


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around the imports of an adapter: what is missing is named, with the extra that brings it.

    >>> with needs("langgraph"):
    ...     import no_such_package
    Traceback (most recent call last):
    ...
    sharpwave.errors.InvalidSettings: this adapter needs `pip install 'sharpwave[langgraph]'` \
(No module named 'no_such_package')
    """
    try:
        yield
    except ImportError as error:
        told = f"this adapter needs `pip install 'sharpwave[{extra}]'` ({error})"
        raise InvalidSettings(told) from error
