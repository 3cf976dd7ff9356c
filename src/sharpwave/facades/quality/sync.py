"""How well all of it works. Each method asks one part."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from sharpwave import checks
from sharpwave.facades.quality.measured import Measured

if TYPE_CHECKING:
    from sharpwave.types.quality import Calibration, Performance
    from sharpwave.types.working import Spending
    from sharpwave.workspace import Workspace

MOST_DAYS = 366
"""The most days that `spending_by_day` looks at."""


class QualityMemory:
    """Speed, decisions, and how often what we believed turned out right."""

    _workspace: Workspace

    def __init__(self) -> None:
        super().__init__()
        self._measured = Measured()

    def performance(self) -> Performance:
        """How long calls for this user took, how many failed, and what recall decided.

        Measured by this program since it was started; another process has numbers of its own.
        """
        return self._measured.view(self._workspace.user_id)

    def calibration(self) -> Calibration:
        """How sure we were of facts that the user confirmed, denied or decided between."""
        from sharpwave.knowledge import calibration

        return calibration.view(self._workspace)

    def spending_by_day(self, days: int = 14) -> dict[date, Spending]:
        """What language models cost this user on each of the last days, the newest first."""
        count = checks.count(days, "days", MOST_DAYS)
        today, store = self._workspace.clock.now().date(), self._workspace.store
        every = (today - timedelta(days=n) for n in range(count))
        return {day: store.spent(day) for day in every}

    def _sureness(self, id: str) -> float:
        """How sure we are of a fact."""
        from sharpwave.knowledge import views

        (record,) = self._workspace.store.find([id])
        return views.fact(record, views.fading(self._workspace.shared)).confidence
