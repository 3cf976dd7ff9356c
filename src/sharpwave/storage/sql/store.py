"""What every store on a SQL database does, whatever the database."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sql import vectors, writes
from sharpwave.storage.sql.reading import Reading
from sharpwave.storage.sql.session import Database
from sharpwave.storage.sql.touches import Touches
from sharpwave.storage.sql.work.jobs import SqlJobs
from sharpwave.storage.sql.work.keys import SqlKeys
from sharpwave.storage.sql.work.ledger import SqlLedger
from sharpwave.types.storing import Change, Snapshot, Space, Stored


class SqlStore(Reading):
    """Reads, and writes in one transaction a change; how to erase for good is the database's."""

    def __init__(
        self, database: Database, touches: Touches, salt: bytes, settings: StoreSettings
    ) -> None:
        super().__init__(database, touches)
        self._salt = salt
        self._settings = settings

    @property
    def jobs(self) -> SqlJobs:
        """Work for later."""
        return SqlJobs(self._database)

    @property
    def ledger(self) -> SqlLedger:
        """What models cost, and what users agreed to."""
        return SqlLedger(self._database, self._salt)

    @property
    def keys(self) -> SqlKeys:
        """Who may come in by the doors."""
        return SqlKeys(self._database)

    # ---- writing

    def commit(self, change: Change) -> tuple[Stored, ...]:
        """Store a change in one transaction and return once it is durable."""
        blobs: list[bytes] | None = None
        if change.vectors is not None and change.space is not None:
            blobs = vectors.to_blobs(change.vectors, change.space, len(change.records))
        return self._database.run(
            lambda db: writes.add(db, change, blobs, self._salt, self._settings.outbox_keep)
        )

    def touch(self, user_id: str, numbers: Sequence[int], at: datetime) -> None:
        """Count an access to these records; returns at once, durable a little later."""
        self._touches.add(user_id, numbers, at)

    def replace_vectors(
        self, user_id: str, space: Space, numbers: Sequence[int], vectors_: NDArray[np.float32]
    ) -> None:
        """Give records new vectors, of a new embedder."""
        blobs = vectors.to_blobs(vectors_, space, len(numbers))
        self._database.run(lambda db: writes.replace_vectors(db, user_id, space, numbers, blobs))

    def save_snapshot(self, user_id: str, snapshot: Snapshot) -> bool:
        """Save a recall index; refused (False) if something was forgotten since its head."""
        return self._database.run(lambda db: writes.save_snapshot(db, user_id, snapshot))
