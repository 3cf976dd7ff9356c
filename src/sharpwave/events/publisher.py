"""Publishes new events of the outbox to listeners, as they happen.

One process publishes for all that share the file. The others only follow the outbox, so one of them
can take over near the point where it stopped: a listener recognises an event by its `seq`.
"""

import json
from collections.abc import Callable, Iterator

from sharpwave.ports import Store, UserStore
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.publishing import (
    FEEDBACK,
    SKILL_APPLIED,
    SKILL_REQUEST,
    SKILL_RESPONSE,
    BusMessage,
)
from sharpwave.types.records import Kind, Record
from sharpwave.types.storing import TOPICS, Event
from sharpwave.workspace import Resources

_PAGE = 1000
_SELECTION_TOPIC, _FEEDBACK_TOPIC = TOPICS["select_skill"], TOPICS["feedback"]


class OutboxPublisher:
    """Follows the outbox of one process, from its end when first used."""

    def __init__(self) -> None:
        self._after: int | None = None

    def publish_new(self, resources: Resources, stopped: Callable[[], bool]) -> int:
        """Publish new events; returns their number."""
        publisher = resources.publisher
        if publisher is None:
            return 0
        if self._after is None:
            self._after = last_event(resources.store, 0)
        if not publisher.open(self._after):
            self._after = last_event(resources.store, self._after)
            return 0
        count = 0
        while page := resources.store.events(self._after, _PAGE):
            for event in page:
                if stopped():
                    return count
                for message in messages(event, resources.store):
                    publisher.publish(message)
                self._after = event.seq
                count += 1
        return count


def messages(event: Event, store: Store) -> Iterator[BusMessage]:
    """The event itself, then typed messages about the skills it concerns [BUS-02]."""
    user, ids = event.user_id or "", event.payload.get("ids", ())
    envelope = {"seq": event.seq, "timestamp": to_microseconds(event.at), "user_id": user}
    payload = {name: value for name, value in event.payload.items() if name != "ids"}
    yield BusMessage(
        event.topic,
        user,
        {**envelope, "topic": event.topic, "ids": ids, "payload": json.dumps(payload)},
    )
    if event.topic not in (_SELECTION_TOPIC, _FEEDBACK_TOPIC) or not isinstance(ids, list):
        return
    for record in store.for_user(user).find(ids):  # forgotten ones are left out
        if record.kind is Kind.TRAJECTORY:
            yield from _skill_messages(record, user, envelope)
        elif record.kind is Kind.FEEDBACK:
            yield _feedback_message(record, user, envelope)


def _skill_messages(record: Record, user: str, envelope: dict[str, object]) -> Iterator[BusMessage]:
    content = record.metadata
    request = {"request_id": content["message_id"], **envelope}
    skill = {
        "skill_id": content["skill"],
        "skill_name": content["skill"],
        "confidence_score": content.get("confidence", 0.0),
    }
    where = {"conversation_id": record.session_id, "context_tags": [content["context"]]}
    yield BusMessage(SKILL_REQUEST, user, {**request, **where})
    scores = {
        "preference_alignment": content.get("alignment", 0.0),
        "is_exploration": content["is_exploration"],
        "selection_time_ms": content.get("selection_ms", 0.0),
    }
    yield BusMessage(SKILL_RESPONSE, user, {**request, **skill, **scores})
    yield BusMessage(
        SKILL_APPLIED, user, {**envelope, **skill, "message_id": content["message_id"]}
    )


def _feedback_message(record: Record, user: str, envelope: dict[str, object]) -> BusMessage:
    content = record.metadata
    fields = {"message_id": content.get("message_id"), "skill_id": content.get("skill")}
    feedback = {**fields, "reward": content.get("reward"), "reason": content.get("reason")}
    return BusMessage(FEEDBACK, user, {**envelope, **feedback})


def last_event(store: Store | UserStore, after: int) -> int:
    """Number of the last event of the outbox, or of one user."""
    while page := store.events(after, _PAGE):
        after = page[-1].seq
    return after
