"""Whose experience it is, and what there is to work with."""

from dataclasses import dataclass
from datetime import datetime

from sharpwave.experience.drafts import Rules
from sharpwave.ports import Ports
from sharpwave.privacy import consent
from sharpwave.settings.tree import Settings
from sharpwave.tallies.sheet import Sheet
from sharpwave.types.storing import EXPERIENCE


@dataclass(frozen=True, slots=True)
class Room:
    """Whose experience it is, and what there is to work with."""

    user_id: str
    ports: Ports
    settings: Settings

    def sheet(self) -> Sheet:
        """What was learned so far, read as it is needed."""
        return Sheet.of(self.ports.store, self.user_id, EXPERIENCE)

    def rules(self, now: datetime) -> Rules:
        """What holds for everything that is taken in."""
        remember, logging = self.settings.remember, self.settings.experience.logging
        policy = self.settings.privacy.stored
        return Rules(self.user_id, now, policy, remember, logging, self.may_learn())

    def may_remember(self) -> bool:
        """Whether the user agreed that anything is kept."""
        return consent.may_remember(self._given(), self.settings.privacy)

    def may_learn(self) -> bool:
        """Whether the user agreed to being remembered, and to being learned from."""
        return consent.may_learn(self._given(), self.settings.privacy)

    def _given(self) -> consent.Given:
        return self.ports.store.ledger.consents(self.user_id)
