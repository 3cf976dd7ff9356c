"""LlamaIndex: a memory block, for `Memory.from_defaults(memory_blocks=[SharpwaveMemoryBlock(…)])`.

Messages that leave the short-term memory are remembered; memories about the last question are added
before each answer.
"""

import asyncio
from typing import Any

from sharpwave.interfaces.adapters.core import acontext_for, remember, requires
from sharpwave.memory import Memory
from sharpwave.types.message import Message
from sharpwave.types.records import Channel, Role

with requires("llama-index"):
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemoryBlock
    from pydantic import Field

_ROLES = {
    MessageRole.USER: Role.USER,
    MessageRole.ASSISTANT: Role.ASSISTANT,
    MessageRole.CHATBOT: Role.ASSISTANT,
    MessageRole.MODEL: Role.ASSISTANT,
    MessageRole.TOOL: Role.TOOL,
    MessageRole.FUNCTION: Role.TOOL,
}


class SharpwaveMemoryBlock(BaseMemoryBlock[str]):
    """Long-term memory of the memory's user."""

    name: str = Field(default="sharpwave", description="The name of the memory block.")
    memory: Memory = Field(description="Where it is remembered.", exclude=True)
    budget: int | None = Field(default=None, description="The most tokens it adds to a prompt.")

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        questions = (
            message for message in reversed(messages or []) if message.role is MessageRole.USER
        )
        query = next((message.content or "" for message in questions), "")
        return await acontext_for(self.memory, query, self.budget)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        await asyncio.to_thread(remember, self.memory, [_message(message) for message in messages])


def _message(message: ChatMessage) -> Message:
    return Message(
        message.content or "",
        role=_ROLES.get(message.role, Role.SYSTEM),
        session=message.additional_kwargs.get("session_id"),
        channel=Channel.ADAPTER,
    )
