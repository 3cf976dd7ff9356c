"""Facts over time: the profile, history, conflicts, and how sure each is."""

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
"""The largest `limit` of a profile."""
MAX_DAYS = 36_500
"""How far back `shifts` looks."""


class FactsApi(Namespace):
    """What is known as facts, now and in the past."""

    def profile(self, limit: int | None = None) -> List[Fact]:
        """What is known of the user, from the user or enough others; important things first.

        With a `limit` the first of it alone is read, whatever came up last before what is as
        important and as sure.
        """
        count = None if limit is None else checks.count(limit, "limit", MAX_FACTS)
        return facts.profile(self._usable, count)

    def known_since(self, name: str = USER) -> datetime | None:
        """When the first known fact about a subject began to hold; None if nothing is known."""
        return facts.known_since(self._usable, checks.name(name, "name"))

    def list(self, *, subject: str | None = None, predicate: str | None = None) -> List[Fact]:
        """Facts that hold now, from any source, of one subject or all."""
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
        """What was true at a moment; with `known_at`, as far as we knew it then.

        With a `limit` only the most important so many facts are read.
        """
        when = checks.moment(moment, "moment")
        known_moment = None if known_at is None else checks.moment(known_at, "known_at")
        count = None if limit is None else checks.count(limit, "limit", MAX_FACTS)
        return facts.at(
            self._usable, when, known_moment, checks.optional_name(subject, "subject"), count
        )

    def between(self, start: datetime, end: datetime, *, on: str = "valid") -> List[Fact]:
        """Facts that held within a time, or with `on="recorded"` those learned within it."""
        bounds = checks.moment(start, "start"), checks.moment(end, "end")
        return facts.between(self._usable, *bounds, on)

    def history(self, subject: str, predicate: str) -> Evolution:
        """Every version of one thing, such as where Ana lives, oldest first."""
        topic = checks.name(subject, "subject"), checks.name(predicate, "predicate")
        return facts.history(self._usable, *topic)

    def trends(self) -> List[Trend]:
        """Who and what came up more, or less, when sleep last looked; the clearest first."""
        return facts.trends(self._usable)

    def shifts(self, *, days: float = 30) -> List[Shift]:
        """Facts that took the place of others within the last days, the newest first."""
        workspace = self._usable
        since = workspace.clock.now() - timedelta(days=checks.number(days, "days", MAX_DAYS))
        return facts.shifts(workspace, since)

    def predict(self, subject: str, predicate: str, at: datetime) -> Prediction:
        """How likely what holds now, such as where Ana lives, will still hold at a moment."""
        when = checks.moment(at, "at")
        topic = checks.name(subject, "subject"), checks.name(predicate, "predicate")
        return facts.predict(self._usable, topic, when)

    def conflicts(self, limit: int | None = None, *, offset: int = 0) -> List[Contradiction]:
        """Facts that contradict each other, each with the question to ask the user.

        The most important come first. With a `limit` only so many after the first `offset`.
        """
        return conflicts.unresolved(self._usable, window(limit, offset))

    def resolve(self, conflict: str, keep: str) -> Contradiction:
        """Say which of two contradicting facts holds: "older", "newer" or its id."""
        workspace = self._workspace
        resolved = conflicts.resolve(workspace, conflict, keep)
        sides = {"older": resolved.older, "newer": resolved.newer}
        outcomes = [(fact.confidence, keep in (side, fact.id)) for side, fact in sides.items()]
        facts.judged(workspace, outcomes)
        return resolved

    def confirm(self, id: str, right: bool = True) -> Receipt:
        """The user says that a fact is right: now it is the user's own word; or wrong: it ends."""
        from sharpwave.remember import flow as writing

        workspace = self._workspace
        message = facts.confirmation_message(workspace, checks.name(id, "an id"), right)
        confidence = facts.sureness(workspace, id)
        receipt = writing.remember([message], workspace)
        facts.judged(workspace, [(confidence, right)])
        return receipt

    def correct(self, id: str, text: str) -> Receipt:
        """The user says how it really is: the fact was wrong, and these words take its place.

        They fill the fact's slot where they name another value for it; otherwise they hold as a
        sentence.
        """
        workspace = self._state.workspace()
        confidence = facts.sureness(workspace, id)
        receipt = verbs.remember(workspace, [Message(text, corrects=id)], self._state, NOTHING)
        facts.judged(workspace, [(confidence, False)])
        return receipt

    def end(self, id: str, at: datetime | None = None) -> Fact:
        """Say that a fact held only until a moment, or until now; it stays in the history."""
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
        """Stop believing a source: its turns, and what was learned from nothing else.

        What that had replaced holds again. Nothing is deleted: `undo=True` brings it back.
        """
        suspect = quarantine.suspect(source, author, session, since)
        act = quarantine.release if undo else quarantine.quarantine
        return act(self._workspace, suspect)
