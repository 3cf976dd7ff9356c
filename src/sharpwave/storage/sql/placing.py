"""Puts the records of one change into the store, however many: first it asks, then it writes."""

from collections.abc import Sequence

from sharpwave.errors import Conflict, KeyReused
from sharpwave.storage.sql import rows
from sharpwave.storage.sql.session import Session
from sharpwave.types.records import Record, content_hash, same_content
from sharpwave.types.storing import Stored


def place(db: Session, user_no: int, seq: int, records: Sequence[Record]) -> list[Stored]:
    """Each record, numbered on from `seq`; or the one that its idempotency key or id names."""
    keyed, named = _known(db, user_no, records), _named(db, user_no, records)
    stored = []
    for record in records:
        key = record.provenance.idempotency_key
        if key in keyed:
            stored.append(Stored(_same(keyed[key], record), replayed=True))
        elif record.id in named:
            stored.append(Stored(_identical(named[record.id], record), replayed=True))
        else:
            seq += 1
            numbered = named[record.id] = rows.numbered(record, seq)
            stored.append(Stored(numbered, replayed=False))
            if key is not None:
                keyed[key] = numbered
    added = [item.record for item in stored if not item.replayed]
    listed = [rows.to_row(record, user_no, record.number) for record in added]
    for record, is_there in zip(added, db.change_each("add_memory", listed), strict=True):
        if not is_there:  # a record of that id is damaged, or it would have been found
            raise _taken(record)
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


def _named(db: Session, user_no: int, records: Sequence[Record]) -> dict[str, Record]:
    """What ids already name."""
    asked = ({"user_no": user_no, "id": record.id} for record in records)
    found = (rows.to_record(row) for row in db.row_each("by_id", asked) if row)
    return {record.id: record for record in found if record is not None}


def _identical(known: Record, record: Record) -> Record:
    if content_hash(known) == content_hash(record):
        return known
    raise _taken(record)


def _taken(record: Record) -> Conflict:
    return Conflict(f"there is already another memory with the id {record.id}")
