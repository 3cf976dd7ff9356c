"""The part of the facade that is about entities. Each method calls one flow."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sharpwave import checks

if TYPE_CHECKING:
    from sharpwave.types.known import About, Connection, Entity, Graph, Relation
    from sharpwave.workspace import Workspace

MAX_HOPS = 5
"""How far `related` and `paths` go."""
MAX_DRAWN = 1_000
"""The most entities that `graph` gives."""


class GraphMemory:
    """Who and what is known, and how they are related."""

    _workspace: Workspace

    def entities(self, limit: int = 100) -> list[Entity]:
        """Who and what was mentioned, the most often first; names of one entity count together."""
        from sharpwave.knowledge import graph

        return graph.entities(self._workspace, limit)

    def about(self, name: str, *, at: datetime | None = None) -> About:
        """All that is known of somebody or something, under every name, now or at a moment.

        "Ana", "Ana Souza", "Nini" and "my sister" may be one person; `aliases` says why. Forget or
        deny the fact behind an alias, and the names part again.
        """
        from sharpwave.knowledge import about, views

        moment = None if at is None else checks.moment(at, "at")
        sure = views.fading(self._workspace.shared)
        enough = self._workspace.settings.recall.enough_votes
        return about.about(self._workspace, sure, self._name(name), moment, enough)

    def related(self, name: str, *, hops: int = 1, at: datetime | None = None) -> list[Relation]:
        """How a name is related to others, up to so many steps away, now or at a moment."""
        from sharpwave.knowledge import graph, views

        moment = None if at is None else checks.moment(at, "at")
        steps = checks.count(hops, "hops", MAX_HOPS)
        who = self._name(name)
        sure = views.fading(self._workspace.shared)
        return graph.related(self._workspace, sure, who, steps, moment)

    def paths(
        self, one: str, other: str, *, hops: int = 3, at: datetime | None = None
    ) -> list[Connection]:
        """How two names are connected, the shortest ways first; "user" is the user."""
        from sharpwave.knowledge import graph, views

        moment = None if at is None else checks.moment(at, "at")
        steps = checks.count(hops, "hops", MAX_HOPS)
        ends = self._name(one), self._name(other)
        sure = views.fading(self._workspace.shared)
        return graph.paths(self._workspace, sure, ends, steps, moment)

    def graph(
        self, limit: int = 100, *, at: datetime | None = None, around: str | None = None
    ) -> Graph:
        """Who and what is mentioned most and how they are related, now or at a moment: to draw it.

        `around` is a name to begin with instead: whoever is nearest to it comes first.
        """
        from sharpwave.knowledge import graph, views

        most = checks.count(limit, "limit", MAX_DRAWN)
        moment = None if at is None else checks.moment(at, "at")
        centre = None if around is None else self._name(around)
        sure = views.fading(self._workspace.shared)
        return graph.drawn(self._workspace, sure, most, moment, centre)

    def _name(self, name: str) -> str:
        return checks.name(name, "name", self._workspace.settings.remember.max_name_chars)
