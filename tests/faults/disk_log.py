"""Every write, truncation and sync that SQLite sends to the disk, and what a power cut leaves.

The log is taken below the real store: in the file objects of a connection, the three methods that
change a file are replaced by ones that call the originals and note what happened. Locking and
shared memory stay as they are, so that the store runs with all of its connections.

A power cut keeps what was synced. Of what came after, in each file, any part may be there: whole
writes, single sectors of a write, or nothing, in any combination. The same holds for what a failed
sync was to save, even if a later one succeeds: the system may have dropped it.
"""

import ctypes
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

SECTOR_BYTES = 512
FILES = {"db": apsw.SQLITE_FCNTL_FILE_POINTER, "wal": apsw.SQLITE_FCNTL_JOURNAL_POINTER}
Updates = Mapping[tuple[str, str], Any]

_WRITE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
)
_TRUNCATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_WRITE_FAILED, _TRUNCATE_FAILED, _SYNC_FAILED = (
    apsw.SQLITE_IOERR_WRITE,
    apsw.SQLITE_IOERR_TRUNCATE,
    apsw.SQLITE_IOERR_FSYNC,
)
_NAMES = (
    "close read write truncate sync file_size lock unlock check_reserved_lock file_control "
    "sector_size device_characteristics shm_map shm_lock shm_barrier shm_unmap fetch unfetch"
)


class _Methods(ctypes.Structure):
    """`sqlite3_io_methods`, version 3."""

    _fields_ = (
        ("version", ctypes.c_int),
        *((name, ctypes.c_void_p) for name in _NAMES.split()),
    )


class _File(ctypes.Structure):
    """The part of `sqlite3_file` that every file has."""

    _fields_ = (("methods", ctypes.POINTER(_Methods)),)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened: write, truncate, sync, failed sync; or begin and done of a call."""

    kind: str
    file: str = ""
    offset: int = 0
    data: bytes = b""
    updates: Updates | None = None


class DiskLog:
    """What connections sent to the disk, in order, with calls and their returns in between."""

    def __init__(self, fails: Callable[[str], bool] = lambda kind: False) -> None:
        """`fails` says of each write, truncate and sync whether the disk refuses it."""
        self.entries: list[Entry] = []
        self.unreported = False
        """True: SQLite does not learn that a sync failed."""
        self._fails = fails
        self._kept: list[Any] = []  # SQLite holds pointers to these

    def attach(self, connection: apsw.Connection) -> None:
        """Follow the main file and the write-ahead log of this connection."""
        for file, operation in FILES.items():
            address = ctypes.c_void_p(0)
            connection.file_control("main", operation, ctypes.addressof(address))
            assert address.value, f"no {file} file to follow"
            self._replace(_File.from_address(address.value), file)

    def begin(self, updates: Updates) -> None:
        """A call starts that is to bring about these updates."""
        self.entries.append(Entry("begin", updates=updates))

    def done(self, updates: Updates) -> None:
        """It returned: from here on the updates must survive everything."""
        self.entries.append(Entry("done", updates=updates))

    def _replace(self, target: _File, file: str) -> None:
        original = target.methods.contents
        assert original.version >= 3
        write = _WRITE(original.write)
        truncate = _TRUNCATE(original.truncate)
        sync = _SYNC(original.sync)

        def on_write(pointer: int, buffer: int, size: int, offset: int) -> int:
            failed = self._fails("write")
            code = _WRITE_FAILED if failed else int(write(pointer, buffer, size, offset))
            if code == apsw.SQLITE_OK:
                data = ctypes.string_at(buffer, size)
                self.entries.append(Entry("write", file, offset, data))
            return code

        def on_truncate(pointer: int, size: int) -> int:
            code = _TRUNCATE_FAILED if self._fails("truncate") else int(truncate(pointer, size))
            if code == apsw.SQLITE_OK:
                self.entries.append(Entry("truncate", file, size))
            return code

        def on_sync(pointer: int, flags: int) -> int:
            code = _SYNC_FAILED if self._fails("sync") else int(sync(pointer, flags))
            self.entries.append(Entry("failed" if code else "sync", file))
            return apsw.SQLITE_OK if self.unreported else code

        replaced = _Methods.from_buffer_copy(original)
        callbacks = (_WRITE(on_write), _TRUNCATE(on_truncate), _SYNC(on_sync))
        for name, callback in zip(("write", "truncate", "sync"), callbacks, strict=True):
            setattr(replaced, name, ctypes.cast(callback, ctypes.c_void_p).value)
        self._kept += [replaced, callbacks]
        target.methods = ctypes.pointer(replaced)


def after_power_cut(
    base: Mapping[str, bytes], entries: Sequence[Entry], rng: random.Random
) -> dict[str, bytes]:
    """Both files as they may be when the power goes after the last of these entries."""
    kept_share = rng.choice((0.0, 0.2, 0.5, 0.8, 1.0))
    return {file: _survivor(base[file], file, entries, kept_share, rng) for file in FILES}


def _survivor(
    base: bytes, file: str, entries: Sequence[Entry], kept_share: float, rng: random.Random
) -> bytes:
    content = bytearray(base)
    unsynced: list[Entry] = []
    for entry in entries:
        if entry.file != file:
            continue
        if entry.kind == "sync":
            for one in unsynced:
                _apply(content, one)
        elif entry.kind == "failed":
            _apply_some(content, unsynced, kept_share, rng)
        else:
            unsynced.append(entry)
            continue
        unsynced = []
    _apply_some(content, unsynced, kept_share, rng)
    return bytes(content)


def _apply_some(
    content: bytearray, unsynced: Sequence[Entry], kept_share: float, rng: random.Random
) -> None:
    for entry in unsynced:
        if rng.random() < kept_share:
            _apply(content, entry)
        elif entry.kind == "write" and rng.random() < 0.3:
            for sector in _sectors(entry):
                if rng.random() < 0.5:
                    _apply(content, sector)


def _apply(content: bytearray, entry: Entry) -> None:
    if entry.kind == "truncate":
        del content[entry.offset :]
        content.extend(bytes(entry.offset - len(content)))
    elif entry.kind == "write":
        content.extend(bytes(max(0, entry.offset - len(content))))
        content[entry.offset : entry.offset + len(entry.data)] = entry.data


def _sectors(entry: Entry) -> list[Entry]:
    end = entry.offset + len(entry.data)
    next_sector = (entry.offset // SECTOR_BYTES + 1) * SECTOR_BYTES
    starts = [entry.offset, *range(next_sector, end, SECTOR_BYTES)]
    return [
        Entry("write", entry.file, start, entry.data[start - entry.offset : stop - entry.offset])
        for start, stop in zip(starts, [*starts[1:], end], strict=True)
    ]
