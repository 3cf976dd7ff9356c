"""What the shared parts of a store need from its database: named statements in a transaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from sharpwave.ports import Hearing

T = TypeVar("T")


class Session(Protocol):
    """Runs the statements of a dialect by their names, inside one transaction."""

    def row(self, name: str, bindings: Mapping[str, Any]) -> Any:
        """The first row of a named statement, or None."""

    def rows(self, name: str, bindings: Mapping[str, Any]) -> list[Any]:
        """Every row of a named statement."""

    def readable(self, name: str, bindings: Mapping[str, Any]) -> Iterator[Any]:
        """Every row, one by one; None in place of one whose text is no longer text."""

    def change(self, name: str, bindings: Mapping[str, Any]) -> int:
        """Run a named statement; returns how many rows it changed."""

    def readable_each(self, name: str, many: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
        """Every row for each set of bindings, as `readable`."""

    def row_each(self, name: str, many: Iterable[Mapping[str, Any]]) -> list[Any]:
        """The first row, or None, of a named statement for each set of bindings."""

    def change_each(self, name: str, many: Iterable[Mapping[str, Any]]) -> list[int]:
        """Run a named statement for each set of bindings; how many rows each changed."""

    def see_only(self, user_no: int) -> None:
        """Hide the rows of other users from now on, where the database can enforce it."""

    def numbers(self, wanted: Sequence[int]) -> Any:
        """Whole numbers as one binding."""


class Database(Protocol):
    """Where sessions come from. Errors of the database come out as ours."""

    def run(self, work: Callable[[Session], T]) -> T:
        """Do the work in one transaction; returns once it is durable."""

    def snapshot(self) -> AbstractContextManager[Session]:
        """A session that sees one state of the database for as long as it is held."""

    def borrow(self) -> AbstractContextManager[Session]:
        """A session for one statement; cheaper than a snapshot."""

    def listen(self, topic: str, hear: Callable[[], None]) -> Hearing:
        """Call `hear` whenever any process commits something of a topic."""
