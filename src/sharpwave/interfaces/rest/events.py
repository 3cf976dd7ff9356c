"""Events as a list, or as a stream (server-sent events)."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Annotated, Any, Self

from fastapi import APIRouter, Header, Query
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from sharpwave.client.bodies import Name
from sharpwave.errors import AccessError, StoreBusy, StoreDegraded
from sharpwave.interfaces.auth import admit
from sharpwave.interfaces.rest.custom_routes import add_custom
from sharpwave.interfaces.rest.routes import memory_of, rendered, router
from sharpwave.memory import Memory
from sharpwave.ports import CommitSubscription
from sharpwave.types.storing import Event

STREAM = "text/event-stream"
POLL_S = 0.5
"""How often a stream looks for events that other processes wrote."""
_BEAT_S = 15.0
_NUMBER = re.compile("[0-9]{1,18}")
After = Annotated[int, Query(ge=0, le=2**63 - 1, description="Events after this one.")]
Limit = Annotated[int, Query(ge=1, le=1000)]
Topics = Annotated[list[Name], Query(description="Only these, such as memory.remembered.")]
LastId = Annotated[str | None, Header(alias="Last-Event-ID", description="Where to go on.")]


class EventList(BaseModel):
    """Events, oldest first. Ask again after the last `seq`."""

    items: list[Event]


async def events(
    request: Request,
    after: After = 0,
    limit: Limit = 100,
    topics: Topics = [],  # noqa: B006 - FastAPI copies it
    last: LastId = None,
) -> Response:
    """What happened to this user's memory: ids, never words.

    With `Accept: text/event-stream` the answer goes on while things happen; after a break,
    `Last-Event-ID` says where to go on.
    """
    memory = memory_of(request)
    start = int(last) if last and _NUMBER.fullmatch(last) else after
    if STREAM in request.headers.get("accept", ""):
        return StreamingResponse(_follow(request, memory, start, topics), media_type=STREAM)
    found = await run_in_threadpool(memory.admin.events, start, limit, topics)
    return rendered(EventList.model_construct(items=found), EventList, request)


async def _follow(
    request: Request, memory: Memory, after: int, topics: list[str]
) -> AsyncIterator[str]:
    state: Any = request.app.state
    quiet_s = 0.0
    yield "retry: 1000\n\n"
    with NewsWaiter(memory.admin.subscribe) as waiter:
        while not state.stopping.is_set():
            try:
                events = await run_in_threadpool(memory.admin.events, after, 100, topics)
                if not await _key_still_valid(request):
                    return
            except (StoreBusy, StoreDegraded):  # the database is away for a moment
                await asyncio.sleep(POLL_S)
                continue
            for event in events:
                yield _line(event)
                after = event.seq
            if events:
                quiet_s = 0.0
                continue
            quiet_s += await waiter.wait(state.stopping)
            if quiet_s >= _BEAT_S:
                yield ": still here\n\n"
                quiet_s = 0.0


async def _key_still_valid(request: Request) -> bool:
    """Whether the key is still valid: any process may have revoked it since the stream began."""
    try:
        keys = request.app.state.memory.admin.keys
        await run_in_threadpool(admit, keys, request.headers.get("authorization"))
    except AccessError:
        return False
    return True


class NewsWaiter:
    """Waits until there may be new events; subscribed while its block runs."""

    def __init__(self, listen: Callable[[Callable[[], None]], CommitSubscription]) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._subscription = listen(self._wake)

    async def wait(self, stopping: asyncio.Event) -> float:
        """Wait until there may be new events; returns the maximum time waited, in seconds.

        If the store notifies, the wait is long; otherwise it polls.
        """
        seconds = max(POLL_S, _BEAT_S) if self._subscription.live else POLL_S
        waiting = [asyncio.ensure_future(end.wait()) for end in (stopping, self._woken)]
        try:
            await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        self._woken.clear()
        return seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """End the subscription."""
        self._subscription.end()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._woken.set)


def _line(event: Event) -> str:
    data = json.dumps({"at": event.at.isoformat(), "topic": event.topic, **event.payload})
    return f"id: {event.seq}\nevent: {event.topic}\ndata: {data}\n\n"


def routes() -> APIRouter:
    """The routes of this file."""
    api = router()
    stream: dict[int | str, dict[str, Any]] = {
        200: {"content": {STREAM: {"schema": {"type": "string"}}}}
    }
    add_custom(api, "admin.events", events, response_model=EventList, responses=stream)
    return api
