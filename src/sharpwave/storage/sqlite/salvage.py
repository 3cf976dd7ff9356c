"""Saves what is left in a damaged SQLite file, read page by page since its trees cannot be walked.

Follows the published file format (sqlite.org/fileformat2.html). It does not know what the rows
mean, and trusts nothing: a cell that points outside its page is left out, and the next one read.
"""

import json
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from sharpwave.errors import InvalidInput, StoreDamaged, WrongKey
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sql import audit, migrations, rows, tallies_and_consents
from sharpwave.storage.sql.audit import Progress
from sharpwave.storage.sqlite import migrate
from sharpwave.storage.sqlite.connection import (
    SQL,
    SqliteSession,
    connect,
    open_damaged,
    prepare_folder,
    translated,
)
from sharpwave.storage.sqlite.key import Key, key_text
from sharpwave.storage.sqlite.whole_file import check_copy, publish
from sharpwave.types.records import Record
from sharpwave.types.storing import Salvaged
from sharpwave.types.working import Purpose

Value = int | float | str | bytes | None

_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 13, 10, 2
_INT_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_FLOAT = 7
_CONSTANTS: dict[int, Value] = {0: None, 8: 0, 9: 1}
_FIRST_PAGE_HEADER = 100


class Cell(NamedTuple):
    """One row of a table, or one entry of an index, which has no row number of its own."""

    rowid: int | None
    values: tuple[Value, ...]


class Broken(Exception):
    """A cell that cannot be read."""


class Pages:
    """The image of a whole database file, in pages numbered from 1."""

    def __init__(self, image: bytes) -> None:
        self._image = image
        size = int.from_bytes(image[16:18], "big")
        known = size in (512, 1024, 2048, 4096, 8192, 16384, 32768)
        self._size = size if known else _PAGE_BYTES
        self._usable = self._size - (image[20] if known and len(image) > 20 else 0)

    def __len__(self) -> int:
        return len(self._image) // self._size

    def cells(self, number: int) -> Iterator[Cell]:
        """Every readable row or index entry of a page; none if it holds something else."""
        page = self._page(number)
        start = _FIRST_PAGE_HEADER if number == 1 else 0
        kind = page[start]
        if kind not in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR):
            return
        first = start + (12 if kind == _INDEX_INTERIOR else 8)
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        for at in range(first, min(first + 2 * count, self._usable - 1), 2):
            try:
                yield self._cell(page, kind, int.from_bytes(page[at : at + 2], "big"))
            except Broken:
                continue

    def _page(self, number: int) -> bytes:
        if not 1 <= number <= len(self):
            raise Broken
        return self._image[(number - 1) * self._size : number * self._size]

    def _cell(self, page: bytes, kind: int, at: int) -> Cell:
        if kind == _INDEX_INTERIOR:
            at += 4  # the number of the page below
        size, at = _varint(page, at)
        rowid = None
        if kind == _TABLE_LEAF:
            rowid, at = _varint(page, at)
            rowid -= (rowid >> 63) << 64
        return Cell(rowid, _values(self._payload(page, at, size, kind)))

    def _payload(self, page: bytes, at: int, size: int, kind: int) -> bytes:
        """A cell's content, with the part that did not fit into its page."""
        if size > len(self._image):
            raise Broken
        local = self._local_bytes(size, kind)
        content = page[at : at + local]
        rest = int.from_bytes(page[at + local : at + local + 4], "big")
        while len(content) < size:
            overflow = self._page(rest)
            rest = int.from_bytes(overflow[:4], "big")
            content += overflow[4 : self._usable]
        return content[:size]

    def _local_bytes(self, size: int, kind: int) -> int:
        usable = self._usable
        most = usable - 35 if kind == _TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if size <= most:
            return size
        least = (usable - 12) * 32 // 255 - 23
        fitting = least + (size - least) % (usable - 4)
        return fitting if fitting <= most else least


def _values(payload: bytes) -> tuple[Value, ...]:
    """The columns of a record: a header of types, then the values."""
    header_bytes, at = _varint(payload, 0)
    if header_bytes > len(payload):
        raise Broken
    values: list[Value] = []
    body = header_bytes
    while at < header_bytes:
        kind, at = _varint(payload, at)
        value, width = _value(payload, kind, body)
        values.append(value)
        body += width
    return tuple(values)


def _value(payload: bytes, kind: int, at: int) -> tuple[Value, int]:
    if kind in _CONSTANTS:
        return _CONSTANTS[kind], 0
    width = _INT_BYTES.get(kind) or (8 if kind == _FLOAT else (kind - 12) // 2)
    raw = payload[at : at + width]
    if kind in (10, 11) or len(raw) != width:
        raise Broken
    if kind in _INT_BYTES:
        return int.from_bytes(raw, "big", signed=True), width
    if kind == _FLOAT:
        return float(struct.unpack(">d", raw)[0]), width
    if kind % 2 == 0:
        return raw, width
    try:
        return raw.decode(), width
    except UnicodeDecodeError as error:
        raise Broken from error


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for position in range(9):
        if at >= len(data):
            raise Broken
        byte = data[at]
        at += 1
        if position == 8:
            return value << 8 | byte, at
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value, at


_PAGE_BYTES = 4096
_MEMORY_COLUMNS = {30, 36}  # of the first schema, and of today's
_LATER_COLUMNS = (None, None, "active", None, None, None)  # as rows of the first schema are read
_USER_NO, _AUTHOR = 1, 15  # places among them
_PROGRESS_PAGES = 256


def salvage(
    source: Path,
    target: Path,
    key: Key | None,
    settings: StoreSettings,
    *,
    now: datetime,
    progress: Progress = None,
) -> Salvaged:
    """Write every genuine record of a damaged file to a new store at `target`."""
    if not source.exists():
        raise InvalidInput(f"there is no file {source}")
    if target.exists():
        raise InvalidInput(f"{target} already exists; choose another name for what is recovered")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".recover-", dir=target.parent) as folder:
        pages = Pages(_image(source, Path(folder), key, settings))
        remains = _survey(pages)
        healthy = Path(folder) / "healthy.db"
        saved = _write(pages, remains, healthy, key, settings, now, progress)
        publish(healthy, target)
    return Salvaged(len(saved), len(remains.keys - saved - remains.forgotten))


# ---- reading


def _image(source: Path, folder: Path, key: Key | None, settings: StoreSettings) -> bytes:
    """All pages as SQLite sees them: decrypted, and with what was still in the log."""
    copy = folder / "damaged.db"
    for end in ("", "-wal"):
        part = source.with_name(source.name + end)
        if part.exists():
            shutil.copyfile(part, copy.with_name(copy.name + end))
    try:
        return _serialized(copy, key_text(key, source))
    except apsw.NotADBError as error:
        if key is not None:
            raise WrongKey(
                f"this key does not open {source}, or its first page is damaged, without which an "
                "encrypted file cannot be read. Check the key, or restore a backup."
            ) from error
    except apsw.Error as error:
        if key is not None:
            raise StoreDamaged(
                f"{source} cannot be decrypted ({error}). Restore a backup."
            ) from error
    _graft_first_page(copy, folder, settings)
    try:
        return _serialized(copy, None)
    except apsw.Error:
        return copy.read_bytes()  # without the log, which is damaged too


def _serialized(copy: Path, secret: str | None) -> bytes:
    with closing(open_damaged(copy, secret)) as db:
        return db.serialize("main")


def _graft_first_page(copy: Path, folder: Path, settings: StoreSettings) -> None:
    """Give the copy a sound first page, so that SQLite opens it and reads its log."""
    fresh = folder / "fresh.db"
    with closing(_new_store(fresh, None, settings)):
        pass
    page = bytearray(fresh.read_bytes()[:_PAGE_BYTES])
    page[28:32] = (copy.stat().st_size // _PAGE_BYTES).to_bytes(4, "big")
    with copy.open("r+b") as file:
        file.write(page)


@dataclass(slots=True)
class _Remains:
    """What is known of the store apart from its records."""

    names: dict[int, set[str]] = field(default_factory=dict)
    """Possible names of each user: the hash of a record tells which is the right one."""
    seqs: dict[int, int] = field(default_factory=dict)
    spaces: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    keys: set[int] = field(default_factory=set)
    """Keys of every record that an index or a row mentions."""
    tombstones: list[tuple[Any, ...]] = field(default_factory=list)
    forgotten: set[int] = field(default_factory=set)
    erased_users: list[tuple[Any, ...]] = field(default_factory=list)
    consents: list[tuple[Any, ...]] = field(default_factory=list)
    withdrawn: dict[str, str] = field(default_factory=dict)
    """What erased users no longer agreed to, by a note's name."""
    salt: bytes | None = None


def _survey(pages: Pages) -> _Remains:
    """Classify each row by its form; a wrong classification does no harm."""
    remains = _Remains()
    for cell in _cells(pages, None):
        if cell.rowid is None:
            _note_entry(cell.values, remains)
        else:
            _note_row(cell.rowid, cell.values, remains)
    return remains


def _note_row(rowid: int, values: tuple[Any, ...], remains: _Remains) -> None:
    match values:
        case (None, str(name), int(seq)) | (None, str(name), int(seq), int()):
            remains.names.setdefault(rowid, set()).add(name)
            remains.seqs[rowid] = max(seq, remains.seqs.get(rowid, 0))
        case (None, str(), str(), int(dimension)) if dimension > 0:
            remains.spaces[rowid] = values[1:]
        case (None, *rest) if len(rest) + 1 in _MEMORY_COLUMNS:
            remains.keys.add(rowid)


def _note_entry(values: tuple[Any, ...], remains: _Remains) -> None:
    match values:
        case (str(actor), int(at)) if len(actor) == 32 and at > 1 << rows.NUMBER_BITS:
            remains.erased_users.append((actor, at))
        case (str(name), int(user_no)):  # the index on names
            remains.names.setdefault(user_no, set()).add(name)
        case (int(user_no), str(), int(key)) if key >> rows.NUMBER_BITS == user_no:
            remains.keys.add(key)
        case (int(user_no), int(seq), int(number), str(), int()):
            remains.tombstones.append(values)
            remains.seqs[user_no] = max(seq, remains.seqs.get(user_no, 0))
            remains.forgotten.add(rows.key_of(user_no, number))
        case (int(), str(purpose), int(), int()) if purpose in set(Purpose):
            remains.consents.append(values)
        case (str(name), str(purposes)) if name.startswith(tallies_and_consents.WITHDRAWN):
            remains.withdrawn[name] = purposes
        case ("actor_salt", bytes(salt)) if len(salt) == migrations.ACTOR_SALT_BYTES:
            remains.salt = salt


def _cells(pages: Pages, progress: Progress) -> Iterator[Cell]:
    for number in range(1, len(pages) + 1):
        yield from pages.cells(number)
        if progress and number % _PROGRESS_PAGES == 0:
            progress(number, len(pages))


# ---- writing


def _write(
    pages: Pages,
    remains: _Remains,
    path: Path,
    key: Key | None,
    settings: StoreSettings,
    now: datetime,
    progress: Progress,
) -> set[int]:
    """Write a new store; returns the keys of the records in it."""
    secret = key_text(key, path)
    with translated(path), closing(_new_store(path, secret, settings)) as db:
        db.pragma("foreign_keys", "OFF")  # a vector may be found before its record
        db.execute("BEGIN IMMEDIATE")
        saved = _write_rows(db, pages, remains, progress)
        _write_evidence(db, saved)
        db.execute(SQL["drop_orphan_vectors"])
        _write_notes(db, remains)
        audit.append(db, "", "recover", {"memories": len(saved)}, now)
        db.execute("COMMIT")
    check_copy(path, lambda: connect(path, secret, settings))
    return saved


def _new_store(path: Path, secret: str | None, settings: StoreSettings) -> SqliteSession:
    prepare_folder(path)
    db = connect(path, secret, settings)
    migrate.migrate(db, path, migrate.bundled())
    return db


def _write_rows(db: SqliteSession, pages: Pages, remains: _Remains, progress: Progress) -> set[int]:
    saved: set[int] = set()
    users: dict[int, str] = {}
    for cell in _cells(pages, progress):
        match cell:
            case Cell(int(key), (None, int(space_no), int(check), bytes(blob))):
                _write_vector(db, remains, key, space_no, check, blob)
            case Cell(int(key), values) if len(values) in _MEMORY_COLUMNS:
                record = _genuine(key, values, remains)
                if record and key not in remains.forgotten | saved:
                    user_no = key >> rows.NUMBER_BITS
                    if _write_record(db, record, user_no, users):
                        saved.add(key)
                        remains.seqs[user_no] = max(remains.seqs.get(user_no, 0), record.seq)
    return saved


def _genuine(key: int, values: tuple[Any, ...], remains: _Remains) -> Record | None:
    user_no, author = values[_USER_NO], values[_AUTHOR]
    values = (*values, *_LATER_COLUMNS)[: max(_MEMORY_COLUMNS)]
    for name in [*remains.names.get(user_no, ()), author]:  # most people write for themselves
        record = rows.to_record((name, key, *values[1:]))
        if record is not None:
            return record
    return None


def _write_record(db: SqliteSession, record: Record, user_no: int, users: dict[int, str]) -> bool:
    if users.setdefault(user_no, record.user_id) != record.user_id:
        return False
    db.change("keep_user", {"user_no": user_no, "user_id": record.user_id})
    try:
        return db.change("add_memory", rows.to_row(record, user_no, record.number)) > 0
    except apsw.ConstraintError:
        return False  # its words are right, but how it stands is out of bounds


def _write_evidence(db: SqliteSession, saved: set[int]) -> None:
    """Write what each record says it was derived from; support added later is lost."""
    derived = [row for row in db.execute(SQL["all_derived"]) if row[0] in saved]
    for _, user_no, memory_id, parents in derived:
        for parent in json.loads(parents):
            db.change("add_evidence", {"user_no": user_no, "id": memory_id, "parent": parent})


def _write_vector(
    db: SqliteSession, remains: _Remains, key: int, space_no: int, check: int, blob: bytes
) -> None:
    space = remains.spaces.get(space_no)
    if space and rows.intact(blob, check, space[2]):
        bindings = {**rows.at(key), "space_no": space_no, "checksum": check, "vector": blob}
        db.change("put_vector", bindings)


def _write_notes(db: SqliteSession, remains: _Remains) -> None:
    """Write what keeps its meaning: spaces, each user's last number, and what was forgotten."""
    for statement, columns, found in (
        (
            "keep_space",
            "space_no name version dimension",
            [(number, *space) for number, space in remains.spaces.items()],
        ),
        ("keep_user", "user_no user_id", [(no, min(names)) for no, names in remains.names.items()]),
        ("keep_seq", "user_no seq", remains.seqs.items()),
        ("add_tombstone", "user_no seq number memory_id at", remains.tombstones),
        ("put_consent", "user_no purpose granted at", remains.consents),
        ("add_erased_user", "actor at", remains.erased_users),
        ("put_meta", "name value", remains.withdrawn.items()),
    ):
        for row in found:
            db.change(statement, dict(zip(columns.split(), row, strict=True)))
    if remains.salt is not None:
        db.change("put_meta", {"name": "actor_salt", "value": remains.salt})
