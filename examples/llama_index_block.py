"""LlamaIndex: long-term memory beside the short-term one. Needs `sharpwave[llama-index]`."""

import asyncio
import tempfile
from pathlib import Path

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory as ChatMemory

from sharpwave import Memory
from sharpwave.interfaces.adapters.llama_index import SharpwaveMemoryBlock

SMALL_TALK = [
    ChatMessage(role="user" if turn % 2 == 0 else "assistant", content=f"Small talk number {turn}.")
    for turn in range(20)
]


async def talk(memory: Memory) -> None:
    chat = ChatMemory.from_defaults(
        session_id="monday",
        token_limit=120,  # so little that most of it has to leave the short-term memory
        token_flush_size=60,
        memory_blocks=[SharpwaveMemoryBlock(memory=memory, budget=400)],
        tokenizer_fn=str.split,
    )
    await chat.aput(ChatMessage(role="user", content="My sister Ana lives in Porto."))
    await chat.aput_messages(SMALL_TALK)
    await chat.aput(ChatMessage(role="user", content="Where does my sister live?"))
    messages = await chat.aget()
    print(f"{len(SMALL_TALK) + 2} messages were said, the prompt has {len(messages)}. It begins:\n")
    print(messages[0].content)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        asyncio.run(talk(memory))


if __name__ == "__main__":
    main()
