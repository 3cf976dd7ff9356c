"""Messages of the event bus: fields in a fixed order, under versioned topics."""

from collections.abc import Mapping
from dataclasses import dataclass

PROCEDURAL = "memory/procedural"
FEEDBACK = f"{PROCEDURAL}/feedback/v1"
SKILL_REQUEST = f"{PROCEDURAL}/skill_request/v1"
SKILL_RESPONSE = f"{PROCEDURAL}/skill_response/v1"
SKILL_APPLIED = f"{PROCEDURAL}/skill_applied/v1"
"""The versioned topics [BUS-03]."""

EVENT = "Event"


def _fields(listed: str) -> dict[str, str]:
    """The type of each field, by its name."""
    pairs = (field.partition(" ") for field in listed.split(", "))
    return {name: kind for name, _, kind in pairs}


MESSAGES: Mapping[str, Mapping[str, str]] = {
    EVENT: _fields(
        "seq uint64, timestamp int64, topic string, user_id string, ids repeated string, "
        "payload string"
    ),
    "FeedbackEvent": _fields(
        "user_id string, message_id string, skill_id string, reward double, reason string, "
        "free_text string, timestamp int64, seq uint64"
    ),
    "SkillSelectionRequest": _fields(
        "user_id string, conversation_id string, message_text string, "
        "context_tags repeated string, timestamp int64, seq uint64, request_id string"
    ),
    "SkillSelectionResponse": _fields(
        "request_id string, skill_id string, skill_name string, procedure_template string, "
        "confidence_score double, preference_alignment double, is_exploration bool, "
        "selection_time_ms double, user_id string, timestamp int64, seq uint64"
    ),
    "SkillApplicationEvent": _fields(
        "user_id string, message_id string, skill_id string, skill_name string, "
        "confidence_score double, timestamp int64, seq uint64"
    ),
}
"""Every message with its fields; a field's number is its place, so fields are only ever appended.

`timestamp` is in microseconds since 1970. Fields for text of a person (`free_text`,
`message_text`, `procedure_template`) are part of the schema and always empty [BUS-02].
"""
BY_TOPIC = {
    FEEDBACK: "FeedbackEvent",
    SKILL_REQUEST: "SkillSelectionRequest",
    SKILL_RESPONSE: "SkillSelectionResponse",
    SKILL_APPLIED: "SkillApplicationEvent",
}
"""The message of a versioned topic; under any other topic it is an Event."""


@dataclass(frozen=True, slots=True)
class BusMessage:
    """One message under a topic of a user."""

    topic: str
    user_id: str
    """Empty if the user was forgotten."""
    fields: Mapping[str, object]
