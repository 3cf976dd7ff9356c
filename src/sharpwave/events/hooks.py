"""The webhooks of a user, as they are kept: one tally each, so that they go with the user."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from sharpwave import checks
from sharpwave.errors import InvalidInput, NotFound, Overtaken
from sharpwave.temporal.clock import new_id
from sharpwave.types.storing import Change, NewTally
from sharpwave.types.webhooks import NewWebhook, Webhook
from sharpwave.workspace import Workspace

TOPIC = "doors/webhook"
_MAX_URL_CHARS = 2000
MAX_WEBHOOKS = 20
"""Most webhooks of one user."""
_MAX_TOPIC_CHARS = 256
_HOOK = TypeAdapter(Webhook)


class Kept(NamedTuple):
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


def add(workspace: Workspace, url: str, topics: Sequence[str]) -> NewWebhook:
    """Tell an address what happens from now on."""
    now = workspace.clock.now()
    if len(of_user(workspace)) >= MAX_WEBHOOKS:
        raise InvalidInput(f"a user has at most {MAX_WEBHOOKS} webhooks; remove one first")
    wanted = tuple(checks.name(topic, "a topic", _MAX_TOPIC_CHARS) for topic in topics)
    hook = Webhook(new_id(now), _address(url), wanted, now, _last_event(workspace))
    secret = secrets.token_urlsafe(32)
    write(workspace, Kept(hook, secret, 0))
    return NewWebhook(secret, hook)


def of_user(workspace: Workspace) -> list[Kept]:
    """Every webhook of a user, the oldest first."""
    found = workspace.store.tallies(TOPIC)
    kept = [_kept(tally.value, tally.version) for tally in found.values()]
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


def write(workspace: Workspace, kept: Kept) -> Kept:
    """Keep how a webhook stands, and say so; Overtaken if somebody else was faster."""
    held = None if kept.held_until is None else kept.held_until.isoformat()
    ours = {"secret": kept.secret, "held_until": held}
    value = {**_HOOK.dump_python(kept.webhook, mode="json"), **ours}
    tally = NewTally(TOPIC, kept.webhook.id, value, kept.version)
    workspace.store.commit(Change("webhook", workspace.clock.now(), (), tallies=(tally,)))
    return kept._replace(version=kept.version + 1)


def _kept(value: Mapping[str, Any], version: int) -> Kept:
    fields = dict(value)
    secret, held = str(fields.pop("secret")), fields.pop("held_until", None)
    until = None if held is None else datetime.fromisoformat(held)
    return Kept(_HOOK.validate_python(fields), secret, version, until)


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
