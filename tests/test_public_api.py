"""The public surface: small, sorted, documented, and the same for sync and async."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import sharpwave
from sharpwave import AsyncMemory, Memory, public
from sharpwave.client.calls import CALLS, NOT_SERVED
from sharpwave.client.forms import NAMESPACES, OWNERS
from sharpwave.testing import in_memory

ROOT = Path(__file__).resolve().parent.parent
VERBS = set("remember recall context forget explain feedback sleep export".split())
LIFECYCLE = {"open", "connect", "user", "close"}


def _methods(cls: type) -> dict[str, inspect.Signature]:
    members = inspect.getmembers_static(cls)
    return {
        name: inspect.signature(getattr(cls, name))
        for name, member in members
        if not name.startswith("_") and not isinstance(member, property)
    }


def _surface() -> set[str]:
    own = set(_methods(Memory))
    return own | {f"{name}.{method}" for name, cls in OWNERS.items() for method in _methods(cls)}


def test_every_public_name_is_listed_and_there() -> None:
    assert len(sharpwave.__all__) == len(set(sharpwave.__all__))
    assert all(hasattr(sharpwave, name) for name in sharpwave.__all__)
    assert sorted(sharpwave.__all__) == sorted(["AsyncMemory", *public.__all__])
    with pytest.raises(AttributeError, match="no attribute 'Memroy'"):
        sharpwave.Memroy  # noqa: B018


def test_memory_has_eight_verbs_and_seven_namespaces() -> None:
    assert set(_methods(Memory)) == VERBS | LIFECYCLE
    memory = in_memory()
    assert {name: type(getattr(memory, name)) for name in NAMESPACES} == NAMESPACES


def test_async_memory_has_the_same_surface() -> None:
    twin = AsyncMemory(in_memory())
    pairs: list[tuple[type, type]] = [(Memory, AsyncMemory)]
    pairs += [(cls, type(getattr(twin, name))) for name, cls in NAMESPACES.items()]
    for sync, derived in pairs:
        ours, theirs = _methods(sync), _methods(derived)
        assert ours.keys() == theirs.keys()
        for name, signature in ours.items():
            assert list(signature.parameters) == list(theirs[name].parameters), name
            defaults = [parameter.default for parameter in signature.parameters.values()]
            assert defaults == [one.default for one in theirs[name].parameters.values()], name


def test_the_types_of_the_async_surface_are_current() -> None:
    checked = [sys.executable, "scripts/async_stub.py", "--check"]
    assert not subprocess.run(checked, cwd=ROOT).returncode, "run `make docs`"


def test_every_public_method_says_what_it_does() -> None:
    for cls in (Memory, *NAMESPACES.values()):
        for name in _methods(cls):
            assert (getattr(cls, name).__doc__ or "").strip(), f"{cls.__name__}.{name}"


def test_every_method_is_served_or_is_about_this_process() -> None:
    served = {call.method for call in CALLS}
    assert served | NOT_SERVED == _surface()
    assert not served & NOT_SERVED
