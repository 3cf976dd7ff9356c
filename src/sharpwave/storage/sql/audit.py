"""The audit chain, and the full check of a store. Each entry's digest covers the one before.

An entry that was changed, removed from the middle or moved is seen. That the newest were cut off is
seen if they recorded new or forgotten memories: the entries say how many there must be.

It holds no memory text and no names: users appear as a digest salted per database.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from sharpwave.errors import StoreDamaged
from sharpwave.storage.sql import rows
from sharpwave.storage.sql.session import SqlSession
from sharpwave.temporal.clock import from_microseconds, to_microseconds
from sharpwave.types.storing import AuditEntry, Verification

GENESIS = bytes(32)
_COUNTED_ANEW = {"restore", "recover"}  # their entries say how many memories there are afterwards


def append(
    db: SqlSession, actor: str, action: str, counts: Mapping[str, int], at: datetime
) -> None:
    """Add an entry, inside the transaction that it describes."""
    last = db.row("last_audit", {})
    seq, previous = (last[0] + 1, last[1]) if last else (1, GENESIS)
    entry = {"seq": seq, "at": to_microseconds(at), "actor": actor, "action": action}
    counts_json = json.dumps(counts, sort_keys=True)
    digest = _digest(previous, [*entry.values(), counts_json])
    db.change("add_audit", {**entry, "counts": counts_json, "previous": previous, "digest": digest})


def salt_of(db: SqlSession, path: Path) -> bytes:
    """The salt that this store mixes into the digests of its users' names."""
    found = db.row("meta", {"name": "actor_salt"})
    if found is None or not isinstance(found[0], bytes):
        raise StoreDamaged(
            f"{path} is damaged: the salt of its audit is missing. Run `sharpwave doctor "
            "--recover`, or restore a backup."
        )
    return found[0]


def actor_digest(salt: bytes, user_id: str) -> str:
    """How a user appears in the audit."""
    name = user_id.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(name, key=salt, digest_size=16).hexdigest()


def check(db: SqlSession) -> tuple[Sequence[AuditEntry], int | None]:
    """The entries, and where the chain no longer holds, if anywhere."""
    found: list[AuditEntry] = []
    try:
        found.extend(entries(db))
    except StoreDamaged:
        return found, first_break(found) or len(found) + 1
    return found, first_break(found)


def first_break(found: Iterable[AuditEntry]) -> int | None:
    """The sequence number where the chain no longer holds; None if it holds to the end."""
    previous = GENESIS
    for expected, entry in enumerate(found, start=1):
        counts_json = json.dumps(entry.counts, sort_keys=True)
        content = [entry.seq, to_microseconds(entry.at), entry.actor, entry.action, counts_json]
        intact = (
            entry.seq == expected
            and entry.previous == previous
            and entry.digest == _digest(previous, content)
        )
        if not intact:
            return entry.seq
        previous = entry.digest
    return None


def memories_left(found: Iterable[AuditEntry]) -> int:
    """How many memories there are if the entries tell the truth."""
    left = 0
    for entry in found:
        count = entry.counts.get("memories", 0)
        if entry.action in _COUNTED_ANEW:
            left = count
        else:
            left += -count if entry.action == "forget" else count
    return left


def entries(db: SqlSession, query: str = "audit", **bindings: int) -> Iterator[AuditEntry]:
    """The chain as it is stored, in order, or the part of it that a query gives."""
    for row in db.readable(query, bindings):
        try:
            seq, at, actor, action, counts, previous, digest = row
            entry = AuditEntry(
                seq, from_microseconds(at), actor, action, json.loads(counts), previous, digest
            )
        except (ValueError, TypeError, OverflowError) as error:
            raise StoreDamaged("the audit is damaged; run `sharpwave verify`") from error
        yield entry


def _digest(previous: bytes, content: list[object]) -> bytes:
    return hashlib.sha256(previous + json.dumps(content).encode()).digest()


Progress = Callable[[int, int], None] | None
UNREADABLE = "(unreadable)"
"""Stands for the id of a record whose id cannot be read either."""


def verify(
    db: SqlSession, progress: Progress, structure: Sequence[str], traces_left: bool
) -> Verification:
    """Check every row, every vector and the audit chain; the rest is what the database says."""
    total = int(db.row("count_memories", {})[0])
    damaged: list[str] = []
    checked = 0
    for checked, row in enumerate(db.readable("all_memories", {}), start=1):
        if row is None:
            damaged.append(UNREADABLE)
        elif rows.to_record(row) is None:
            damaged.append(str(row[4]))
        if progress and checked % 1000 == 0:
            progress(checked, total)
    bad_vectors = sum(
        not rows.intact(blob, checksum_, dimension)
        for checksum_, blob, dimension in db.readable("all_vectors", {})
    )
    chain, broken_at = check(db)
    expected = memories_left(chain)
    if chain and broken_at is None and expected != total:  # the first files have no audit
        structure = [*structure, f"the audit says {expected} memories, there are {total}"]
    return Verification(
        memories=checked,
        damaged_ids=tuple(damaged),
        damaged_vectors=bad_vectors,
        audit_entries=len(chain),
        audit_broken_at=broken_at,
        structure=tuple(structure),
        traces_left=traces_left,
    )
