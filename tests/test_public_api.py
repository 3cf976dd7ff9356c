"""The public surface: small, sorted, and the same for sync and async."""

import inspect

import sharpwave
from sharpwave import AsyncMemory, Memory


def test_every_public_name_is_listed_and_there() -> None:
    assert sharpwave.__all__ == sorted(sharpwave.__all__)
    assert all(hasattr(sharpwave, name) for name in sharpwave.__all__)


def _surface(cls: type) -> dict[str, inspect.Signature]:
    members = inspect.getmembers_static(cls)
    return {
        name: inspect.signature(getattr(cls, name))
        for name, member in members
        if not name.startswith("_") and not isinstance(member, property)
    }


def test_async_memory_has_the_same_surface() -> None:
    sync, twin = _surface(Memory), _surface(AsyncMemory)
    assert sync.keys() == twin.keys()
    for name in sync:
        assert list(sync[name].parameters) == list(twin[name].parameters), name
        defaults = [
            [parameter.default for parameter in surface[name].parameters.values()]
            for surface in (sync, twin)
        ]
        assert defaults[0] == defaults[1], name


def test_every_public_method_says_what_it_does() -> None:
    for cls in (Memory, AsyncMemory):
        for name in _surface(cls):
            assert (getattr(cls, name).__doc__ or "").strip(), f"{cls.__name__}.{name}"
