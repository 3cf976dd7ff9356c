"""How well all of it works. Each method asks one part."""

from sharpwave.facades.quality.measured import Measured
from sharpwave.ports import Ports
from sharpwave.review import views
from sharpwave.review.judging import calibration
from sharpwave.settings import Settings
from sharpwave.types.work.quality import Calibration, Performance


class QualityMemory:
    """Speed, decisions, and how often what we believed turned out right."""

    _ports: Ports
    _settings: Settings
    _user: str

    def __init__(self) -> None:
        super().__init__()
        self._measured = Measured()

    def performance(self) -> Performance:
        """How long calls for this user took, how many failed, and what recall decided.

        Measured by this program since it was started; another process has numbers of its own.
        """
        return self._measured.view(self._user)

    def calibration(self) -> Calibration:
        """How sure we were of facts that the user confirmed, denied or decided between."""
        return calibration.view(self._user, self._ports)

    def _sureness(self, id: str) -> float:
        """How sure we are of a fact."""
        (record,) = self._ports.store.find(self._user, [id])
        return views.fact(record, views.fading(self._ports, self._settings)).confidence
