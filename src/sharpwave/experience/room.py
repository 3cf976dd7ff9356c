"""Whose experience it is, and what there is to work with."""

from dataclasses import dataclass
from datetime import datetime

from sharpwave.experience.intake import Rules
from sharpwave.experience.sheet import Sheet
from sharpwave.ports import Ports
from sharpwave.settings import Settings
from sharpwave.types.working import Purpose


@dataclass(frozen=True, slots=True)
class Room:
    """Whose experience it is, and what there is to work with."""

    user_id: str
    ports: Ports
    settings: Settings

    def sheet(self) -> Sheet:
        """What was learned so far, read as it is needed."""
        store, user_id = self.ports.store, self.user_id
        return Sheet(lambda topic, names: store.tallies(user_id, topic, names))

    def rules(self, now: datetime) -> Rules:
        """What holds for everything that is taken in."""
        remember, logging = self.settings.remember, self.settings.experience.logging
        return Rules(self.user_id, now, self.settings.privacy.stored, remember, logging)

    def may_remember(self) -> bool:
        """Whether the user agreed that anything is kept."""
        agreed = self.ports.store.ledger.consents(self.user_id)
        return agreed.get(Purpose.MEMORY, self.settings.privacy.consent_assumed)
