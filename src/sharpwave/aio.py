"""AsyncMemory: the surface of Memory for async programs, derived from it; calls run in threads.

No method is written here twice: classes are derived from `Memory`, its namespaces and
`OpenInteraction`. `aio.pyi` holds the signatures for type checkers; `make docs` writes it.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from functools import cache, wraps
from typing import Any, Self

from sharpwave.api.state import Namespace
from sharpwave.experience.open_interaction import OpenInteraction
from sharpwave.memory import Memory


class _Async:
    """Wraps an object whose calls may block."""

    def __init__(self, sync: Any) -> None:
        self._sync = sync


def _awaited(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    async def run(self: _Async, *args: Any, **named: Any) -> Any:
        answer = await asyncio.to_thread(getattr(self._sync, name), *args, **named)
        return AsyncInteraction(answer) if isinstance(answer, OpenInteraction) else answer

    return run


def _passed(name: str, doc: str | None) -> property:
    """A property: a namespace is derived too, everything else is returned as it is."""

    def get(self: _Async) -> Any:
        value = getattr(self._sync, name)
        return _derived(type(value))(value) if isinstance(value, Namespace) else value

    return property(get, doc=doc)


def _members(kind: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, member in inspect.getmembers_static(kind):
        if name.startswith("_") or isinstance(member, classmethod):
            continue
        if isinstance(member, property):
            found[name] = _passed(name, member.__doc__)
        elif inspect.isfunction(member):
            found[name] = _awaited(name, member)
    return found


@cache
def _derived(kind: type) -> type[_Async]:
    """The async class of a namespace."""
    return type(f"Async{kind.__name__}", (_Async,), {**_members(kind), "__doc__": kind.__doc__})


class AsyncInteraction(_derived(OpenInteraction)):  # type: ignore[misc]  # made above
    """As `OpenInteraction`, to be awaited: every step is durable before it returns."""

    @property
    def id(self) -> str:
        """The id that the complete interaction will have."""
        return str(self._sync.id)

    @property
    def logged(self) -> Any:
        """The result of completing it; None before."""
        return self._sync.logged

    async def __aenter__(self) -> Self:
        """Use with `async with`."""
        return self

    async def __aexit__(self, *raised: object) -> None:
        """Complete it, if not done yet."""
        await asyncio.to_thread(self._sync.__exit__, *raised)


class AsyncMemory(_derived(Memory)):  # type: ignore[misc]  # made above
    """Memory whose calls can be awaited."""

    @classmethod
    async def open(cls, *args: Any, **named: Any) -> Self:
        """As `Memory.open`."""
        return cls(await asyncio.to_thread(Memory.open, *args, **named))

    @classmethod
    def connect(cls, *args: Any, **named: Any) -> Self:
        """As `Memory.connect`; nothing is sent yet, so there is nothing to await."""
        return cls(Memory.connect(*args, **named))

    def user(self, user: str) -> Self:
        """As `Memory.user`."""
        return type(self)(self._sync.user(user))

    @property
    def sync(self) -> Memory:
        """The same memory with synchronous methods, for example for the adapters."""
        memory: Memory = self._sync
        return memory

    async def export(self) -> AsyncIterator[str]:
        """As `Memory.export`, to be read with `async for`."""
        lines = self._sync.export()
        while (line := await asyncio.to_thread(next, lines, None)) is not None:
            yield line

    async def __aenter__(self) -> Self:
        """Use as an async context manager."""
        return self

    async def __aexit__(self, *raised: object) -> None:
        """Close."""
        await asyncio.to_thread(self._sync.close)


for _name in ("open", "connect"):
    _of = inspect.signature(getattr(Memory, _name).__func__)
    getattr(AsyncMemory, _name).__func__.__signature__ = _of
