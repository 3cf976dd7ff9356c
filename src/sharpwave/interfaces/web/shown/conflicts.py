"""Two facts that cannot both be true, side by side."""

from collections.abc import Sequence
from typing import NamedTuple

from sharpwave.interfaces.web.shown import counts
from sharpwave.types.known import Contradiction, Explanation, Fact
from sharpwave.types.records import Source

_SOURCES = {
    Source.USER_MESSAGE: "in your words",
    Source.TOOL: "a tool reported it",
    Source.SYSTEM: "the system stated it",
    Source.INFERRED: "concluded from other things",
    Source.WEB: "from a web page",
    Source.IMPORT: "from an import",
}
MOST_WORDS = 3
"""Turns that are quoted for each side."""


class Side(NamedTuple):
    """One of the two, and what speaks for it."""

    keep: str
    """What `resolve` calls it."""
    title: str
    fact: Fact
    said: str
    """Where it comes from, and how often it came."""
    evidence: tuple[str, ...]
    more: int
    """Turns that are not quoted."""


def sides(
    found: Contradiction, older: Explanation | None, newer: Explanation | None
) -> tuple[Side, Side]:
    """Both sides, the older first."""
    return (
        _side("older", "Said first", found.older, older),
        _side("newer", "Said later", found.newer, newer),
    )


def _side(keep: str, title: str, fact: Fact, why: Explanation | None) -> Side:
    turns: Sequence[str] = [record.text for record in why.rests_on] if why else []
    often = "" if fact.seen_count <= 1 else f"{counts.times(fact.seen_count)}, last "
    said = f"{_SOURCES[fact.source]}, {often}".rstrip()
    quoted = tuple(turns[:MOST_WORDS])
    return Side(keep, title, fact, said, quoted, max(0, len(turns) - MOST_WORDS))
