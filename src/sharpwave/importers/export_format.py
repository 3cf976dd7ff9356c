"""The export format: one JSON object a line, a header first. Readable, and complete.

Vectors are left out: they can be turned back into text, and an import embeds anew. Reading
gives back the very records that were written, so that a round trip changes no content hash.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from sharpwave import strict_json
from sharpwave.errors import InvalidInput
from sharpwave.types.records import (
    Channel,
    Kind,
    Provenance,
    Record,
    Role,
    Source,
    Stage,
    Standing,
    State,
    Statement,
    Temperature,
    Trust,
    content_hash,
)
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import Carried, Links, Mentioned

FORMAT = "sharpwave-export"
VERSION = 2
"""2: records know what supports them beyond their parents, and which entities they mention."""


_NO_LINKS = Links()


def header(user_id: str, at: datetime) -> str:
    """The first line of an export."""
    return _dump({"format": FORMAT, "version": VERSION, "user_id": user_id, "at": _time(at)})


def to_line(record: Record, links: Links = _NO_LINKS) -> str:
    """One record as a line of JSON."""
    fields: dict[str, Any] = asdict(record)
    del fields["number"], fields["seq"], fields["user_id"]
    fields["provenance"]["trust"] = record.provenance.trust.name.lower()
    ties: dict[str, Any] = {"evidence": links.evidence, "supports": links.supports}
    ties["mentions"] = [one[1:] for one in links.mentions]
    kept = {name: value for name, value in ties.items() if value}
    return _dump({**fields, **kept, "content_hash": content_hash(record).hex()})


def read(lines: Iterable[str], user_id: str) -> Iterator[Carried]:
    """The records of an export, for this user, whatever owner the file names."""
    numbered = enumerate(lines, start=1)
    _, first = next(numbered, (0, ""))
    owner = _check_header(first)
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            fields = strict_json.loads(line)
            links = _links(fields)
            yield Carried(_record(fields, owner, user_id), links)
        except (
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            ArithmeticError,
        ) as error:
            raise InvalidInput(
                f"line {number} of the import is not a record ({error}); what stood before it was "
                "imported, and importing again after a repair repeats nothing"
            ) from error


def _links(fields: dict[str, Any]) -> Links:
    evidence, supports = (fields.pop(name, ()) for name in ("evidence", "supports"))
    mentions = fields.pop("mentions", ())
    return Links(
        tuple(map(str, evidence)),
        tuple(map(str, supports)),
        tuple(
            Mentioned(str(fields["id"]), str(key), str(name), EntityKind(kind))
            for key, name, kind in mentions
        ),
    )


def _record(fields: dict[str, Any], owner: str, user_id: str) -> Record:
    wanted = fields.pop("content_hash")
    provenance, standing = fields.pop("provenance"), fields.pop("standing")
    record = Record(
        **{name: fields.pop(name) for name in ("id", "text", "speaker", "session_id", "scope")},
        user_id=owner,
        kind=Kind(fields.pop("kind")),
        role=None if (role := fields.pop("role")) is None else Role(role),
        provenance=_provenance(provenance),
        standing=_standing(standing),
        valid_from=_moment(fields.pop("valid_from")),
        valid_to=_optional_moment(fields.pop("valid_to")),
        recorded_at=_moment(fields.pop("recorded_at")),
        tags=tuple(fields.pop("tags")),
        metadata=dict(fields.pop("metadata")),
        statement=None if (said := fields.pop("statement", None)) is None else Statement(*said),
        negated=bool(fields.pop("negated", False)),
        due=_due(fields.pop("due", None)),
        slot=fields.pop("slot", None),
    )
    if fields:
        raise ValueError(f"unknown field {next(iter(fields))!r}")
    if content_hash(record).hex() != wanted:
        raise ValueError("its content does not match its checksum")
    return record if owner == user_id else replace(record, user_id=user_id)


def _provenance(fields: dict[str, Any]) -> Provenance:
    return Provenance(
        source=Source(fields["source"]),
        channel=Channel(fields["channel"]),
        trust=Trust[fields["trust"].upper()],
        author=str(fields["author"]),
        parents=tuple(fields["parents"]),
        idempotency_key=fields["idempotency_key"],
    )


def _standing(fields: dict[str, Any]) -> Standing:
    return Standing(
        stage=Stage(fields["stage"]),
        temperature=Temperature(fields["temperature"]),
        importance=float(fields["importance"]),
        confidence=float(fields["confidence"]),
        seen_count=int(fields["seen_count"]),
        last_seen_at=_moment(fields["last_seen_at"]),
        access_count=int(fields["access_count"]),
        accessed_at=_optional_moment(fields["accessed_at"]),
        state=State(fields.get("state", State.ACTIVE)),
        superseded_by=fields.get("superseded_by"),
        rival=fields.get("rival"),
        former=fields.get("former"),
    )


def _check_header(line: str) -> str:
    try:
        head = strict_json.loads(line)
        known = head["format"] == FORMAT and head["version"] <= VERSION
        owner = str(head["user_id"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput("this is not a Sharpwave export: its first line is no header") from error
    if not known:
        raise InvalidInput(f"this export has a form this version does not know: {line[:100]}")
    return owner


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_time)


def _time(moment: object) -> str:
    if not isinstance(moment, datetime):
        raise TypeError(f"cannot export {type(moment).__name__}")
    return moment.isoformat()


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _due(text: str | None) -> datetime | None:
    """As it was written, since the day depends on the zone."""
    moment = None if text is None else datetime.fromisoformat(text)
    if moment is not None and moment.tzinfo is None:
        raise ValueError("due has no time zone")
    return moment


def _optional_moment(text: str | None) -> datetime | None:
    return None if text is None else _moment(text)
