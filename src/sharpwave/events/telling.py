"""Tells one webhook what is new: in order, signed, by one process at a time.

Who tells holds the webhook for a while and says so in its row, as a night does: the version is the
fencing number. How far it came is written after every answer, so that whoever takes over from a
process that was killed tells at most the event again that was on its way.
"""

import hashlib
import hmac
import json
import logging
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from sharpwave.errors import Overtaken, SharpwaveError
from sharpwave.events import hooks
from sharpwave.events.hooks import Kept
from sharpwave.formulas.cost import backoff_s
from sharpwave.ports import Sender
from sharpwave.types.storing import Event
from sharpwave.types.webhooks import Webhook
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)
_ERROR_CHARS = 300
ATTEMPTS = 10
"""Tries of one event before a webhook is given up."""
BACKOFF_S = 5.0
"""Wait before the second try; it doubles each time."""
LEASE_S = 60.0
"""Another process takes over a webhook after this time; at least twice the sender's timeout."""
_BATCH = 100
"""Events sent to one webhook at a time."""


class Teller(NamedTuple):
    """What telling needs."""

    workspace: Workspace
    sender: Sender
    stopped: Callable[[], bool]


class Told(NamedTuple):
    """What became of it."""

    events: int = 0
    look_again: bool = False
    """True if there is more to tell, or somebody else is at it and may not finish."""


def tell(kept: Kept, teller: Teller) -> Told:
    """Tell a webhook what it has not heard, unless it is to wait or another process is at it."""
    hook, now = kept.webhook, teller.workspace.clock.now()
    if hook.given_up:
        return Told()
    if hook.not_before is not None and hook.not_before > now:
        return Told(look_again=True)
    events = teller.workspace.store.events(hook.after, _BATCH)
    if not events:
        return Told()
    if kept.is_held(now, LEASE_S):
        return Told(look_again=True)
    wanted = [event for event in events if not hook.topics or event.topic in hook.topics]
    try:
        if not wanted:
            hooks.write(teller.workspace, _heard(kept, events[-1].seq))
            return Told(look_again=len(events) == _BATCH)
        return _one_by_one(kept, wanted, events[-1].seq, teller)
    except Overtaken:
        _LOG.info("another process is at webhook %s, or it was removed", hook.id)
        return Told(look_again=True)


def _one_by_one(kept: Kept, wanted: list[Event], last: int, teller: Teller) -> Told:
    """Each event, and after each answer how far it came; Overtaken if somebody took over."""
    workspace, lease = teller.workspace, timedelta(seconds=LEASE_S)
    kept = hooks.write(workspace, kept._replace(held_until=workspace.clock.now() + lease))
    for told, event in enumerate(wanted):
        if teller.stopped():
            hooks.write(workspace, kept._replace(held_until=None))
            return Told(told, look_again=True)
        now, body = workspace.clock.now(), _body(event)
        headers = signature(kept.secret, body, now, event.seq)
        try:
            teller.sender.post(kept.webhook.url, body, headers)
        except SharpwaveError as error:
            failed = _failed(kept.webhook, error, now)
            hooks.write(workspace, kept._replace(webhook=failed, held_until=None))
            return Told(told, look_again=not failed.given_up)
        if event is wanted[-1]:
            hooks.write(workspace, _heard(kept, last))
        else:
            until = workspace.clock.now() + lease
            kept = hooks.write(workspace, _heard(kept, event.seq, until))
    return Told(len(wanted), look_again=True)


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


def _heard(kept: Kept, after: int, held_until: datetime | None = None) -> Kept:
    hook = replace(kept.webhook, after=after, failures=0, not_before=None, error=None)
    return kept._replace(webhook=hook, held_until=held_until)


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
