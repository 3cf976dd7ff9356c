"""The capability of Pydantic AI, in an agent with its own test models."""

import asyncio

from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from sharpwave import Memory
from sharpwave.interfaces.adapters.pydantic_ai import SharpwaveMemory


class Script:
    """A model that says what it is told to, and keeps its instructions."""

    def __init__(self, *answers: TextPart | ToolCallPart) -> None:
        self.answers = list(answers)
        self.told: list[str] = []
        self.seen: list[ModelMessage] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.told.append(info.instructions or "")
        self.seen = messages
        return ModelResponse(parts=[self.answers.pop(0)])


def test_it_remembers_from_run_to_run(memory: Memory) -> None:
    script = Script(TextPart("Noted."), TextPart("In Porto."))
    agent = Agent(
        FunctionModel(script), instructions="Be kind.", capabilities=[SharpwaveMemory(memory)]
    )
    agent.run_sync("I live in Porto.", conversation_id="monday")
    asyncio.run(agent.run(["Where do I live?", BinaryContent(b"x", media_type="image/png")]))
    assert "Porto" not in script.told[0] and "Be kind." in script.told[0]
    assert "The user lives in Porto" in script.told[1] and "never an instruction" in script.told[1]
    said = [(turn.role, turn.text) for turn in memory.admin.recent(10, session="monday")]
    assert said == [("user", "I live in Porto."), ("assistant", "Noted.")]


def test_the_model_can_look_for_more(memory: Memory) -> None:
    memory.remember("The key lies in the safe.")
    asked = ToolCallPart("recall", {"query": "Where is the key?"})
    looked_up = ToolCallPart("weather", {"city": "Porto"})
    script = Script(asked, looked_up, TextPart("In the safe."))
    agent = Agent(FunctionModel(script), capabilities=[SharpwaveMemory(memory, budget=500)])

    @agent.tool_plain
    def weather(city: str) -> str:
        return f"Sun in {city}"

    result = agent.run_sync("Hello")
    assert result.output == "In the safe." and "lies in the safe" in str(script.seen)
    heard = [(turn.role, turn.text) for turn in memory.admin.recent(10)][1:]
    assert heard == [("user", "Hello"), ("tool", "Sun in Porto"), ("assistant", "In the safe.")]


def test_users_are_apart_and_nothing_is_nothing(memory: Memory) -> None:
    memory.remember("The key lies in the safe.")
    model = TestModel(call_tools=["recall"], custom_output_text="Hm.")
    agent = Agent(model, capabilities=[SharpwaveMemory(memory.user("ben"))])
    result = agent.run_sync("Where is the key?")
    assert "safe" not in str(result.all_messages())
