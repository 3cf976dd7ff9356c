"""People and things, and how they are related."""

from __future__ import annotations

from datetime import datetime

from sharpwave import checks
from sharpwave.api.state import Namespace
from sharpwave.knowledge import graph
from sharpwave.types.known import About, Connection, Entity, Graph, Relation

MAX_HOPS = 5
"""How far `related` and `paths` go."""
MAX_LISTED = 100_000
"""The most entities that `entities` gives."""
MAX_DRAWN = 1_000
"""The most entities that `view` gives."""


class GraphApi(Namespace):
    """Entities and relations."""

    def entities(self, limit: int = 100) -> list[Entity]:
        """Who and what was mentioned, the most often first; names of one entity count together."""
        return graph.entities(self._usable, checks.count(limit, "limit", MAX_LISTED))

    def about(self, name: str, *, at: datetime | None = None) -> About:
        """All that is known of a person or thing, under every name, now or at a moment.

        "Ana", "Ana Souza", "Nini" and "my sister" may be one person; `aliases` says why. Forget or
        deny the fact behind an alias, and the names part again.
        """
        moment = None if at is None else checks.moment(at, "at")
        return graph.about(self._usable, checks.name(name, "name"), moment)

    def related(self, name: str, *, hops: int = 1, at: datetime | None = None) -> list[Relation]:
        """How a name is related to others, up to so many steps away, now or at a moment."""
        moment = None if at is None else checks.moment(at, "at")
        steps = checks.count(hops, "hops", MAX_HOPS)
        return graph.related(self._usable, checks.name(name, "name"), steps, moment)

    def paths(
        self, one: str, other: str, *, hops: int = 3, at: datetime | None = None
    ) -> list[Connection]:
        """How two names are connected, the shortest ways first; "user" is the user."""
        moment = None if at is None else checks.moment(at, "at")
        steps = checks.count(hops, "hops", MAX_HOPS)
        names = checks.name(one, "name"), checks.name(other, "name")
        return graph.paths(self._usable, names, steps, moment)

    def view(
        self, limit: int = 100, *, at: datetime | None = None, around: str | None = None
    ) -> Graph:
        """Who and what is mentioned most and how they are related, now or at a moment: to draw it.

        `around` is a name to begin with instead: the nearest to it come first.
        """
        count = checks.count(limit, "limit", MAX_DRAWN)
        moment = None if at is None else checks.moment(at, "at")
        centre = None if around is None else checks.name(around, "name")
        workspace = self._usable
        with workspace.store.one_state():
            return graph.drawn(workspace, count, moment, centre)
