"""What must not go wrong when a memory is opened, shared, cleaned and carried about."""

import multiprocessing
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from unittest import mock

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from sharpwave import (
    InvalidInput,
    InvalidSettings,
    Memory,
    Message,
    Settings,
    load_settings,
    upkeep,
)
from sharpwave.errors import KeyReused, StoreClosed, StoreDamaged, StoreDegraded, UnsafeStore
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sqlite import scrub
from sharpwave.storage.sqlite.connection import SqliteSession
from sharpwave.storage.sqlite.database import Writer
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def test_a_clock_in_another_timezone_is_read_in_utc(path: Path) -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    with Memory.open(path, clock=FrozenClock(noon)) as memory:
        memory.remember("Tea at noon.")
        record = memory.recall("tea").items[0].record
        assert record.recorded_at == noon and record.recorded_at.tzinfo is UTC
        assert memory.admin.verify().ok
    with Memory.open(path, clock=FrozenClock(datetime(2026, 5, 1))) as memory:
        with pytest.raises(InvalidInput, match="timezone"):
            memory.remember("When?")


def test_a_link_to_the_file_is_the_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "real" / "memory.db")
    memory = Memory.open(link)
    memory.remember("Still in the log.")
    saved = upkeep.recover(Settings(path=link), tmp_path / "saved.db")
    assert saved.recovered == 1, "the log beside the real file was read"
    memory.close()
    with Memory.open(tmp_path / "real" / "memory.db") as real:
        real.admin.backup(tmp_path / "copy.db")
    upkeep.restore(tmp_path / "copy.db", Settings(path=link), replace=True)
    assert link.is_symlink()


@pytest.mark.parametrize("source", ["passphrase", "key", "keyring"])
def test_an_empty_secret_is_no_secret(
    path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"SHARPWAVE_ENCRYPTION__{source.upper()}", "")
    with pytest.raises(InvalidSettings):
        Memory.open(path)
    assert not path.exists() or not path.read_bytes()


def _open_encrypted(path: Path) -> None:
    settings = Settings.model_validate({"encryption": {"passphrase": "shared"}})
    with Memory.open(path, settings=settings) as memory:
        memory.remember(f"from {os.getpid()}")


def test_several_processes_may_make_one_encrypted_file(path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    children = [spawn.Process(target=_open_encrypted, args=(path,)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0, 0, 0]
    settings = Settings.model_validate({"encryption": {"passphrase": "shared"}})
    with Memory.open(path, settings=settings) as memory:
        assert memory.admin.stats().memories == 4


def test_no_name_is_not_the_default_user(path: Path) -> None:
    with pytest.raises(InvalidInput, match="user is empty"):
        Memory.open(path, user="")


def test_many_messages_are_stored_all_or_none(path: Path) -> None:
    with Memory.open(path) as memory:
        memory.remember("taken", idempotency_key="k")
        messages = [Message(f"message {number}") for number in range(600)]
        with pytest.raises(KeyReused):
            memory.remember([*messages, Message("another", idempotency_key="k")])
        assert memory.admin.stats().memories == 1


class Faulty(HashEmbedder):
    """Somebody's embedder, which does as it likes."""

    def __init__(self, answer: Callable[[], object]) -> None:
        super().__init__(64)
        self._answer = answer

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        return self._answer()  # type: ignore[return-value]

    def embed_question(self, question: str) -> NDArray[np.float32]:
        return self._answer()  # type: ignore[return-value]


def _refuse() -> object:
    raise ConnectionError("no route")


@pytest.mark.spec("WR-13")
@pytest.mark.parametrize(
    "answer", [_refuse, lambda: [[1.0]], lambda: None, lambda: np.full((1, 64), np.nan)]
)
def test_whatever_an_embedder_does_no_words_are_lost(
    path: Path, answer: Callable[[], object]
) -> None:
    with Memory.open(path, embedder=Faulty(answer)) as memory:
        receipt = memory.remember("These words stay.")
        assert "the embedder" in receipt.notes[0]
        found = memory.recall("words")
        assert found.items[0].text == "These words stay." and "keywords only" in found.notes[0]


def test_another_programs_database_is_left_alone(path: Path) -> None:
    with apsw.Connection(str(path)) as db:
        db.execute("CREATE TABLE users (name)")
    before = path.read_bytes()
    with pytest.raises(UnsafeStore, match="another program"):
        Memory.open(path)
    assert path.read_bytes() == before


def test_a_misspelt_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARPWAVE_RECAL__K", "8")
    with pytest.raises(InvalidSettings, match="SHARPWAVE_RECAL__K: there is no such setting"):
        load_settings()


def test_an_export_says_what_it_had_to_leave_out(path: Path) -> None:
    with Memory.open(path) as memory:
        memory.remember(["one", "two", "three"])
    with apsw.Connection(str(path)) as db:
        db.execute("UPDATE memories SET text = 'changed' WHERE text = 'two'")
    with Memory.open(path) as memory:
        exported = memory.export()
        lines = [next(exported) for _ in range(3)]
        with pytest.raises(StoreDamaged, match="1 damaged"):
            next(exported)
        assert memory.user("copy").admin.import_(lines).added == 2


# ---- scrubbing


def _store(path: Path) -> tuple[Memory, str]:
    memory = Memory.open(path)
    return memory, memory.remember(["keep me", "erase me"]).ids[1]


def test_a_reader_in_the_way_costs_no_second_rewriting(path: Path) -> None:
    memory, gone = _store(path)
    with memory, closing(apsw.Connection(str(path))) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchall()
        assert not memory.forget(gone).traces_cleared
        assert memory.admin.verify().traces_left
        size = path.with_name("memory.db-wal").stat().st_size
        assert [memory.admin.scrub() for _ in range(3)] == [False, False, False]
        assert path.with_name("memory.db-wal").stat().st_size == size
        reader.execute("COMMIT")
        assert memory.admin.scrub() and not memory.admin.verify().traces_left
    assert b"erase me" not in path.read_bytes()


def test_erasures_do_not_fill_the_log_while_a_reader_is_in_the_way(path: Path) -> None:
    unread = Settings.model_validate({"embedder": {"provider": "table"}})
    with Memory.open(path, settings=unread, embedder=HashEmbedder(64)) as memory:
        for session in range(8):
            said = [Message(f"{session} {place} " + "lorem ipsum " * 30) for place in range(20)]
            memory.remember(said, session=str(session))
        log = path.with_name("memory.db-wal")
        with closing(apsw.Connection(str(path))) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM memories").fetchall()
            whole = reader.pragma("page_count") * reader.pragma("page_size")
            before = log.stat().st_size
            for session in range(6):
                memory.forget(session=str(session))
            assert log.stat().st_size - before < 3 * whole
            reader.execute("ROLLBACK")
        assert memory.forget(session="6").traces_cleared


def test_an_erasure_during_a_scrub_stays_due(path: Path) -> None:
    memory, gone = _store(path)
    empty_log = scrub.empty_log

    def meanwhile(db: SqliteSession) -> bool:
        scrub.note_due(db)
        return empty_log(db)

    with memory, mock.patch.object(scrub, "empty_log", meanwhile):
        assert not memory.forget(gone).traces_cleared
        assert memory.admin.verify().traces_left


def test_a_large_file_is_rewritten_when_asked(path: Path) -> None:
    with mock.patch.object(scrub, "AT_ONCE_MIB", 0), Memory.open(path) as memory:
        memory.remember("erase me")
        assert not memory.forget(everything=True).traces_cleared
        assert memory.admin.verify().traces_left
        assert memory.admin.scrub() and not memory.admin.verify().traces_left


# ---- the writer


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_nobody_waits_for_a_writer_that_is_no_more(path: Path) -> None:
    store = SqliteStore(path, StoreSettings())
    with mock.patch.object(Writer, "_do_together", side_effect=RuntimeError("a bug of ours")):
        with pytest.raises((StoreClosed, RuntimeError)):
            own = store.for_user("ana")
            own.replace_vectors(HashEmbedder(8).space, [1], np.ones((1, 8), np.float32))
    store._writer._thread.join()
    with pytest.raises(StoreClosed):
        store.scrub()


def test_a_connection_that_cannot_even_be_closed_is_replaced(path: Path) -> None:
    with Memory.open(path) as memory:
        memory.remember("before")
        store = resources_of(memory).store
        assert isinstance(store, SqliteStore)
        writer = store._writer
        broken = mock.Mock(wraps=writer._connection)
        broken.in_transaction = False
        broken.execute.side_effect = apsw.IOError("disk")
        broken.close.side_effect = apsw.IOError("disk")
        real, writer._connection = writer._connection, broken
        with pytest.raises(StoreDegraded):
            memory.remember("lost to the disk")
        memory.remember("after")
        assert memory.admin.stats().memories == 2
        assert real is not None
        real.close()
