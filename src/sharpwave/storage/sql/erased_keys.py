"""Idempotency keys of what was erased: the same request sent again is not stored again.

Kept for a day after the erasure, as salted digests of user and key. Only keys that name one
delivery: of a request over REST, or of an interaction. Other keys are made from the words
themselves (imports, MCP), and the same words again after an erasure are meant.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sharpwave.errors import Conflict
from sharpwave.storage.sql import audit
from sharpwave.storage.sql.selecting import beginning
from sharpwave.storage.sql.session import SqlSession
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.records import Record
from sharpwave.types.storing import ERASED_KEYS_KEPT, REQUESTS, names_a_delivery


def of_records(db: SqlSession, rows: Iterable[dict[str, int]], at: datetime) -> list[str]:
    """The keys of records that are about to be erased."""
    since = {"since": to_microseconds(at - ERASED_KEYS_KEPT)}
    found = db.row_each("delivery_key", ({**row, **since} for row in rows))
    return [row[0] for row in found if row]


def of_user(db: SqlSession, user_no: int, at: datetime) -> list[str]:
    """The keys of a user who is about to be erased: of records, and of other requests."""
    since = to_microseconds(at - ERASED_KEYS_KEPT)
    found = db.rows("delivery_keys", {"user_no": user_no, "since": since})
    found += db.rows("tally_names", {"user_no": user_no, **beginning(REQUESTS)})
    return [key for (key,) in found]


def keep(db: SqlSession, salt: bytes, user_id: str, keys: Sequence[str], at: datetime) -> None:
    """Remember keys, and drop those that were remembered for long enough."""
    db.change("drop_erased_keys", {"before": to_microseconds(at - ERASED_KEYS_KEPT)})
    moment = to_microseconds(at)
    digests = ({"digest": _digest(salt, user_id, key), "at": moment} for key in keys)
    db.change_each("add_erased_key", digests)


def was_erased(db: SqlSession, salt: bytes, user_id: str, key: str, since: datetime) -> bool:
    """Whether what a key named was erased after a moment."""
    query = {"digest": _digest(salt, user_id, key), "since": to_microseconds(since)}
    return db.row("erased_key", query) is not None


def require_unused(
    db: SqlSession, salt: bytes, user_id: str, new: Iterable[Record], at: datetime
) -> None:
    """Refuse new records whose key named something that was erased."""
    for record in filter(names_a_delivery, new):
        key = str(record.provenance.idempotency_key)
        if was_erased(db, salt, user_id, key, at - ERASED_KEYS_KEPT):
            raise Conflict(
                f"what the idempotency key {key!r} stored was forgotten, so it is not stored "
                "again; use a new key for new content"
            )


def _digest(salt: bytes, user_id: str, key: str) -> str:
    return audit.actor_digest(salt, f"{len(user_id)}:{user_id}{key}")
