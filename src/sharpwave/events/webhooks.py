"""Webhooks: how they are stored, and how events are delivered to them.

Events are delivered in order, signed, at least once, with retries. Any number of processes may
deliver; a lease gives each webhook to one of them at a time, and the version of its row is the
fencing number. Progress is written after every answer, so a process that takes over from a killed
one repeats at most one event; receivers recognise an event by its `seq`.
"""

import hashlib
import hmac
import json
import logging
import random
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from sharpwave import checks
from sharpwave.errors import InvalidInput, NotFound, Overtaken, SharpwaveError
from sharpwave.events.publisher import OutboxPublisher, last_event
from sharpwave.formulas.cost import backoff_s
from sharpwave.ports import Sender
from sharpwave.temporal.clock import new_id
from sharpwave.types.storing import Change, Event, NewTally
from sharpwave.types.webhooks import NewWebhook, Webhook
from sharpwave.workspace import Resources, Workspace

TOPIC = "doors/webhook"
MAX_WEBHOOKS = 20
"""Maximum number of webhooks per user."""
ATTEMPTS = 10
"""Attempts to deliver one event before the webhook is disabled."""
BACKOFF_S = 5.0
"""Wait before the second attempt; doubled each time."""
LEASE_S = 60.0
"""Another process takes over a webhook after this time; at least twice the sender's timeout."""
_BATCH = 100
"""Events delivered to one webhook at a time."""
_MAX_URL_CHARS = 2000
_MAX_TOPIC_CHARS = 256
_ERROR_CHARS = 300
_PAGE = 1000
_HOOK = TypeAdapter(Webhook)
_LOG = logging.getLogger(__name__)


class StoredWebhook(NamedTuple):
    """A webhook with its secret, its lease, and the version it was read at."""

    webhook: Webhook
    secret: str
    version: int
    leased_until: datetime | None = None

    def is_leased(self, now: datetime) -> bool:
        """Whether a process holds the lease; one that is too long is from before a clock change."""
        left = timedelta() if self.leased_until is None else self.leased_until - now
        return timedelta() < left <= timedelta(seconds=2 * LEASE_S)  # clocks of machines differ


def add(workspace: Workspace, url: str, topics: Sequence[str]) -> NewWebhook:
    """Deliver events to an address from now on."""
    now = workspace.clock.now()
    if len(stored_webhooks(workspace)) >= MAX_WEBHOOKS:
        raise InvalidInput(f"a user has at most {MAX_WEBHOOKS} webhooks; remove one first")
    topic_names = tuple(checks.name(topic, "a topic", _MAX_TOPIC_CHARS) for topic in topics)
    last_seq = last_event(workspace.store, 0)  # earlier ones are not delivered
    hook = Webhook(new_id(now), _address(url), topic_names, now, last_seq)
    secret = secrets.token_urlsafe(32)
    _write(workspace, StoredWebhook(hook, secret, 0))
    return NewWebhook(secret, hook)


def list_(workspace: Workspace) -> list[Webhook]:
    """The user's webhooks, the oldest first."""
    return [stored.webhook for stored in stored_webhooks(workspace)]


def remove(workspace: Workspace, id_: str) -> None:
    """Delete a webhook; NotFound if there is none."""
    while True:
        stored = [
            candidate for candidate in stored_webhooks(workspace) if candidate.webhook.id == id_
        ]
        if not stored:
            raise NotFound(f"no webhook {id_!r}")
        deletion = NewTally(TOPIC, id_, None, stored[0].version)
        change = Change("webhook", workspace.clock.now(), (), tallies=(deletion,))
        with suppress(Overtaken):  # an event was delivered concurrently
            workspace.store.commit(change)
            return
        workspace = workspace.fresh()


def stored_webhooks(workspace: Workspace) -> list[StoredWebhook]:
    """The user's webhooks as stored, the oldest first: one tally each, deleted with the user."""
    tallies = workspace.store.tallies(TOPIC)
    stored = [_stored(tally.value, tally.version) for tally in tallies.values()]
    return sorted(stored, key=lambda hook: hook.webhook.id)


def _stored(value: Mapping[str, Any], version: int) -> StoredWebhook:
    fields = dict(value)
    secret, leased = str(fields.pop("secret")), fields.pop("held_until", None)
    until = None if leased is None else datetime.fromisoformat(leased)
    return StoredWebhook(_HOOK.validate_python(fields), secret, version, until)


def _write(workspace: Workspace, stored: StoredWebhook) -> StoredWebhook:
    """Store a webhook; Overtaken after a concurrent write to it."""
    leased = None if stored.leased_until is None else stored.leased_until.isoformat()
    fields = {"secret": stored.secret, "held_until": leased}
    value = {**_HOOK.dump_python(stored.webhook, mode="json"), **fields}
    tally = NewTally(TOPIC, stored.webhook.id, value, stored.version)
    change = Change("webhook", workspace.clock.now(), (), tallies=(tally,))
    workspace.fresh().store.commit(change)  # even if something was forgotten while events were sent
    return stored._replace(version=stored.version + 1)


def _address(url: str) -> str:
    address = checks.name(url, "url", _MAX_URL_CHARS)
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - refuses a port that is none
    except ValueError as error:
        raise InvalidInput(f"{address!r} is not an address: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise InvalidInput("a webhook is an address such as https://example.com/hook")
    return address


class Deliveries:
    """Pending deliveries of one process; only users with new events are checked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._pending: set[str] = set()
        """Users with a webhook that has more to deliver."""
        self._outbox = OutboxPublisher()

    def deliver(self, resources: Resources, stopped: Callable[[], bool]) -> int:
        """Publish and deliver all that is due; returns the number of events."""
        with self._lock:
            count = self._outbox.publish_new(resources, stopped)
            if resources.sender is None:
                return count
            self._pending |= self._with_new_events(resources)
            for user in sorted(self._pending):
                workspace = resources.for_user(user)
                results = [
                    _deliver(workspace, stored, resources.sender, stopped)
                    for stored in stored_webhooks(workspace)
                ]
                if not any(result.pending for result in results):
                    self._pending.discard(user)
                count += sum(result.events for result in results)
            return count

    def _with_new_events(self, resources: Resources) -> set[str]:
        users: set[str] = set()
        if self._seen is None:
            self._seen, users = 0, set(resources.store.users())
        while page := resources.store.events(self._seen, _PAGE):
            users |= {event.user_id for event in page if event.user_id}
            self._seen = page[-1].seq
        return users


class _Delivered(NamedTuple):
    events: int = 0
    pending: bool = False
    """True if there is more to deliver, or another process holds the lease and may not finish."""


def _deliver(
    workspace: Workspace, stored: StoredWebhook, sender: Sender, stopped: Callable[[], bool]
) -> _Delivered:
    """Deliver the next events to a webhook, unless it has to wait or another process holds it."""
    hook, now = stored.webhook, workspace.clock.now()
    if hook.given_up:
        return _Delivered()
    if hook.not_before is not None and hook.not_before > now:
        return _Delivered(pending=True)
    events = workspace.store.events(hook.after, _BATCH)
    if not events:
        return _Delivered()
    if stored.is_leased(now):
        return _Delivered(pending=True)
    matching = [event for event in events if not hook.topics or event.topic in hook.topics]
    try:
        if not matching:
            _write(workspace, _advanced(stored, events[-1].seq))
            return _Delivered(pending=len(events) == _BATCH)
        return _deliver_each(workspace, stored, matching, events[-1].seq, sender, stopped)
    except Overtaken:
        _LOG.info("another process holds webhook %s, or it was removed", hook.id)
        return _Delivered(pending=True)


def _deliver_each(
    workspace: Workspace,
    stored: StoredWebhook,
    events: list[Event],
    last: int,
    sender: Sender,
    stopped: Callable[[], bool],
) -> _Delivered:
    """Deliver events one by one, writing progress; Overtaken if another process took over."""
    lease = timedelta(seconds=LEASE_S)
    stored = _write(workspace, stored._replace(leased_until=workspace.clock.now() + lease))
    for count, event in enumerate(events):
        if stopped():
            _write(workspace, stored._replace(leased_until=None))
            return _Delivered(count, pending=True)
        now, body = workspace.clock.now(), _body(event)
        try:
            sender.post(stored.webhook.url, body, signature(stored.secret, body, now, event.seq))
        except SharpwaveError as error:
            failed = _failed(stored.webhook, error, now)
            _write(workspace, stored._replace(webhook=failed, leased_until=None))
            return _Delivered(count, pending=not failed.given_up)
        if event is events[-1]:
            _write(workspace, _advanced(stored, last))
        else:
            until = workspace.clock.now() + lease
            stored = _write(workspace, _advanced(stored, event.seq, until))
    return _Delivered(len(events), pending=True)


def signature(secret: str, body: bytes, at: datetime, seq: int) -> dict[str, str]:
    """Headers that prove to the receiver who sent the body, and when.

    v1 = HMAC-SHA256(secret, "t.body")        t: seconds since 1970
    """
    moment = int(at.timestamp())
    signed = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256)
    return {
        "Content-Type": "application/json",
        "Sharpwave-Signature": f"t={moment},v1={signed.hexdigest()}",
        "Sharpwave-Event": str(seq),
    }


def _body(event: Event) -> bytes:
    fields = {"seq": event.seq, "at": event.at.isoformat(), "topic": event.topic}
    return json.dumps({**fields, "payload": dict(event.payload)}).encode()


def _advanced(
    stored: StoredWebhook, after: int, leased_until: datetime | None = None
) -> StoredWebhook:
    hook = replace(stored.webhook, after=after, failures=0, not_before=None, error=None)
    return stored._replace(webhook=hook, leased_until=leased_until)


def _failed(hook: Webhook, error: SharpwaveError, now: datetime) -> Webhook:
    failures = hook.failures + 1
    wait = backoff_s(failures, BACKOFF_S, random.random())
    return replace(
        hook,
        failures=failures,
        not_before=now + timedelta(seconds=wait),
        error=str(error)[:_ERROR_CHARS],
        given_up=failures >= ATTEMPTS,
    )
