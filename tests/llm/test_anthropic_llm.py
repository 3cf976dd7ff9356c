"""Anthropic's own protocol, on a real loopback server."""

import json
from typing import Any

import pytest
from tests.llm.chat_endpoint import (
    BLUE,
    PROMPT,
    UTILITY,
    Colour,
    MakeLLM,
    everything_about,
)
from tests.llm.endpoint import KEY, Endpoint, Reply, hang_up

from sharpwave.errors import AnswerUnfit, ProviderMisbehaved, ProviderUnavailable
from sharpwave.llm.chat_llm import ChatLLM
from sharpwave.types.llm import Completion, Usage

NUMBERS = {"input_tokens": 10, "output_tokens": 4}


def message(*blocks: dict[str, Any], stop: str = "end_turn", usage: object = NUMBERS) -> Reply:
    body = {"type": "message", "role": "assistant", "content": blocks, "stop_reason": stop}
    return Reply(json.dumps(body | {"usage": usage}).encode())


def text(words: str, **more: Any) -> Reply:
    return message({"type": "text", "text": words}, **more)


def refusal(status: int, words: str) -> Reply:
    error = {"type": "invalid_request_error", "message": words}
    return Reply(json.dumps({"type": "error", "error": error}).encode(), status)


@pytest.fixture
def llm(endpoint: Endpoint, make_llm: MakeLLM) -> ChatLLM:
    endpoint.otherwise = lambda asked: text(BLUE)
    return make_llm(provider="anthropic", base_url=endpoint.url.removesuffix("/v1"))


@pytest.mark.spec("LLM-01")
def test_a_text_comes_with_what_it_took(endpoint: Endpoint, llm: ChatLLM) -> None:
    cached = {"cache_creation_input_tokens": 5, "cache_read_input_tokens": 7}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    endpoint.replies = [message(thought, {"type": "text", "text": "Blue."}, usage=NUMBERS | cached)]

    assert llm.complete(PROMPT, UTILITY) == Completion("Blue.", Usage("m", 22, 4, estimated=False))
    assert endpoint.paths == ["/v1/messages"]
    assert endpoint.requests == [
        {
            "model": "m",
            "system": "Be short.",
            "messages": [{"role": "user", "content": "What colour is the sky?"}],
            "max_tokens": 50,
        }
    ]
    assert endpoint.authorizations == [f"Bearer {KEY}"]


def test_the_form_is_told_by_schema_then_as_a_tool_then_in_words(
    endpoint: Endpoint, llm: ChatLLM
) -> None:
    def answer(asked: dict[str, Any]) -> Reply:
        if "output_config" in asked:
            return refusal(400, "output_config: this model does not take it")
        if "tools" in asked:
            return message({"type": "tool_use", "id": "t", "name": "answer", "input": {"name": 3}})
        return text(BLUE)

    endpoint.otherwise = answer
    with pytest.raises(AnswerUnfit, match=r"name: .*llm\.models\.utility") as caught:
        llm.structured(PROMPT, Colour, UTILITY)
    assert (caught.value.input_tokens, caught.value.output_tokens) == (20, 8)
    schema = endpoint.requests[0]["output_config"]["format"]["schema"]
    assert schema["required"] == ["name", "shade"] and schema["additionalProperties"] is False
    assert endpoint.requests[1]["tools"][0]["input_schema"] == schema
    assert endpoint.requests[1]["tool_choice"] == {"type": "tool", "name": "answer"}

    given = {"type": "tool_use", "id": "t", "name": "answer", "input": json.loads(BLUE)}
    endpoint.replies = [message(given)]
    assert llm.structured(PROMPT, Colour, UTILITY).value == Colour(name="blue", shade="dark")

    endpoint.replies = [refusal(400, "tools: not with this model")]
    assert llm.structured(PROMPT, Colour, UTILITY).value.name == "blue"
    assert "JSON schema" in endpoint.requests[-1]["system"]


def test_a_wrong_answer_is_sent_back_once(endpoint: Endpoint, llm: ChatLLM) -> None:
    endpoint.replies = [text("no")]

    answer = llm.structured(PROMPT, Colour, UTILITY)

    assert answer.usage == Usage("m", 20, 8, estimated=False)
    roles = [said["role"] for said in endpoint.requests[1]["messages"]]
    assert roles == ["user", "assistant", "user"]


def test_without_a_count_usage_is_estimated(endpoint: Endpoint, llm: ChatLLM) -> None:
    endpoint.replies = [text("Blue.", usage=None)]

    assert llm.complete(PROMPT, UTILITY).usage.estimated


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (message(), "a message without text"),
        (text("No.", stop="refusal"), "a refusal"),
        (Reply(b'{"content": [{"type": "te'), "something else than a message"),
        (Reply(b"<html>"), "something else than a message"),
    ],
)
def test_an_unusable_answer_is_refused(
    endpoint: Endpoint, llm: ChatLLM, reply: Reply, what: str
) -> None:
    endpoint.replies = [reply]

    with pytest.raises(ProviderMisbehaved, match=what) as caught:
        llm.complete(PROMPT, UTILITY)
    asked = isinstance(caught.value, AnswerUnfit)
    assert asked is not what.startswith("something else"), "who was asked is not asked again"
    assert caught.value.input_tokens == (NUMBERS["input_tokens"] if asked else 0)


def test_a_cut_answer_is_not_asked_for_again(endpoint: Endpoint, llm: ChatLLM) -> None:
    endpoint.replies = [text('{"name": "bl', stop="max_tokens")]

    with pytest.raises(AnswerUnfit, match="ends after 50 tokens"):
        llm.structured(PROMPT, Colour, UTILITY)


def test_failures_say_what_to_do_and_keep_the_key(endpoint: Endpoint, llm: ChatLLM) -> None:
    endpoint.replies = [refusal(401, f"bad key {KEY}"), refusal(529, "overloaded"), hang_up]

    with pytest.raises(ProviderMisbehaved, match=r"401 \(bad key \[key\]\); set llm.api_key") as e:
        llm.complete(PROMPT, UTILITY)
    assert KEY not in everything_about(e.value)
    with pytest.raises(ProviderUnavailable, match=r"529 \(overloaded\)"):
        llm.complete(PROMPT, UTILITY)
    with pytest.raises(ProviderUnavailable, match="could not be reached"):
        llm.complete(PROMPT, UTILITY)


def test_only_the_settings_say_where_keys_go(
    endpoint: Endpoint, make_llm: MakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://192.0.2.1")
    endpoint.otherwise = lambda asked: text(BLUE)

    own = endpoint.url.removesuffix("/v1")
    make_llm(provider="anthropic", base_url=own, api_key=None).complete(PROMPT, UTILITY)

    assert KEY not in str(endpoint.headers)
