"""Memory for AI assistants and agents that learns while it sleeps.

`public.py` lists the names. They are imported when the first of them is used, so that what needs
none of them, such as `sharpwave --help`, does not wait for NumPy and the rest.
"""
# ruff: noqa: F403 - the type checker reads the names of public.py

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharpwave.aio import AsyncMemory as AsyncMemory
    from sharpwave.public import *
    from sharpwave.public import __all__ as __all__

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    value: object = None
    if name == "Memory":  # most programs need no other name
        from sharpwave.memory import Memory as value
    elif name == "AsyncMemory":  # needs asyncio, which others do without
        from sharpwave.aio import AsyncMemory as value
    elif name == "Settings":
        from sharpwave.settings import Settings as value
    elif name == "load_settings":
        from sharpwave.wiring import load_settings as value
    elif name == "__all__":
        value = _all()
    elif name[:1].isupper():  # what begins in lower case is a module of ours
        from sharpwave import public

        value = getattr(public, name) if name in public.__all__ else None
    if value is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_all()})


def _all() -> list[str]:
    from sharpwave import public

    return ["AsyncMemory", *public.__all__]
