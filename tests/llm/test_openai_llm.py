import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tests.llm.chat_endpoint import (
    ASKED,
    BLUE,
    PROMPT,
    UTILITY,
    Colour,
    MakeLLM,
    Time,
    everything_about,
    said,
)
from tests.llm.endpoint import (
    KEY,
    Endpoint,
    Reply,
    failure,
)

from sharpwave import InvalidSettings, ProviderError, load_settings
from sharpwave.errors import ProviderMisbehaved, ProviderUnavailable
from sharpwave.llm.chat_llm import MAX_OUTPUT_TOKENS, ChatLLM
from sharpwave.types.llm import Completion, LLMRole, Prompt, Usage
from sharpwave.wiring import open_resources

pytest.importorskip("openai")

# --- a good endpoint ------------------------------------------------------------------------------


def test_a_text_comes_with_what_it_took(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [said("Blue.", usage={"prompt_tokens": 12, "completion_tokens": 3})]

    completion = make_llm().complete(PROMPT, UTILITY)

    assert completion == Completion("Blue.", Usage("m", 12, 3, estimated=False))
    assert endpoint.paths == ["/v1/chat/completions"]
    assert endpoint.requests == [
        {"model": "m", "messages": ASKED, "max_tokens": 50, "temperature": 0.0}
    ]
    assert endpoint.authorizations == [f"Bearer {KEY}"]


def test_a_structured_answer_is_asked_for_by_schema(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    answer = make_llm().structured(PROMPT, Colour, UTILITY)

    assert answer.value == Colour(name="blue", shade="dark")
    (asked,) = endpoint.requests
    assert asked["messages"] == ASKED
    described = asked["response_format"]["json_schema"]
    assert (described["name"], described["strict"]) == ("colours", True)
    shade = described["schema"]["properties"]["shade"]
    assert shade == {"enum": ["light", "dark"], "type": "string"}, "no default"
    assert described["schema"]["required"] == ["name", "shade"]
    assert described["schema"]["additionalProperties"] is False


@pytest.mark.spec("LLM-02")
def test_each_role_has_its_model(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    llm = make_llm(models={"default": "big", "utility": "small", "optimizer": "huge"})

    used = [llm.complete(PROMPT, role).usage.model for role in LLMRole]

    assert used == [llm.model(role) for role in LLMRole] == ["big", "big", "huge", "small"]
    assert [request["model"] for request in endpoint.requests] == used


def test_nothing_is_sent_before_the_first_use(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    make_llm().model(UTILITY)

    assert endpoint.requests == []


def test_no_answer_is_asked_to_be_longer_than_models_allow(
    endpoint: Endpoint, make_llm: MakeLLM
) -> None:
    make_llm().complete(PROMPT, UTILITY)
    make_llm().complete(replace(PROMPT, max_tokens=10_000), UTILITY)

    assert [request["max_tokens"] for request in endpoint.requests] == [50, MAX_OUTPUT_TOKENS]


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": 5}, {"prompt_tokens": -1, "completion_tokens": 2}, "few"]
)
def test_without_a_count_usage_is_estimated_and_says_so(
    endpoint: Endpoint, make_llm: MakeLLM, usage: object
) -> None:
    endpoint.replies = [said("<think>hm</think>Blue.", usage=usage)]

    completion = make_llm().complete(PROMPT, UTILITY)

    sent = len("Be short." + "What colour is the sky?")
    assert completion.usage == Usage("m", sent // 4, 23 // 4 + 1, estimated=True)


def test_texts_that_json_cannot_carry_are_sent_all_the_same(
    endpoint: Endpoint, make_llm: MakeLLM
) -> None:
    make_llm().complete(Prompt("p", "1", "", "lone \ud800 surrogate 🎉", 9), UTILITY)

    contents = [message["content"] for message in endpoint.requests[0]["messages"]]
    assert contents == [" ", "lone ? surrogate 🎉"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("<think>They ask.\n{}</think>\n\nBlue.", "Blue."),
        ("<think>a</think><think>b</think>Blue.", "Blue."),
        ("They ask about it.\n</think>\nBlue.", "Blue."),
        ("<think>no end", ""),
        ("```\nBlue.\n```", "Blue."),
        ("Look:\n```\nBlue.\n```", "Look:\n```\nBlue.\n```"),
    ],
)
def test_thinking_and_fences_are_left_out(
    endpoint: Endpoint, make_llm: MakeLLM, written: str, meant: str
) -> None:
    endpoint.replies = [said(written)]

    assert make_llm().complete(PROMPT, UTILITY).text == meant


def test_stripping_takes_linear_time(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [said("<think>" * 200_000), said("<think></think>" * 200_000 + "Blue.")]

    llm = make_llm()

    assert llm.complete(PROMPT, UTILITY).text == ""
    assert llm.complete(PROMPT, UTILITY).text == "Blue."


@pytest.mark.parametrize(
    "written",
    [
        f"```json\n{BLUE}\n```",
        f"```\n{BLUE}```",
        f"```json\n{BLUE}",
        f"Here you are:\n\n```json\n{BLUE}\n```\nAnything else?",
        f"<think>The sky {{is}} blue.</think>{BLUE}",
        f"Sure! {BLUE} Hope that helps.",
        BLUE[:-1] + ', "surplus": 1}',
    ],
)
def test_json_is_found_in_what_models_write_around_it(
    endpoint: Endpoint, make_llm: MakeLLM, written: str
) -> None:
    endpoint.replies = [said(written)]

    assert make_llm().structured(PROMPT, Colour, UTILITY).value == Colour(name="blue", shade="dark")
    assert len(endpoint.requests) == 1


# --- answers in the wrong form --------------------------------------------------------------------

NUMBERS = {"prompt_tokens": 10, "completion_tokens": 4}


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ('{"name": "blue", "shade": "pale"}', "shade: Input should be 'light' or 'dark'"),
        ('{"shade": "dark"}', "name: Field required"),
        ('{"name": "bl', "answer: Invalid JSON"),
        ("The sky is blue.", "answer: Invalid JSON"),
        ("[1, 2]", "answer: "),
        ("", "answer: Invalid JSON"),
        ("[" * 5000, "answer: Invalid JSON"),
    ],
)
def test_a_wrong_answer_is_sent_back_once_with_what_is_wrong(
    endpoint: Endpoint, make_llm: MakeLLM, wrong: str, problem: str
) -> None:
    endpoint.replies = [said(wrong, usage=NUMBERS), said(BLUE, usage=NUMBERS)]

    answer = make_llm().structured(PROMPT, Colour, UTILITY)

    assert answer.value == Colour(name="blue", shade="dark")
    assert answer.usage == Usage("m", 20, 8, estimated=False)
    *before, quoted, asked = endpoint.requests[1]["messages"]
    assert before == ASKED
    assert quoted == {"role": "assistant", "content": wrong[:4000] or " "}
    assert problem in asked["content"] and "JSON schema" in asked["content"]


def test_a_model_that_cannot_do_it_is_given_up_and_its_tokens_are_counted(
    endpoint: Endpoint, make_llm: MakeLLM
) -> None:
    private = '{"name": "blue", "shade": "my secret shade"}'
    endpoint.replies = [said(private, usage=NUMBERS), said(private, usage=NUMBERS)]

    with pytest.raises(
        ProviderMisbehaved, match=r"'colours' .*shade.*; .*llm\.models\.utility"
    ) as e:
        make_llm(RETRIES=5).structured(PROMPT, Colour, UTILITY)

    assert len(endpoint.requests) == 2
    assert (e.value.input_tokens, e.value.output_tokens) == (20, 8)
    assert "secret shade" not in str(e.value), "what users said does not belong into error texts"


def test_tokens_count_too_if_the_repair_fails(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [said("no", usage=NUMBERS), failure(503, "busy")]

    with pytest.raises(ProviderUnavailable) as caught:
        make_llm().structured(PROMPT, Colour, UTILITY)

    assert (caught.value.input_tokens, caught.value.output_tokens) == (10, 4)


def test_a_cut_answer_is_not_asked_for_again(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [said('{"name": "bl', finish="length")]

    with pytest.raises(ProviderMisbehaved, match=r"ends after 50 tokens.*llm\.models"):
        make_llm().structured(PROMPT, Colour, UTILITY)

    assert len(endpoint.requests) == 1


# --- servers that know less -----------------------------------------------------------------------


def refuse(*formats: str) -> Callable[[dict[str, Any]], Reply]:
    def answer(asked: dict[str, Any]) -> Reply:
        wanted = asked.get("response_format", {"type": "text"})["type"]
        return failure(400, f"no such format: {wanted}") if wanted in formats else said(BLUE)

    return answer


@pytest.mark.parametrize(
    ("refused", "taken"),
    [
        ((), ["json_schema"]),
        (("json_schema",), ["json_schema", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", None]),
    ],
)
def test_a_refused_format_is_put_more_simply_and_not_tried_again(
    endpoint: Endpoint, make_llm: MakeLLM, refused: tuple[str, ...], taken: list[str | None]
) -> None:
    llm = make_llm()
    endpoint.otherwise = refuse(*refused)

    for _ in range(2):
        assert llm.structured(PROMPT, Colour, UTILITY).value.name == "blue"

    wanted = [request.get("response_format", {}).get("type") for request in endpoint.requests]
    assert wanted == [*taken, taken[-1]]
    system = endpoint.requests[-1]["messages"][0]["content"]
    assert ("JSON schema" in system) is bool(refused)
    assert system.startswith("Be short.")


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (422, "unknown field"),
        (501, "not implemented"),
        (404, "no endpoint supports response_format"),
        (500, "failed to parse grammar"),
    ],
)
def test_servers_refuse_in_many_ways(
    endpoint: Endpoint, make_llm: MakeLLM, time: Time, status: int, message: str
) -> None:
    endpoint.replies = [failure(status, message)]

    assert make_llm(RETRIES=2).structured(PROMPT, Colour, UTILITY).value.name == "blue"
    assert time.waits == []


def test_if_every_format_is_refused_the_reason_is_told(
    endpoint: Endpoint, make_llm: MakeLLM
) -> None:
    llm = make_llm()
    endpoint.replies = [failure(400, "context is 4096 tokens")] * 3

    with pytest.raises(ProviderMisbehaved, match=r"400 \(context is 4096 tokens\); check llm\."):
        llm.structured(PROMPT, Colour, UTILITY)

    llm.structured(PROMPT, Colour, UTILITY)
    assert endpoint.requests[-1]["response_format"]["type"] == "json_schema", "it may be taken now"


def test_parameters_of_newer_models(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [
        failure(400, "'max_tokens' is not supported, use 'max_completion_tokens' instead"),
        failure(400, "'temperature' does not support 0.0 with this model"),
    ]

    llm = make_llm()
    llm.complete(PROMPT, UTILITY)
    llm.complete(PROMPT, UTILITY)

    assert len(endpoint.requests) == 4
    assert endpoint.requests[2] == endpoint.requests[3]
    assert endpoint.requests[3] == {"model": "m", "messages": ASKED, "max_completion_tokens": 50}


# --- keys and addresses ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "llm.api_key"),
        (403, "llm.api_key"),
        (404, "llm.base_url and llm.models"),
        (413, "less text"),
        (400, "llm.models"),
    ],
)
def test_a_refusal_says_what_to_do_and_keeps_the_key(
    endpoint: Endpoint, make_llm: MakeLLM, status: int, advice: str
) -> None:
    endpoint.replies = [failure(status, f"no such\nthing for {KEY} " + "x" * 5000)]

    with pytest.raises(ProviderMisbehaved) as caught:
        make_llm(RETRIES=2).complete(PROMPT, UTILITY)

    message = str(caught.value)
    assert f"answered {status} (no such thing for [key] xxx" in message
    assert advice in message
    assert len(message) < 500
    assert KEY not in everything_about(caught.value)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        failure(500, KEY),
        Reply(KEY.encode(), 500),
        Reply(KEY.encode()),
        Reply(b"", 401, {"WWW-Authenticate": KEY}),
        Reply(KEY.encode(), 307, {"Location": f"http://{KEY}.invalid/"}),
    ],
    ids=["error", "bare error", "bare answer", "header", "address"],
)
@pytest.mark.parametrize("retries", [0, 1])
def test_an_echoed_key_does_not_leak(
    endpoint: Endpoint, make_llm: MakeLLM, reply: Reply, retries: int
) -> None:
    endpoint.replies = [reply] * 6

    for ask in (complete, structured):
        with pytest.raises(ProviderError) as caught:
            ask(make_llm(RETRIES=retries))
        assert KEY not in everything_about(caught.value)


def test_a_key_echoed_by_the_model_does_not_leak(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    class Strict(BaseModel, extra="forbid"):
        name: str

    endpoint.replies = [said(json.dumps({KEY: KEY, "name": 1}))] * 2

    with pytest.raises(ProviderMisbehaved) as caught:
        make_llm().structured(PROMPT, Strict, UTILITY)

    assert KEY not in everything_about(caught.value)


def test_texts_go_nowhere_else(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [Reply(b"", 307, {"Location": endpoint.url + "/elsewhere"})]

    with pytest.raises(ProviderMisbehaved, match="answered 307"):
        make_llm().complete(PROMPT, UTILITY)

    assert endpoint.paths == ["/v1/chat/completions"]


def test_a_local_server_needs_no_key(
    endpoint: Endpoint, make_llm: MakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://192.0.2.1/v1")

    make_llm(api_key=None).complete(PROMPT, UTILITY)

    assert KEY not in str(endpoint.headers)


def test_a_missing_package_is_named(make_llm: MakeLLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)

    with pytest.raises(InvalidSettings, match=r'llm\.provider.*pip install "sharpwave\[openai\]"'):
        make_llm()


def test_an_address_and_a_model_must_be_given(make_llm: MakeLLM) -> None:
    with pytest.raises(InvalidSettings, match=r"llm\.base_url"):
        make_llm(base_url="localhost:8080")
    with pytest.raises(InvalidSettings, match=r"no model for analyzer, .*llm\.models\.default"):
        make_llm(models={"utility": "small"})


@pytest.mark.spec("LLM-02")
def test_the_settings_choose_it(
    endpoint: Endpoint, make_llm: MakeLLM, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_none = open_resources(load_settings(path=tmp_path / "none.db"))
    with_none.store.close()
    monkeypatch.setenv("SHARPWAVE_LLM__PROVIDER", "openai")
    monkeypatch.setenv("SHARPWAVE_LLM__BASE_URL", endpoint.url)
    monkeypatch.setenv("SHARPWAVE_LLM__API_KEY", KEY)
    monkeypatch.setenv("SHARPWAVE_LLM__MODELS__DEFAULT", "big")
    monkeypatch.setenv("SHARPWAVE_LLM__MODELS__UTILITY", "small")
    settings = load_settings(path=tmp_path / "one.db")
    with_one = open_resources(settings)
    with_one.store.close()

    assert with_none.llm is None
    assert with_one.llm is not None
    assert with_one.llm.complete(PROMPT, UTILITY).usage.model == "small"
    assert KEY not in repr(settings)


def complete(llm: ChatLLM) -> object:
    return llm.complete(PROMPT, UTILITY)


def structured(llm: ChatLLM) -> object:
    return llm.structured(PROMPT, Colour, UTILITY)
