"""The same for async programs. Delegates to threads; no logic."""

import asyncio
from collections.abc import Collection
from datetime import datetime

from sharpwave.facades.doors import DoorsMemory
from sharpwave.facades.keys import Keys
from sharpwave.types.known import Fact
from sharpwave.types.storing import AuditEntry, Event


class AsyncDoors:
    """Who may come in, and what happened."""

    _memory: DoorsMemory

    @property
    def keys(self) -> Keys:
        """As `Memory.keys`; its calls are quick and not awaited."""
        return self._memory.keys

    async def events(
        self, after: int = 0, limit: int = 100, topics: Collection[str] = ()
    ) -> list[Event]:
        """As `Memory.events`."""
        return await asyncio.to_thread(self._memory.events, after, limit, topics)

    async def audit(self, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """As `Memory.audit`."""
        return await asyncio.to_thread(self._memory.audit, after, limit)

    async def end_fact(self, id: str, at: datetime | None = None) -> Fact:
        """As `Memory.end_fact`."""
        return await asyncio.to_thread(self._memory.end_fact, id, at)
