"""Our client of language models against a real, very small one: the wire, the grammar, failures.

Nothing here says how well a model does. What it writes is mostly wrong, which is what a good part
of these tests is about.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field
from tests import small_model
from tests.relay import Relay, relayed

from sharpwave import Kind, Memory, ProviderError, Settings
from sharpwave.errors import ProviderMisbehaved
from sharpwave.llm import chat_llm
from sharpwave.llm.chat_llm import Chat, ChatLLM
from sharpwave.settings.models import LLMSettings
from sharpwave.testing import FrozenClock
from sharpwave.types.llm import LLMRole, Prompt
from sharpwave.types.working import JobState

pytestmark = pytest.mark.timeout(300)  # a second of a prompt is a minute on a busy machine
UTILITY = LLMRole.UTILITY
ASKED = Prompt("capital", "1", "Answer briefly.", "What is the capital of France?", max_tokens=12)


class Place(BaseModel):
    """Where somebody lives."""

    kind: Literal["city", "village", "country"]
    rooms: int = Field(ge=0, le=99)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with small_model.running(tmp_path_factory.mktemp("model")) as url:
        yield url


@pytest.fixture
def relay(model: str) -> Iterator[Relay]:
    with relayed(model) as between:
        yield between


@pytest.fixture(autouse=True)
def _short_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the small model is done soon, whatever is asked of it."""
    monkeypatch.setattr(chat_llm, "MAX_OUTPUT_TOKENS", 60)


def asking(url: str, **changes: Any) -> LLMSettings:
    given = {"provider": "openai", "base_url": url, "models": {"default": small_model.NAME}}
    return LLMSettings.model_validate(given | {"timeout_s": 240} | changes)


def llm(url: str) -> ChatLLM:
    return ChatLLM({UTILITY: Chat(asking(url))})


def remembering(url: str, **changes: Any) -> Settings:
    settings = Settings.model_validate({"embedder": {"provider": "hash"}})
    return settings.model_copy(update={"llm": asking(url, **changes)})


@pytest.mark.spec("LLM-04")
def test_a_text_comes_back_with_the_tokens_that_the_server_counted(relay: Relay) -> None:
    answer = llm(relay.url).complete(ASKED, UTILITY)
    assert answer.text.strip()
    assert answer.usage.model == small_model.NAME and not answer.usage.estimated
    assert 10 < answer.usage.input_tokens < 100 and 1 < answer.usage.output_tokens <= 12
    assert [one["role"] for one in relay.asked[0]["messages"]] == ["system", "user"]


def test_the_grammar_gives_an_answer_its_form_whatever_was_asked(relay: Relay) -> None:
    poem = Prompt("poem", "1", "You are a poet.", "Write a poem about rain.", max_tokens=60)
    answer = llm(relay.url).structured(poem, Place, UTILITY)
    assert answer.value.kind in ("city", "village", "country") and 0 <= answer.value.rooms <= 99
    assert len(relay.asked) == 1, "it fitted at once: nothing was sent back"
    assert relay.asked[0]["response_format"]["type"] == "json_schema"


def test_an_answer_cut_short_is_an_error_that_counts_what_it_cost(relay: Relay) -> None:
    with pytest.raises(ProviderMisbehaved, match="before it is complete") as caught:
        llm(relay.url).structured(replace(ASKED, max_tokens=2), Place, UTILITY)
    assert caught.value.input_tokens > 10 and caught.value.output_tokens == 2


def test_a_prompt_longer_than_the_context_is_an_error(relay: Relay) -> None:
    long = Prompt("long", "1", "Be short.", "rain " * 6000, max_tokens=4)
    with pytest.raises(ProviderError):
        llm(relay.url).complete(long, UTILITY)


@pytest.mark.spec("LLM-04")
def test_words_are_kept_whatever_the_model_makes_of_them(relay: Relay, tmp_path: Path) -> None:
    words = "My sister Ana lives in Porto."
    settings = remembering(relay.url)
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        receipt = memory.remember(words, wait=True)
        turn = memory.explain(receipt.ids[0]).record
        assert turn.text == words and turn.kind is Kind.TURN
        assert "Ana lives in Porto" in [one.text for one in memory.facts.list()], "rules found it"
        assert any(words in str(one["messages"]) for one in relay.asked), "it was asked"
        spent = memory.admin.spending()
        assert spent.calls >= 1 and spent.input_tokens > 50 and spent.output_tokens > 0
        told = memory.export()
        assert all("Ana" in line for line in told if '"kind": "fact"' in line)


def test_a_model_that_is_gone_loses_nothing(tmp_path: Path) -> None:
    with small_model.running(tmp_path) as url:
        settings = remembering(url)
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        memory.remember("I work as a baker.", wait=True)
        waiting = [job for job in memory.admin.jobs() if job.state is not JobState.DONE]
        assert waiting and "baker" in memory.recall("What do I work as?").items[0].text
        assert memory.admin.spending().output_tokens == 0


def test_a_night_with_the_model_ends_in_a_report(relay: Relay, tmp_path: Path) -> None:
    settings = remembering(relay.url)
    by_rules = settings.remember.model_copy(update={"read_with_llm": False})
    settings = settings.model_copy(update={"remember": by_rules})
    clock = FrozenClock(datetime(2026, 5, 1, 9, tzinfo=UTC))
    with Memory.open(tmp_path / "m.db", settings=settings, clock=clock) as memory:
        said = [
            f"In {month} I moved to {city} with my cat, and I baked bread for all of us there."
            for month, city in (("May", "Porto"), ("June", "Lima"), ("July", "Oslo"))
        ]
        memory.remember(said, session="a")
        clock.advance(days=2)
        night = memory.sleep(heavy=True)
        assert (
            night.finished_at and relay.asked and memory.admin.spending().calls == len(relay.asked)
        )
        assert [turn.text for turn in memory.admin.recent()] == said
