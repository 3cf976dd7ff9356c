"""LangGraph: a graph that remembers people across threads. Needs `sharpwave[langgraph]`, no key."""

import tempfile
from pathlib import Path
from typing import TypedDict

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from sharpwave import Memory
from sharpwave.interfaces.adapters.langgraph import SharpwaveStore


class Person(TypedDict):
    name: str


class Talk(TypedDict):
    said: str
    answer: str


def reply(state: Talk, runtime: Runtime[Person]) -> dict[str, str]:
    """Answer from what this person said before, then remember what was said now."""
    store, namespace = runtime.store, ("said", runtime.context["name"])
    assert store is not None
    known = store.search(namespace, query=state["said"], limit=1)
    store.put(namespace, state["said"][:40], {"text": state["said"]})
    sure = [item for item in known if item.score]
    return {"answer": f"You told me: {sure[0].value['text']}" if sure else "I do not know yet."}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        graph = (
            StateGraph(Talk, context_schema=Person)
            .add_node("reply", reply)
            .add_edge(START, "reply")
            .compile(store=SharpwaveStore(memory))
        )
        for name, said in [
            ("ana", "My flight to Oslo leaves on Friday at nine."),
            ("ben", "When does my flight leave?"),
            ("ana", "When does my flight leave?"),
        ]:
            done = graph.invoke({"said": said, "answer": ""}, context={"name": name})
            print(f"{name}: {said}\n  -> {done['answer']}")


if __name__ == "__main__":
    main()
