"""Pydantic AI: an agent that remembers from run to run. No key: the model is a function.
Needs `sharpwave[pydantic-ai]`."""

import tempfile
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from sharpwave import Memory
from sharpwave.interfaces.adapters.pydantic_ai import SharpwaveMemory


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Says whether its instructions tell it where the user lives."""
    told = info.instructions or ""
    answer = "In Porto, you told me." if "Porto" in told else "I do not know."
    return ModelResponse(parts=[TextPart(answer)])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        agent = Agent(FunctionModel(model), capabilities=[SharpwaveMemory(memory)])
        for said in ("Where do I live?", "I live in Porto.", "Where do I live?"):
            print(f"{said}\n  -> {agent.run_sync(said).output}")
        print("known of the user:", *(fact.text for fact in memory.facts.profile()))


if __name__ == "__main__":
    main()
