"""Step 1: what was said becomes records, checked, in normal form, each with an id of its own."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sharpwave import checks
from sharpwave.errors import InvalidInput
from sharpwave.formulas.decay import time_bucket
from sharpwave.temporal.clock import new_id
from sharpwave.types.message import Confirmation, Message
from sharpwave.types.records import (
    HOT_DAYS,
    INITIAL_IMPORTANCE,
    WARM_DAYS,
    Channel,
    Kind,
    Provenance,
    Record,
    Role,
    Source,
    Stage,
    Standing,
    Trust,
)

MAX_TAGS = 64
"""Most tags that a record may have."""
INITIAL_CONFIDENCE = 1.0
"""Confidence that a turn was said: we received it."""
_SOURCE_OF_ROLE = {
    Role.USER: Source.USER_MESSAGE,
    Role.ASSISTANT: Source.INFERRED,
    Role.SYSTEM: Source.SYSTEM,
    Role.TOOL: Source.TOOL,
}
_TRUST_OF_SOURCE = {
    Source.USER_MESSAGE: Trust.USER,
    Source.SYSTEM: Trust.VERIFIED,
    Source.INFERRED: Trust.INFERRED,
    Source.TOOL: Trust.UNTRUSTED,
    Source.WEB: Trust.UNTRUSTED,
    Source.IMPORT: Trust.UNTRUSTED,
}
_SAID_AS = frozenset({Kind.TURN, Kind.TASK, Kind.NOTE})


def to_records(said: Sequence[Message], user_id: str, now: datetime) -> list[Record]:
    """All of it, or an error that names the first message that cannot be stored."""
    if not said:
        raise InvalidInput("there is nothing to remember: the list of messages is empty")
    records = []
    for position, one in enumerate(said, start=1):
        try:
            records.append(_to_record(one, user_id, now))
        except InvalidInput as error:
            if len(said) == 1:
                raise
            raise InvalidInput(f"message {position} of {len(said)}: {error}") from error
    return records


def keys(records: Sequence[Record]) -> list[str]:
    """The idempotency keys that callers gave."""
    given = (record.provenance.idempotency_key for record in records)
    return [key for key in given if key is not None]


def _to_record(said: Message, user_id: str, now: datetime) -> Record:
    said_at = now if said.at is None else checks.past(said.at, "at", now)
    role = checks.choice(Role, said.role, "role")
    if said.kind not in _SAID_AS:
        raise InvalidInput(f"kind must be turn, task or note, not {said.kind!r}")
    if said.due is not None:
        checks.date(said.due, "due")
    return Record(
        id=new_id(now),
        user_id=user_id,
        kind=Kind.FEEDBACK if isinstance(said, Confirmation) else Kind.TURN,
        text=checks.text(said.text, "the text"),
        provenance=_provenance(said, role, user_id),
        standing=Standing(
            stage=Stage.ACTIVE,
            temperature=time_bucket(
                (now - said_at) / timedelta(days=1),
                HOT_DAYS,
                WARM_DAYS,
            ),
            importance=INITIAL_IMPORTANCE,
            confidence=INITIAL_CONFIDENCE,
            seen_count=1,
            last_seen_at=said_at,
        ),
        valid_from=said_at,
        recorded_at=now,
        role=role,
        speaker=checks.optional_name(said.speaker, "speaker"),
        session_id=checks.optional_name(said.session, "session"),
        scope=checks.name(said.scope, "scope"),
        tags=_tags(said.tags),
        metadata={**checks.metadata(said.metadata), **_about(said)},
    )


def _about(said: Message) -> dict[str, str]:
    return {} if said.corrects is None else {"corrects": checks.name(said.corrects, "corrects")}


def _provenance(said: Message, role: Role, user_id: str) -> Provenance:
    own_source = _SOURCE_OF_ROLE[role]
    source = own_source if said.source is None else checks.choice(Source, said.source, "source")
    return Provenance(
        source=source,
        channel=checks.choice(Channel, said.channel, "channel"),
        trust=min(_TRUST_OF_SOURCE[source], _TRUST_OF_SOURCE[own_source]),
        author=checks.name(said.author or user_id, "author"),
        idempotency_key=checks.optional_name(said.idempotency_key, "idempotency_key"),
    )


def _tags(tags: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(tags, (list, tuple)) or len(tags) > MAX_TAGS:
        raise InvalidInput(f"tags must be a list of at most {MAX_TAGS} names")
    return tuple(checks.name(tag, "tag") for tag in tags)
