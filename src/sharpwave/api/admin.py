"""Records, consent, import, jobs, events and maintenance."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

from sharpwave import checks, worker
from sharpwave.api import server, verbs
from sharpwave.api.keys import Keys
from sharpwave.api.server import RequestLog
from sharpwave.api.state import NO_USER, Namespace
from sharpwave.errors import NoConsent
from sharpwave.importers import export_format
from sharpwave.knowledge import facts, provenance
from sharpwave.ports import CommitSubscription
from sharpwave.tallies import Sheet
from sharpwave.types.answers import Imported, ImportedChats, Receipt, Stats
from sharpwave.types.known import MemoryPage
from sharpwave.types.message import Message
from sharpwave.types.quality import FactCalibration, Performance
from sharpwave.types.query import RecallQuery
from sharpwave.types.records import UNSEARCHED, Kind, Record, Source, Stage, Trust
from sharpwave.types.sleep import Report, SleepStatus, Undone
from sharpwave.types.statements import Span
from sharpwave.types.storing import EXPERIENCE, AuditEntry, Event, Session, Verification
from sharpwave.types.webhooks import NewWebhook, Webhook
from sharpwave.types.working import Job, Purpose, Spending
from sharpwave.workspace import Workspace

Progress = Callable[[int], None] | None
MAX_RECENT = 1_000
"""Maximum number of turns or sessions per call."""
MAX_JOBS = 100_000
"""Maximum number of jobs per call."""
MAX_EVENTS = 1_000
"""Maximum number of events or audit entries per call."""
MAX_REPORTS = 10_000
"""Maximum number of sleep reports per call."""
MAX_DAYS = 366
"""Maximum `days` of `spending_by_day`."""


_READY = "Is all ready?"


def never() -> bool:
    """The default of `deliver`: continue until everything is sent."""
    return False


class AdminApi(Namespace):
    """Stored records, consent, import, jobs, events and maintenance."""

    def recent(
        self,
        limit: int = 20,
        *,
        session: str | None = None,
        within: str | None = None,
        before: int | None = None,
    ) -> list[Record]:
        """The last turns, oldest first, of all sessions or some, before a record number.

        `session` is the name of a session, `within` the start of the names of several.
        """
        workspace = self._workspace
        count = checks.count(limit, "limit", MAX_RECENT)
        session_id = checks.optional_name(
            session, "session", sys.maxsize
        )  # too long: there is none
        pattern = checks.optional_name(within, "within", sys.maxsize)
        before_number = checks.place(before, "before")
        may_remember = workspace.consents.may_remember
        return (
            provenance.turns(workspace.store, count, session_id, pattern, before_number)
            if may_remember
            else []
        )

    def sessions(self, limit: int = 100) -> list[Session]:
        """The last sessions: times, number of turns, and summary if there is one."""
        workspace = self._workspace
        count = checks.count(limit, "limit", MAX_RECENT)
        may_remember = workspace.consents.may_remember
        return provenance.sessions(workspace, count) if may_remember else []

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
        """All records of this user in any state, a page at a time, newest first.

        `since` and `until` refer to the time of recording. Pass `before` of a page to get the next
        one; a page may be short or empty if few records match.
        """
        filters = provenance.Sought(
            checks.choices(Kind, kinds, "kinds"),
            checks.choices(Stage, stages, "stages"),
            checks.choices(Source, sources, "sources"),
            checks.choices(Trust, trusts, "trusts"),
            None if since is None else checks.moment(since, "since"),
            None if until is None else checks.moment(until, "until"),
        )
        count = checks.count(limit, "limit", MAX_RECENT)
        return provenance.page(self._workspace, filters, checks.place(before, "before"), count)

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """The texts of records by id, such as the ids in a report."""
        return {record.id: record.text for record in self._workspace.store.find(ids)}

    def stats(self, *, all_users: bool = False) -> Stats:
        """Counts of what is stored, for this user or for all."""
        workspace = self._workspace
        counts = self._state.resources.store.counts() if all_users else workspace.store.counts()
        space = workspace.embedder.space
        unsearched = sum(counts.by_kind.get(kind.value, 0) for kind in UNSEARCHED)
        return Stats(
            users=counts.users,
            memories=counts.memories,
            by_kind=counts.by_kind,
            vectors=sum(counts.spaces.values()),
            awaiting_reembed=counts.memories - unsearched - counts.spaces.get(space, 0),
            file_bytes=counts.file_bytes,
            embedder=str(space),
            reflection_failures=self._state.process.reflection_failures,
            embedder_reuse=workspace.shared.cache_hit_rate()
            if all_users and workspace.shared.cache_hit_rate
            else None,
        )

    def consents(self) -> dict[Purpose, bool]:
        """The user's consents by purpose; the configured default if the user has not answered."""
        return self._workspace.consents.effective()

    def unanswered_consents(self) -> list[Purpose]:
        """The purposes to ask the user about: neither answered nor assumed.

        On a server these are "memory" and "learning" for every new user. Record the answer, yes or
        no, with `consent`; then the user is not asked again.
        """
        return self._workspace.consents.unanswered

    def consent(self, purpose: str, granted: bool) -> None:
        """Record that the user consents to a purpose, or withdraws consent.

        The purposes are "memory", "learning", "sensitive", "egress" and "population".
        """
        workspace = self._workspace
        now = workspace.clock.now()
        workspace.store.consent(checks.choice(Purpose, purpose, "purpose"), granted, now)

    def import_(
        self, lines: Iterator[str] | Sequence[str], progress: Progress = None, own: bool = False
    ) -> Imported:
        """Import an export: only its messages, or with `own=True` all of it, unchanged.

        `own=True` means that you trust the file like your own memory, for example to move it to
        another machine. Without it messages are stored as quoted, untrusted text, and facts, tasks
        and rules are omitted, since a file can claim anything, even that the user said it.
        Records that are already stored are not changed.
        """
        from sharpwave.remember import flow as writing

        workspace = self._workspace
        if not workspace.consents.may_remember:
            raise NoConsent(verbs.WITHDRAWN)
        carried = export_format.read(lines, workspace.user_id)
        imported = writing.take_in(carried, workspace, own, progress)
        if own and workspace.consents.may_learn:
            workspace.fresh().retried(_recount)
        return imported

    def import_chats(
        self,
        path: str | Path,
        format: str | None = None,
        own: bool = False,
        progress: Progress = None,
    ) -> ImportedChats:
        """Import the export of another program: a file, a folder, or a zip archive.

        `format` is chatgpt, claude, mem0, letta, mcp-memory or jsonl; detected if not given.
        Everything is stored as quoted, untrusted text; with `own=True` the user messages in it are
        trusted as this user's words. If it is interrupted, call it again: nothing is stored twice.
        Records that are already stored keep their trust.
        """
        from sharpwave.importers import flow as importing
        from sharpwave.importers import items
        from sharpwave.remember import flow as writing

        workspace = self._workspace
        if not workspace.consents.may_remember:
            raise NoConsent(verbs.WITHDRAWN)

        def remember(messages: Sequence[Message]) -> Receipt:
            now = workspace.clock.now()
            timed = [replace(message, at=items.not_ahead(message.at, now)) for message in messages]
            return writing.remember(timed, workspace.fresh())

        batch = writing.BATCH_RECORDS
        return importing.take_in(checks.path(path, "path"), format, own, remember, batch, progress)

    def reembed(self, progress: Progress = None) -> int:
        """Embed this user's records again with the current embedder; returns how many."""
        from sharpwave.remember.reembed_flow import reembed

        return reembed(self._workspace, progress)

    def sleep_status(self) -> SleepStatus:
        """What is pending for the next sleep, and the result of the last one."""
        from sharpwave.sleep import run

        return run.status(self._workspace)

    def sleep_log(self, limit: int = 20) -> list[Report]:
        """The reports of past sleep runs, newest first."""
        from sharpwave.sleep import journal

        count = checks.count(limit, "limit", MAX_REPORTS)
        return journal.reports(self._workspace.store)[:count]

    def undo_sleep(self, run: str) -> Undone:
        """Undo a sleep run. Records that changed again since are not changed, and are listed."""
        from sharpwave.sleep import journal

        return journal.undo(self._workspace, run)

    def sleep_all(
        self,
        *,
        stop: threading.Event | None = None,
        tell: Callable[[str, str], None] | None = None,
    ) -> list[Report]:
        """Run sleep for every user of the store who is due, a few in parallel.

        Set `stop` to end it after the current steps; the rest continues next time. `tell` is called
        with the user and the name of each step.
        """
        from sharpwave.sleep import schedule, scheduler

        resources = self._workspace.shared
        now = resources.clock.now()
        users = schedule.due_users(resources, now)
        reports = scheduler.sleep_all(resources, users, stop or threading.Event(), tell, now)
        scheduler.sweep(resources)  # those who have nothing that could sleep
        return reports

    def jobs(self, limit: int = 100) -> list[Job]:
        """Background jobs: waiting, running, done or failed; newest first."""
        return self._workspace.store.jobs(checks.count(limit, "limit", MAX_JOBS))

    def retry_jobs(self) -> int:
        """Queue failed jobs again, for example after changing the model; returns how many."""
        workspace = self._workspace
        return workspace.store.retry_jobs(workspace.clock.now())

    def work(self) -> int:
        """Run all queued and due jobs of every user now; returns how many were done.

        A language model then also reads sessions that have not paused yet.
        """
        return worker.run_all(self._workspace.shared)

    def run_worker(self, stop: threading.Event) -> None:
        """Run queued jobs and scheduled sleep until `stop` is set."""
        from sharpwave.sleep.schedule import IdleMonitor, cpu_percent
        from sharpwave.sleep.scheduler import Scheduler

        workspace = self._workspace
        self._state.process.worker.wake()
        idle = IdleMonitor(cpu_percent(), workspace.settings.sleep)
        Scheduler(workspace.shared, idle).run(stop)

    def spending(self, day: date | None = None) -> Spending:
        """What language models cost this user on a day; default: today."""
        workspace = self._workspace
        today = workspace.clock.now().date()
        return workspace.store.spent(day or today)

    def spending_by_day(self, days: int = 14) -> dict[date, Spending]:
        """What language models cost this user on each of the last days, newest first."""
        workspace = self._workspace
        count = checks.count(days, "days", MAX_DAYS)
        today, store = workspace.clock.now().date(), workspace.store
        last_days = (today - timedelta(days=n) for n in range(count))
        return {day: store.spent(day) for day in last_days}

    def performance(self) -> Performance:
        """Durations and errors of this user's calls, and the decisions of recall.

        Measured in this process since it was started; each process has its own numbers.
        """
        return self._state.process.metrics.view(self._workspace.user_id)

    def calibration(self) -> FactCalibration:
        """Calibration of confidence on facts that the user confirmed, denied or resolved."""
        return facts.view(self._workspace)

    def events(self, after: int = 0, limit: int = 100, topics: Collection[str] = ()) -> list[Event]:
        """Events of this user's memory after a `seq`, oldest first: ids, never text.

        Call again with the last `seq` to follow. Old events are dropped eventually; a client that
        was away for long must read everything again.
        """
        found: list[Event] = []
        count = checks.count(limit, "limit", MAX_EVENTS)
        after = checks.place(max(after, 0), "after") or 0
        while page := self._workspace.store.events(after, MAX_EVENTS):
            found += [event for event in page if not topics or event.topic in topics]
            after = page[-1].seq
            if len(found) >= count or len(page) < MAX_EVENTS:
                break
        return found[:count]

    def webhooks(self) -> list[Webhook]:
        """The registered webhooks, and the state of their delivery."""
        from sharpwave.events import webhooks

        return webhooks.list_(self._workspace)

    def add_webhook(self, url: str, topics: Collection[str] = ()) -> NewWebhook:
        """Register a URL that receives this user's events from now on: ids, never text.

        Each request is signed with the secret in the result, which is shown only once. Failed
        deliveries are retried later. Private addresses are rejected.
        """
        from sharpwave.events import webhooks

        return webhooks.add(self._workspace, url, tuple(topics))

    def remove_webhook(self, id: str) -> None:
        """Delete a webhook."""
        from sharpwave.events import webhooks

        webhooks.remove(self._workspace, id)

    def deliver(self, stopped: Callable[[], bool] = never) -> int:
        """Deliver due events to the webhooks of every user, and to ZeroMQ if configured.

        Returns how many events were delivered. A server does this by itself. `stopped` is called
        between two events; return True to stop.
        """
        return self._state.process.deliveries().deliver(self._workspace.shared, stopped)

    def users(self) -> list[str]:
        """The names of all users with a record in this file."""
        return self._state.resources.store.users()

    def audit(
        self, after: int = 0, limit: int = 100, *, before: int | None = None
    ) -> list[AuditEntry]:
        """The audit log of the file, oldest first: digests of users and counts, never text.

        With `before`, the last entries before that number instead, newest first.
        """
        workspace = self._workspace
        count = checks.count(limit, "limit", MAX_EVENTS)
        last = checks.place(before, "before")
        if last is not None:
            return workspace.shared.store.audit_before(last, count)
        entries = (entry for entry in workspace.shared.store.audit() if entry.seq > after)
        return [entry for entry, _ in zip(entries, range(count), strict=False)]

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        """Check every record, vector and audit entry of the file against its checksum."""
        return self._state.resources.store.verify(progress)

    def scrub(self) -> bool:
        """Rewrite the file to remove forgotten data from its unused parts."""
        return self._state.resources.store.scrub()

    def backup(self, to: str | Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Write a consistent, verified copy of the file while it is in use."""
        self._state.resources.store.backup(Path(to), progress)

    # ---- what the interfaces themselves need

    @property
    def keys(self) -> Keys:
        """API keys, for every user of the file."""
        resources = self._state.resources
        return Keys(resources.store.keys, resources.clock)

    @property
    def requests(self) -> RequestLog:
        """The requests of this user that were answered, to avoid executing one twice."""
        return RequestLog(self._workspace)

    def check_ready(self) -> None:
        """Raise an error if the store does not respond, or its disk is full."""
        self._workspace.store.head()
        self._state.resources.store.require_space()

    def load_models(self) -> None:
        """Load the local models now, so that the first request does not wait for them."""
        from sharpwave.recall import context_flow, flow
        from sharpwave.types.contexts import Background

        resources = self._state.resources
        if resources.reader is not None:
            resources.reader.read(_READY, [Span(0, len(_READY))])
            resources.reader.compare([_READY], _READY)
        if resources.settings.embedder.provider != "openai":
            empty_workspace = resources.for_user(NO_USER)
            found = flow.recall(empty_workspace, RecallQuery(_READY))
            context_flow.context(found, Background(""), None, empty_workspace)

    def shared_secret(self, name: str) -> bytes:
        """A random secret shared by all processes on this store, created when first needed."""
        return server.shared_secret(self._state.resources, name)

    def subscribe(self, notify: Callable[[], None]) -> CommitSubscription:
        """Call `notify` from another thread as soon as there may be an event of this user.

        If the subscription is not `live` (on a file, or while PostgreSQL is unavailable), poll
        `events`.
        """
        return self._workspace.store.listen(notify)

    def subscribe_all(self, notify: Callable[[], None]) -> CommitSubscription:
        """As `subscribe`, for the events of every user."""
        return self._state.resources.store.listen(notify)


def _recount(workspace: Workspace) -> None:
    """Recompute existing tallies after an import; missing ones are created later."""
    from sharpwave.behavior.skills import state
    from sharpwave.experience import learning, rebuild

    if Sheet.of(workspace.store, EXPERIENCE).row(learning.STATE, learning.DONE):
        rebuild.rebuild(workspace)
    if state.stored_rows(workspace):
        state.rebuild(workspace)
