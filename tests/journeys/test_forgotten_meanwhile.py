"""What is forgotten while something is learned from it stays forgotten; new words are stored."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.places import PLACES, empty

from sharpwave import Memory, Settings
from sharpwave.errors import Overtaken
from sharpwave.testing import HashEmbedder, resources_of

SHIPPED = [{"query": "ship the canoe", "task_id": f"t{n}", "success": True} for n in range(8)]
MENDED = [{"query": "mend the oar", "task_id": f"o{n}", "success": True} for n in range(8)]


class InterruptedEmbedder:
    """Does something once, as if another process did, while texts are embedded."""

    def __init__(self) -> None:
        self._inner = HashEmbedder()
        self.space = self._inner.space
        self.meanwhile: Callable[[], object] | None = None

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()
        return self._inner.embed(statements)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        return self._inner.embed_question(question)


@pytest.fixture
def embedder() -> InterruptedEmbedder:
    return InterruptedEmbedder()


@pytest.fixture(params=PLACES)
def memory(
    request: pytest.FixtureRequest, tmp_path: Path, embedder: InterruptedEmbedder
) -> Iterator[Memory]:
    settings = Settings.model_validate({"sleep": {"enabled": False}})
    place = empty(request.param, tmp_path)
    with Memory.open(place, user="ana", settings=settings, embedder=embedder) as opened:
        yield opened


def kept(memory: Memory) -> str:
    """Everything that is stored of a user, also what the export leaves out."""
    store = resources_of(memory).store.for_user(memory.user_id)
    topics = [topic for root in ("experience", "behavior", "sleep") for topic in store.topics(root)]
    return "\n".join([*memory.export(), *(str(store.tallies(topic)) for topic in topics)])


def relearn(memory: Memory) -> object:
    return memory.agents.rebuild()


def learn(memory: Memory) -> object:
    return memory.agents.generate_insights()


def sleep(memory: Memory) -> object:
    return memory.sleep(heavy=True)


@pytest.mark.parametrize("learner", [relearn, learn, sleep])
def test_nothing_is_learned_from_what_was_forgotten_meanwhile(
    memory: Memory, embedder: InterruptedEmbedder, learner: Callable[[Memory], object]
) -> None:
    memory.agents.observe(SHIPPED)
    embedder.meanwhile = lambda: memory.forget(everything=True)
    try:
        learner(memory)
    except Overtaken:
        pass  # a night whose user is gone may say so
    assert embedder.meanwhile is None, "it was forgotten while something was embedded"
    assert "canoe" not in kept(memory)
    assert resources_of(memory).store.users() == []


@pytest.mark.parametrize("learner", [relearn, learn, sleep])
def test_what_is_left_is_learned_all_the_same(
    memory: Memory, embedder: InterruptedEmbedder, learner: Callable[[Memory], object]
) -> None:
    logged = memory.agents.observe(SHIPPED)
    memory.agents.observe(MENDED)
    ids = [each.interaction_id for each in logged]
    embedder.meanwhile = lambda: memory.forget(*ids)
    learner(memory)
    assert embedder.meanwhile is None and "canoe" not in kept(memory)
    assert any("oar" in pattern.description for pattern in memory.agents.patterns())


def test_what_is_said_meanwhile_is_stored_and_read_without_what_is_gone(
    memory: Memory, embedder: InterruptedEmbedder
) -> None:
    memory.remember("My sister is Ada.", session="s")
    embedder.meanwhile = lambda: memory.forget(everything=True)
    receipt = memory.remember("I live in Porto. She works at Nokia.", session="s")
    assert receipt.ids and "Porto" in kept(memory) and "Ada" not in kept(memory)
    assert "The user lives in Porto" in [fact.text for fact in memory.facts.list()]


def test_a_task_observed_meanwhile_is_stored(memory: Memory, embedder: InterruptedEmbedder) -> None:
    memory.agents.observe(SHIPPED)
    embedder.meanwhile = lambda: memory.forget(everything=True)
    memory.agents.observe(MENDED[0])
    assert embedder.meanwhile is None
    assert "oar" in kept(memory) and "canoe" not in kept(memory)
