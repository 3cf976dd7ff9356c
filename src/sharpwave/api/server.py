"""Stored responses of the server, so that a repeated request is not executed twice.

The start and the end of a request are durable, as digests only. The response, encrypted by the
server, is stored with them and deleted when anything of the user is forgotten, since it may quote
that.
"""

import secrets
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sharpwave import tallies
from sharpwave.errors import ErasedMeanwhile, Overtaken
from sharpwave.temporal.clock import from_microseconds, to_microseconds
from sharpwave.types.storing import ANSWERS_TOPIC, Change, NewTally
from sharpwave.workspace import Resources, Workspace

_SHARED = "*doors*"
"""The user id under which secrets of the server are stored."""
_SECRETS = "doors/secret"
_SECRET_BYTES = 32
_SWEEP = "00"
"""If a name continues with these digits (1 in 256), expired requests of its share are dropped."""


@dataclass(frozen=True, slots=True)
class EarlierRequest:
    """An earlier request with the same name."""

    body: str
    """The digest of its body."""
    at: datetime
    done: bool
    age_s: float = 0.0
    answer: str | None = None
    """None if it was not stored, or something was forgotten since."""


class RequestLog:
    """The requests of one user, each under the digest of its route and key."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._kept_for = timedelta(seconds=tallies.REQUESTS_KEPT_S)

    def begin(self, name: str, body: str) -> EarlierRequest | None:
        """Record the start of a request; returns an earlier one of this name, if any."""
        workspace = self._workspace
        while True:
            now, store = workspace.clock.now(), workspace.store
            found = store.tallies(tallies.request_topic(name), [name]).get(name)
            if found is not None:
                assert isinstance(found.value, dict)
                known = EarlierRequest(
                    str(found.value["body"]),
                    from_microseconds(tallies.requested_at_us(found.value)),
                    bool(found.value["done"]),
                )
                if now - known.at < self._kept_for:
                    return self._with_answer(name, known, now)
            elif store.was_erased(name, now - self._kept_for):
                return EarlierRequest(body, now, done=True)  # everything of the user was forgotten
            started = {"body": body, "at": to_microseconds(now), "done": False}
            seen_version = found.version if found else 0
            with suppress(Overtaken):  # a concurrent request of this name was faster: read it
                noted = NewTally(tallies.request_topic(name), name, started, seen_version)
                _write(workspace, noted, *self._expired_deletions(name, now))
                return None
            workspace = workspace.fresh()

    def restart(self, name: str, body: str) -> None:
        """Record that an interrupted request is executed again."""
        self._settle(name, {"body": body, "done": False}, None)

    def finish(self, name: str, body: str, answer: str | None, quotes: bool = True) -> None:
        """Record the end of a request, with its answer if it is to be stored.

        An answer that `quotes` memories is not stored if something was forgotten meanwhile.
        """
        self._settle(name, {"body": body, "done": True}, answer, quotes)

    def drop(self, name: str) -> None:
        """Record that nothing was changed: the name may be used again."""
        self._settle(name, None, None)

    def _settle(
        self, name: str, fields: dict[str, object] | None, answer: str | None, quotes: bool = True
    ) -> None:
        workspace = self._workspace
        while True:
            store, now = workspace.store, workspace.clock.now()
            at, share = {"at": to_microseconds(now)}, tallies.request_topic(name)
            new = {share: fields and {**fields, **at}, ANSWERS_TOPIC: answer and {"answer": answer}}
            known = {topic: store.tallies(topic, [name]).get(name) for topic in new}
            if known[share] is None:
                return  # everything of the user was forgotten: not even the name is left
            changed = [
                NewTally(topic, name, value or None, found.version if found else 0)
                for (topic, value), found in zip(new.items(), known.values(), strict=True)
                if value or found
            ]
            try:
                return _write(workspace, *changed)
            except ErasedMeanwhile:
                workspace, answer = workspace.fresh(), None if quotes else answer
            except Overtaken:  # swept
                workspace = workspace.fresh()

    def _expired_deletions(self, name: str, now: datetime) -> list[NewTally]:
        """Deletions of expired requests, once in 256 calls; sleep drops the rest."""
        if not name.startswith(_SWEEP, tallies.SHARE_DIGITS):
            return []
        cutoff_us = to_microseconds(now - self._kept_for)
        found = tallies.expired_requests(
            self._workspace.store, tallies.request_topic(name), cutoff_us
        )
        return [
            deletion
            for request_name, deletions in found.items()
            if request_name != name
            for deletion in deletions
        ]

    def _with_answer(self, name: str, known: EarlierRequest, now: datetime) -> EarlierRequest:
        found = self._workspace.store.tallies(ANSWERS_TOPIC, [name]).get(name)
        answer = str(found.value["answer"]) if found else None
        return replace(known, age_s=(now - known.at).total_seconds(), answer=answer)


def _write(workspace: Workspace, *tallies: NewTally) -> None:
    workspace.store.commit(Change("answer", workspace.clock.now(), (), tallies=tallies))


def shared_secret(resources: Resources, name: str) -> bytes:
    """The secret of that name, created by the first process that needs it."""
    store = resources.store.for_user(_SHARED)
    while True:
        tally = store.tallies(_SECRETS, [name]).get(name)
        if tally is not None:
            return bytes.fromhex(str(tally.value["secret"]))
        new_secret = NewTally(_SECRETS, name, {"secret": secrets.token_hex(_SECRET_BYTES)}, 0)
        with suppress(Overtaken):  # another process made it just now
            store.commit(Change("secret", resources.clock.now(), (), tallies=(new_secret,)))
