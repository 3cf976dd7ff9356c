"""People, things and their relations."""

from __future__ import annotations

from datetime import datetime

from sharpwave import checks
from sharpwave.api.state import Namespace
from sharpwave.knowledge import graph
from sharpwave.types.known import About, Connection, Entity, Graph, Relation

MAX_HOPS = 5
"""Maximum `hops` of `related` and `paths`."""
MAX_LISTED = 100_000
"""Maximum `limit` of `entities`."""
MAX_DRAWN = 1_000
"""Maximum `limit` of `view`."""


class GraphApi(Namespace):
    """Entities and relations."""

    def entities(self, limit: int = 100) -> list[Entity]:
        """People and things by number of mentions; all names of an entity count together."""
        return graph.entities(self._usable, checks.count(limit, "limit", MAX_LISTED))

    def about(self, name: str, *, at: datetime | None = None) -> About:
        """Everything known about a person or thing, under all its names, now or at a moment.

        "Ana", "Ana Souza", "Nini" and "my sister" may be one person; `aliases` says why. Forget or
        deny the fact behind an alias to separate the names again.
        """
        moment = None if at is None else checks.moment(at, "at")
        return graph.about(self._usable, checks.name(name, "name"), moment)

    def related(self, name: str, *, hops: int = 1, at: datetime | None = None) -> list[Relation]:
        """Relations of a name to others, up to `hops` steps away, now or at a moment."""
        moment = None if at is None else checks.moment(at, "at")
        steps = checks.count(hops, "hops", MAX_HOPS)
        return graph.related(self._usable, checks.name(name, "name"), steps, moment)

    def paths(
        self, one: str, other: str, *, hops: int = 3, at: datetime | None = None
    ) -> list[Connection]:
        """Paths between two names, the shortest first; "user" is the user."""
        moment = None if at is None else checks.moment(at, "at")
        steps = checks.count(hops, "hops", MAX_HOPS)
        names = checks.name(one, "name"), checks.name(other, "name")
        return graph.paths(self._usable, names, steps, moment)

    def view(
        self, limit: int = 100, *, at: datetime | None = None, around: str | None = None
    ) -> Graph:
        """The most mentioned entities and their relations, to draw a graph, now or at a moment.

        With `around`, a name, the entities nearest to it come first instead.
        """
        count = checks.count(limit, "limit", MAX_DRAWN)
        moment = None if at is None else checks.moment(at, "at")
        centre = None if around is None else checks.name(around, "name")
        workspace = self._usable
        with workspace.store.one_state():
            return graph.drawn(workspace, count, moment, centre)
