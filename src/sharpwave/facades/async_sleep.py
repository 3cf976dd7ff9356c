"""The twins of the methods about sleep. Delegates to threads; no logic."""

import asyncio

from sharpwave.facades.sleep import SleepMemory
from sharpwave.types.work.sleep import Report, SleepStatus, Undone


class AsyncSleep:
    """What happens to memories while nobody asks for them, to be awaited."""

    _memory: SleepMemory

    async def sleep(self, *, heavy: bool | None = None, dry_run: bool = False) -> Report:
        """As `Memory.sleep`."""
        return await asyncio.to_thread(self._memory.sleep, heavy=heavy, dry_run=dry_run)

    async def sleep_log(self, limit: int = 20) -> list[Report]:
        """As `Memory.sleep_log`."""
        return await asyncio.to_thread(self._memory.sleep_log, limit)

    async def undo_sleep(self, run: str) -> Undone:
        """As `Memory.undo_sleep`."""
        return await asyncio.to_thread(self._memory.undo_sleep, run)

    async def sleep_status(self) -> SleepStatus:
        """As `Memory.sleep_status`."""
        return await asyncio.to_thread(self._memory.sleep_status)
