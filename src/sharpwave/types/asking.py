"""What a caller asks of `recall`."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sharpwave.types.records import Kind
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


@dataclass(frozen=True, slots=True)
class Question:
    """A query after the cue step: checked, with its filter."""

    text: str
    k: int
    only: Filter
