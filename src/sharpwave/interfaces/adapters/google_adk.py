"""Google ADK: a memory service for a `Runner`, and for the tools `load_memory`, `preload_memory`.

Each user of each app is a separate user in the memory, identified by ADK, never by the model.
Search results are quoted, since ADK puts them into the prompt unchanged.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from sharpwave.interfaces.adapters.core import remember, requires, separate_user
from sharpwave.memory import Memory
from sharpwave.rendering import quoted
from sharpwave.types.answers import Recalled
from sharpwave.types.message import Message, joined_parts
from sharpwave.types.records import Channel, Role

with requires("google-adk"):
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai import types

_LABEL = "google-adk"


class SharpwaveAdkMemory(BaseMemoryService):
    """ADK's long-term memory in a Sharpwave memory."""

    def __init__(self, memory: Memory, *, k: int = 8) -> None:
        """`k` is how many memories a search gives at most."""
        self._memory = memory
        self._k = k

    async def add_session_to_memory(self, session: Session) -> None:
        """Remember a session; what of it was added before is not stored again."""
        await self._add(session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember some events; what of them was added before is not stored again."""
        await self._add(app_name, user_id, session_id, events)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """What is remembered of this user about something, best first."""
        if not query.strip():
            return SearchMemoryResponse()
        found = await asyncio.to_thread(self._memory_of(app_name, user_id).recall, query, k=self._k)
        return SearchMemoryResponse(memories=[_entry(item) for item in found])

    def _memory_of(self, app_name: str, user_id: str) -> Memory:
        return separate_user(self._memory, _LABEL, app_name, user_id)

    async def _add(
        self, app_name: str, user_id: str, session_id: str | None, events: Sequence[Event]
    ) -> None:
        messages = [_message(event, session_id) for event in events if not event.partial]
        await asyncio.to_thread(remember, self._memory_of(app_name, user_id), messages)


def _message(event: Event, session_id: str | None) -> Message:
    parts = (event.content.parts or []) if event.content else []
    user = event.author == "user"
    texts = [part.text for part in parts if part.text and not part.thought]
    return Message(
        joined_parts(texts) if user else "\n".join(texts),
        role=Role.USER if user else Role.ASSISTANT,
        speaker=None if user else event.author,
        at=datetime.fromtimestamp(event.timestamp, UTC),
        session=session_id,
        channel=Channel.ADAPTER,
        idempotency_key=f"{session_id or ''}:{event.id}" if event.id else None,
    )


def _entry(item: Recalled) -> MemoryEntry:
    record = item.record
    role = None if record.role is None else record.role.value
    return MemoryEntry(
        id=record.id,
        content=types.Content(role=role, parts=[types.Part(text=quoted(record.text))]),
        author=record.speaker or role or record.kind.value,
        timestamp=record.valid_from.isoformat(),
        custom_metadata={"score": item.score, "kind": record.kind.value},
    )
