"""The webhooks of a user, as they are kept: one tally each, so that they go with the user."""

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
from sharpwave.events.publisher import OutboxPublisher
from sharpwave.formulas.backoff import backoff_s
from sharpwave.ports import Sender
from sharpwave.settings.webhooks import WebhookSettings
from sharpwave.temporal.ids import new_id
from sharpwave.types.storing import Change, Event, NewTally
from sharpwave.types.webhooks import NewWebhook, Webhook
from sharpwave.workspace import Resources, Workspace

TOPIC = "doors/webhook"
_MAX_URL_CHARS = 2000
_MAX_TOPIC_CHARS = 256
_HOOK = TypeAdapter(Webhook)


class StoredWebhook(NamedTuple):
    """A webhook with its secret, and the version it was read at."""

    webhook: Webhook
    secret: str
    version: int
    held_until: datetime | None = None
    """Until when a process has it to itself, to tell it something."""

    def is_held(self, now: datetime, lease_s: float) -> bool:
        """Whether somebody is at it; longer than ever is from before the clock went back."""
        left = timedelta() if self.held_until is None else self.held_until - now
        return timedelta() < left <= timedelta(seconds=2 * lease_s)  # clocks of machines differ


def add(
    workspace: Workspace, url: str, topics: Sequence[str], settings: WebhookSettings
) -> NewWebhook:
    """Tell an address what happens from now on."""
    now = workspace.clock.now()
    if len(of_user(workspace)) >= settings.most:
        raise InvalidInput(f"a user has at most {settings.most} webhooks; remove one first")
    wanted = tuple(checks.name(topic, "a topic", _MAX_TOPIC_CHARS) for topic in topics)
    hook = Webhook(new_id(now), _address(url), wanted, now, _last_event(workspace))
    secret = secrets.token_urlsafe(32)
    write(workspace, StoredWebhook(hook, secret, 0))
    return NewWebhook(secret, hook)


def of_user(workspace: Workspace) -> list[StoredWebhook]:
    """Every webhook of a user, the oldest first."""
    found = workspace.store.tallies(TOPIC)
    kept = [_stored(tally.value, tally.version) for tally in found.values()]
    return sorted(kept, key=lambda one: one.webhook.id)


def remove(workspace: Workspace, id_: str) -> None:
    """Tell the address nothing more."""
    while True:
        found = [kept for kept in of_user(workspace) if kept.webhook.id == id_]
        if not found:
            raise NotFound(f"no webhook {id_!r}")
        gone = NewTally(TOPIC, id_, None, found[0].version)
        change = Change("webhook", workspace.clock.now(), (), tallies=(gone,))
        with suppress(Overtaken):  # it was told something meanwhile
            workspace.store.commit(change)
            return


def write(workspace: Workspace, kept: StoredWebhook) -> StoredWebhook:
    """Keep how a webhook stands, and say so; Overtaken if somebody else was faster."""
    held = None if kept.held_until is None else kept.held_until.isoformat()
    ours = {"secret": kept.secret, "held_until": held}
    value = {**_HOOK.dump_python(kept.webhook, mode="json"), **ours}
    tally = NewTally(TOPIC, kept.webhook.id, value, kept.version)
    workspace.store.commit(Change("webhook", workspace.clock.now(), (), tallies=(tally,)))
    return kept._replace(version=kept.version + 1)


def _stored(value: Mapping[str, Any], version: int) -> StoredWebhook:
    fields = dict(value)
    secret, held = str(fields.pop("secret")), fields.pop("held_until", None)
    until = None if held is None else datetime.fromisoformat(held)
    return StoredWebhook(_HOOK.validate_python(fields), secret, version, until)


def _address(url: str) -> str:
    given = checks.name(url, "url", _MAX_URL_CHARS)
    try:
        parts = urlsplit(given)
        parts.port  # noqa: B018 - refuses a port that is none
    except ValueError as error:
        raise InvalidInput(f"{given!r} is not an address: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise InvalidInput("a webhook is an address such as https://example.com/hook")
    return given


def _last_event(workspace: Workspace) -> int:
    """Where the user's events end; what happened before is not told."""
    after = 0
    while page := workspace.store.events(after, 1000):
        after = page[-1].seq
    return after


_LOG = logging.getLogger(__name__)
_ERROR_CHARS = 300


class Delivery(NamedTuple):
    """What telling needs."""

    workspace: Workspace
    sender: Sender
    settings: WebhookSettings
    stopped: Callable[[], bool]


class Delivered(NamedTuple):
    """What became of it."""

    events: int = 0
    look_again: bool = False
    """True if there is more to tell, or somebody else is at it and may not finish."""


def deliver(kept: StoredWebhook, teller: Delivery) -> Delivered:
    """Tell a webhook what it has not heard, unless it is to wait or another process is at it."""
    hook, now = kept.webhook, teller.workspace.clock.now()
    if hook.given_up:
        return Delivered()
    if hook.not_before is not None and hook.not_before > now:
        return Delivered(look_again=True)
    events = teller.workspace.store.events(hook.after, teller.settings.batch)
    if not events:
        return Delivered()
    if kept.is_held(now, teller.settings.lease_s):
        return Delivered(look_again=True)
    wanted = [event for event in events if not hook.topics or event.topic in hook.topics]
    try:
        if not wanted:
            write(teller.workspace, _heard(kept, events[-1].seq))
            return Delivered(look_again=len(events) == teller.settings.batch)
        return _one_by_one(kept, wanted, events[-1].seq, teller)
    except Overtaken:
        _LOG.info("another process is at webhook %s, or it was removed", hook.id)
        return Delivered(look_again=True)


def _one_by_one(kept: StoredWebhook, wanted: list[Event], last: int, teller: Delivery) -> Delivered:
    """Each event, and after each answer how far it came; Overtaken if somebody took over."""
    workspace, lease = teller.workspace, timedelta(seconds=teller.settings.lease_s)
    kept = write(workspace, kept._replace(held_until=workspace.clock.now() + lease))
    for told, event in enumerate(wanted):
        if teller.stopped():
            write(workspace, kept._replace(held_until=None))
            return Delivered(told, look_again=True)
        now, body = workspace.clock.now(), _body(event)
        headers = signature(kept.secret, body, now, event.seq)
        try:
            teller.sender.post(kept.webhook.url, body, headers)
        except SharpwaveError as error:
            failed = _failed(kept.webhook, error, now, teller.settings)
            write(workspace, kept._replace(webhook=failed, held_until=None))
            return Delivered(told, look_again=not failed.given_up)
        if event is wanted[-1]:
            write(workspace, _heard(kept, last))
        else:
            until = workspace.clock.now() + lease
            kept = write(workspace, _heard(kept, event.seq, until))
    return Delivered(len(wanted), look_again=True)


def signature(secret: str, body: bytes, at: datetime, seq: int) -> dict[str, str]:
    """Headers by which the receiver knows that it was us, and when.

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
    told = {"seq": event.seq, "at": event.at.isoformat(), "topic": event.topic}
    return json.dumps({**told, "payload": dict(event.payload)}).encode()


def _heard(kept: StoredWebhook, after: int, held_until: datetime | None = None) -> StoredWebhook:
    hook = replace(kept.webhook, after=after, failures=0, not_before=None, error=None)
    return kept._replace(webhook=hook, held_until=held_until)


def _failed(
    hook: Webhook, error: SharpwaveError, now: datetime, settings: WebhookSettings
) -> Webhook:
    failures = hook.failures + 1
    wait = backoff_s(failures, settings.backoff_s, random.random())
    return replace(
        hook,
        failures=failures,
        not_before=now + timedelta(seconds=wait),
        error=str(error)[:_ERROR_CHARS],
        given_up=failures >= settings.attempts,
    )


_PAGE = 1000


class Deliveries:
    """What one process has still to tell; it looks only at users to whom something happened."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._late: set[str] = set()
        """Users with a webhook that is to be looked at again."""
        self._published = OutboxPublisher()

    def deliver(
        self, resources: Resources, settings: WebhookSettings, stopped: Callable[[], bool]
    ) -> int:
        """Tell everybody what is due; returns how many events were delivered."""
        with self._lock:
            published = self._published.go_on(resources, stopped)
            if resources.sender is None:
                return published
            self._late |= self._busy(resources)
            tellers = (
                Delivery(resources.for_user(user), resources.sender, settings, stopped)
                for user in sorted(self._late)
            )
            return published + sum(map(self._for_user, tellers))

    def _busy(self, resources: Resources) -> set[str]:
        if self._seen is None:
            self._seen = 0
            users = set(resources.store.users())
        else:
            users = set()
        while page := resources.store.events(self._seen, _PAGE):
            users |= {event.user_id for event in page if event.user_id}
            self._seen = page[-1].seq
        return users

    def _for_user(self, teller: Delivery) -> int:
        told = [deliver(kept, teller) for kept in of_user(teller.workspace)]
        if not any(one.look_again for one in told):
            self._late.discard(teller.workspace.user_id)
        return sum(one.events for one in told)
