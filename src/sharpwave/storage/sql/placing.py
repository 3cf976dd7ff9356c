"""Puts the records of one change into the store, however many, in two steps: ask, then write."""

from collections.abc import Sequence

from sharpwave.errors import Conflict, KeyReused
from sharpwave.storage.sql import rows
from sharpwave.storage.sql.session import Session
from sharpwave.types.records import Record, content_hash, same_content
from sharpwave.types.storing import Stored


def place(db: Session, user_no: int, seq: int, records: Sequence[Record]) -> list[Stored]:
    """Each record, numbered on from `seq`; or the one that its idempotency key or id names."""
    known = _known(db, user_no, records)
    stored = []
    for record in records:
        key = record.provenance.idempotency_key
        if key in known:
            stored.append(Stored(_same(known[key], record), replayed=True))
            continue
        seq += 1
        stored.append(Stored(rows.numbered(record, seq), replayed=False))
        if key is not None:
            known[key] = stored[-1].record
    new = [place for place, item in enumerate(stored) if not item.replayed]
    listed = [
        rows.to_row(stored[place].record, user_no, stored[place].record.number) for place in new
    ]
    for place, row, added in zip(new, listed, db.change_each("add_memory", listed), strict=True):
        if not added:
            stored[place] = _of_that_id(db, user_no, row)
    return stored


def _known(db: Session, user_no: int, records: Sequence[Record]) -> dict[str | None, Record]:
    """What idempotency keys already name."""
    given = (record.provenance.idempotency_key for record in records)
    keys = list(dict.fromkeys(key for key in given if key is not None))
    asked = ({"user_no": user_no, "idempotency_key": key} for key in keys)
    found = zip(keys, db.row_each("by_idempotency_key", asked), strict=True)
    read = {key: rows.to_record(row) for key, row in found if row}
    return {key: record for key, record in read.items() if record is not None}


def _same(known: Record, record: Record) -> Record:
    if same_content(known, record):
        return known
    raise KeyReused(
        f"idempotency key {record.provenance.idempotency_key!r} already belongs to {known.id}, "
        "which says something else; use a new key for new content"
    )


def _of_that_id(db: Session, user_no: int, row: dict[str, object]) -> Stored:
    """What is already stored under the id of a row, if it says the same."""
    found = db.row("by_id", {"user_no": user_no, "id": row["id"]})
    known = rows.to_record(found)
    if known is None or content_hash(known) != row["content_hash"]:
        raise Conflict(f"there is already another memory with the id {row['id']}")
    return Stored(known, replayed=True)
