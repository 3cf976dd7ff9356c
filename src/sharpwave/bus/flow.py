"""Tells webhooks what happened: in order, signed, at least once, again later if it fails.

Whoever listens on the bus is told first, and once.

A webhook remembers the last event it was told. Two processes that deliver the same may both tell an
event; whoever writes second notices, and the receiver knows an event by its `seq`.
"""

import hashlib
import hmac
import json
import logging
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from sharpwave.bus import hooks
from sharpwave.bus.hooks import Kept
from sharpwave.bus.publishing import Publishing
from sharpwave.errors import Overtaken, SharpwaveError
from sharpwave.formulas.backoff import backoff_s
from sharpwave.ports import Ports, Sender
from sharpwave.tunables.doors.webhooks import WebhookSettings
from sharpwave.types.doors.webhooks import Webhook
from sharpwave.types.storing import Event

_LOG = logging.getLogger(__name__)
_ERROR_CHARS = 300
_PAGE = 1000


class Deliveries:
    """What one process has still to tell; it looks only at users to whom something happened."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._late: set[str] = set()
        """Users with a webhook that is to be tried again."""
        self._published = Publishing()

    def deliver(self, ports: Ports, settings: WebhookSettings, stopped: Callable[[], bool]) -> int:
        """Tell everybody what is due; returns how many events were delivered."""
        with self._lock:
            published = self._published.go_on(ports, stopped)
            if ports.sender is None:
                return published
            users, self._late = self._late | self._busy(ports), set()
            teller = _Teller(ports, ports.sender, settings, stopped)
            return published + sum(self._for_user(user, teller) for user in sorted(users))

    def _busy(self, ports: Ports) -> set[str]:
        if self._seen is None:
            self._seen = 0
            users = set(ports.store.users())
        else:
            users = set()
        while page := ports.store.events(self._seen, _PAGE):
            users |= {event.user_id for event in page if event.user_id}
            self._seen = page[-1].seq
        return users

    def _for_user(self, user: str, teller: "_Teller") -> int:
        done = 0
        for kept in hooks.of_user(user, teller.ports):
            now = teller.ports.clock.now()
            if kept.webhook.given_up:
                continue
            if kept.webhook.not_before is not None and kept.webhook.not_before > now:
                self._late.add(user)
                continue
            told, hook = _tell(kept, user, teller)
            done += told
            if hook != kept.webhook:
                _keep(user, teller.ports, kept._replace(webhook=hook), now)
            if told == teller.settings.batch or (hook.failures and not hook.given_up):
                self._late.add(user)
        return done


class _Teller(NamedTuple):
    """What telling needs."""

    ports: Ports
    sender: Sender
    settings: WebhookSettings
    stopped: Callable[[], bool]


def _tell(kept: Kept, user: str, teller: _Teller) -> tuple[int, Webhook]:
    hook, told = kept.webhook, 0
    for event in teller.ports.store.events(hook.after, teller.settings.batch, user):
        if teller.stopped():
            break
        if not hook.topics or event.topic in hook.topics:
            now = teller.ports.clock.now()
            body = _body(event)
            try:
                teller.sender.post(hook.url, body, signature(kept.secret, body, now, event.seq))
            except SharpwaveError as error:
                return told, _failed(hook, error, now, teller.settings)
            told += 1
        hook = replace(hook, after=event.seq, failures=0, not_before=None, error=None)
    return told, hook


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


def _keep(user: str, ports: Ports, kept: Kept, now: datetime) -> None:
    try:
        hooks.write(user, ports, kept, now)
    except Overtaken:
        _LOG.info("another process told webhook %s the same", kept.webhook.id)
