"""Replaces steps 1 to 5 for an export: which records are imported, and how far they are trusted.

What the caller vouches for is restored as it was. Of any other file only the words are kept, as
quoted, untrusted data: a file can claim any source, and facts, tasks and notes in it would stand
beside what the user said. Nor may it take the idempotency key of a message that is yet to come.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from sharpwave import checks
from sharpwave.errors import InvalidInput
from sharpwave.ports import UserStore
from sharpwave.types.records import Kind, Record, Source, Trust, content_hash
from sharpwave.types.storing import Carried, Links


def accepted(batch: Sequence[Carried], own: bool, store: UserStore) -> list[Carried]:
    """The records to store; those already stored keep the trust they have."""
    checked = [
        carried._replace(record=_checked(carried.record, store.user_id)) for carried in batch
    ]
    kept = (
        checked
        if own
        else [_quoted(carried) for carried in checked if carried.record.kind is Kind.TURN]
    )
    stored = {record.id: record for record in store.find([carried.record.id for carried in kept])}
    return [
        carried._replace(record=_as_known(carried.record, stored.get(carried.record.id)))
        for carried in kept
    ]


def _in_range(record: Record) -> Record:
    """The record; a turn in a year that is not stored, such as the zero of a program, is redated.

    It counts as said when it was recorded. A fact may have begun in any year.
    """
    years = range(checks.EARLIEST_YEAR, checks.LATEST_YEAR + 1)
    if record.kind is not Kind.TURN or record.valid_from.year in years:
        return record
    at = checks.date(record.recorded_at, "recorded_at")
    return replace(record, valid_from=at, standing=replace(record.standing, last_seen_at=at))


def _quoted(carried: Carried) -> Carried:
    provenance = replace(
        carried.record.provenance,
        source=Source.IMPORT,
        trust=Trust.UNTRUSTED,
        parents=(),
        idempotency_key=None,
    )
    return Carried(replace(carried.record, provenance=provenance), Links())


def _as_known(record: Record, known: Record | None) -> Record:
    """The record with the known provenance, if words and id are the same."""
    if known is None:
        return record
    same = replace(record, provenance=known.provenance)
    return same if content_hash(same) == content_hash(known) else record


def _checked(record: Record, user_id: str) -> Record:
    """A record of an export, checked against the same limits as a message."""
    standing = record.standing
    try:
        checks.text(record.text, "the text")
        for name in (record.id, record.scope, record.provenance.author, *record.tags):
            checks.name(name, "a name")
        for optional in (record.speaker, record.session_id):
            checks.optional_name(optional, "a name")
        checks.optional_name(record.provenance.idempotency_key, "idempotency_key")
        checks.metadata(record.metadata)
        record = _in_range(record)
        for share in (standing.importance, standing.confidence):
            checks.share(share, "importance and confidence")
        if record.user_id != user_id or min(standing.seen_count, standing.access_count) < 0:
            raise InvalidInput("its owner or its counts are wrong")
    except InvalidInput as error:
        raise InvalidInput(f"record {record.id!r}: {error}") from error
    return record


def batches(exported: Iterable[Carried], size: int) -> Iterator[list[Carried]]:
    """Exported records in lists of at most `size`."""
    rest = iter(exported)
    while batch := list(islice(rest, size)):
        yield batch
