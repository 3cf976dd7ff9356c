"""The SQLite store: reads on a few reading connections, writes through the one writer.

Everything a change touches (rows, vectors, tombstones, audit, events) is in one transaction.
"""

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from sharpwave.errors import StorageError, StoreFull, WrongKey
from sharpwave.settings.core import MIB
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sql import audit, writes
from sharpwave.storage.sql.audit import Progress
from sharpwave.storage.sql.migrations import Migration
from sharpwave.storage.sql.session import SharedReads
from sharpwave.storage.sql.store import SqlStore
from sharpwave.storage.sql.touches import Touches
from sharpwave.storage.sqlite import connection, copies, migrate, scrub, whole_file
from sharpwave.storage.sqlite.connection import SqliteSession, connect, prepare_folder, translated
from sharpwave.storage.sqlite.database import SqliteDatabase, Writer
from sharpwave.storage.sqlite.key import Key, is_new, key_text
from sharpwave.storage.sqlite.reserve import Reserve
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import Selection, Tidied, Verification

MIN_FREE_MIB = 1
"""Free MiB below which a disk counts as full."""
T = TypeVar("T")


class SqliteStore(SqlStore):
    """Memories in one SQLite file, shared safely by any number of threads and processes."""

    def __init__(
        self,
        path: Path,
        settings: StoreSettings,
        key: Key | None = None,
        *,
        migrations: list[Migration] | None = None,
    ) -> None:
        self.path = path
        self._settings = settings
        prepare_folder(path)
        was_new = is_new(path)
        self._key_text = key_text(key, path)
        with translated(path), closing(self._first_connection(key, was_new)) as first:
            migrate.migrate(first, path, migrations or migrate.bundled())
            salt = audit.salt_of(first, path)
        touches = Touches()
        self._writer = Writer(
            path, self.connect, connection.BUSY_TIMEOUT_S, touches, self._when_idle
        )
        self.readers = SqliteDatabase(path, self.connect, self._writer)
        self._reserve = Reserve(path.parent)
        super().__init__(self.readers, touches, salt)

    # ---- writing

    def _erase(self, user_id: str, selection: Selection, at: datetime) -> Forgotten:
        """Erase records with their vectors and everything derived, leaving no bytes behind."""

        def work(db: SqliteSession) -> writes.Erased:
            erased = writes.forget(db, user_id, selection, at, self._salt)
            if any(erased):
                scrub.note_due(db)
            return erased

        erased = self._written_even_if_full(work)
        if not any(erased):
            return Forgotten(**erased._asdict(), traces_cleared=True)
        gone, left = whole_file.erase_copies(self._writer)
        cleared = whole_file.scrubbed(self._writer, scrub.AT_ONCE_MIB)
        counts = {**erased._asdict(), "copies": gone, "copies_left": left}
        return Forgotten(**counts, traces_cleared=cleared and not left)

    def _written_even_if_full(self, work: Callable[[SqliteSession], T]) -> T:
        """Write an erasure; on a full disk by giving up our copies and the reserve for it."""
        try:
            return self._writer.run(work)
        except StoreFull:
            whole_file.erase_copies(self._writer)
            self._reserve.release()
        try:
            return self._writer.run(work)
        finally:
            self._reserve.renew()

    def scrub(self) -> bool:
        """Rewrite the file, so that no copy of what was forgotten is left in it or beside it."""
        left = whole_file.erase_copies(self._writer, with_replaced=True).left
        return whole_file.scrubbed(self._writer, None) and not left

    def tidy(self) -> Tidied:
        """Finish a scrub that is due, and empty the log."""
        self._reserve.renew()
        return whole_file.tidy_file(self._writer, self.path)

    # ---- the file as a whole

    def stored_bytes(self) -> int:
        return whole_file.file_bytes(self.path)

    def require_space(self) -> None:
        """StoreFull if the disk has no space for what is new; StoreDegraded if it refuses it."""
        if self._writer.failing:
            salt = {"name": "actor_salt", "value": self._salt}
            self._writer.run(lambda db: db.change("put_meta", salt))  # as it is: only to try
        if shutil.disk_usage(self.path.parent).free < MIN_FREE_MIB * MIB:
            raise StoreFull(f"the disk of {self.path} is full: nothing new can be stored")

    def snapshot(self) -> AbstractContextManager[SqliteSession]:
        """One state of the file, to copy it."""
        return self.readers.snapshot()

    def verify(self, progress: Progress = None) -> Verification:
        with self.readers.snapshot() as db:
            return whole_file.verify_file(db, progress)

    def backup(self, to: Path, progress: Progress = None, replace: bool = False) -> None:
        unfinished = whole_file.unfinished_copy(to, replace)
        with suppress(StorageError):  # a full disk may be why another gets a backup
            self._writer.run(lambda db: copies.note(db, unfinished))
        with self.readers.borrow() as db:
            opened = partial(connect, key=self._key_text, settings=self._settings)
            whole_file.copy_to(db, to, progress, opened, replace)
        with suppress(StorageError):
            self._writer.run(lambda db: copies.unnote(db, unfinished))

    def rekey(self, key: Key) -> None:
        """Encrypt the file with another key, or a plain file for the first time."""
        self.readers.close()
        try:
            self._key_text = self._writer.run_alone(lambda db: whole_file.rekey(db, self.path, key))
        finally:
            self.readers = SqliteDatabase(self.path, self.connect, self._writer)
            self._database = SharedReads(self.readers)

    def close(self) -> None:
        self._writer.close()
        self.readers.close()
        self._reserve.close()

    # ---- inside

    def _first_connection(self, key: Key | None, was_new: bool) -> SqliteSession:
        try:
            return self.connect()
        except WrongKey:
            if key is None or not was_new:
                raise
            self._key_text = key.for_file(self.path)  # another process made the file meanwhile
            return self.connect()

    def connect(self) -> SqliteSession:
        return connect(self.path, self._key_text, self._settings)

    def _when_idle(self, db: SqliteSession) -> None:
        """Finish what an earlier call, or a process that died, could not."""
        if scrub.is_due(db) and scrub.is_within(db, scrub.AT_ONCE_MIB):
            scrub.scrub(db)
        elif connection.log_is_large(self.path):
            scrub.empty_log(db)
