"""Step 1: messages become records, checked, in normal form, each with its own id."""

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
"""Maximum number of tags of a record."""
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
_MESSAGE_KINDS = frozenset({Kind.TURN, Kind.TASK, Kind.NOTE})


def to_records(messages: Sequence[Message], user_id: str, now: datetime) -> list[Record]:
    """A record per message, or an error that names the first message that cannot be stored."""
    if not messages:
        raise InvalidInput("there is nothing to remember: the list of messages is empty")
    records = []
    for position, message in enumerate(messages, start=1):
        try:
            records.append(_to_record(message, user_id, now))
        except InvalidInput as error:
            if len(messages) == 1:
                raise
            raise InvalidInput(f"message {position} of {len(messages)}: {error}") from error
    return records


def keys(records: Sequence[Record]) -> list[str]:
    """The idempotency keys that callers gave."""
    given = (record.provenance.idempotency_key for record in records)
    return [key for key in given if key is not None]


def _to_record(message: Message, user_id: str, now: datetime) -> Record:
    said_at = now if message.at is None else checks.past(message.at, "at", now)
    role = checks.choice(Role, message.role, "role")
    if message.kind not in _MESSAGE_KINDS:
        raise InvalidInput(f"kind must be turn, task or note, not {message.kind!r}")
    if message.due is not None:
        checks.date(message.due, "due")
    return Record(
        id=new_id(now),
        user_id=user_id,
        kind=Kind.FEEDBACK if isinstance(message, Confirmation) else Kind.TURN,
        text=checks.text(message.text, "the text"),
        provenance=_provenance(message, role, user_id),
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
        speaker=checks.optional_name(message.speaker, "speaker"),
        session_id=checks.optional_name(message.session, "session"),
        scope=checks.name(message.scope, "scope"),
        tags=_tags(message.tags),
        metadata={**checks.metadata(message.metadata), **_about(message)},
    )


def _about(message: Message) -> dict[str, str]:
    return (
        {} if message.corrects is None else {"corrects": checks.name(message.corrects, "corrects")}
    )


def _provenance(message: Message, role: Role, user_id: str) -> Provenance:
    own_source = _SOURCE_OF_ROLE[role]
    source = (
        own_source if message.source is None else checks.choice(Source, message.source, "source")
    )
    return Provenance(
        source=source,
        channel=checks.choice(Channel, message.channel, "channel"),
        trust=min(_TRUST_OF_SOURCE[source], _TRUST_OF_SOURCE[own_source]),
        author=checks.name(message.author or user_id, "author"),
        idempotency_key=checks.optional_name(message.idempotency_key, "idempotency_key"),
    )


def _tags(tags: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(tags, (list, tuple)) or len(tags) > MAX_TAGS:
        raise InvalidInput(f"tags must be a list of at most {MAX_TAGS} names")
    return tuple(checks.name(tag, "tag") for tag in tags)
