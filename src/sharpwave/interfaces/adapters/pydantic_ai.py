"""Pydantic AI: memory as a capability, `Agent(model, capabilities=[SharpwaveMemory(memory)])`.

Before each request, memories about the prompt are added to the instructions, quoted as data; the
tool `recall` lets the model search for more; after the run the messages are remembered.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sharpwave.interfaces.adapters.core import acontext_for, remember, requires
from sharpwave.memory import Memory
from sharpwave.types.message import Message, joined_parts
from sharpwave.types.records import Channel, Role

with requires("pydantic-ai"):
    from pydantic_ai import FunctionToolset, RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, TextPart, ToolReturnPart, UserPromptPart
    from pydantic_ai.run import AgentRunResult

_NOTHING = "Nothing is remembered about this."


@dataclass
class SharpwaveMemory(AbstractCapability[Any]):
    """Long-term memory of the memory's user, whatever the model writes."""

    memory: Memory
    budget: int | None = None
    """The most tokens that memory adds to the instructions."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """None: a memory is opened in code, not in a file."""
        return None

    def get_instructions(self) -> Any:
        """What is remembered about the prompt of the run."""

        async def remembered(context: RunContext[Any]) -> str:
            return await acontext_for(self.memory, _text(context.prompt), self.budget)

        return remembered

    def get_toolset(self) -> FunctionToolset[Any]:
        """The tool `recall`."""

        async def recall(query: str) -> str:
            """Search what is remembered about this user from earlier conversations.

            Args:
                query: What to look for: a question or a topic, in plain words.

            """
            return await acontext_for(self.memory, query, self.budget) or _NOTHING

        return FunctionToolset([recall])

    async def after_run(
        self, ctx: RunContext[Any], *, result: AgentRunResult[Any]
    ) -> AgentRunResult[Any]:
        """Remember what was said in the run."""
        messages = list(_messages(result.new_messages(), ctx.conversation_id))
        await asyncio.to_thread(remember, self.memory, messages)
        return result


def _messages(messages: Sequence[ModelMessage], session: str | None) -> Iterator[Message]:
    for message in messages:
        for part in message.parts:
            match part:
                case UserPromptPart():
                    role, text = Role.USER, _text(part.content)
                case TextPart():
                    role, text = Role.ASSISTANT, part.content
                case ToolReturnPart() if part.tool_name != "recall":
                    role, text = Role.TOOL, part.model_response_str()
                case _:
                    continue
            yield Message(text, role, session=session, channel=Channel.ADAPTER)


def _text(content: object) -> str:
    """The words of a prompt, without its pictures and files."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    return joined_parts([part for part in parts if isinstance(part, str)])
