"""Facts over time: the profile, history, conflicts, and confidence."""

from __future__ import annotations

from datetime import datetime, timedelta

from sharpwave import checks
from sharpwave.api import verbs
from sharpwave.api.state import Namespace
from sharpwave.api.windows import window
from sharpwave.knowledge import conflicts, facts, quarantine
from sharpwave.types.answers import Receipt
from sharpwave.types.known import (
    Contradiction,
    Evolution,
    Fact,
    HistoricalState,
    Prediction,
    Quarantined,
    Shift,
    Trend,
)
from sharpwave.types.message import Message
from sharpwave.types.records import USER
from sharpwave.types.structured import NOTHING

List = list  # `list` is a method here
MAX_FACTS = 100_000
"""Maximum `limit` of a profile."""
MAX_DAYS = 36_500
"""Maximum `days` of `shifts`."""


class FactsApi(Namespace):
    """Current and past facts."""

    def profile(self, limit: int | None = None) -> List[Fact]:
        """Facts about the user, from the user or from enough independent sources.

        The most important come first. With a `limit` only that many are read; of equally important
        and confident facts the most recently seen come first.
        """
        count = None if limit is None else checks.count(limit, "limit", MAX_FACTS)
        return facts.profile(self._usable, count)

    def known_since(self, name: str = USER) -> datetime | None:
        """The earliest `valid_from` of the facts about a subject; None if nothing is known."""
        return facts.known_since(self._usable, checks.name(name, "name"))

    def list(self, *, subject: str | None = None, predicate: str | None = None) -> List[Fact]:
        """Current facts from any source, about one subject or all."""
        subject_name = checks.optional_name(subject, "subject")
        return facts.current(
            self._usable, subject_name, checks.optional_name(predicate, "predicate")
        )

    def at(
        self,
        moment: datetime,
        *,
        known_at: datetime | None = None,
        subject: str | None = None,
        limit: int | None = None,
    ) -> HistoricalState:
        """Facts that were true at a moment; with `known_at`, as known at that time.

        `limit` is the maximum number of facts; the most important are read.
        """
        when = checks.moment(moment, "moment")
        known_moment = None if known_at is None else checks.moment(known_at, "known_at")
        count = None if limit is None else checks.count(limit, "limit", MAX_FACTS)
        return facts.at(
            self._usable, when, known_moment, checks.optional_name(subject, "subject"), count
        )

    def between(self, start: datetime, end: datetime, *, on: str = "valid") -> List[Fact]:
        """Facts valid between two times, or with `on="recorded"` those learned between them."""
        bounds = checks.moment(start, "start"), checks.moment(end, "end")
        return facts.between(self._usable, *bounds, on)

    def history(self, subject: str, predicate: str) -> Evolution:
        """All versions of a fact, such as where Ana lives, oldest first."""
        topic = checks.name(subject, "subject"), checks.name(predicate, "predicate")
        return facts.history(self._usable, *topic)

    def trends(self) -> List[Trend]:
        """Names mentioned more or less often than before, as of the last sleep; clearest first."""
        return facts.trends(self._usable)

    def shifts(self, *, days: float = 30) -> List[Shift]:
        """Facts that replaced others within the last days, newest first."""
        workspace = self._usable
        since = workspace.clock.now() - timedelta(days=checks.number(days, "days", MAX_DAYS))
        return facts.shifts(workspace, since)

    def predict(self, subject: str, predicate: str, at: datetime) -> Prediction:
        """Probability that a current fact, such as where Ana lives, still holds at a moment."""
        when = checks.moment(at, "at")
        topic = checks.name(subject, "subject"), checks.name(predicate, "predicate")
        return facts.predict(self._usable, topic, when)

    def conflicts(self, limit: int | None = None, *, offset: int = 0) -> List[Contradiction]:
        """Facts that contradict each other, each with the question to ask the user.

        The most important come first. `limit` and `offset` select a page.
        """
        return conflicts.unresolved(self._usable, window(limit, offset))

    def resolve(self, conflict: str, keep: str) -> Contradiction:
        """Resolve a conflict: keep one of two contradicting facts, "older", "newer" or its id."""
        workspace = self._workspace
        resolved = conflicts.resolve(workspace, conflict, keep)
        sides = {"older": resolved.older, "newer": resolved.newer}
        outcomes = [(fact.confidence, keep in (side, fact.id)) for side, fact in sides.items()]
        facts.judged(workspace, outcomes)
        return resolved

    def confirm(self, id: str, right: bool = True) -> Receipt:
        """Confirm a fact on behalf of the user; with `right=False`, end it as wrong.

        A confirmed fact counts as stated by the user.
        """
        from sharpwave.remember import flow as writing

        workspace = self._workspace
        message = facts.confirmation_message(workspace, checks.name(id, "an id"), right)
        confidence = facts.sureness(workspace, id)
        receipt = writing.remember([message], workspace)
        facts.judged(workspace, [(confidence, right)])
        return receipt

    def correct(self, id: str, text: str) -> Receipt:
        """Correct a wrong fact on behalf of the user: `text` replaces it.

        If the text gives another value for the fact's slot, that becomes the new fact; otherwise
        the text is stored as a sentence.
        """
        workspace = self._state.workspace()
        confidence = facts.sureness(workspace, id)
        receipt = verbs.remember(workspace, [Message(text, corrects=id)], self._state, NOTHING)
        facts.judged(workspace, [(confidence, False)])
        return receipt

    def end(self, id: str, at: datetime | None = None) -> Fact:
        """End a fact at a moment, or now; it stays in the history."""
        workspace = self._workspace
        moment = workspace.clock.now() if at is None else checks.moment(at, "at")
        return facts.end(workspace, checks.name(id, "an id"), moment)

    def quarantine(
        self,
        *,
        source: str | None = None,
        author: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        undo: bool = False,
    ) -> Quarantined:
        """Quarantine a source: stop using its turns, and what was learned only from them.

        Facts that these had replaced become valid again. Nothing is deleted: `undo=True` reverses
        it.
        """
        suspect = quarantine.suspect(source, author, session, since)
        act = quarantine.release if undo else quarantine.quarantine
        return act(self._workspace, suspect)
