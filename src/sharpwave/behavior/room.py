"""Whose behavior it is, and what there is to work with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sharpwave.errors import ProviderError
from sharpwave.ports import Ports
from sharpwave.privacy import consent
from sharpwave.settings.tree import Settings
from sharpwave.types.records import Record
from sharpwave.types.storing import Change, Evidence, Revision

WITHDRAWN = "nothing was learned: this user does not agree to it"


@dataclass(frozen=True, slots=True)
class Room:
    """Whose behavior it is, and what there is to work with."""

    user_id: str
    ports: Ports
    settings: Settings

    def may_learn(self) -> bool:
        """Whether the user agreed to being remembered, and to being learned from."""
        given = self.ports.store.ledger.consents(self.user_id)
        return consent.may_learn(given, self.settings.privacy)

    def commit(
        self,
        now: datetime,
        seen: dict[str, int],
        records: Sequence[Record] = (),
        revisions: Sequence[Revision] = (),
        evidence: Sequence[Evidence] = (),
    ) -> None:
        """One transaction; Overtaken if somebody else wrote meanwhile."""
        change = Change(self.user_id, "reflect", now, tuple(records), revisions=tuple(revisions))
        if records:
            change = self._with_vectors(change)
        needs = {one.parent for one in evidence}
        needs |= {parent for record in records for parent in record.provenance.parents}
        change = replace(change, evidence=tuple(evidence), seen=seen, needs=tuple(sorted(needs)))
        self.ports.store.commit(change)

    def _with_vectors(self, change: Change) -> Change:
        embedder = self.ports.embedder
        try:
            vectors = embedder.embed([record.text for record in change.records])
        except ProviderError:
            return change  # found by keywords only until `reembed`
        return replace(change, vectors=vectors, space=embedder.space)
