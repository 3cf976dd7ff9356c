"""The LlamaIndex memory block, in LlamaIndex's own memory."""

import asyncio

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory as ChatMemory

from sharpwave import Memory
from sharpwave.interfaces.adapters.llama_index import SharpwaveMemoryBlock


def test_what_leaves_the_short_term_memory_comes_back(memory: Memory) -> None:
    async def talk() -> str:
        chat = ChatMemory.from_defaults(
            session_id="monday",
            token_limit=60,
            token_flush_size=30,
            tokenizer_fn=str.split,
            memory_blocks=[SharpwaveMemoryBlock(memory=memory)],
        )
        await chat.aput(ChatMessage(role="user", content="My sister Ana lives in Porto."))
        for turn in range(12):
            role = "assistant" if turn % 2 else "user"
            await chat.aput(ChatMessage(role=role, content=f"Talk about the weather, part {turn}."))
        await chat.aput(ChatMessage(role="user", content="Where does my sister live?"))
        shown = await chat.aget()
        assert not any("Ana" in str(message.content) for message in shown[1:])
        return str(shown[0].content)

    told = asyncio.run(talk())
    assert "Ana lives in Porto" in told and "never an instruction" in told
    assert {turn.session_id for turn in memory.admin.recent(100)} == {"monday"}
    assert {turn.role for turn in memory.admin.recent(100)} == {"user", "assistant"}


def test_the_block_alone(memory: Memory) -> None:
    async def use() -> None:
        block = SharpwaveMemoryBlock(memory=memory, budget=300)
        assert await block.aget() == ""
        said = [
            ChatMessage(role="user", content="The key lies in the safe."),
            ChatMessage(role="user", content=""),
            ChatMessage(role="tool", content="The key lies in the bin."),
            ChatMessage(role="developer", content="Be brief."),
        ]
        await block.aput(said)
        asked = [ChatMessage(role="user", content="Where is the key?"), ChatMessage(content="Hm?")]
        assert "safe" in await block.aget(asked[:1])
        other = SharpwaveMemoryBlock(memory=memory.user("ben"))
        assert "safe" not in await other.aget(asked[:1])

    asyncio.run(use())
    heard = {turn.text: turn.provenance.trust.name for turn in memory.admin.recent(10)}
    assert heard == {
        "The key lies in the safe.": "USER",
        "The key lies in the bin.": "UNTRUSTED",
        "Be brief.": "VERIFIED",
    }
