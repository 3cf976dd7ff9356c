"""Whose skills they are, and what there is to work with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sharpwave.behavior.skills import learning, rows
from sharpwave.errors import Overtaken
from sharpwave.formulas.bandit import context_bucket
from sharpwave.ports import Ports
from sharpwave.privacy import consent
from sharpwave.settings.skills import SkillSettings
from sharpwave.settings.tree import Settings
from sharpwave.tallies.sheet import Sheet, stored
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.storing import BEHAVIOR, TAKEN_BACK, Change, Stated, Tally

TRAJECTORY, FEEDBACK, READING, DECISION = "trajectory|", "feedback|", "reading|", "decision|"
"""How the slots of the records begin that teach something."""
_KINDS = frozenset({Kind.TRAJECTORY, Kind.FEEDBACK})
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Room:
    """Whose skills they are, and what there is to work with."""

    user_id: str
    ports: Ports
    settings: Settings

    @property
    def skills(self) -> SkillSettings:
        """The numbers of skills."""
        return self.settings.skills

    def bucket(self, context: str) -> int:
        """The number of a context, such as "question_neutral_morning"."""
        return context_bucket(context, self.skills.bandit.buckets)

    def may_learn(self) -> bool:
        """Whether the user agreed to being remembered, and to being learned from."""
        given = self.ports.store.ledger.consents(self.user_id)
        return self.skills.enabled and consent.may_learn(given, self.settings.privacy)

    def known(self) -> Sheet:
        """What was learned so far; if it is missing, it is learned anew first."""
        found = self._rows()
        if not found.row(rows.PERSON, rows.COUNTS) and self._has_records():
            try:
                self.rebuild()
            except Overtaken:
                pass  # somebody else is doing it
            found = self._rows()
        return found

    def teaching(self, *beginnings: str) -> list[Record]:
        """The records that something is learned from, in order; replaced ones are left out."""
        within = beginnings or (TRAJECTORY, FEEDBACK, READING, DECISION)
        found = self.ports.store.stated(self.user_id, Stated(within=within, kinds=_KINDS))
        return sorted(
            (record for record in found if _counts(record)), key=lambda record: record.number
        )

    def lessons(self) -> list[str]:
        """Ids of all that anything about skills and style was ever learned from."""
        within = (TRAJECTORY, FEEDBACK, READING, DECISION)
        found = self.ports.store.stated(self.user_id, Stated(within=within, kinds=_KINDS))
        return [record.id for record in found]

    def taken_back(self) -> set[str]:
        """Ids of records whose lesson was taken back: it is not drawn again."""
        return set(self.ports.store.tallies(self.user_id, TAKEN_BACK))

    def folded(self, records: Sequence[Record]) -> Sheet:
        """What these records teach, taken together."""
        made = Sheet.blank(BEHAVIOR)
        active = {record.id for record in records}
        for record in records:
            about = record.metadata.get("feedback_id")
            if about is None or about in active:
                learning.learn(record, made, self.skills)
        return made

    def stored_rows(self) -> dict[tuple[str, str], Tally]:
        """Every running number as it stands."""
        topics = rows.topics(self.skills.bandit.buckets)
        return stored(self.ports.store, self.user_id, BEHAVIOR, topics)

    def rebuild(self) -> int:
        """Learn anew from what is kept; returns from how many records. Twice changes nothing."""
        before = self.stored_rows()
        records = self.teaching()
        tallies = self.folded(records).instead_of(before)
        if tallies:
            now = self.ports.clock.now()
            self.ports.store.commit(Change(self.user_id, "rebuild", now, (), tallies=tallies))
        return len(records)

    def again(self, attempt: Callable[[], Answer]) -> Answer:
        """Do it; if somebody else was faster, read again and repeat."""
        for _ in range(self.skills.retries - 1):
            try:
                return attempt()
            except Overtaken:
                continue
        return attempt()

    def _rows(self) -> Sheet:
        return Sheet.of(self.ports.store, self.user_id, BEHAVIOR)

    def _has_records(self) -> bool:
        store = self.ports.store
        begins = (TRAJECTORY, FEEDBACK, DECISION)
        return any(store.slot_numbers(self.user_id, begin, 1) for begin in begins)


def _counts(record: Record) -> bool:
    return record.kind is Kind.TRAJECTORY or record.standing.state is State.ACTIVE
