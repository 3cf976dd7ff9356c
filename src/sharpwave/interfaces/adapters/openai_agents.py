"""OpenAI Agents: a `Session` that also feeds memory, and recall across sessions.

    session = SharpwaveSession(memory, "monday")
    await Runner.run(agent, "Hello", session=session, run_config=RunConfig(
        call_model_input_filter=recalling(memory)))

Items are returned as they were added, except for text that the privacy policy redacts.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from sharpwave.interfaces.adapters.core import acontext_for, requires, turns
from sharpwave.memory import Memory
from sharpwave.types.message import Message, joined_parts
from sharpwave.types.records import Channel, Record, Role

with requires("openai-agents"):
    from agents import SessionABC, TResponseInputItem
    from agents.memory import SessionSettings
    from agents.run_config import CallModelData, ModelInputData

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


class SharpwaveSession(SessionABC):
    """One conversation of the memory's user: what is said in it is remembered and learned from."""

    def __init__(
        self, memory: Memory, session_id: str, settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = settings
        self._memory = memory
        self._session = f"openai-agents:{session_id}"

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The last items, or all of them, oldest first."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        session_turns = await asyncio.to_thread(turns, self._memory, self._session, limit)
        return [_item(turn) for turn in session_turns]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Remember items, all of them or none."""
        if items:
            messages = [self._message(cast("Mapping[str, Any]", item)) for item in items]
            await asyncio.to_thread(self._memory.remember, messages)

    async def pop_item(self) -> TResponseInputItem | None:
        """Forget the last item, and give it back."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Forget this conversation, and what was learned from it alone."""
        await asyncio.to_thread(self._memory.forget, session=self._session)

    def _pop(self) -> TResponseInputItem | None:
        last = self._memory.admin.recent(1, session=self._session)
        if not last:
            return None
        self._memory.forget(last[0].id)
        return _item(last[0])

    def _message(self, item: Mapping[str, Any]) -> Message:
        role, text, text_field = _words(item)
        other_fields = {name: value for name, value in item.items() if name != text_field}
        metadata = {"item": other_fields, "words": text_field}
        session, channel = self._session, Channel.ADAPTER
        return Message(text, role, session=session, channel=channel, metadata=metadata)


def recalling(
    memory: Memory, budget: int | None = None
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """For `RunConfig(call_model_input_filter=…)`: what is remembered about the last question.

    It joins the instructions of each call of the model, within `budget` tokens, quoted as data.
    """

    async def with_memory(call: CallModelData[Any]) -> ModelInputData:
        data = call.model_data
        question = _last_question(cast("Sequence[Mapping[str, Any]]", data.input))
        context = await acontext_for(memory, question, budget)
        instructions = [part for part in (data.instructions, context) if part]
        return ModelInputData(input=data.input, instructions="\n\n".join(instructions) or None)

    return with_memory


def _last_question(items: Sequence[Mapping[str, Any]]) -> str:
    parts = (_words(item) for item in reversed(items))
    return next((text for role, text, _ in parts if role is Role.USER), "")


def _words(item: Mapping[str, Any]) -> tuple[Role, str, str]:
    """Role and text of an item, and the field that holds exactly this text, if any."""
    role = _ROLES.get(str(item.get("role")))
    if role is None and "role" in item:
        role = Role.SYSTEM
    name = "content" if role else "output" if "output" in item else "summary"
    value = item.get(name)
    text, text_field = (value, name) if isinstance(value, str) else (_joined(value, role), "")
    if "arguments" in item:
        role, text, text_field = Role.ASSISTANT, f"{item.get('name')}({item['arguments']})", ""
    if role is None:
        role = Role.TOOL if "output" in item else Role.ASSISTANT
    return (
        (role, text, text_field) if text.strip() else (role, f"({item.get('type', 'empty')})", "")
    )


def _joined(parts: object, role: Role | None) -> str:
    """The texts among the parts of a content."""
    if not isinstance(parts, list):
        return ""
    found = (part.get("text") for part in parts if isinstance(part, Mapping))
    texts = [text for text in found if isinstance(text, str)]
    return joined_parts(texts) if role is Role.USER else "\n".join(texts)


def _item(turn: Record) -> TResponseInputItem:
    metadata: dict[str, Any] = dict(turn.metadata)
    words = {metadata["words"]: turn.text} if metadata.get("words") else {}
    return cast("TResponseInputItem", {**metadata.get("item", {}), **words})
