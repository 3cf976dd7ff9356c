"""The PostgreSQL store: the same memory for any number of processes on any number of machines.

Everything a change touches (rows, vectors, tombstones, audit, events) is in one transaction. The
recall index of each process follows the store by sequence numbers, as it follows a file.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sharpwave.errors import StorageError
from sharpwave.settings.core import MIB
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres import erasing, migrate, moving
from sharpwave.storage.postgres.catalog import erase_catalog
from sharpwave.storage.postgres.database import PostgresDatabase
from sharpwave.storage.sql import audit, writes
from sharpwave.storage.sql.store import SCRUB_IN_SLEEP_MIB, SqlStore
from sharpwave.storage.sqlite import copies
from sharpwave.storage.sqlite.key import Key
from sharpwave.types.answers import Forgotten
from sharpwave.types.storing import Moved, Selection, Tidied, Verification

_LOG = logging.getLogger(__name__)


class PostgresStore(SqlStore):
    """Memories in a PostgreSQL database that belongs to them alone."""

    def __init__(self, url: str, settings: PostgresSettings, store: StoreSettings) -> None:
        self.database = PostgresDatabase(url, settings)
        try:
            with self.database.alone() as db:
                migrate.require_safe(db)
                migrate.migrate(db, migrate.bundled())
                salt = migrate.salt_of(db)
        except BaseException:  # passed on; only the connections must not be left open
            self.database.close()
            raise
        super().__init__(self.database, self.database.touches, salt)
        self._settings = store

    def _erase(self, user_id: str, selection: Selection, at: datetime) -> Forgotten:
        """Erase records with their vectors and everything derived.

        No statement finds them any more, nor does a dump. Their bytes lie in the server's files
        until it is scrubbed, and in its write-ahead log until that is recycled or archived.
        """

        def work(db: Any) -> writes.Erased:
            if selection.everything and (user := db.row("lock_user", {"user_id": user_id})):
                erase_catalog(db, int(user[0]))
            erased = writes.forget(db, user_id, selection, at, self._salt)
            if any(erased):
                erasing.note_due(db)
            return erased

        erased = self.database.run(work, patient=True)
        if erased.users:
            self._drop_graphs()
        copied = copies.Copies(0, 0)
        if any(erased):
            copied = self.database.run(copies.erase_noted)
        counts = {**erased._asdict(), "copies": copied.erased, "copies_left": copied.left}
        return Forgotten(**counts, traces_cleared=not any(erased))

    def scrub(self) -> bool:
        """Rewrite the tables, so that no copy of what was forgotten is left in them.

        A table is locked while it is rewritten.
        """
        left = self.database.run(copies.erase_noted).left
        with self.database.alone() as db:
            return erasing.scrub(db) and not left

    def tidy(self) -> Tidied:
        """Finish a scrub that is due, if the database is not too large for it."""
        before = self.stored_bytes()
        with self.database.alone() as db:
            done = erasing.is_due(db) and before <= SCRUB_IN_SLEEP_MIB * MIB
            if done:
                done = erasing.scrub(db)
            else:
                erasing.sweep(db)
        return Tidied(done, max(0, before - self.stored_bytes()))

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        with self.database.alone() as db:
            due = erasing.is_due(db)
        with self._database.snapshot() as session:
            left = len(copies.noted(session))
            found = audit.verify(session, progress, (), due or bool(left))
        return replace(found, copies_left=left)

    def stored_bytes(self) -> int:
        with self.database.alone() as db:
            return int(db.execute("SELECT pg_database_size(current_database())").fetchone()[0])

    def require_space(self) -> None:
        """Nothing to check: the disk is the server's, which says so when it is written to."""

    def backup(self, to: Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Write one state of it to a memory file, checked, while others go on writing."""
        self.move_back(to, None, progress)

    def move_back(
        self, to: Path, key: Key | None, progress: Callable[[int, int], None] | None = None
    ) -> Moved:
        """As `backup`, to a file that may be encrypted; an erasure finds an interrupted copy."""
        unfinished = moving.unfinished_of(to)
        with suppress(StorageError):  # it may be why a backup is wanted
            self.database.run(lambda db: copies.note(db, unfinished))
        moved = moving.move_back(self.database, to, self._settings, key, progress)
        with suppress(StorageError):
            self.database.run(lambda db: copies.unnote(db, unfinished))
        return moved

    def _drop_graphs(self) -> None:
        """Drop graphs that became empty; if a long read prevents it, the next sleep does."""
        try:
            with self.database.alone() as db:
                erasing.drop_old_graphs(db)
        except StorageError as error:  # everything is forgotten already: that must be reported
            _LOG.info("an empty graph is dropped another night: %s", error)

    def close(self) -> None:
        self.database.close()
