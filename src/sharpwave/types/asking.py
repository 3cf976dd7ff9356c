"""What a caller asks of `recall`."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sharpwave.types.records import Kind, Role
from sharpwave.types.searching import Filter


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, and what may answer it."""

    query: str
    k: int | None = None
    kinds: Collection[Kind | str] = ()
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    goal: str | None = None
    roles: Collection[Role | str] = ()


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
