"""What the index asks of a database that can search by itself."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sharpwave.types.searching import (
    Catalogued,
    Entry,
    Filter,
    Placed,
    Ranking,
    Statistics,
    Surroundings,
)
from sharpwave.types.storing import Space


class Reading(Protocol):
    """One user's catalog, as it stood at one moment, behind one filter."""

    def statistics(self) -> Statistics | None:
        """Of all records, whatever the filter; None if there is no catalog any more."""

    def searched(self) -> int:
        """How many records pass the filter."""

    def nearest(self, vector: NDArray[np.float32], limit: int) -> Ranking:
        """The nearest of those that pass."""

    def cosines(self, vector: NDArray[np.float32], numbers: Sequence[int]) -> dict[int, float]:
        """How near some records are; nothing of those without a vector."""

    def holding(self, terms: Sequence[str]) -> dict[str, int]:
        """How many records that count hold each term; nothing of terms that none has."""

    def best(self, idf: Mapping[str, float], average: float, limit: int) -> Ranking:
        """The best by BM25 of those that pass, by what each term is worth."""

    def around(self, numbers: Sequence[int], reach: int) -> list[Placed]:
        """Records with the turns on either side of each in its session, by number."""

    def surroundings(
        self, terms: Sequence[str], numbers: Sequence[int], sessions: Sequence[int], speakers: int
    ) -> Surroundings:
        """How often terms stand in records and sessions, and at most so many who speak."""


class Catalog(Protocol):
    """A database's own search, for users too large to be held in memory."""

    def held(self, user_id: str, space: Space, made_by: str) -> Catalogued | None:
        """What is known of a user's catalog; None if there is none."""

    def begin(self, user_id: str, space: Space, made_by: str) -> None:
        """Begin a catalog, in place of any other that the user has."""

    def put(
        self,
        user_id: str,
        space: Space,
        made_by: str,
        span: tuple[int, int],
        entries: Sequence[Entry],
        gone: Sequence[int],
    ) -> bool:
        """Go on from one sequence number to another.

        False if somebody else did meanwhile, or began another catalog.
        """

    def finish(self, user_id: str, space: Space, made_by: str) -> None:
        """Make it quick to search, and ready, unless somebody began another."""

    def drop(self, user_id: str) -> None:
        """Let go of a user's catalog."""

    def ask(
        self, user_id: str, only: Filter, terms: Sequence[str]
    ) -> AbstractContextManager[Reading]:
        """Ask for what passes a filter, and has all of these terms."""
