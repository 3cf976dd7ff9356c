"""The export format: one JSON object a line, a header first. Readable, and complete.

Vectors are left out: text can be recovered from them, and an import embeds again. Reading
returns exactly the records that were written, so a round trip changes no content hash.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sharpwave import strict_json
from sharpwave.errors import InvalidInput
from sharpwave.types.records import Record, content_hash
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import Carried, Links, Mentioned

FORMAT = "sharpwave-export"
VERSION = 2
"""2: records list evidence beyond their parents, and the entities they mention."""


_FIELDS = {field.name for field in fields(Record)} - {"number", "seq", "user_id"}


def header(user_id: str, at: datetime) -> str:
    """The first line of an export."""
    return _dump({"format": FORMAT, "version": VERSION, "user_id": user_id, "at": _time(at)})


def to_line(record: Record, links: Links) -> str:
    """One record as a line of JSON."""
    data: dict[str, Any] = asdict(record)
    del data["number"], data["seq"], data["user_id"]
    data["provenance"]["trust"] = record.provenance.trust.name.lower()
    link_fields: dict[str, Any] = {"evidence": links.evidence, "supports": links.supports}
    link_fields["mentions"] = [mention[1:] for mention in links.mentions]
    non_empty = {name: value for name, value in link_fields.items() if value}
    return _dump({**data, **non_empty, "content_hash": content_hash(record).hex()})


def read(lines: Iterable[str], user_id: str) -> Iterator[Carried]:
    """The records of an export, assigned to this user whatever owner the file names."""
    numbered = enumerate(lines, start=1)
    _, header_line = next(numbered, (0, ""))
    owner = _check_header(header_line)
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            data = strict_json.loads(line)
            links = _links(data)
            yield Carried(_record(data, owner, user_id), links)
        except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as error:
            raise InvalidInput(
                f"line {number} of the import is not a record ({error}); what stood before it was "
                "imported, and importing again after a repair repeats nothing"
            ) from error


def _links(data: dict[str, Any]) -> Links:
    evidence, supports = (data.pop(name, ()) for name in ("evidence", "supports"))
    mentions = data.pop("mentions", ())
    return Links(
        tuple(map(str, evidence)),
        tuple(map(str, supports)),
        tuple(
            Mentioned(str(data["id"]), str(key), str(name), EntityKind(kind))
            for key, name, kind in mentions
        ),
    )


def _record(data: dict[str, Any], owner: str, user_id: str) -> Record:
    expected_hash = data.pop("content_hash")
    if unknown := sorted(data.keys() - _FIELDS):
        raise ValueError(f"unknown field {unknown[0]!r}")
    try:
        record = _in_utc(_records().validate_python({**data, "user_id": owner}))
    except ValidationError as error:
        problem = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}") from error
    if record.due is not None and record.due.tzinfo is None:
        raise ValueError("due has no time zone")
    if content_hash(record).hex() != expected_hash:
        raise ValueError("its content does not match its checksum")
    return record if owner == user_id else replace(record, user_id=user_id)


def _in_utc(record: Record) -> Record:
    """The record with times in UTC; `due` keeps its zone, since the day depends on it."""
    standing, valid_to = record.standing, record.valid_to
    accessed = standing.accessed_at
    return replace(
        record,
        standing=replace(
            standing,
            last_seen_at=standing.last_seen_at.astimezone(UTC),
            accessed_at=accessed and accessed.astimezone(UTC),
        ),
        valid_from=record.valid_from.astimezone(UTC),
        valid_to=valid_to and valid_to.astimezone(UTC),
        recorded_at=record.recorded_at.astimezone(UTC),
    )


@cache
def _records() -> TypeAdapter[Record]:
    return TypeAdapter(Record)


def _check_header(line: str) -> str:
    try:
        head = strict_json.loads(line)
        is_known = head["format"] == FORMAT and head["version"] <= VERSION
        owner = str(head["user_id"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput("this is not a Sharpwave export: its first line is no header") from error
    if not is_known:
        raise InvalidInput(f"this export has a form this version does not know: {line[:100]}")
    return owner


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_time)


def _time(moment: object) -> str:
    if not isinstance(moment, datetime):
        raise TypeError(f"cannot export {type(moment).__name__}")
    return moment.isoformat()
