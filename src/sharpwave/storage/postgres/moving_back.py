"""Writes all that a PostgreSQL database holds to a new memory file: a move back, or a backup.

One state of the database is read, however long it takes, and others go on writing. The file gets
its name when it is complete and was read back.
"""

from contextlib import closing
from pathlib import Path

from sharpwave.errors import InvalidInput, StoreDamaged
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.postgres.database import PostgresDatabase
from sharpwave.storage.postgres.moving import COUNTERS, FINGERPRINT, TABLES, digest
from sharpwave.storage.postgres.session import PostgresSession
from sharpwave.storage.sql import verifying
from sharpwave.storage.sql.work import withdrawals
from sharpwave.storage.sqlite.connection import translated
from sharpwave.storage.sqlite.files.check import verify
from sharpwave.storage.sqlite.files.copy import publish
from sharpwave.storage.sqlite.key import Key
from sharpwave.storage.sqlite.statements import Connection
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.types.storing import Moved

_ON_A_SERVER = {("outbox", "user_no"): "nullif(user_no, 0)"}
_BATCH = 1000
_LEFTOVERS = ("", "-wal", "-shm", "-journal")


def move_back(
    database: PostgresDatabase,
    to: Path,
    settings: StoreSettings,
    key: Key | None,
    progress: verifying.Progress,
) -> Moved:
    """Copy everything to a file that is not there yet."""
    if to.exists():
        raise InvalidInput(f"{to} already exists; choose another name")
    unfinished = to.with_name(to.name + ".unfinished")
    leftovers = [unfinished.with_name(unfinished.name + part) for part in _LEFTOVERS]
    _remove(leftovers)
    try:
        store = SqliteStore(unfinished, settings, key)
        store.close()
        with (
            database.snapshot(patient=True) as db,
            translated(to),
            closing(store.connect()) as file,
        ):
            moved = _copy(db, file, progress)
        publish(unfinished, to)
    finally:
        _remove(leftovers)
    return moved


def _copy(db: PostgresSession, file: Connection, progress: verifying.Progress) -> Moved:
    db.ask("SELECT set_config('sharpwave.everyone', 'on', true)", {})
    copied = {}
    file.execute("BEGIN IMMEDIATE")
    for done, table in enumerate(TABLES):
        copied[table] = _copy_table(db, file, table)
        if progress:
            progress(done + 1, len(TABLES))
    _copy_notes(db, file)
    same = digest(db.stream(FINGERPRINT, _BATCH)) == digest(file.execute(FINGERPRINT))
    counted = {
        table: db.ask(f"SELECT count(*) FROM {table}", {}).fetchall()[0][0] for table in TABLES
    }
    file.execute("COMMIT")
    file.pragma("wal_checkpoint", "TRUNCATE")
    found = verify(file, None)
    if not (found.ok and same and counted == copied):
        raise StoreDamaged("what arrived is not what was sent; run `sharpwave verify`")
    return Moved(copied["users"], copied["memories"], copied["vectors"])


def _copy_table(db: PostgresSession, file: Connection, table: str) -> int:
    names = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
    chosen = ", ".join(_ON_A_SERVER.get((table, name), name) for name in names)
    places = ", ".join(["?"] * len(names))
    insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})"
    file.executemany(insert, db.stream(f"SELECT {chosen} FROM {table}", _BATCH))
    return int(file.execute(f"SELECT count(*) FROM {table}").get)


def _copy_notes(db: PostgresSession, file: Connection) -> None:
    """The last numbers given, and what the store notes of itself."""
    file.execute("DELETE FROM sqlite_sequence")
    last = dict(db.ask("SELECT name, value FROM counters", {}).fetchall())
    given = {table: last[name] for table, name in COUNTERS.items()}
    given["jobs"] = db.ask("SELECT coalesce(max(job_no), 0) FROM jobs", {}).fetchall()[0][0]
    for table, number in given.items():
        file.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))
    for name, value in db.ask("SELECT name, value FROM meta", {}).fetchall():
        if name == "actor_salt":
            file.change("put_meta", {"name": name, "value": bytes.fromhex(value)})
        elif name.startswith(withdrawals.PREFIX):
            file.change("put_meta", {"name": name, "value": value})


def _remove(files: list[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
