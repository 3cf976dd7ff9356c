"""Publishes what happens while it happens, for whoever listens; what came before is not told.

One process publishes for all that share the file. The others follow the outbox without a word, so
that one of them goes on almost where it stopped: a listener knows an event by its `seq`.
"""

import json
from collections.abc import Callable, Iterator

from sharpwave.ports import Store
from sharpwave.temporal.moments import to_microseconds
from sharpwave.types.publishing import FEEDBACK, SKILL_APPLIED, SKILL_REQUEST, SKILL_RESPONSE, Told
from sharpwave.types.records import Kind, Record
from sharpwave.types.storing import TOPICS, Event
from sharpwave.workspace import Resources

_PAGE = 1000
_SELECTED, _RATED = TOPICS["select_skill"], TOPICS["feedback"]


class OutboxPublisher:
    """How far one process has followed the outbox."""

    def __init__(self) -> None:
        self._after: int | None = None

    def go_on(self, resources: Resources, stopped: Callable[[], bool]) -> int:
        """Publish what is new; returns how many events that were."""
        publisher = resources.publisher
        if publisher is None:
            return 0
        if self._after is None:
            self._after = _end(resources.store, 0)
        if not publisher.open(self._after):
            self._after = _end(resources.store, self._after)
            return 0
        count = 0
        while page := resources.store.events(self._after, _PAGE):
            for event in page:
                if stopped():
                    return count
                for told in messages(event, resources.store):
                    publisher.publish(told)
                self._after = event.seq
                count += 1
        return count


def messages(event: Event, store: Store) -> Iterator[Told]:
    """An event as it is, then what it says about skills in messages of their own [BUS-02]."""
    user, ids = event.user_id or "", event.payload.get("ids", ())
    moment = {"seq": event.seq, "timestamp": to_microseconds(event.at), "user_id": user}
    rest = {name: value for name, value in event.payload.items() if name != "ids"}
    yield Told(
        event.topic,
        user,
        {**moment, "topic": event.topic, "ids": ids, "payload": json.dumps(rest)},
    )
    if event.topic not in (_SELECTED, _RATED) or not isinstance(ids, list):
        return
    for record in store.for_user(user).find(ids):  # what was forgotten meanwhile is not told
        if record.kind is Kind.TRAJECTORY:
            yield from _selected(record, user, moment)
        elif record.kind is Kind.FEEDBACK:
            yield _rated(record, user, moment)


def _selected(record: Record, user: str, moment: dict[str, object]) -> Iterator[Told]:
    said = record.metadata
    asked = {"request_id": said["message_id"], **moment}
    skill = {
        "skill_id": said["skill"],
        "skill_name": said["skill"],
        "confidence_score": said.get("confidence", 0.0),
    }
    where = {"conversation_id": record.session_id, "context_tags": [said["context"]]}
    yield Told(SKILL_REQUEST, user, {**asked, **where})
    weighed = {
        "preference_alignment": said.get("alignment", 0.0),
        "is_exploration": said["is_exploration"],
        "selection_time_ms": said.get("selection_ms", 0.0),
    }
    yield Told(SKILL_RESPONSE, user, {**asked, **skill, **weighed})
    yield Told(SKILL_APPLIED, user, {**moment, **skill, "message_id": said["message_id"]})


def _rated(record: Record, user: str, moment: dict[str, object]) -> Told:
    said = record.metadata
    fields = {"message_id": said.get("message_id"), "skill_id": said.get("skill")}
    given = {**fields, "reward": said.get("reward"), "reason": said.get("reason")}
    return Told(FEEDBACK, user, {**moment, **given})


def _end(store: Store, after: int) -> int:
    """Where the outbox ends."""
    while page := store.events(after, _PAGE):
        after = page[-1].seq
    return after
