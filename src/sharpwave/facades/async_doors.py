"""The same for async programs. Delegates to threads; no logic."""

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime

from sharpwave.facades.doors import DoorsMemory, never
from sharpwave.facades.keys import Keys
from sharpwave.facades.requests.answers import Answers
from sharpwave.types.known import Fact, MemoryPage
from sharpwave.types.records import Kind, Source, Stage, Trust
from sharpwave.types.storing import AuditEntry, Event
from sharpwave.types.webhooks import NewWebhook, Webhook


class AsyncDoors:
    """Who may come in, and what happened."""

    _memory: DoorsMemory

    @property
    def keys(self) -> Keys:
        """As `Memory.keys`; its calls are quick and not awaited."""
        return self._memory.keys

    @property
    def answers(self) -> Answers:
        """As `Memory.answers`; its calls are quick and not awaited."""
        return self._memory.answers

    async def events(
        self, after: int = 0, limit: int = 100, topics: Collection[str] = ()
    ) -> list[Event]:
        """As `Memory.events`."""
        return await asyncio.to_thread(self._memory.events, after, limit, topics)

    async def memories(
        self,
        *,
        kinds: Collection[Kind | str] = (),
        stages: Collection[Stage | str] = (),
        sources: Collection[Source | str] = (),
        trusts: Collection[Trust | str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> MemoryPage:
        """As `Memory.memories`."""
        return await asyncio.to_thread(
            self._memory.memories,
            kinds=kinds,
            stages=stages,
            sources=sources,
            trusts=trusts,
            since=since,
            until=until,
            before=before,
            limit=limit,
        )

    async def audit(
        self, after: int = 0, limit: int = 100, *, before: int | None = None
    ) -> list[AuditEntry]:
        """As `Memory.audit`."""
        return await asyncio.to_thread(self._memory.audit, after, limit, before=before)

    async def add_webhook(self, url: str, topics: Collection[str] = ()) -> NewWebhook:
        """As `Memory.add_webhook`."""
        return await asyncio.to_thread(self._memory.add_webhook, url, topics)

    async def webhooks(self) -> list[Webhook]:
        """As `Memory.webhooks`."""
        return await asyncio.to_thread(self._memory.webhooks)

    async def remove_webhook(self, id: str) -> None:
        """As `Memory.remove_webhook`."""
        await asyncio.to_thread(self._memory.remove_webhook, id)

    async def deliver(self, stopped: Callable[[], bool] = never) -> int:
        """As `Memory.deliver`."""
        return await asyncio.to_thread(self._memory.deliver, stopped)

    async def end_fact(self, id: str, at: datetime | None = None) -> Fact:
        """As `Memory.end_fact`."""
        return await asyncio.to_thread(self._memory.end_fact, id, at)
