"""The part of the facade that the doors rest on: keys, events, the audit log, ending facts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import TYPE_CHECKING

from sharpwave import checks
from sharpwave.types.records import Kind, Source, Stage, Trust

if TYPE_CHECKING:
    from sharpwave.events.webhooks import Deliveries
    from sharpwave.facades.keys import Keys
    from sharpwave.facades.requests.answers import Answers
    from sharpwave.facades.requests.news import News
    from sharpwave.facades.requests.shared_secrets import SharedSecrets
    from sharpwave.facades.rooms.when_used import WhenUsed
    from sharpwave.types.known import Fact, MemoryPage
    from sharpwave.types.storing import AuditEntry, Event
    from sharpwave.types.webhooks import NewWebhook, Webhook
    from sharpwave.workspace import Workspace

MAX_EVENTS = 1000
"""The most events one call gives."""
MAX_LISTED = 1000
"""The most records of one page."""


def never() -> bool:
    """Goes on until it is done."""
    return False


class DoorsMemory:
    """Who may come in, what happened, and who is told of it."""

    _workspace: Workspace
    _deliveries: WhenUsed[Deliveries]

    @property
    def keys(self) -> Keys:
        """The keys of the doors, for every user of the file."""
        from sharpwave.facades import keys

        limit = self._workspace.settings.remember.max_name_chars
        return keys.Keys(self._workspace.shared.store.keys, self._workspace.clock, limit)

    @property
    def answers(self) -> Answers:
        """The requests of this user that a door answered, so that none is done twice."""
        from sharpwave.facades.requests import answers

        return answers.Answers(self._workspace, self._workspace.settings.server.answers_kept_s)

    @property
    def shared_secrets(self) -> SharedSecrets:
        """What the doors of several processes must know alike."""
        from sharpwave.facades.requests import shared_secrets

        return shared_secrets.SharedSecrets(self._workspace.shared)

    @property
    def news(self) -> News:
        """Who wants to know at once that something happened, whichever process did it."""
        from sharpwave.facades.requests import news

        return news.News(self._workspace)

    def events(self, after: int = 0, limit: int = 100, topics: Collection[str] = ()) -> list[Event]:
        """What happened to this user's memory after an event, oldest first; ids, never words.

        Ask again after the last `seq` to follow. Old events are dropped at some time; whoever
        comes back after long reads everything anew.
        """
        found: list[Event] = []
        most = checks.count(limit, "limit", MAX_EVENTS)
        while page := self._workspace.store.events(max(after, 0), MAX_EVENTS):
            found += [event for event in page if not topics or event.topic in topics]
            after = page[-1].seq
            if len(found) >= most or len(page) < MAX_EVENTS:
                break
        return found[:most]

    def memories(
        self,
        *,
        kinds: Collection[Kind | str] = (),
        stages: Collection[Stage | str] = (),
        sources: Collection[Source | str] = (),
        trusts: Collection[Trust | str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> MemoryPage:
        """All that is kept of this user, whatever became of it, a page at a time, newest first.

        `since` and `until` are about when it was recorded. `before` of a page is where the next one
        goes on; a page may be short, or empty, where little fits.
        """
        from sharpwave.knowledge import memory_pages

        sought = memory_pages.Sought(
            memory_pages.words(Kind, kinds, "kinds"),
            memory_pages.words(Stage, stages, "stages"),
            memory_pages.words(Source, sources, "sources"),
            memory_pages.words(Trust, trusts, "trusts"),
            None if since is None else checks.moment(since, "since"),
            None if until is None else checks.moment(until, "until"),
        )
        most = checks.count(limit, "limit", MAX_LISTED)
        place = checks.place(before, "before")
        return memory_pages.page(self._workspace, sought, place, most)

    def audit(
        self, after: int = 0, limit: int = 100, *, before: int | None = None
    ) -> list[AuditEntry]:
        """Who did what to the file, oldest first: digests of users and counts, never words.

        With `before`, the last entries before that number instead, the newest first.
        """
        most = checks.count(limit, "limit", MAX_EVENTS)
        if before is not None:
            return self._workspace.shared.store.audit_before(before, most)
        entries = (entry for entry in self._workspace.shared.store.audit() if entry.seq > after)
        return [entry for entry, _ in zip(entries, range(most), strict=False)]

    def add_webhook(self, url: str, topics: Collection[str] = ()) -> NewWebhook:
        """Tell an address what happens to this user's memory from now on: ids, never words.

        Each call is signed with the secret in the answer, which is shown this once. What cannot be
        delivered is tried again later. Addresses inside this network are refused.
        """
        from sharpwave.events import webhooks

        settings = self._workspace.settings.server.webhooks
        return webhooks.add(self._workspace, url, tuple(topics), settings)

    def webhooks(self) -> list[Webhook]:
        """The addresses that are told, and how that goes."""
        from sharpwave.events import webhooks

        return [kept.webhook for kept in webhooks.of_user(self._workspace)]

    def remove_webhook(self, id: str) -> None:
        """Tell an address nothing more."""
        from sharpwave.events import webhooks

        webhooks.remove(self._workspace, id)

    def deliver(self, stopped: Callable[[], bool] = never) -> int:
        """Tell webhooks of every user, and the bus if there is one, what is due.

        Returns how many events were delivered. A server does this by itself. `stopped` is asked
        between two events.
        """
        return self._deliveries().deliver(
            self._workspace.shared, self._workspace.settings.server.webhooks, stopped
        )

    def end_fact(self, id: str, at: datetime | None = None) -> Fact:
        """Say that a fact held only until a moment, or until now; it stays in the history."""
        from sharpwave.knowledge import endings, views

        moment = self._workspace.clock.now() if at is None else checks.moment(at, "at")
        sure = views.fading(self._workspace.shared)
        return endings.end(self._workspace, sure, id, moment)
