"""Google ADK: long-term memory for a Runner. No key: the model repeats what memory told it.
Needs `sharpwave[google-adk]`."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types

from sharpwave import Memory
from sharpwave.interfaces.adapters.google_adk import SharpwaveAdkMemory


class Parrot(BaseLlm):
    """Says what it is told about past conversations."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = (part for each in llm_request.contents for part in each.parts or [])
        told = "\n".join(part.text or "" for part in parts)
        _, _, past = told.partition("<PAST_CONVERSATIONS>")
        lines = [line for line in past.splitlines() if line.startswith("user:")]
        text = f"I remember: {lines[0]}" if lines else "Nice to meet you."
        content = types.Content(role="model", parts=[types.Part(text=text)])
        yield LlmResponse(content=content)


async def say(runner: Runner, session: str, text: str) -> str:
    message = types.Content(role="user", parts=[types.Part(text=text)])
    answer = ""
    async for event in runner.run_async(user_id="ana", session_id=session, new_message=message):
        parts = (event.content.parts or []) if event.content else []
        answer += "".join(part.text or "" for part in parts)
    return answer


async def talk(memory: Memory) -> None:
    kept, sessions = SharpwaveAdkMemory(memory), InMemorySessionService()
    agent = LlmAgent(name="guide", model=Parrot(model="parrot"), tools=[PreloadMemoryTool()])
    runner = Runner(app_name="travel", agent=agent, session_service=sessions, memory_service=kept)
    for session, said in [
        ("monday", "I always want a seat by the window."),
        ("friday", "Which seat do I want?"),
    ]:
        await sessions.create_session(app_name="travel", user_id="ana", session_id=session)
        print(f"{session}, ana: {said}\n  -> {await say(runner, session, said)}")
        full = await sessions.get_session(app_name="travel", user_id="ana", session_id=session)
        assert full is not None
        await kept.add_session_to_memory(full)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        asyncio.run(talk(memory))


if __name__ == "__main__":
    main()
