"""The connections of one process to a file: one thread that writes, and a few readers.

One thread does all writing, so that callers share a transaction and a sync: all that waits when the
disk becomes free goes into the next transaction together. Each piece of work runs in its own
savepoint: if it fails, only its caller gets the error. No caller gets a result before COMMIT has
returned: one that was overtaken then reads what overtook it. In WAL mode readers never block the
writer, nor it them.
"""

import contextlib
import logging
import os
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import apsw

from sharpwave.errors import StoreClosed, StoreDegraded
from sharpwave.storage.notifications import NoNotifications
from sharpwave.storage.sql.session import refuse_fork
from sharpwave.storage.sql.touches import TOUCH_FLUSH_S, Touches
from sharpwave.storage.sqlite.connection import SqliteSession, log_is_large, translated
from sharpwave.storage.sqlite.write_lock import WriteLock

GROUP_COMMIT_MAX = 256
"""Most calls that share one transaction and one disk sync."""
READERS = 4
"""Reading connections kept open."""
_LOG = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[SqliteSession], T]


@dataclass(slots=True)
class _Job:
    work: Work[Any]
    alone: bool = False
    done: "Future[Any]" = field(default_factory=Future)


class Writer:
    """Runs work on the one writing connection of this process."""

    def __init__(
        self,
        path: Path,
        connect: Callable[[], SqliteSession],
        busy_timeout_s: float,
        touches: Touches,
        when_idle: Work[None],
    ) -> None:
        self._path = path
        self._process = os.getpid()
        self._touches = touches
        self._when_idle = when_idle
        self._connect = connect
        self._connection: SqliteSession | None = connect()
        self._write_lock = WriteLock(path, busy_timeout_s)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._held: _Job | None = None
        self._closing = threading.Lock()
        self._closed = False
        self.failing = False
        """True if the disk refused the last write."""
        self._log_is_large = False
        self._thread = threading.Thread(target=self._run, name="sharpwave-writer", daemon=True)
        self._thread.start()

    def run(self, work: Work[T]) -> T:
        result: T = self._submit(_Job(work))
        return result

    def run_alone(self, work: Work[T]) -> T:
        """Do the work outside any transaction, such as a checkpoint."""
        result: T = self._submit(_Job(work, alone=True))
        return result

    def close(self) -> None:
        """Finish the submitted work, then close the connection."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._jobs.put(None)
        self._thread.join()

    def _submit(self, job: _Job) -> Any:
        refuse_fork(self._process)
        with self._closing:
            if self._closed:
                raise StoreClosed("this memory is closed; open it again")
            self._jobs.put(job)
        return job.done.result()

    def _run(self) -> None:
        batch: list[_Job] | None = []
        try:
            while (batch := self._next_batch()) is not None:
                if batch and batch[0].alone:
                    self._do_alone(batch[0])
                else:
                    self._do_together(batch)
                if not batch:
                    self._do_alone(_Job(self._when_idle, alone=True))  # its outcome is not awaited
            self._do_together([])
            self._disconnect()
        finally:
            self._write_lock.close()
            self._refuse(batch or [])

    def _refuse(self, jobs: list[_Job]) -> None:
        """The writer thread ended: fail pending calls instead of blocking forever."""
        with self._closing:
            self._closed = True
        while (job := self._take(0)) is not _NOTHING:
            jobs += [job] if job is not None else []
        for job in jobs:
            if not job.done.done():
                job.done.set_exception(StoreClosed("this memory is closed; open it again"))

    def _next_batch(self) -> list[_Job] | None:
        """Everything that waits, up to the next job that must run alone; None when closing."""
        first = self._held or self._take(TOUCH_FLUSH_S)
        self._held = None
        if first is None:
            return None
        if first is _NOTHING:
            return []
        batch = [first]
        while not first.alone and len(batch) < GROUP_COMMIT_MAX:
            job = self._take(0)
            if job is None:
                self._jobs.put(None)  # closing: see it again after this batch
                break
            if job is _NOTHING:
                break
            if job.alone:
                self._held = job
                break
            batch.append(job)
        return batch

    def _take(self, timeout_s: float) -> _Job | None:
        try:
            return self._jobs.get(block=timeout_s > 0, timeout=timeout_s or None)
        except queue.Empty:
            return _NOTHING

    def _do_alone(self, job: _Job) -> None:
        try:
            with translated(self._path):
                result = job.work(self._connected())
        except BaseException as error:  # noqa: BLE001 - handed to the caller, not swallowed
            self._give_up(error)
            job.done.set_exception(error)
        else:
            job.done.set_result(result)

    def _do_together(self, batch: list[_Job]) -> None:
        if not batch and not self._touches.waiting():
            return
        try:
            with translated(self._path):
                connection = self._connected()
                with self._write_lock.held():
                    connection.execute("BEGIN IMMEDIATE")
                replies = [self._do_one(connection, job) for job in batch]
                self._touches.write(connection)
                connection.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - handed to the callers, not swallowed
            self._give_up(error)
            for job in batch:
                job.done.set_exception(error)
            return
        self.failing = False
        for reply in replies:
            reply()
        self._warn_of_large_log()

    def _warn_of_large_log(self) -> None:
        """Warn once, until the log is within its limit again."""
        was_large, self._log_is_large = self._log_is_large, log_is_large(self._path)
        if self._log_is_large and not was_large:
            _LOG.warning(
                "the write-ahead log of %s grows: a program has been reading one state of the "
                "file for long. The log is emptied when that ends.",
                self._path.name,
            )

    def _do_one(self, connection: SqliteSession, job: _Job) -> Callable[[], None]:
        """Run one job; returns a function that gives its caller the result or error."""
        connection.execute("SAVEPOINT job")
        try:
            with translated(self._path):
                result = job.work(connection)
        except BaseException as error:  # handed to the caller, or passed on
            if isinstance(error, StoreDegraded) or not connection.in_transaction:
                raise  # the whole transaction is lost, with all its work
            connection.execute("ROLLBACK TO job")
            connection.execute("RELEASE job")
            return partial(job.done.set_exception, error)
        connection.execute("RELEASE job")
        return partial(job.done.set_result, result)

    def _connected(self) -> SqliteSession:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(apsw.Error):  # it is given up in any case
                connection.close(True)

    def _give_up(self, error: BaseException) -> None:
        """Leave no transaction open; after a failed disk write, trust only a new connection."""
        if isinstance(error, StoreDegraded):
            self.failing = True
            self._disconnect()
        elif self._connection is not None and self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except apsw.Error:
                self._disconnect()


_NOTHING = _Job(lambda connection: None)


class SqliteDatabase:
    """See `sql.session.Database`. Lends reading connections, each opened when first needed."""

    def __init__(self, path: Path, connect: Callable[[], SqliteSession], writer: Writer) -> None:
        self._path = path
        self._writer = writer
        self._process = os.getpid()
        self._connect = connect
        self._places = threading.BoundedSemaphore(READERS)
        self._idle: queue.SimpleQueue[SqliteSession] = queue.SimpleQueue()
        self._closed = False

    def run(self, work: Work[T]) -> T:
        return self._writer.run(work)

    @contextmanager
    def snapshot(self) -> Iterator[SqliteSession]:
        with self.borrow() as db:
            try:
                db.execute("BEGIN")
                yield db
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextmanager
    def borrow(self) -> Iterator[SqliteSession]:
        with self._places, translated(self._path):
            db = self._take()
            try:
                yield db
            finally:
                self._give_back(db)

    def listen(self, topic: str, notify: Callable[[], None]) -> NoNotifications:
        """A file cannot notify; listeners poll."""
        return NoNotifications()

    def close(self) -> None:
        """Close the idle connections; those on loan close when they come back."""
        self._closed = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close(True)

    def _take(self) -> SqliteSession:
        refuse_fork(self._process)
        if self._closed:
            raise StoreClosed("this memory is closed; open it again")
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            db = self._connect()
            db.pragma("query_only", "ON")
            return db

    def _give_back(self, db: SqliteSession) -> None:
        if self._closed:
            db.close(True)
        else:
            self._idle.put(db)
