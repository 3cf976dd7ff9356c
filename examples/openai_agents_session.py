"""OpenAI Agents: sessions that feed memory, and recall in another session. No key: the model is
the SDK's scripted one. Needs `sharpwave[openai-agents]`."""

import asyncio
import tempfile
from pathlib import Path

from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message

from sharpwave import Memory
from sharpwave.interfaces.adapters.openai_agents import SharpwaveSession, recalling


async def talk(memory: Memory) -> None:
    model = ScriptedModel([[assistant_message(text)] for text in ("Noted!", "A table by the sea.")])
    agent = Agent("Concierge", instructions="You plan evenings.", model=model)
    config = RunConfig(call_model_input_filter=recalling(memory), tracing_disabled=True)

    monday = SharpwaveSession(memory, "monday")
    await Runner.run(
        agent, "I am allergic to peanuts and I live in Porto.", session=monday, run_config=config
    )
    friday = SharpwaveSession(memory, "friday")
    await Runner.run(agent, "Where should I eat tonight?", session=friday, run_config=config)

    print(
        f"monday has {len(await monday.get_items())} items, friday {len(await friday.get_items())}"
    )
    call = model.last_call
    assert call is not None
    print("On friday the model was told:\n")
    print(call.system_instructions)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        asyncio.run(talk(memory))


if __name__ == "__main__":
    main()
