"""The twins of the methods about quality. Delegates to threads; no logic."""

import asyncio
from datetime import date

from sharpwave.facades.quality.sync import QualityMemory
from sharpwave.types.quality import Calibration, Performance
from sharpwave.types.working import Spending


class AsyncQuality:
    """How well all of it works, to be awaited."""

    _memory: QualityMemory

    async def performance(self) -> Performance:
        """As `Memory.performance`."""
        return await asyncio.to_thread(self._memory.performance)

    async def calibration(self) -> Calibration:
        """As `Memory.calibration`."""
        return await asyncio.to_thread(self._memory.calibration)

    async def spending_by_day(self, days: int = 14) -> dict[date, Spending]:
        """As `Memory.spending_by_day`."""
        return await asyncio.to_thread(self._memory.spending_by_day, days)
