"""Memory: the facade. Each method is a few lines: it calls one flow, or asks the store."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sharpwave import checks, messages, wiring, worker
from sharpwave.client.wire import error_of
from sharpwave.errors import InvalidInput, StoreDamaged
from sharpwave.facades.behavior import BehaviorMemory
from sharpwave.facades.doors import DoorsMemory
from sharpwave.facades.experience import ExperienceMemory
from sharpwave.facades.graph import GraphMemory
from sharpwave.facades.knowledge import KnowledgeMemory
from sharpwave.facades.quality.measured import measured
from sharpwave.facades.quality.sync import QualityMemory
from sharpwave.facades.rooms.when_used import WhenUsed
from sharpwave.facades.skills import SkillMemory
from sharpwave.facades.sleep import SleepMemory
from sharpwave.importers import export_format
from sharpwave.knowledge import consents
from sharpwave.ports import LLM, Clock, Embedder
from sharpwave.recall import flow as read_path
from sharpwave.settings.tree import Settings
from sharpwave.types.answers import (
    Forgotten,
    Imported,
    ImportedChats,
    Receipt,
    Recollection,
    Stats,
)
from sharpwave.types.asking import Asked
from sharpwave.types.records import UNSEARCHED, Kind, Record, Role
from sharpwave.types.said import Said
from sharpwave.types.storing import Selection, Session, Verification
from sharpwave.types.working import Job, Purpose, Spending
from sharpwave.worker import Worker
from sharpwave.workspace import Resources, Workspace

if TYPE_CHECKING:
    from sharpwave.events.webhooks import Deliveries
    from sharpwave.types.contexts import Context
    from sharpwave.types.known import Explanation, Quarantined
    from sharpwave.types.skills import SkillChoice

MAX_TOKENS = 1_000_000
"""The largest budget of a context."""
MAX_RECENT = 1_000
"""The most turns that `recent` gives."""

Message = str | Said | Mapping[str, object]
Query = str | Asked | Mapping[str, object]
Progress = Callable[[int], None] | None


class Memory(
    BehaviorMemory,
    DoorsMemory,
    ExperienceMemory,
    GraphMemory,
    KnowledgeMemory,
    QualityMemory,
    SkillMemory,
    SleepMemory,
):
    """What one user's assistant remembers. Open it with `Memory.open`, close it when done.

    To start from: `remember` what is said, `context` for the next prompt, `recall`, `forget`.
    What is known: `profile`, `facts`, `tasks`, `conflicts`. How to answer: `select_skill`,
    `feedback`, `behaviors`. What agents did: `observe`, `advise`. At night: `sleep`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Memory.open(f"{folder}/m.db") as memory:
    ...     receipt = memory.remember("My sister Ana lives in Porto.")
    ...     [outcome.text for outcome in receipt.learned]
    ...     memory.recall("Where does Ana live?").items[0].text
    ["The user's sister is Ana", 'Ana lives in Porto']
    'Ana lives in Porto'
    """

    def __init__(self, resources: Resources, user: str, worker: Worker | None = None) -> None:
        super().__init__()
        self._resources = resources
        self._worker = worker or Worker(resources)
        self._deliveries = WhenUsed(_deliveries)
        self._user = checks.name(user, "user", resources.settings.remember.max_name_chars)

    @property
    def _workspace(self) -> Workspace:  # type: ignore[override]
        return self._resources.for_user(self._user)

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        user: str | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        llm: LLM | None = None,
    ) -> Self:
        """Open or create a memory: a file, or a database at `postgresql://role@host/name`.

        `path` wins over the settings; without either, a file in your data folder is used. Your own
        `clock`, `embedder` or `llm` may be anything that fits the port.
        """
        chosen = settings or wiring.load_settings()
        if path is not None:
            chosen = wiring.at_place(chosen, path)
        resources = wiring.open_resources(chosen, clock, embedder, llm)
        try:
            return cls(resources, chosen.user if user is None else user)
        except BaseException:  # passed on; only the open file must not be left behind
            resources.store.close()
            raise

    @classmethod
    def connect(
        cls, url: str, key: str, *, user: str | None = None, settings: Settings | None = None
    ) -> Self:
        """A memory on a Sharpwave server (`sharpwave serve`): the same methods and answers.

        The key says whose memory it is; `user` names another, for which it must be an admin's.
        """
        from sharpwave.client import client

        chosen = settings or wiring.load_settings()
        return client.connect(cls, wiring.open_wire(url, key, chosen.client, error_of), user)

    def user(self, user: str) -> Self:
        """The memory of another user in the same file. Closing one closes all."""
        other = type(self)(self._resources, user, self._worker)
        other._health = self._health
        other._deliveries, other._measures = self._deliveries, self._measures
        other._measured = self._measured
        return other

    @property
    def user_id(self) -> str:
        """Whose memory this is."""
        return self._user

    @measured
    def remember(
        self,
        said: Message | Sequence[Message],
        *,
        role: str = "user",
        speaker: str | None = None,
        session: str | None = None,
        at: datetime | None = None,
        idempotency_key: str | None = None,
        wait: bool = False,
    ) -> Receipt:
        """Store what was said, and learn from it. When this returns, it survives a power cut.

        `said` is a text, a `Said` with every detail, a chat message such as
        `{"role": "user", "content": "..."}`, or a list of these. The other arguments fill in what
        a message does not say itself. Calling again with the same `idempotency_key` stores nothing
        twice. If a language model is set up it reads the words later, in the background; with
        `wait` it reads them before this returns.
        """
        defaults = Said("", role, speaker, at, session, idempotency_key=idempotency_key)
        heard = messages.to_said(said, defaults)
        if wait and self._workspace.llm is not None:
            with self._worker.paused():
                receipt = self._remember(heard)
                return worker.wait_for(receipt, self._workspace)
        receipt = self._remember(heard)
        if self._workspace.llm is not None:
            self._worker.wake()
        return receipt

    def confirm(self, id: str, right: bool = True) -> Receipt:
        """The user says that a fact is right, or wrong: now it is the user's own word."""
        from sharpwave.knowledge import calibration, confirming
        from sharpwave.remember import flow as writing

        said = confirming.said(self._workspace, id, right)
        sure = self._sureness(id)
        receipt = writing.remember([said], self._workspace)
        calibration.judged(self._workspace, [(sure, right)])
        return receipt

    @measured
    def recall(
        self,
        query: Query,
        *,
        k: int | None = None,
        kinds: Collection[Kind | str] = (),
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        roles: Collection[Role | str] = (),
        goal: str | None = None,
    ) -> Recollection:
        """Find what is remembered about something, best first, with the reason for each.

        `kinds`, `session`, `since` (included), `until` (not included) and `roles` say what may be
        found at all; the times are those at which things were said. `goal` is what you are after
        beyond the question. The `decision` says whether the answer can be asserted. A query may
        also name tags, or words that must stand in what is found:
        `{"query": "Where is the key?", "tags": ["home"], "words": ["safe"]}`.
        """
        given = Asked("", k, kinds, session, since, until, goal, roles)
        asked = messages.to_asked(query, given)
        agreed = self.consents()
        allowed = asked.kinds if agreed[Purpose.LEARNING] else consents.not_learned(asked.kinds)
        if not agreed[Purpose.MEMORY] or (asked.kinds and not allowed):
            return consents.nothing_used(asked.query)
        asked = replace(asked, kinds=allowed)
        return read_path.recall(asked, self._workspace, self._workspace.settings.recall)

    @measured
    def context(
        self,
        query: Query,
        *,
        budget: int | None = None,
        system: str = "",
        k: int | None = None,
        trusted_only: bool = False,
        scope: str | None = None,
        skill: SkillChoice | bool = False,
        except_session: str | None = None,
    ) -> Context:
        """Text for a prompt: profile, goals, notes, and what is remembered about the query.

        `budget` is the most tokens it may take, `system` your own words to begin with; if not even
        these fit, InvalidInput says how many tokens they take. What was remembered is quoted with
        its source between two lines with a code: evidence, not orders.
        With `trusted_only` nothing that a tool, a web page or an import said is shown. Rules that
        the user taught are told as such; `scope` is the project or file they have to hold in.
        `skill` is what `select_skill` chose for the query, or True to choose now; the answer has
        it as `choice`, to be rated by `feedback(context.choice.message_id, …)`.
        `except_session` is a conversation that stands in the prompt anyway: it is not recalled.
        """
        from sharpwave.knowledge import provenance, trust
        from sharpwave.recall import context_flow as prompting
        from sharpwave.types import contexts, skills

        checked = None if budget is None else checks.count(budget, "budget", MAX_TOKENS)
        most = self._workspace.settings.context.items if k is None else k
        looked_at = most if except_session is None else provenance.enough_for(most)
        found = self.recall(query, k=looked_at)
        if trusted_only:
            found = trust.only(found)
        if except_session is not None:
            found = provenance.elsewhere(found, except_session, most)
        choice = self.select_skill(found.query) if skill is True else skill or None
        if not isinstance(choice, skills.SkillChoice | None):
            raise InvalidInput("skill is what `select_skill` returned, or True to choose now")
        known = contexts.Background(system)
        if self.consents()[Purpose.MEMORY]:
            profile = self._foremost(self._workspace.settings.context.profile_facts)
            rules, notes = self._rules_and_notes(scope, profile)
            known = contexts.Background(system, profile, self.tasks("active"), notes, rules)
        if choice:
            known = replace(known, skill=choice.template)
        tunables = self._workspace.settings.context
        made = prompting.context(found, known, checked, self._workspace, tunables)
        return replace(made, choice=choice)

    def forget(self, *ids: str, session: str | None = None, everything: bool = False) -> Forgotten:
        """Erase records by id, a session, or everything of this user, without a trace.

        Unknown ids raise NotFound and nothing is forgotten. In a large file `traces_cleared` of the
        receipt may be False: then unused parts of the file hold old copies until `scrub`.
        """
        from sharpwave.experience import forgetting as erasing

        if not ids and session is None and not everything:
            raise InvalidInput("say what to forget: ids, a session, or everything=True")
        limit = self._workspace.settings.remember.max_name_chars
        wanted = tuple(checks.name(one, "an id", limit) for one in ids)
        selection = Selection(wanted, checks.optional_name(session, "session", limit), everything)
        if everything:
            self._measured.forget(self._workspace.user_id)
        return erasing.forget(self._workspace, selection)

    def recent(
        self,
        limit: int = 20,
        *,
        session: str | None = None,
        within: str | None = None,
        before: int | None = None,
    ) -> list[Record]:
        """The last turns, of one session or of those named so, before a number; oldest first."""
        from sharpwave.knowledge import provenance

        which = provenance.Turns(
            checks.count(limit, "limit", MAX_RECENT),
            checks.optional_name(session, "session", sys.maxsize),  # too long: there is none
            checks.optional_name(within, "within", sys.maxsize),
            checks.place(before, "before"),
        )
        held = self.consents()[Purpose.MEMORY]
        return provenance.turns(self._workspace.store, which) if held else []

    def sessions(self, limit: int = 100) -> list[Session]:
        """The last conversations: when each was, how many turns it has, and its summary if any."""
        from sharpwave.knowledge import provenance

        count = checks.count(limit, "limit", MAX_RECENT)
        held = self.consents()[Purpose.MEMORY]
        return provenance.sessions(self._workspace, count) if held else []

    def explain(self, id: str) -> Explanation:
        """Where a memory comes from: the records it rests on, and those that rest on it."""
        from sharpwave.knowledge import provenance

        return provenance.explain(self._workspace, id)

    def quarantine(
        self,
        *,
        source: str | None = None,
        author: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        undo: bool = False,
    ) -> Quarantined:
        """Stop believing a source: its turns, and what was learned from nothing else.

        What that had replaced holds again. Nothing is deleted: `undo=True` brings it back.
        """
        from sharpwave.knowledge import quarantine

        suspect = quarantine.suspect(source, author, session, since)
        act = quarantine.release if undo else quarantine.quarantine
        return act(self._workspace, suspect)

    def consent(self, purpose: str, granted: bool) -> None:
        """Note that the user agrees to a purpose, or no longer does.

        The purposes are "memory", "learning", "sensitive", "egress" and "population".
        """
        now = self._workspace.clock.now()
        self._workspace.store.consent(consents.purpose(purpose), granted, now)

    def consents(self) -> dict[Purpose, bool]:
        """What the user agreed to, and what is assumed where nothing was said."""
        return self._workspace.consents.effective()

    def jobs(self, limit: int = 100) -> list[Job]:
        """Work that waits, runs, is done or has failed, the newest first."""
        return self._workspace.store.jobs(limit)

    def retry_jobs(self) -> int:
        """Queue again what failed for good, say after you chose another model; how many jobs."""
        return self._workspace.store.retry_jobs(self._workspace.clock.now())

    def work(self) -> int:
        """Do now what is queued and due, of every user; returns how many jobs were done."""
        return worker.run_all(self._workspace.shared)

    def run_worker(self, stop: threading.Event) -> None:
        """Do queued jobs and let users sleep when it is time, until `stop` is set."""
        from sharpwave.sleep.when import idle as idle_module
        from sharpwave.sleep.when import watch

        self._worker.wake()
        idle = idle_module.IdleWatch(wiring.machine_load(), self._workspace.settings.sleep.schedule)
        watch.Nightwatch(self._workspace.shared, idle).run(stop)

    def spending(self, day: date | None = None) -> Spending:
        """What language models cost this user on a day, today unless you say another."""
        today = self._workspace.clock.now().date()
        return self._workspace.store.spent(day or today)

    def scrub(self) -> bool:
        """Rewrite the file so that nothing forgotten is left in its unused parts."""
        return self._resources.store.scrub()

    def export(self) -> Iterator[str]:
        """Everything of this user as lines of JSON, oldest first; `import_` reads them back.

        If damaged records had to be left out, StoreDamaged is raised after the last line.
        """
        from sharpwave.knowledge import provenance

        store = self._workspace.store
        expected = store.counts().memories
        yield export_format.header(self._workspace.user_id, self._workspace.clock.now())
        count = 0
        for records in self._everything():
            links = provenance.links(store, records)
            yield from (export_format.to_line(record, links[record.id]) for record in records)
            count += len(records)
        if count < min(expected, store.counts().memories) and not self._resources.store.verify().ok:
            raise StoreDamaged(
                f"{expected - count} damaged records were left out of the export; what is in it is "
                "whole. Run `sharpwave doctor`."
            )

    def import_(
        self, lines: Iterator[str] | Sequence[str], progress: Progress = None, own: bool = False
    ) -> Imported:
        """Store an export in this user's memory; what is already there is left as it is.

        `own=True` says that you trust the file like your own memory, as when you move it to another
        machine: everything comes back as it was. Without it only the words are kept, as quoted,
        untrusted text: a file says of itself what it likes, also that the user said it.
        """
        from sharpwave.remember import flow as writing

        if not self.consents()[Purpose.MEMORY]:
            raise InvalidInput(consents.WITHDRAWN)
        carried, settings = (
            export_format.read(lines, self._workspace.user_id),
            self._workspace.settings.remember,
        )
        return writing.take_in(carried, self._workspace, settings, own, progress)

    def import_chats(
        self,
        path: str | Path,
        format: str | None = None,
        own: bool = False,
        progress: Progress = None,
    ) -> ImportedChats:
        """Remember what another program exported: a file, a folder, or a zip archive.

        `format` is chatgpt, claude, mem0, letta, mcp-memory or jsonl, and found out if not given.
        All of it is kept as quoted, untrusted text; `own=True` says that the user's messages in it
        are this user's own words and may be trusted like any other. If it is interrupted, call it
        again: nothing is stored twice. What is there already keeps the trust it has.
        """
        from sharpwave.importers import flow as importing
        from sharpwave.remember import flow as writing

        def remember(said: Sequence[Said]) -> Receipt:
            return writing.remember(said, self._workspace)

        batch = self._workspace.settings.remember.batch_records
        return importing.take_in(Path(path), format, own, remember, batch, progress)

    def reembed(self, progress: Progress = None) -> int:
        """Give every record of this user a vector of the current embedder; returns how many."""
        from sharpwave.remember import flow as writing

        return writing.reembed(self._workspace, self._workspace.settings.remember, progress)

    def stats(self, *, all_users: bool = False) -> Stats:
        """What is stored, for this user or for all."""
        workspace = self._workspace
        counts = self._resources.store.counts() if all_users else workspace.store.counts()
        space = self._workspace.embedder.space
        unsearched = sum(counts.by_kind.get(kind.value, 0) for kind in UNSEARCHED)
        return Stats(
            users=counts.users,
            memories=counts.memories,
            by_kind=counts.by_kind,
            vectors=sum(counts.spaces.values()),
            awaiting_reembed=counts.memories - unsearched - counts.spaces.get(space, 0),
            file_bytes=counts.file_bytes,
            embedder=str(space),
            reflection_failures=self._health.failures,
            embedder_reuse=self._workspace.shared.cache_hit_rate()
            if all_users and self._workspace.shared.cache_hit_rate
            else None,
        )

    def users(self) -> list[str]:
        """Every user who has something in this file."""
        return self._resources.store.users()

    def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        """Check every record, vector and audit entry of the file against its checksum."""
        return self._resources.store.verify(progress)

    def backup(self, to: str | Path, progress: Callable[[int, int], None] | None = None) -> None:
        """Write a consistent, checked copy of the file while others go on using it."""
        self._resources.store.backup(Path(to), progress)

    def close(self) -> None:
        """Finish writing and close the file, for every user of it."""
        ports = self._resources
        with ExitStack() as last_first:  # whatever fails, the file is closed
            last_first.callback(ports.store.close)
            last_first.callback(ports.index.close)
            if ports.publisher is not None:
                last_first.callback(ports.publisher.close)
            if ports.close_connections is not None:
                last_first.callback(ports.close_connections)
            last_first.callback(self._worker.close)

    def __enter__(self) -> Self:
        """Use as a context manager."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def _remember(self, heard: Sequence[Said]) -> Receipt:
        """Store, and once it is durable look back on it."""
        from sharpwave.remember import flow as writing

        jobs = self._jobs if self._workspace.settings.steering.reflect_with_llm else None
        receipt = writing.remember(heard, self._workspace, jobs)
        said_as_turns = all(one.kind == Kind.TURN for one in heard)
        return self._looked_back_on(receipt) if said_as_turns else receipt

    def _everything(self) -> Iterator[list[Record]]:
        after, size = 0, self._workspace.settings.remember.batch_records
        while records := self._workspace.store.scan(after, size):
            yield records
            after = records[-1].number


def _deliveries() -> Deliveries:
    from sharpwave.events.webhooks import Deliveries

    return Deliveries()
