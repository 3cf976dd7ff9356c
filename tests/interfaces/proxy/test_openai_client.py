"""The official OpenAI client through the proxy to a real, very small model."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI
from tests import small_model
from tests.interfaces.proxy.passing import Proxied, proxied
from tests.relay import Relay, relayed

pytestmark = pytest.mark.timeout(300)  # a second of a prompt is a minute on a busy machine
TAUGHT = "My sister Ana lives in Porto."
ASKED = "Where does my sister Ana live?"
SHORT: dict[str, Any] = {"model": small_model.NAME, "max_tokens": 8, "temperature": 0, "seed": 1}


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Relay]:
    with small_model.running(tmp_path_factory.mktemp("model")) as url, relayed(url) as between:
        yield between


@pytest.fixture
def proxy(relay: Relay, tmp_path: Path) -> Iterator[Proxied]:
    relay.asked.clear()
    with proxied(tmp_path, relay.url) as between:
        yield between


def client(base: str, key: str = "") -> OpenAI:
    headers = {"X-Sharpwave-Key": key} if key else {}
    return OpenAI(base_url=base, api_key="sk-own", default_headers=headers, timeout=240)


def ask(models: OpenAI, text: str, **more: Any) -> Any:
    messages: list[Any] = [{"role": "user", "content": text}]
    return models.chat.completions.create(messages=messages, **SHORT | more)


def test_the_second_conversation_knows_what_the_first_one_taught(
    proxy: Proxied, relay: Relay
) -> None:
    with client(proxy.base, proxy.key("ana")) as models:
        first = ask(models, TAUGHT)
        assert first.choices[0].message.content and first.usage.completion_tokens <= 8
        proxy.turns(count=2)
        with models.chat.completions.with_streaming_response.create(
            messages=[{"role": "user", "content": ASKED}], stream=True, **SHORT
        ) as answer:
            assert answer.headers["x-sharpwave-memory"] == "on"
            assert sum(1 for _ in answer.iter_lines()) > 3
    prompt = json.dumps(relay.asked[1]["messages"], ensure_ascii=False)
    assert "Ana lives in Porto" in prompt and prompt.count("Ana live") >= 2
    assert proxy.turns(count=4)[2].text == ASKED


def test_a_stream_says_the_same_as_without_the_proxy(proxy: Proxied, relay: Relay) -> None:
    def spoken(models: OpenAI) -> list[str]:
        events = ask(models, "Count: one, two, three", stream=True)
        return [str(one.choices[0].delta.content) for one in events if one.choices]

    with client(relay.url) as direct, client(proxy.base, proxy.key("ana")) as models:
        assert spoken(models) == spoken(direct)
    assert relay.asked[0]["messages"] == relay.asked[1]["messages"]


def test_responses_and_the_list_of_models_work_too(proxy: Proxied) -> None:
    proxy.memory.user("ana").remember(TAUGHT)
    with client(proxy.base, proxy.key("ana")) as models:
        answer = models.responses.create(
            model=small_model.NAME, input=ASKED, max_output_tokens=16, temperature=0
        )
        assert answer.output_text
        assert [one.id for one in models.models.list()] == [small_model.NAME]
    assert [turn.text for turn in proxy.turns(count=3)][1:] == [ASKED, answer.output_text]
