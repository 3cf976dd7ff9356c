"""The twins of the methods about entities. Delegates to threads; no logic."""

import asyncio
from datetime import datetime

from sharpwave.facades.graph import GraphMemory
from sharpwave.types.known import About, Connection, Entity, Graph, Relation


class AsyncGraph:
    """Who and what is known, and how they are related, to be awaited."""

    _memory: GraphMemory

    async def entities(self, limit: int = 100) -> list[Entity]:
        """As `Memory.entities`."""
        return await asyncio.to_thread(self._memory.entities, limit)

    async def about(self, name: str, *, at: datetime | None = None) -> About:
        """As `Memory.about`."""
        return await asyncio.to_thread(self._memory.about, name, at=at)

    async def related(
        self, name: str, *, hops: int = 1, at: datetime | None = None
    ) -> list[Relation]:
        """As `Memory.related`."""
        return await asyncio.to_thread(self._memory.related, name, hops=hops, at=at)

    async def paths(
        self, one: str, other: str, *, hops: int = 3, at: datetime | None = None
    ) -> list[Connection]:
        """As `Memory.paths`."""
        return await asyncio.to_thread(self._memory.paths, one, other, hops=hops, at=at)

    async def graph(
        self, limit: int = 100, *, at: datetime | None = None, around: str | None = None
    ) -> Graph:
        """As `Memory.graph`."""
        return await asyncio.to_thread(self._memory.graph, limit, at=at, around=around)
