"""Queries of `recall`."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sharpwave.types.records import Kind, Role
from sharpwave.types.searching import Filter


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A query with its filters; a record must match all of them."""

    query: str
    k: int | None = None
    kinds: Collection[Kind | str] = ()
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    goal: str | None = None
    roles: Collection[Role | str] = ()
    tags: Collection[str] = ()
    """The record must have all of these tags."""
    words: Collection[str] = ()
    """The record must contain all of these words, in any form: `ship` also matches `shipping`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query after the cue step: validated, with its filter."""

    text: str
    k: int
    only: Filter
    asked_at: datetime
    goal: str | None = None
    """The caller's purpose beyond the query."""
    times: tuple[tuple[int, int], ...] = ()
    """The time ranges that the query names, in microseconds, ends exclusive."""
    only_when: bool = False
    """True if the query names nothing but these times."""
    of_past: bool = False
    """True if the query asks about the past, not the present."""
