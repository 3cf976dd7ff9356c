"""The one writer and the readers of a file, as what the shared parts of a store work on."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

from sharpwave.storage.bells import Silence
from sharpwave.storage.sql.session import Session
from sharpwave.storage.sqlite.readers import Readers
from sharpwave.storage.sqlite.writer import Writer

T = TypeVar("T")


class SqliteDatabase:
    """See `sql.session.Database`."""

    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    def run(self, work: Callable[[Session], T]) -> T:
        """Do the work in one transaction, maybe shared with others; returns once it is durable."""
        return self._writer.run(work)

    def snapshot(self) -> AbstractContextManager[Session]:
        """A session that sees one state of the file for as long as it is held."""
        return self._readers.snapshot()

    def borrow(self) -> AbstractContextManager[Session]:
        """A session for one statement; cheaper than a snapshot."""
        return self._readers.borrow()

    def listen(self, topic: str, hear: Callable[[], None]) -> Silence:
        """A file tells nobody that it was written to."""
        return Silence()
