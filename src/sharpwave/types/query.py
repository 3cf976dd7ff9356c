"""What a caller asks of `recall`."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sharpwave.types.records import Kind, Role
from sharpwave.types.searching import Filter


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A query, and what may answer it: all of this, or nothing is found."""

    query: str
    k: int | None = None
    kinds: Collection[Kind | str] = ()
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    goal: str | None = None
    roles: Collection[Role | str] = ()
    tags: Collection[str] = ()
    """Each of these tags must be on it."""
    words: Collection[str] = ()
    """Each of these words must stand in it, in whatever form: `ship` also finds `shipping`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query after the cue step: checked, with its filter."""

    text: str
    k: int
    only: Filter
    asked_at: datetime
    goal: str | None = None
    """What the asker is after, beyond the question."""
    times: tuple[tuple[int, int], ...] = ()
    """The stretches of time that the question names, in microseconds, ends not included."""
    only_when: bool = False
    """Nothing is asked but what was in those times."""
    of_past: bool = False
    """What was so is asked, not what is so now."""
