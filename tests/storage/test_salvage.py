"""Saving what is left of a damaged file."""

import random
import re
import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from sharpwave import InvalidInput, Memory, Message, Settings
from sharpwave.errors import WrongKey
from sharpwave.settings.models import EmbedderSettings
from sharpwave.settings.storage import EncryptionSettings, StoreSettings
from sharpwave.storage.sqlite.key import Key, raw_key
from sharpwave.storage.sqlite.salvage import Pages, salvage
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.testing import HashEmbedder
from sharpwave.types.records import content_hash
from sharpwave.types.storing import Salvaged

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HEX_KEY = "ab" * 32
PAGE = 4096
UNREAD = EmbedderSettings(provider="table")
"""Without the encoder: of these words there is nothing to learn."""


def fill(path: Path, *, encrypted: bool = False, records: int = 60) -> dict[str, bytes]:
    """A store with two users, long and short texts, and something forgotten; hashes by id."""
    file, held = _filled(encrypted, records)
    path.write_bytes(file)
    return held


@cache
def _filled(encrypted: bool, records: int) -> tuple[bytes, dict[str, bytes]]:
    """The file that all tests begin with, made once: each damages a copy."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        file = _fill(path, encrypted, records)
        return file, hashes(path, raw_key(HEX_KEY) if encrypted else None)


def _fill(path: Path, encrypted: bool, records: int) -> bytes:
    encryption = EncryptionSettings.model_validate({"key": HEX_KEY if encrypted else None})
    settings = Settings(encryption=encryption, embedder=UNREAD)
    with Memory.open(path, user="Zoe", settings=settings, embedder=HashEmbedder(64)) as ana:
        bob = ana.user("bób")
        for number in range(records):
            words = f"word{number} " * (900 if number % 10 == 0 else 12)
            ana.remember(Message(words, session="s", tags=("t",), metadata={"n": number}))
            bob.remember(Message(f"bob {number}", author="an agent", idempotency_key=f"k{number}"))
        gone = ana.remember("forget me").ids
        ana.forget(*gone)
    return path.read_bytes()


def hashes(path: Path, key: Key | None = None) -> dict[str, bytes]:
    store = SqliteStore(path, StoreSettings(), key)
    try:
        users = store.users()
        records = [record for user in users for record in store.for_user(user).scan(0, 100_000)]
        return {record.id: content_hash(record) for record in records}
    finally:
        store.close()


def recover(source: Path, key: Key | None = None) -> tuple[Salvaged, dict[str, bytes]]:
    target = source.with_name("recovered.db")
    before = source.read_bytes()
    saved = salvage(source, target, key, StoreSettings(), now=NOW)
    assert source.read_bytes() == before
    assert target.stat().st_mode & 0o777 == 0o600
    return saved, hashes(target, key)


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_sound_file_comes_back_whole(tmp_path: Path, encrypted: bool) -> None:
    path, key = tmp_path / "m.db", raw_key(HEX_KEY) if encrypted else None
    original = fill(path, encrypted=encrypted)
    saved, found = recover(path, key)
    assert found == original
    assert saved == Salvaged(len(original), 0)
    store = SqliteStore(tmp_path / "recovered.db", StoreSettings(), key)
    try:
        assert sum(store.counts().spaces.values()) == len(original)
        assert [entry.action for entry in store.audit()] == ["recover"]
        assert store.verify().ok
        assert store.for_user("Zoe").head().seq >= 62
    finally:
        store.close()


def test_tombstones_and_salt_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    fill(path)
    recover(path)
    notes = []
    for name in ("m.db", "recovered.db"):
        store = SqliteStore(tmp_path / name, StoreSettings())
        with store.readers.borrow() as db:
            tombstones = db.execute("SELECT * FROM tombstones").fetchall()
        notes.append((store._salt, tombstones))
        store.close()
    assert notes[0] == notes[1]
    assert len(notes[0][1]) == 1


def test_the_first_page_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    original = fill(path)
    damage(path, 0, bytes(PAGE))
    saved, found = recover(path)
    assert found == original
    assert saved.damaged == 0


def test_inner_pages_are_gone(tmp_path: Path) -> None:
    """Without its inner pages a tree cannot be walked, but every leaf is still there."""
    path = tmp_path / "m.db"
    original = fill(path, records=300)
    image = path.read_bytes()
    inner = [at for at in range(PAGE, len(image), PAGE) if image[at] == 5]
    assert inner
    for at in inner:
        damage(path, at, bytes(PAGE))
    assert recover(path)[1] == original


def test_altered_text_stays_behind(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    original = fill(path)
    at = path.read_bytes().index(b"word5 word5")
    damage(path, at, b"WORD")
    saved, found = recover(path)
    assert len(found) == len(original) - 1
    assert found.items() <= original.items()
    assert saved == Salvaged(len(original) - 1, 1)


def test_the_name_of_a_user_is_gone(tmp_path: Path) -> None:
    """Whoever wrote for themselves is known by that; a record by an agent is not."""
    path = tmp_path / "m.db"
    original = fill(path)
    image = path.read_bytes().replace("bób".encode(), b"xxxx")
    path.write_bytes(re.sub(rb"(?<!\x03)Zoe", b"xxx", image))  # after her trust, 3, she is author
    saved, found = recover(path)
    assert found.items() <= original.items()
    assert saved.recovered == len(found) == 60


@pytest.mark.parametrize("kept", ["sqlite_autoindex_users_1", "users"])
def test_users_are_known_by_the_table_or_by_its_index(tmp_path: Path, kept: str) -> None:
    path = tmp_path / "m.db"
    original = fill(path)
    with closing(sqlite3.connect(path)) as file:
        named = "SELECT name, rootpage FROM sqlite_master WHERE tbl_name = 'users'"
        pages = dict(file.execute(named))
    assert kept in pages and len(pages) == 2
    for name, page in pages.items():
        if name != kept:
            damage(path, PAGE * (page - 1), bytes(PAGE))
    assert recover(path)[1] == original


def test_what_is_only_in_the_log(tmp_path: Path) -> None:
    path, copy = tmp_path / "m.db", tmp_path / "copy.db"
    with Memory.open(path, user="Zoe") as memory:
        receipt = memory.remember([f"note {number}" for number in range(20)])
        for end in ("", "-wal"):
            copy.with_name(copy.name + end).write_bytes(
                path.with_name(path.name + end).read_bytes()
            )
    damage(copy, 0, b"not a database at all")
    _, found = recover(copy)
    assert set(found) == set(receipt.ids)


def test_damage_in_an_encrypted_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    original = fill(path, encrypted=True)
    damage(path, 10 * PAGE + 2000, bytes(16))
    found = recover(path, raw_key(HEX_KEY))[1]
    assert found.items() <= original.items()
    assert len(found) >= len(original) - 4


def test_wrong_key(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    fill(path, encrypted=True)
    with pytest.raises(WrongKey, match="does not open"):
        recover(path, raw_key("cd" * 32))
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.db"]


def test_refuses_to_overwrite(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    fill(path)
    with pytest.raises(InvalidInput, match="already exists"):
        salvage(path, path, None, StoreSettings(), now=NOW)
    with pytest.raises(InvalidInput, match="no file"):
        salvage(tmp_path / "other.db", tmp_path / "new.db", None, StoreSettings(), now=NOW)


def test_any_bytes_are_read_without_an_error() -> None:
    rng = random.Random(1)
    for _ in range(300):
        image = bytearray(rng.randbytes(4 * PAGE))
        for start in range(0, len(image), PAGE):
            image[start] = rng.choice((13, 10, 2))
        pages = Pages(bytes(image))
        for number in range(1, len(pages) + 1):
            list(pages.cells(number))


def damage(path: Path, at: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)
