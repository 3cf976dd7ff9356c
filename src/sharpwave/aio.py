"""AsyncMemory: the same surface as Memory for async programs. Delegates to threads; no logic."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sharpwave.facades.async_behavior import AsyncBehavior
from sharpwave.facades.async_doors import AsyncDoors
from sharpwave.facades.async_experience import AsyncExperience
from sharpwave.facades.async_graph import AsyncGraph
from sharpwave.facades.async_skills import AsyncSkills
from sharpwave.facades.async_sleep import AsyncSleep
from sharpwave.facades.quality.async_ import AsyncQuality
from sharpwave.memory import Memory, Message, Progress, Query
from sharpwave.ports import LLM, Clock, Embedder
from sharpwave.settings.tree import Settings
from sharpwave.types.answers import (
    Forgotten,
    Imported,
    ImportedChats,
    Receipt,
    Recollection,
    Stats,
)
from sharpwave.types.contexts import Context
from sharpwave.types.evolution import Prediction, Shift, Trend
from sharpwave.types.known import (
    Contradiction,
    Evolution,
    Explanation,
    Fact,
    HistoricalState,
    Note,
    Quarantined,
    Task,
)
from sharpwave.types.records import USER, Kind, Record, Role
from sharpwave.types.skills import SkillChoice
from sharpwave.types.storing import Session, Verification
from sharpwave.types.working import Job, Purpose, Spending


class AsyncMemory(
    AsyncBehavior,
    AsyncDoors,
    AsyncExperience,
    AsyncGraph,
    AsyncQuality,
    AsyncSkills,
    AsyncSleep,
):
    """Memory whose calls can be awaited."""

    _memory: Memory

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @classmethod
    async def open(
        cls,
        path: str | Path | None = None,
        *,
        user: str | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        llm: LLM | None = None,
    ) -> Self:
        """As `Memory.open`."""
        return cls(
            await asyncio.to_thread(
                Memory.open,
                path,
                user=user,
                settings=settings,
                clock=clock,
                embedder=embedder,
                llm=llm,
            )
        )

    @classmethod
    def connect(
        cls, url: str, key: str, *, user: str | None = None, settings: Settings | None = None
    ) -> Self:
        """As `Memory.connect`; nothing is sent yet, so there is nothing to await."""
        return cls(Memory.connect(url, key, user=user, settings=settings))

    def user(self, user: str) -> Self:
        """As `Memory.user`."""
        return type(self)(self._memory.user(user))

    @property
    def user_id(self) -> str:
        """Whose memory this is."""
        return self._memory.user_id

    @property
    def sync(self) -> Memory:
        """The same memory for code that does not await, such as the adapters."""
        return self._memory

    async def remember(
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
        """As `Memory.remember`."""
        return await asyncio.to_thread(
            self._memory.remember,
            said,
            role=role,
            speaker=speaker,
            session=session,
            at=at,
            idempotency_key=idempotency_key,
            wait=wait,
        )

    async def confirm(self, id: str, right: bool = True) -> Receipt:
        """As `Memory.confirm`."""
        return await asyncio.to_thread(self._memory.confirm, id, right)

    async def recall(
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
        """As `Memory.recall`."""
        options: dict[str, Any] = {"k": k, "kinds": kinds, "session": session, "since": since}
        options |= {"until": until, "roles": roles, "goal": goal}
        return await asyncio.to_thread(self._memory.recall, query, **options)

    async def context(
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
        """As `Memory.context`."""
        return await asyncio.to_thread(
            self._memory.context,
            query,
            budget=budget,
            system=system,
            k=k,
            trusted_only=trusted_only,
            scope=scope,
            skill=skill,
            except_session=except_session,
        )

    async def forget(
        self, *ids: str, session: str | None = None, everything: bool = False
    ) -> Forgotten:
        """As `Memory.forget`."""
        return await asyncio.to_thread(
            self._memory.forget, *ids, session=session, everything=everything
        )

    async def recent(
        self,
        limit: int = 20,
        *,
        session: str | None = None,
        within: str | None = None,
        before: int | None = None,
    ) -> list[Record]:
        """As `Memory.recent`."""
        recent = self._memory.recent
        return await asyncio.to_thread(recent, limit, session=session, within=within, before=before)

    async def sessions(self, limit: int = 100) -> list[Session]:
        """As `Memory.sessions`."""
        return await asyncio.to_thread(self._memory.sessions, limit)

    async def profile(self, limit: int | None = None) -> list[Fact]:
        """As `Memory.profile`."""
        return await asyncio.to_thread(self._memory.profile, limit)

    async def known_since(self, name: str = USER) -> datetime | None:
        """As `Memory.known_since`."""
        return await asyncio.to_thread(self._memory.known_since, name)

    async def facts(
        self, *, subject: str | None = None, predicate: str | None = None
    ) -> list[Fact]:
        """As `Memory.facts`."""
        return await asyncio.to_thread(self._memory.facts, subject=subject, predicate=predicate)

    async def at(
        self,
        moment: datetime,
        *,
        known_at: datetime | None = None,
        subject: str | None = None,
        limit: int | None = None,
    ) -> HistoricalState:
        """As `Memory.at`."""
        return await asyncio.to_thread(
            self._memory.at, moment, known_at=known_at, subject=subject, limit=limit
        )

    async def history(self, subject: str, predicate: str) -> Evolution:
        """As `Memory.history`."""
        return await asyncio.to_thread(self._memory.history, subject, predicate)

    async def trends(self) -> list[Trend]:
        """As `Memory.trends`."""
        return await asyncio.to_thread(self._memory.trends)

    async def shifts(self, *, days: float = 30) -> list[Shift]:
        """As `Memory.shifts`."""
        return await asyncio.to_thread(self._memory.shifts, days=days)

    async def predict(self, subject: str, predicate: str, at: datetime) -> Prediction:
        """As `Memory.predict`."""
        return await asyncio.to_thread(self._memory.predict, subject, predicate, at)

    async def between(self, start: datetime, end: datetime, *, on: str = "valid") -> list[Fact]:
        """As `Memory.between`."""
        return await asyncio.to_thread(self._memory.between, start, end, on=on)

    async def conflicts(self, limit: int | None = None, *, offset: int = 0) -> list[Contradiction]:
        """As `Memory.conflicts`."""
        return await asyncio.to_thread(self._memory.conflicts, limit, offset=offset)

    async def resolve(self, conflict: str, keep: str) -> Contradiction:
        """As `Memory.resolve`."""
        return await asyncio.to_thread(self._memory.resolve, conflict, keep)

    async def tasks(
        self, status: str | None = None, *, limit: int | None = None, offset: int = 0
    ) -> list[Task]:
        """As `Memory.tasks`."""
        return await asyncio.to_thread(self._memory.tasks, status, limit=limit, offset=offset)

    async def due_soon(self, limit: int | None = None, *, offset: int = 0) -> list[Task]:
        """As `Memory.due_soon`."""
        return await asyncio.to_thread(self._memory.due_soon, limit, offset=offset)

    async def set_task(self, task: str, status: str) -> Task:
        """As `Memory.set_task`."""
        return await asyncio.to_thread(self._memory.set_task, task, status)

    async def notes(self) -> list[Note]:
        """As `Memory.notes`."""
        return await asyncio.to_thread(self._memory.notes)

    async def explain(self, id: str) -> Explanation:
        """As `Memory.explain`."""
        return await asyncio.to_thread(self._memory.explain, id)

    async def quarantine(
        self,
        *,
        source: str | None = None,
        author: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        undo: bool = False,
    ) -> Quarantined:
        """As `Memory.quarantine`."""
        return await asyncio.to_thread(
            self._memory.quarantine,
            source=source,
            author=author,
            session=session,
            since=since,
            undo=undo,
        )

    async def consent(self, purpose: str, granted: bool) -> None:
        """As `Memory.consent`."""
        await asyncio.to_thread(self._memory.consent, purpose, granted)

    async def consents(self) -> dict[Purpose, bool]:
        """As `Memory.consents`."""
        return await asyncio.to_thread(self._memory.consents)

    async def jobs(self, limit: int = 100) -> list[Job]:
        """As `Memory.jobs`."""
        return await asyncio.to_thread(self._memory.jobs, limit)

    async def retry_jobs(self) -> int:
        """As `Memory.retry_jobs`."""
        return await asyncio.to_thread(self._memory.retry_jobs)

    async def work(self) -> int:
        """As `Memory.work`."""
        return await asyncio.to_thread(self._memory.work)

    async def run_worker(self, stop: threading.Event) -> None:
        """As `Memory.run_worker`."""
        await asyncio.to_thread(self._memory.run_worker, stop)

    async def spending(self, day: date | None = None) -> Spending:
        """As `Memory.spending`."""
        return await asyncio.to_thread(self._memory.spending, day)

    async def scrub(self) -> bool:
        """As `Memory.scrub`."""
        return await asyncio.to_thread(self._memory.scrub)

    async def export(self) -> AsyncIterator[str]:
        """As `Memory.export`, to be read with `async for`."""
        lines = self._memory.export()
        while (line := await asyncio.to_thread(next, lines, None)) is not None:
            yield line

    async def import_(
        self, lines: Sequence[str], progress: Progress = None, own: bool = False
    ) -> Imported:
        """As `Memory.import_`."""
        return await asyncio.to_thread(self._memory.import_, lines, progress, own)

    async def import_chats(
        self,
        path: str | Path,
        format: str | None = None,
        own: bool = False,
        progress: Progress = None,
    ) -> ImportedChats:
        """As `Memory.import_chats`."""
        return await asyncio.to_thread(self._memory.import_chats, path, format, own, progress)

    async def reembed(self, progress: Progress = None) -> int:
        """As `Memory.reembed`."""
        return await asyncio.to_thread(self._memory.reembed, progress)

    async def stats(self, *, all_users: bool = False) -> Stats:
        """As `Memory.stats`."""
        return await asyncio.to_thread(self._memory.stats, all_users=all_users)

    async def users(self) -> list[str]:
        """As `Memory.users`."""
        return await asyncio.to_thread(self._memory.users)

    async def verify(self, progress: Callable[[int, int], None] | None = None) -> Verification:
        """As `Memory.verify`."""
        return await asyncio.to_thread(self._memory.verify, progress)

    async def backup(
        self, to: str | Path, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """As `Memory.backup`."""
        await asyncio.to_thread(self._memory.backup, to, progress)

    async def close(self) -> None:
        """As `Memory.close`."""
        await asyncio.to_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        """Use as an async context manager."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        await self.close()
