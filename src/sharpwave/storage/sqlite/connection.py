"""The one place that opens SQLite connections, and the settings that keep memories safe.

Refuses what would put data at risk: an SQLite with known corruption bugs, a file on a network
filesystem, an encrypted file without its key, and a plain file where encryption was asked for.
"""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
import numpy as np

from sharpwave import errors
from sharpwave.settings.core import MIB
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage import named_queries
from sharpwave.storage.sqlite import key as keys

SQLITE_FLOOR = (3, 53, 2)
"""Below 3.51.3 two writers can corrupt a WAL file; below 3.53.2 FTS5 has memory-safety bugs."""

APPLICATION_ID = 0x53575645
"""Marks a file's header as ours."""

SECURE_DELETE = "ON"
"""Overwrites what is deleted. A fault test turns it off to prove that it can tell."""

_CACHE_MIB = 64  # page cache of each connection
LOG_LIMIT_MIB = 64
"""The size to which the write-ahead log shrinks back; above it there is a warning."""
BUSY_TIMEOUT_S = 30.0
"""How long a write waits for other processes; a migration or a large erasure takes seconds."""
LOOK_S = 0.001
"""Seconds between two attempts of a process that waits for another."""
_NETWORK_FILESYSTEMS = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "fuse.sshfs"}


SQL = named_queries.load("sql/queries.sql", "sqlite/queries.sql")


class SqliteSession(apsw.Connection):
    """A connection to a file; see `sql.session.SqlSession`."""

    def row(self, name: str, bindings: Mapping[str, Any]) -> Any:
        return self.execute(SQL[name], bindings).fetchone()

    def rows(self, name: str, bindings: Mapping[str, Any]) -> list[Any]:
        return self.execute(SQL[name], bindings).fetchall()

    def readable(self, name: str, bindings: Mapping[str, Any]) -> Iterator[Any]:
        found = self.execute(SQL[name], bindings)
        while True:
            try:
                yield next(found)
            except StopIteration:
                return
            except UnicodeDecodeError:
                yield None

    def change(self, name: str, bindings: Mapping[str, Any]) -> int:
        self.execute(SQL[name], bindings)
        return self.changes()

    def readable_each(self, name: str, binding_sets: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
        return (row for bindings in binding_sets for row in self.readable(name, bindings))

    def row_each(self, name: str, binding_sets: Iterable[Mapping[str, Any]]) -> list[Any]:
        return [self.row(name, bindings) for bindings in binding_sets]

    def change_each(self, name: str, binding_sets: Iterable[Mapping[str, Any]]) -> list[int]:
        return [self.change(name, bindings) for bindings in binding_sets]

    def see_only(self, user_no: int) -> None:
        """Nothing to do: each statement names the user."""

    def numbers(self, wanted: Sequence[int]) -> Any:
        """Whole numbers as one binding, for `carray`."""
        return apsw.carray(np.asarray(wanted, np.int64).tobytes(), flags=apsw.SQLITE_CARRAY_INT64)


def connect(path: Path, key: str | None, settings: StoreSettings) -> SqliteSession:
    """Open a connection with every safety setting in force; `key` is from `Key.for_file`."""
    _refuse_unsafe(path, key)
    with translated(path):
        connection = SqliteSession(str(path))
    with closed_on_error(connection):
        with translated(path, key_given=key is not None):
            wait_for_others(connection, BUSY_TIMEOUT_S)
            _unlock(connection, key)
            _refuse_foreign(connection, path)
            _configure(connection, settings)
        _verify_encryption(connection, path, key)
    return connection


@contextmanager
def closed_on_error(connection: SqliteSession) -> Iterator[None]:
    """Close a connection that turns out to be unusable."""
    try:
        yield
    except BaseException:  # passed on; only the connection must not be left open
        connection.close()
        raise


def read_only(path: Path, key: str | None, settings: StoreSettings) -> SqliteSession:
    """Open a file that is not in use, such as a backup, and change nothing about it."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        return connect(path, key, settings)  # its newest part is in the log, which must be read
    _refuse_unsafe(path, key)
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with translated(path, key_given=key is not None):
        connection = SqliteSession(f"file:{quote(str(path))}?immutable=1", flags=flags)
        with closed_on_error(connection):
            _unlock(connection, key)
            _distrust(connection)
            connection.pragma("user_version")  # the first look into the file: is the key right?
    return connection


def open_damaged(path: Path, key: str | None) -> SqliteSession:
    """Open a copy of a damaged file, without the checks that would refuse it. Errors are raw."""
    connection = SqliteSession(str(path))
    with closed_on_error(connection):
        _unlock(connection, key, authenticate=False)
        connection.pragma("trusted_schema", "OFF")
        connection.pragma("writable_schema", "ON")  # a broken schema is no reason to refuse
        connection.pragma("page_count")
    return connection


def prepare_folder(path: Path) -> None:
    """Create the database's folder and file for their owner only, if they are not there."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600))
    except (OSError, ValueError) as error:
        raise errors.UnsafeStore(
            f"cannot create or open {path} ({error}). Choose another path, or fix its permissions."
        ) from error


def log_is_large(path: Path) -> bool:
    """True if the write-ahead log of this file is above its limit: a reader is in the way."""
    try:
        size = os.stat(f"{path}-wal").st_size
    except OSError:
        return False
    return size > LOG_LIMIT_MIB * MIB


def wait_for_others(connection: SqliteSession, seconds: float) -> None:
    """Retry a locked file for up to `seconds`; SQLite's own pauses grow and miss their turn."""
    until = 0.0

    def retry(tries: int) -> bool:
        nonlocal until
        if not tries:
            until = time.monotonic() + seconds
        time.sleep(LOOK_S)
        return time.monotonic() < until

    connection.set_busy_handler(retry)


@contextmanager
def translated(path: Path, *, key_given: bool = False) -> Iterator[None]:
    """Turn SQLite's errors into ours, each saying what to do."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise errors.StoreBusy(
            f"another process kept {path.name} locked; nothing was written. Try again."
        ) from error
    except apsw.FullError as error:
        raise errors.StoreFull(
            f"no space left for {path}; nothing was written. Free some and repeat the call."
        ) from error
    except apsw.NotADBError as error:
        raise _not_a_database(path, key_given) from error
    except apsw.CorruptError as error:
        raise errors.StoreDamaged(
            f"{path} is damaged ({error}). Run `sharpwave doctor --recover NEW.db`, or restore a "
            "backup."
        ) from error
    except (apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise errors.StoreDegraded(
            f"the disk refused to read or write {path} ({error}); the call was not acknowledged. "
            "Check the disk, then repeat the call."
        ) from error
    except UnicodeDecodeError as error:
        raise errors.StoreDamaged(
            f"{path} is damaged: it holds text that is none. Run `sharpwave doctor --recover "
            "NEW.db`, or restore a backup."
        ) from error
    except UnicodeEncodeError as error:
        raise errors.InvalidInput(
            f"half of a surrogate pair at position {error.start} is no character; remove it"
        ) from error
    except apsw.TooBigError as error:
        raise errors.InvalidInput(f"too large for one database row ({error}); split it") from error
    except apsw.Error as error:
        raise errors.StorageError(f"SQLite: {error}") from error


def _not_a_database(path: Path, key_given: bool) -> errors.StorageError:
    if key_given:
        return errors.WrongKey(
            f"this key does not open {path}. Check the key; nothing was changed."
        )
    return errors.WrongKey(
        f"{path} is encrypted, or not a database. If it is encrypted, give its key "
        "(see `sharpwave doctor --help`)."
    )


def _refuse_unsafe(path: Path, key: str | None) -> None:
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < SQLITE_FLOOR:
        floor = ".".join(map(str, SQLITE_FLOOR))
        raise errors.UnsafeStore(
            f"SQLite {apsw.sqlite_lib_version()} has known corruption bugs; {floor} or newer is "
            "needed. Reinstall apsw-sqlite3mc."
        )
    if key is not None and keys.is_plain(path):
        raise errors.UnsafeStore(
            f"{path} is not encrypted although a key was given. Encrypt it with "
            "`sharpwave rekey`, or leave the key out."
        )
    if kind := _network_filesystem(path):
        raise errors.UnsafeStore(
            f"{path} is on a network filesystem ({kind}), where SQLite's write-ahead log corrupts "
            "data. Move it to a local disk, or use PostgreSQL."
        )


def _network_filesystem(path: Path) -> str | None:
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None  # not Linux: nothing to tell by
    where = str(path.parent.resolve())
    best, kind = "", ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        mount = left.split()[4].replace("\\040", " ")
        inside = mount == "/" or where == mount or where.startswith(mount + "/")
        if inside and len(mount) >= len(best):
            best, kind = mount, right.split()[0]
    return kind if kind in _NETWORK_FILESYSTEMS else None


def _unlock(connection: SqliteSession, key: str | None, *, authenticate: bool = True) -> None:
    if key is None:
        return
    connection.pragma("cipher", "sqlcipher")
    connection.pragma("legacy", 4)
    connection.pragma("hmac_check", int(authenticate))
    connection.execute(f'PRAGMA key = "{key}"')


def _refuse_foreign(connection: SqliteSession, path: Path) -> None:
    """Refuse another program's database, untouched."""
    if connection.pragma("application_id") == APPLICATION_ID:
        return
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]:
        raise errors.UnsafeStore(
            f"{path} is an SQLite database of another program; it was not touched. Choose another "
            "path."
        )


def _configure(connection: SqliteSession, settings: StoreSettings) -> None:
    connection.pragma("cache_size", -_CACHE_MIB * 1024)
    connection.pragma("journal_mode", "WAL")
    connection.pragma("synchronous", settings.synchronous)
    connection.pragma("fullfsync", "ON")  # macOS: what it calls a sync does not reach the disk
    connection.pragma("checkpoint_fullfsync", "ON")
    connection.pragma("foreign_keys", "ON")
    connection.pragma("secure_delete", SECURE_DELETE)
    connection.pragma("temp_store", "MEMORY")
    connection.pragma("journal_size_limit", LOG_LIMIT_MIB * MIB)
    # Or else SQLite plans a statement anew whenever its values change: 3 µs become 70.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    _distrust(connection)


def _distrust(connection: SqliteSession) -> None:
    """Guard against a file that is damaged, or made to do harm."""
    connection.pragma("trusted_schema", "OFF")
    connection.pragma("cell_size_check", "ON")
    connection.pragma("mmap_size", 0)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)


def _verify_encryption(connection: SqliteSession, path: Path, key: str | None) -> None:
    """A plain `apsw` installed over ours ignores the key silently: look at the file itself."""
    if key is None:
        return
    if connection.pragma("cipher") != "sqlcipher" or keys.is_plain(path):
        raise errors.UnsafeStore(
            "the installed SQLite cannot encrypt, so nothing was written. Another package replaced "
            "it: run `pip uninstall apsw && pip install --force-reinstall apsw-sqlite3mc`."
        )
