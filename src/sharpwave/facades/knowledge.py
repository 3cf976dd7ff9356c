"""The part of the facade that is about what is known. Each method asks one part of `review`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sharpwave import checks
from sharpwave.facades.rooms.windows import window
from sharpwave.types.records import USER

if TYPE_CHECKING:
    from sharpwave.types.evolution import Prediction, Shift, Trend
    from sharpwave.types.known import Contradiction, Evolution, Fact, HistoricalState, Note, Task
    from sharpwave.workspace import Workspace

MOST_FACTS = 100_000
"""The most facts that `profile` is asked for by number."""


class KnowledgeMemory:
    """Facts over time, contradictions, tasks and notes."""

    _workspace: Workspace

    def profile(self, limit: int | None = None) -> list[Fact]:
        """What is known of the user, from the user or enough others; important things first.

        With a `limit` the first of it alone is read, whatever came up last before what is as
        important and as sure.
        """
        from sharpwave.knowledge import history, views

        most = None if limit is None else checks.count(limit, "limit", MOST_FACTS)
        sure = views.fading(self._workspace.shared)
        return history.profile(self._workspace, sure, self._workspace.settings.knowledge, most)

    def known_since(self, name: str = USER) -> datetime | None:
        """Since when the first fact holds that is known of somebody; None if nothing is."""
        from sharpwave.knowledge import history

        most = self._workspace.settings.remember.max_name_chars
        return history.known_since(self._workspace, checks.name(name, "name", most))

    def _foremost(self, most: int) -> list[Fact]:
        """The most important facts of the profile."""
        from sharpwave.knowledge import history, views

        sure = views.fading(self._workspace.shared)
        return history.foremost(self._workspace, sure, self._workspace.settings.knowledge, most)

    def facts(self, *, subject: str | None = None, predicate: str | None = None) -> list[Fact]:
        """Facts that hold now, whoever said so, of one subject or all."""
        from sharpwave.knowledge import history, views

        sure = views.fading(self._workspace.shared)
        return history.current(self._workspace, sure, subject, predicate)

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
        from sharpwave.knowledge import history, views

        when = checks.moment(moment, "moment")
        then = None if known_at is None else checks.moment(known_at, "known_at")
        sure = views.fading(self._workspace.shared)
        most = None if limit is None else checks.count(limit, "limit", MOST_FACTS)
        return history.at(self._workspace, sure, when, then, subject, most)

    def history(self, subject: str, predicate: str) -> Evolution:
        """Every version of one thing, such as where Ana lives, oldest first."""
        from sharpwave.knowledge import history, views

        sure = views.fading(self._workspace.shared)
        return history.history(self._workspace, sure, subject, predicate)

    def trends(self) -> list[Trend]:
        """Who and what came up more, or less, when sleep last looked; the clearest first."""
        from sharpwave.knowledge import evolution

        return evolution.trends(self._workspace)

    def shifts(self, *, days: float = 30) -> list[Shift]:
        """Facts that took the place of others within the last days, the newest first."""
        from sharpwave.knowledge import evolution, views

        since = self._workspace.clock.now() - timedelta(days=days)
        sure = views.fading(self._workspace.shared)
        return evolution.shifts(self._workspace, sure, since)

    def predict(self, subject: str, predicate: str, at: datetime) -> Prediction:
        """How likely what holds now, such as where Ana lives, will still hold at a moment."""
        from sharpwave.knowledge import evolution, views

        when = checks.moment(at, "at")
        topic = subject, predicate
        sure = views.fading(self._workspace.shared)
        return evolution.predict(self._workspace, sure, topic, when)

    def between(self, start: datetime, end: datetime, *, on: str = "valid") -> list[Fact]:
        """Facts that held within a time, or with `on="recorded"` those learned within it."""
        from sharpwave.knowledge import history, views

        bounds = checks.moment(start, "start"), checks.moment(end, "end")
        sure = views.fading(self._workspace.shared)
        return history.between(self._workspace, sure, *bounds, on)

    def conflicts(self, limit: int | None = None, *, offset: int = 0) -> list[Contradiction]:
        """Facts that contradict each other, each with the question to ask the user.

        The most important come first. With a `limit` only so many after the first `offset`.
        """
        from sharpwave.knowledge import conflicts, views

        sure = views.fading(self._workspace.shared)
        return conflicts.open_ones(self._workspace, sure, window(limit, offset))

    def resolve(self, conflict: str, keep: str) -> Contradiction:
        """Say which of two contradicting facts holds: "older", "newer" or its id."""
        from sharpwave.knowledge import calibration, conflicts, views

        sure = views.fading(self._workspace.shared)
        settled = conflicts.resolve(self._workspace, sure, conflict, keep)
        sides = {"older": settled.older, "newer": settled.newer}
        told = [(fact.confidence, keep in (side, fact.id)) for side, fact in sides.items()]
        calibration.judged(self._workspace, told)
        return settled

    def tasks(
        self, status: str | None = None, *, limit: int | None = None, offset: int = 0
    ) -> list[Task]:
        """Tasks that are not done, or those "active", "stalled" or "done"; due ones first.

        With a `limit` only so many after the first `offset`.
        """
        from sharpwave.knowledge import task_lists

        return task_lists.with_status(self._workspace, status, window(limit, offset))

    def due_soon(self, limit: int | None = None, *, offset: int = 0) -> list[Task]:
        """Open tasks that are overdue or soon will be, the most urgent first.

        With a `limit` only so many after the first `offset`.
        """
        from sharpwave.knowledge import task_lists

        wanted = window(limit, offset)
        return task_lists.due_soon(self._workspace, self._workspace.settings.knowledge, wanted)

    def set_task(self, task: str, status: str) -> Task:
        """Say that a task is "done", "stalled" or "active" again."""
        from sharpwave.knowledge import task_lists

        return task_lists.move(self._workspace, task, status)

    def notes(self) -> list[Note]:
        """Rules of thumb for helping this user: what was agreed on before guesses of ours."""
        from sharpwave.knowledge import task_lists

        return task_lists.notes(self._workspace, self._workspace.settings.recall.enough_votes)
