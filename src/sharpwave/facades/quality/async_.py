"""The twins of the methods about quality. Delegates to threads; no logic."""

import asyncio

from sharpwave.facades.quality.sync import QualityMemory
from sharpwave.types.work.quality import Calibration, Performance


class AsyncQuality:
    """How well all of it works, to be awaited."""

    _memory: QualityMemory

    async def performance(self) -> Performance:
        """As `Memory.performance`."""
        return await asyncio.to_thread(self._memory.performance)

    async def calibration(self) -> Calibration:
        """As `Memory.calibration`."""
        return await asyncio.to_thread(self._memory.calibration)
