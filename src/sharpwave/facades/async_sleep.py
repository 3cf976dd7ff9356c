"""The twins of the methods about sleep. Delegates to threads; no logic."""

import asyncio
import threading
from collections.abc import Callable, Sequence

from sharpwave.facades.sleep import SleepMemory
from sharpwave.types.sleep import Report, SleepStatus, Undone


class AsyncSleep:
    """What happens to memories while nobody asks for them, to be awaited."""

    _memory: SleepMemory

    async def sleep(self, *, heavy: bool | None = None, dry_run: bool = False) -> Report:
        """As `Memory.sleep`."""
        return await asyncio.to_thread(self._memory.sleep, heavy=heavy, dry_run=dry_run)

    async def sleep_everyone(
        self,
        *,
        stop: threading.Event | None = None,
        tell: Callable[[str, str], None] | None = None,
    ) -> list[Report]:
        """As `Memory.sleep_everyone`."""
        return await asyncio.to_thread(self._memory.sleep_everyone, stop=stop, tell=tell)

    async def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """As `Memory.texts`."""
        return await asyncio.to_thread(self._memory.texts, ids)

    async def sleep_log(self, limit: int = 20) -> list[Report]:
        """As `Memory.sleep_log`."""
        return await asyncio.to_thread(self._memory.sleep_log, limit)

    async def undo_sleep(self, run: str) -> Undone:
        """As `Memory.undo_sleep`."""
        return await asyncio.to_thread(self._memory.undo_sleep, run)

    async def sleep_status(self) -> SleepStatus:
        """As `Memory.sleep_status`."""
        return await asyncio.to_thread(self._memory.sleep_status)
