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
        policy = self.settings.privacy.stored
        return Rules(self.user_id, now, policy, remember, logging, self.may_learn())

    def may_remember(self) -> bool:
        """Whether the user agreed that anything is kept."""
        return self._agreed(Purpose.MEMORY)

    def may_learn(self) -> bool:
        """Whether the user agreed to being remembered, and to being learned from."""
        return self._agreed(Purpose.MEMORY, Purpose.LEARNING)

    def _agreed(self, *purposes: Purpose) -> bool:
        agreed = self.ports.store.ledger.consents(self.user_id)
        assumed = self.settings.privacy.consent_assumed
        return all(agreed.get(purpose, assumed) for purpose in purposes)
