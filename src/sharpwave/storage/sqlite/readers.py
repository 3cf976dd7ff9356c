"""A few connections that only read. In WAL mode they never block the writer, nor it them."""

import os
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sharpwave.errors import StoreClosed
from sharpwave.storage.sql.process import refuse_fork
from sharpwave.storage.sqlite.connection import translated
from sharpwave.storage.sqlite.statements import Connection


class Readers:
    """Lends reading connections, at most `limit` at once; each is opened when first needed."""

    def __init__(self, path: Path, connect: Callable[[], Connection], limit: int) -> None:
        self._path = path
        self._process = os.getpid()
        self._connect = connect
        self._places = threading.BoundedSemaphore(limit)
        self._idle: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._closed = False

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection that sees one state of the database for as long as it is held."""
        with self._places, translated(self._path):
            db = self._take()
            try:
                db.execute("BEGIN")
                yield db
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                self._give_back(db)

    @contextmanager
    def borrow(self) -> Iterator[Connection]:
        """A connection for one statement; cheaper than a snapshot."""
        with self._places, translated(self._path):
            db = self._take()
            try:
                yield db
            finally:
                self._give_back(db)

    def close(self) -> None:
        """Close the idle connections; those on loan close when they come back."""
        self._closed = True
        while True:
            try:
                self._idle.get_nowait().close(True)
            except queue.Empty:
                return

    def _take(self) -> Connection:
        refuse_fork(self._process)
        if self._closed:
            raise StoreClosed("this memory is closed; open it again")
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            db = self._connect()
            db.pragma("query_only", "ON")
            return db

    def _give_back(self, db: Connection) -> None:
        if self._closed:
            db.close(True)
        else:
            self._idle.put(db)
