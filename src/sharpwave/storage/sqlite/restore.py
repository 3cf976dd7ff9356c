"""Puts a backup in place: checked first, swapped in at once, and nothing forgotten comes back.

What was forgotten after the backup was made is known to the file that it replaces; it is forgotten
again in the copy, before that copy is used. The replaced file is kept beside it.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sharpwave.errors import InvalidInput, StoreDamaged, UnsafeStore
from sharpwave.settings.storage import StoreSettings
from sharpwave.storage.sql import audit, links, rows, writes
from sharpwave.storage.sql.audit import Progress
from sharpwave.storage.sqlite import copies, migrate
from sharpwave.storage.sqlite.connection import SQL, SqliteSession, connect, read_only, translated
from sharpwave.storage.sqlite.key import Key, key_text
from sharpwave.storage.sqlite.whole_file import copy_to, publish, take_over, verify_file
from sharpwave.types.storing import OPEN, Restored

_FIRST_WITH_KEYS = 4  # schema version
_CARRIED = (
    *("all_tombstones", "all_erased_users", "all_heads", "counters"),
    *("all_withdrawn", "all_withdrawals"),
)
"""What the replaced file says of erasures, numbers and withdrawn consents."""


class _Erasures(NamedTuple):
    """What the current file knows to be forgotten, and how far its numbers have come."""

    salt: bytes
    rows: dict[str, list[Any]]
    """By the name of their statement; no keys if the file is from before there were keys."""


def restore(
    backup: Path,
    target: Path,
    key: Key | None,
    settings: StoreSettings,
    *,
    now: datetime,
    replace: bool = False,
    progress: Progress = None,
) -> Restored:
    """Check a backup and put it at `target`; with `replace`, in place of what is there."""
    if not backup.is_file():
        raise InvalidInput(f"there is no backup {backup}")
    parts = [part for part in copies.parts_of(target) if part.exists() and part.stat().st_size]
    if parts and not replace:
        raise InvalidInput(
            f"{parts[0]} already exists. With --replace the backup takes its place, and it is kept "
            "under another name."
        )
    copy = target.with_name(target.name + ".restoring")
    copies.remove(copy)
    try:
        _copy_checked(backup, copy, key, settings, progress)
        if target in parts:
            with _held(target, key, settings) as erasures:
                memories, re_erased = _finish(copy, key, settings, erasures, now)
                kept = _keep(target, now)
                publish(copy, target)
            return Restored(memories, re_erased, kept)
        copies.remove(target)  # a log without its file would be read into the copy
        memories = _finish(copy, key, settings, None, now)[0]
        publish(copy, target)
        return Restored(memories, 0, None)
    finally:
        copies.remove(copy)


def _copy_checked(
    backup: Path, copy: Path, key: Key | None, settings: StoreSettings, progress: Progress
) -> None:
    with translated(backup), closing(read_only(backup, key_text(key, backup), settings)) as db:
        newest = migrate.bundled()[-1].version
        if int(db.pragma("user_version")) > newest:
            raise UnsafeStore(f"{backup} was written by a newer Sharpwave; upgrade Sharpwave")
        found = verify_file(db, None)
        if not found.ok:
            raise StoreDamaged(
                f"the backup {backup} does not pass its check: {len(found.damaged_ids)} damaged "
                f"memories, {len(found.structure)} structural complaints. Use another backup, or "
                "save what is left of it with `sharpwave doctor --recover NEW.db`."
            )
        copy_to(db, copy, progress, lambda path: connect(path, key_text(key, path), settings))


@contextmanager
def _held(target: Path, key: Key | None, settings: StoreSettings) -> Iterator[_Erasures]:
    """Lock the current file, and read what it knows to be forgotten.

    A program that opens the old file meanwhile waits for the lock. When it gets it, SQLite notices
    that the file was replaced and refuses to write, so nothing can be acknowledged and then lost.
    """
    with translated(target), closing(connect(target, key_text(key, target), settings)) as db:
        take_over(db, target)
        db.execute("BEGIN EXCLUSIVE")
        yield _erasures(db, target)


def _erasures(db: SqliteSession, target: Path) -> _Erasures:
    try:
        with translated(target):
            found = {name: db.rows(name, {}) for name in _CARRIED}
            if int(db.pragma("user_version")) >= _FIRST_WITH_KEYS:
                found["keys_to_carry"] = db.rows("keys_to_carry", {})
            return _Erasures(audit.salt_of(db, target), found)
    except StoreDamaged as error:
        raise StoreDamaged(
            f"{target} is too damaged to read from it what was forgotten since the backup. Save "
            f"what is left with `sharpwave doctor --recover NEW.db`, and restore over "
            f"that. ({error})"
        ) from error


def _finish(
    copy: Path, key: Key | None, settings: StoreSettings, erasures: _Erasures | None, now: datetime
) -> tuple[int, int]:
    """Bring the copy up to date: schema, erasures, audit. Returns memories, and those re-erased."""
    with translated(copy), closing(connect(copy, key_text(key, copy), settings)) as db:
        for made in migrate.migrate(db, copy, migrate.bundled()):
            made.unlink(missing_ok=True)
        db.execute("BEGIN IMMEDIATE")
        re_erased = _erase_again(db, copy, erasures) if erasures else 0
        memories = int(db.row("count_memories", {})[0])
        audit.append(db, "", "restore", {"memories": memories, "re_erased": re_erased}, now)
        db.execute("COMMIT")
        if re_erased:
            db.execute("VACUUM")
    return memories, re_erased


def _erase_again(db: SqliteSession, copy: Path, erasures: _Erasures) -> int:
    if audit.salt_of(db, copy) != erasures.salt:
        raise UnsafeStore(
            "the backup is of another store than the file it would replace, which cannot tell what "
            "was forgotten in it. Restore it to a path where there is no file."
        )
    # What is known to the backup too was forgotten before it; whatever it holds came after that.
    known = set(db.rows("all_erased_users", {}))
    new_users = [erased for erased in erasures.rows["all_erased_users"] if erased not in known]
    count = _erase_users(db, erasures.salt, {actor for actor, _ in new_users})
    for actor, at in new_users:
        db.change("add_erased_user", {"actor": actor, "at": at})
    _withdraw_again(db, erasures)
    _raise_counters(db, erasures)
    # the keys of the replaced file hold on: one that was revoked since must not open again
    if "keys_to_carry" in erasures.rows:
        db.execute(SQL["drop_api_keys"])
        db.executemany(SQL["carry_api_key"], erasures.rows["keys_to_carry"])
    known_ids = set(db.rows("all_tombstones", {}))
    for tombstone in erasures.rows["all_tombstones"]:
        if tombstone not in known_ids:
            count += _erase_memory(db, *tombstone)
    return count


def _withdraw_again(db: SqliteSession, erasures: _Erasures) -> None:
    """Withdraw again the consents that were withdrawn since the backup."""
    for name, purposes in erasures.rows["all_withdrawn"]:
        db.change("put_meta", {"name": name, "value": purposes})
    for user_id, purpose, at in erasures.rows["all_withdrawals"]:
        consent = {"user_no": _user(db, user_id)[0], "purpose": purpose, "granted": 0, "at": at}
        db.change("put_consent", consent)


def _erase_users(db: SqliteSession, salt: bytes, actors: set[str]) -> int:
    """Erase what the backup holds of users who were erased later; returns how many records.

    Not only what it says was recorded before: clocks go wrong.
    """
    count = 0
    for user_no, user_id in db.rows("all_user_numbers", {}):
        if audit.actor_digest(salt, user_id) in actors:
            count += writes.erase_user(db, user_no).memories
    return count


def _raise_counters(db: SqliteSession, erasures: _Erasures) -> None:
    """Continue the numbers of the replaced file, to avoid that a number ever means two things.

    No recall index outlives this: the file is not open anywhere, and an index lives no longer than
    its connections. Listeners who remember the number of an event, and backups made in between,
    must never see it with another meaning.
    """
    for table, last in erasures.rows["counters"]:
        db.change("raise_counter", {"name": table, "seq": last})
        db.change("add_counter", {"name": table, "seq": last})
    for user_id, seq in erasures.rows["all_heads"]:
        db.change("go_beyond", {"user_id": user_id, "seq": seq})


def _erase_memory(db: SqliteSession, user_id: str, memory_id: str, at: int) -> int:
    """Forget a record or open interaction again, and pass the tombstone on to later restores."""
    user_no, seq, _ = _user(db, user_id)
    found = db.row("keys_of_ids", {"user_no": user_no, "id": memory_id})
    key = found[0] if found else rows.key_of(user_no, 0)  # 0 is no record's number
    links.erase(db, key)
    db.change("forget_snapshots", {"user_no": user_no})
    opened = db.change("forget_topic", {"user_no": user_no, "topic": f"{OPEN}{memory_id}"})
    db.change("forget_all_tallies", {"user_no": user_no})  # they are made anew
    db.change("forget_job_errors", {"user_no": user_no})
    db.change("advance_user", {"user_no": user_no, "seq": seq + 1})
    writes.bury(db, key, seq + 1, memory_id, at)
    return int(found is not None or opened > 0)


def _user(db: SqliteSession, user_id: str) -> Any:
    return db.row("user", {"user_id": user_id}) or db.row("add_user", {"user_id": user_id})


def _keep(target: Path, now: datetime) -> Path:
    """Give the current file a second name, under which it stays when it is replaced."""
    kept = target.with_name(f"{target.name}.replaced-{now:%Y%m%d-%H%M%S}")
    if kept.exists():
        raise InvalidInput(f"{kept} already exists; move it away, or try again in a second")
    try:
        os.link(target, kept)
    except OSError:  # this filesystem knows one name a file
        shutil.copyfile(target, kept)
        kept.chmod(0o600)
    return kept
