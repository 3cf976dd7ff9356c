"""Moves all that a memory file holds to an empty PostgreSQL database, or nothing of it.

Both number records alike, so rows go over as they are: what was forgotten, who agreed to what, the
audit and the keys too. Before anything is committed, every row is read back and compared.
Snapshots of recall indexes stay behind, since they are made anew.
"""

import hashlib
from collections.abc import Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from sharpwave.errors import InvalidInput, StoreDamaged
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.postgres import erasing
from sharpwave.storage.postgres.database import PostgresDatabase
from sharpwave.storage.postgres.session import PostgresSession
from sharpwave.storage.sql import audit, tallies_and_consents
from sharpwave.storage.sqlite import copies
from sharpwave.storage.sqlite.connection import SqliteSession, translated
from sharpwave.storage.sqlite.key import Key
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.storage.sqlite.whole_file import publish, verify_file
from sharpwave.types.storing import Moved

TABLES = (
    "users spaces memories vectors evidence mentions tombstones erased_users erased_keys outbox "
    "audit jobs spending consents tallies api_keys"
).split()
_IN_A_FILE = {
    ("vectors", "user_no"): "key >> 32",
    ("evidence", "user_no"): "key >> 32",
    ("outbox", "user_no"): "coalesce(user_no, 0)",
}
_COLUMNS = """SELECT column_name FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = %s ORDER BY ordinal_position"""
_BATCH = 1000
COUNTERS = {"users": "user", "outbox": "event"}
_NUMBERED = {"spaces": "space_no", "jobs": "job_no"}
FINGERPRINT = "SELECT key, content_hash FROM memories ORDER BY key"


def move(file: SqliteSession, database: PostgresDatabase, progress: audit.Progress) -> Moved:
    """Copy everything in one transaction; `file` is a snapshot of the memory that is moved."""
    found = verify_file(file, None)
    if not found.ok:
        raise StoreDamaged("the file does not pass its check; save what is left of it first")
    with database.alone() as db, db.transaction():
        db.execute("SELECT set_config('sharpwave.everyone', 'on', true)")
        if any(db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in TABLES):
            raise InvalidInput("the database holds a memory already; move to an empty one")
        copied = _copy(file, db, progress)
        _copy_notes(file, db)
        _compare(file, db, copied, found.memories)
    with database.alone() as db:
        erasing.sweep(db)  # the planner must know how much there is
    return Moved(copied["users"], copied["memories"], copied["vectors"])


def _copy(file: SqliteSession, db: Any, progress: audit.Progress) -> dict[str, int]:
    copied = {}
    for done, table in enumerate(TABLES):
        names = [name for (name,) in db.execute(_COLUMNS, (table,)).fetchall()]
        chosen = ", ".join(_IN_A_FILE.get((table, name), name) for name in names)
        places = ", ".join(["%s"] * len(names))
        insert = (
            f"INSERT INTO {table} ({', '.join(names)}) OVERRIDING SYSTEM VALUE VALUES ({places})"
        )
        copied[table] = 0
        found = file.execute(f"SELECT {chosen} FROM {table}")
        while batch := list(islice(found, _BATCH)):
            db.cursor().executemany(insert, batch)
            copied[table] += len(batch)
        if progress:
            progress(done + 1, len(TABLES))
    return copied


def _copy_notes(file: SqliteSession, db: Any) -> None:
    """The last numbers given, the end of the audit, and what the store notes of itself."""
    for name, last in file.rows("counters", {}):
        if name in COUNTERS:
            db.execute("UPDATE counters SET value = %s WHERE name = %s", (last, COUNTERS[name]))
    for table, column in _NUMBERED.items():
        last = f"SELECT coalesce(max({column}), 0) + 1 FROM {table}"
        db.execute(f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), ({last}), false)")
    if end := file.row("last_audit", {}):
        db.execute("UPDATE audit_head SET seq = %s, digest = %s", end)
    (salt,) = file.row("meta", {"name": "actor_salt"})
    db.execute("UPDATE meta SET value = %s WHERE name = 'actor_salt'", (salt.hex(),))
    for note in file.rows("all_withdrawn", {}):
        db.execute("INSERT INTO meta (name, value) VALUES (%s, %s)", note)


def _compare(file: SqliteSession, db: Any, copied: dict[str, int], memories: int) -> None:
    """Check every record and vector by its checksum, the audit chain, and both sides' hashes."""
    found = audit.verify(PostgresSession(db), None, (), traces_left=False)
    db.execute("SELECT set_config('sharpwave.everyone', 'on', true)")
    counted = {table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}
    same = digest(file.execute(FINGERPRINT)) == digest(db.execute(FINGERPRINT))
    if not (found.ok and same and counted == copied and found.memories == memories):
        raise StoreDamaged("what arrived is not what was sent; nothing was moved")


def digest(found: Iterable[Any]) -> bytes:
    """Digest of every record's key and content hash."""
    digest = hashlib.sha256()
    for key, content_hash in found:
        digest.update(b"%d %b\n" % (key, content_hash))
    return digest.digest()


_ON_A_SERVER = {("outbox", "user_no"): "nullif(user_no, 0)"}


def move_back(
    database: PostgresDatabase,
    to: Path,
    settings: StoreSettings,
    key: Key | None,
    progress: audit.Progress,
) -> Moved:
    """Copy everything to a file that is not there yet."""
    if to.exists():
        raise InvalidInput(f"{to} already exists; choose another name")
    unfinished = unfinished_of(to)
    copies.remove(unfinished)
    try:
        store = SqliteStore(unfinished, settings, key)
        store.close()
        with (
            copies.being_written(unfinished),
            database.snapshot(patient=True) as db,
            translated(to),
            closing(store.connect()) as file,
        ):
            moved = _copy_back(db, file, progress)
        publish(unfinished, to)
    finally:
        copies.remove(unfinished)
    return moved


def unfinished_of(to: Path) -> Path:
    """Where a copy is written until it is complete."""
    return to.with_name(to.name + ".unfinished")


def _copy_back(db: PostgresSession, file: SqliteSession, progress: audit.Progress) -> Moved:
    db.ask("SELECT set_config('sharpwave.everyone', 'on', true)", {})
    copied = {}
    file.execute("BEGIN IMMEDIATE")
    for done, table in enumerate(TABLES):
        names = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
        chosen = ", ".join(_ON_A_SERVER.get((table, name), name) for name in names)
        places = ", ".join(["?"] * len(names))
        insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})"
        file.executemany(insert, db.stream(f"SELECT {chosen} FROM {table}", _BATCH))
        copied[table] = int(file.execute(f"SELECT count(*) FROM {table}").get)
        if progress:
            progress(done + 1, len(TABLES))
    _copy_notes_back(db, file)
    same = digest(db.stream(FINGERPRINT, _BATCH)) == digest(file.execute(FINGERPRINT))
    counted = {
        table: db.ask(f"SELECT count(*) FROM {table}", {}).fetchall()[0][0] for table in TABLES
    }
    file.execute("COMMIT")
    file.pragma("wal_checkpoint", "TRUNCATE")
    found = verify_file(file, None)
    if not (found.ok and same and counted == copied):
        raise StoreDamaged("what arrived is not what was sent; run `sharpwave verify`")
    return Moved(copied["users"], copied["memories"], copied["vectors"])


def _copy_notes_back(db: PostgresSession, file: SqliteSession) -> None:
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
        elif name.startswith(tallies_and_consents.WITHDRAWN):
            file.change("put_meta", {"name": name, "value": value})
