"""P6: an encrypted file shows nothing without its key, and the key shows nowhere.

Raw keys and passphrases; while the file is open, after it is closed, in a backup, after a new key,
and after a plain file was encrypted. Wrong keys get a clear error of ours.
Control: the same store without encryption.
"""

import logging
import os
import re
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
from tests.faults.harness import Figures, Options, Result, judged, settings

from sharpwave import Memory, Settings, SharpwaveError
from sharpwave.errors import UnsafeStore, WrongKey
from sharpwave.settings.storage import EncryptionSettings, StoreSettings
from sharpwave.storage.sqlite.key import Key, passphrase_key, raw_key
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.types.records import content_hash

NAME = "p6_encryption"
CANARY = "CANARY swims at night"
RAW, NEW_RAW = "3c" * 32, "7e" * 32
PASSPHRASE = "correct \"horse\" 'battery' staple \u00fc"
SECRETS = (RAW, NEW_RAW, PASSPHRASE)
RAW_KEY = re.compile(r"x'[0-9a-fA-F]{64}")
FAULTS = ("plaintext", "wrong_errors", "open_modes", "key_shown", "changed", "not_sqlcipher")
STORE = StoreSettings()


def run(options: Options) -> Result:
    heard: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        figures = _campaign(options, heard)
    finally:
        root.setLevel(level)
        root.removeHandler(handler)
    control = {"plaintext": _while_open(options.folder / "control" / "m.db", {}, 20)[0]}
    return judged(NAME, options, figures, FAULTS, control, ("plaintext",))


def _campaign(options: Options, heard: list[str]) -> Figures:
    figures: Figures = dict.fromkeys(FAULTS, 0)
    count = 2000 if options.long else 25
    told = heard
    for name, given in (("raw", {"key": RAW}), ("words", {"passphrase": PASSPHRASE})):
        path = options.folder / name / "m.db"
        plaintext, modes = _while_open(path, given, count)
        figures["plaintext"] += plaintext + _canaries(path.parent)
        figures["open_modes"] += modes
        key = raw_key(RAW) if name == "raw" else passphrase_key(PASSPHRASE)
        figures["wrong_errors"] += _wrong_keys(path, told)
        figures["changed"] += _rekeyed(path, key, raw_key(NEW_RAW), told)
        figures["changed"] += _rekeyed(path, raw_key(NEW_RAW), passphrase_key(PASSPHRASE), told)
        figures["plaintext"] += _canaries(path.parent)
        figures["not_sqlcipher"] += _readable_by_sqlcipher(path) != count
    figures["plaintext"] += _encrypt_plain(options.folder / "plain" / "m.db", count, figures, told)
    shown = [repr(raw_key(RAW)), str(passphrase_key(PASSPHRASE)), *heard, *map(_shown, _settings())]
    figures["key_shown"] = sum(_derived(text) for text in shown)
    return {**figures, "texts_searched_for_keys": len(shown)}


def _while_open(path: Path, given: dict[str, str], count: int) -> tuple[int, int]:
    """Write, look at all files while they are open, and make a backup; canaries, wrong modes."""
    encryption = EncryptionSettings.model_validate(given)
    with Memory.open(path, user="ana", settings=settings(encryption=encryption)) as memory:
        for number in range(count):
            memory.remember(f"{CANARY} {number}", session=CANARY, speaker=CANARY)
        memory.admin.backup(path.with_name("backup.db"))
        memory.recall(CANARY)
        assert {file.name for file in path.parent.iterdir()} >= {"m.db", "m.db-wal", "m.db-shm"}
        return _canaries(path.parent), _modes(path.parent)


def _canaries(folder: Path) -> int:
    return sum(file.read_bytes().count(CANARY.encode()) for file in folder.iterdir())


def _modes(folder: Path) -> int:
    if os.name != "posix":
        return 0
    files = sum(file.stat().st_mode & 0o777 != 0o600 for file in folder.iterdir())
    return files + (folder.stat().st_mode & 0o777 != 0o700)


def _wrong_keys(path: Path, told: list[str]) -> int:
    attempts = [None, raw_key("00" * 32), passphrase_key("wrong"), passphrase_key(RAW)]
    return sum(_refused(path, key, WrongKey, told) for key in attempts)


def _refused(path: Path, key: Key | None, wanted: type[SharpwaveError], told: list[str]) -> int:
    """0 if opening raises this error, with a message that says what to do."""
    try:
        SqliteStore(path, STORE, key).close()
    except wanted as error:
        told += ["".join(traceback.format_exception(error)), repr(error)]
        return int("key" not in str(error))
    except (SharpwaveError, apsw.Error) as error:
        told.append("".join(traceback.format_exception(error)))
    return 1


def _rekeyed(path: Path, key: Key | None, new: Key, told: list[str]) -> int:
    """0 if the file opens with the new key only, and holds the same."""
    before = _with_store(path, key, _hashes)
    _with_store(path, key, lambda store: store.rekey(new))
    refused = _refused(path, key, UnsafeStore if key is None else WrongKey, told) if key else 0
    same = _with_store(path, new, _hashes) == before
    sound = _with_store(path, new, lambda store: store.verify().ok)
    return refused + (not same) + (not sound)


def _encrypt_plain(path: Path, count: int, figures: Figures, told: list[str]) -> int:
    """A plain file is encrypted for the first time; what is then left of its text."""
    _while_open(path, {}, count)
    path.with_name("backup.db").unlink()  # it was made before, in the clear
    figures["wrong_errors"] += _refused(path, raw_key(RAW), UnsafeStore, told)
    figures["changed"] += _rekeyed(path, None, raw_key(RAW), told)
    figures["wrong_errors"] += _refused(path, None, WrongKey, told)
    figures["changed"] += _rekeyed(path, raw_key(RAW), raw_key(NEW_RAW), told)
    return _canaries(path.parent)


def _readable_by_sqlcipher(path: Path) -> int:
    """Records that a program sees which knows the passphrase and SQLCipher 4, and nothing of us."""
    db = apsw.Connection(str(path))
    try:
        db.pragma("cipher", "sqlcipher")
        db.pragma("legacy", 4)
        quoted = PASSPHRASE.replace("'", "''")
        db.execute(f"PRAGMA key = '{quoted}'")
        return int(db.execute("SELECT count(*) FROM memories").get)
    except apsw.Error:
        return -1
    finally:
        db.close()


def _with_store(path: Path, key: Key | None, look: Callable[[SqliteStore], Any]) -> Any:
    with closing(SqliteStore(path, STORE, key)) as store:
        return look(store)


def _hashes(store: SqliteStore) -> list[bytes]:
    return [
        content_hash(one) for user in store.users() for one in store.for_user(user).scan(0, 100_000)
    ]


def _settings() -> list[Settings]:
    given = [{"key": RAW}, {"passphrase": PASSPHRASE}]
    return [Settings(encryption=EncryptionSettings.model_validate(one)) for one in given]


def _shown(settings: Settings) -> str:
    return f"{settings} {settings!r} {settings.model_dump()} {settings.model_dump_json()}"


def _derived(text: str) -> bool:
    """True if a text gives a secret away."""
    return bool(RAW_KEY.search(text)) or any(secret in text for secret in SECRETS)
