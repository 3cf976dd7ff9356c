import json
import sys
import traceback
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from tests.providers.endpoint import (
    KEY,
    Endpoint,
    Handler,
    Reply,
    failure,
    hang,
    hang_up,
    never_end,
)

from sharpwave.errors import (
    InvalidSettings,
    ProviderError,
    ProviderMisbehaved,
    ProviderUnavailable,
)
from sharpwave.providers.openai_llm import OpenAILLM
from sharpwave.providers.patience import Patience
from sharpwave.settings import LLMSettings
from sharpwave.types.llm import Completion, LLMRole, Prompt, Usage
from sharpwave.wiring import load_settings, open_ports

pytest.importorskip("openai")

UTILITY = LLMRole.UTILITY
PROMPT = Prompt("colours", "1", "Be short.", "What colour is the sky?", max_tokens=50)
ASKED = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "What colour is the sky?"},
]


class Colour(BaseModel):
    """A colour, as a model is asked for it."""

    name: str
    shade: Literal["light", "dark"] = "light"


BLUE = '{"name": "blue", "shade": "dark"}'


class Time:
    """Passes only when someone waits, or looks at the clock and `per_look_s` is set."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.per_look_s = 0.0
        self.waits: list[float] = []

    def now(self) -> float:
        self.seconds += self.per_look_s
        return self.seconds

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds


@pytest.fixture
def time() -> Time:
    return Time()


Make = Callable[..., OpenAILLM]


@pytest.fixture
def make(endpoint: Endpoint, time: Time) -> Make:
    endpoint.otherwise = lambda asked: said(BLUE)

    def build(**changes: object) -> OpenAILLM:
        given = {"provider": "openai", "base_url": endpoint.url, "api_key": KEY, "retries": 0}
        settings = LLMSettings.model_validate(given | {"models": {"default": "m"}} | changes)
        return OpenAILLM(settings, Patience(time.wait, time.now, lambda: 0.5))

    return build


# --- a good endpoint ------------------------------------------------------------------------------


@pytest.mark.spec("LLM-01")
def test_a_text_comes_with_what_it_took(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [said("Blue.", usage={"prompt_tokens": 12, "completion_tokens": 3})]

    completion = make().complete(PROMPT, UTILITY)

    assert completion == Completion("Blue.", Usage("m", 12, 3, estimated=False))
    assert endpoint.paths == ["/v1/chat/completions"]
    assert endpoint.requests == [
        {"model": "m", "messages": ASKED, "max_tokens": 50, "temperature": 0.0}
    ]
    assert endpoint.authorizations == [f"Bearer {KEY}"]


def test_a_structured_answer_is_asked_for_by_schema(endpoint: Endpoint, make: Make) -> None:
    answer = make().structured(PROMPT, Colour, UTILITY)

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
def test_each_role_has_its_model(endpoint: Endpoint, make: Make) -> None:
    llm = make(models={"default": "big", "utility": "small", "optimizer": "huge"})

    used = [llm.complete(PROMPT, role).usage.model for role in LLMRole]

    assert used == [llm.model(role) for role in LLMRole] == ["big", "big", "huge", "small"]
    assert [request["model"] for request in endpoint.requests] == used


def test_nothing_is_sent_before_the_first_use(endpoint: Endpoint, make: Make) -> None:
    make().model(UTILITY)

    assert endpoint.requests == []


def test_the_settings_can_only_shorten_an_answer(endpoint: Endpoint, make: Make) -> None:
    make(max_output_tokens=20).complete(PROMPT, UTILITY)
    make(max_output_tokens=2000).complete(PROMPT, UTILITY)

    assert [request["max_tokens"] for request in endpoint.requests] == [20, 50]


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": 5}, {"prompt_tokens": -1, "completion_tokens": 2}, "few"]
)
def test_without_a_count_usage_is_estimated_and_says_so(
    endpoint: Endpoint, make: Make, usage: object
) -> None:
    endpoint.replies = [said("<think>hm</think>Blue.", usage=usage)]

    completion = make().complete(PROMPT, UTILITY)

    sent = len("Be short." + "What colour is the sky?")
    assert completion.usage == Usage("m", sent // 4, 23 // 4 + 1, estimated=True)


def test_texts_that_json_cannot_carry_are_sent_all_the_same(endpoint: Endpoint, make: Make) -> None:
    make().complete(Prompt("p", "1", "", "lone \ud800 surrogate 🎉", 9), UTILITY)

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
    endpoint: Endpoint, make: Make, written: str, meant: str
) -> None:
    endpoint.replies = [said(written)]

    assert make().complete(PROMPT, UTILITY).text == meant


def test_stripping_takes_linear_time(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [said("<think>" * 200_000), said("<think></think>" * 200_000 + "Blue.")]

    llm = make()

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
    endpoint: Endpoint, make: Make, written: str
) -> None:
    endpoint.replies = [said(written)]

    assert make().structured(PROMPT, Colour, UTILITY).value == Colour(name="blue", shade="dark")
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
    endpoint: Endpoint, make: Make, wrong: str, problem: str
) -> None:
    endpoint.replies = [said(wrong, usage=NUMBERS), said(BLUE, usage=NUMBERS)]

    answer = make().structured(PROMPT, Colour, UTILITY)

    assert answer.value == Colour(name="blue", shade="dark")
    assert answer.usage == Usage("m", 20, 8, estimated=False)
    *before, quoted, asked = endpoint.requests[1]["messages"]
    assert before == ASKED
    assert quoted == {"role": "assistant", "content": wrong[:4000] or " "}
    assert problem in asked["content"] and "JSON schema" in asked["content"]


def test_a_model_that_cannot_do_it_is_given_up_and_its_tokens_are_counted(
    endpoint: Endpoint, make: Make
) -> None:
    private = '{"name": "blue", "shade": "my secret shade"}'
    endpoint.replies = [said(private, usage=NUMBERS), said(private, usage=NUMBERS)]

    with pytest.raises(
        ProviderMisbehaved, match=r"'colours' .*shade.*; .*llm\.models\.utility"
    ) as e:
        make(retries=5).structured(PROMPT, Colour, UTILITY)

    assert len(endpoint.requests) == 2
    assert (e.value.input_tokens, e.value.output_tokens) == (20, 8)
    assert "secret shade" not in str(e.value), "what users said does not belong into error texts"


def test_tokens_count_too_if_the_repair_fails(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [said("no", usage=NUMBERS), failure(503, "busy")]

    with pytest.raises(ProviderUnavailable) as caught:
        make().structured(PROMPT, Colour, UTILITY)

    assert (caught.value.input_tokens, caught.value.output_tokens) == (10, 4)


def test_a_cut_answer_is_not_asked_for_again(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [said('{"name": "bl', finish="length")]

    with pytest.raises(ProviderMisbehaved, match=r"ends after 50 tokens.*llm\.max_output_tokens"):
        make().structured(PROMPT, Colour, UTILITY)

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
    endpoint: Endpoint, make: Make, refused: tuple[str, ...], taken: list[str | None]
) -> None:
    llm = make()
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
    endpoint: Endpoint, make: Make, time: Time, status: int, message: str
) -> None:
    endpoint.replies = [failure(status, message)]

    assert make(retries=2).structured(PROMPT, Colour, UTILITY).value.name == "blue"
    assert time.waits == []


def test_if_every_format_is_refused_the_reason_is_told(endpoint: Endpoint, make: Make) -> None:
    llm = make()
    endpoint.replies = [failure(400, "context is 4096 tokens")] * 3

    with pytest.raises(ProviderMisbehaved, match=r"400 \(context is 4096 tokens\); check llm\."):
        llm.structured(PROMPT, Colour, UTILITY)

    llm.structured(PROMPT, Colour, UTILITY)
    assert endpoint.requests[-1]["response_format"]["type"] == "json_schema", "it may be taken now"


def test_parameters_of_newer_models(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [
        failure(400, "'max_tokens' is not supported, use 'max_completion_tokens' instead"),
        failure(400, "'temperature' does not support 0.0 with this model"),
    ]

    llm = make()
    llm.complete(PROMPT, UTILITY)
    llm.complete(PROMPT, UTILITY)

    assert len(endpoint.requests) == 4
    assert endpoint.requests[2] == endpoint.requests[3]
    assert endpoint.requests[3] == {"model": "m", "messages": ASKED, "max_completion_tokens": 50}


# --- failures in passing --------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again_later_each_time(
    endpoint: Endpoint, make: Make, time: Time, status: int
) -> None:
    endpoint.replies = [failure(status, "busy")] * 3

    assert make(retries=3).complete(PROMPT, UTILITY).text == BLUE
    assert time.waits == [0.375, 0.75, 1.5]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_lasting_overload_is_unavailable(endpoint: Endpoint, make: Make, status: int) -> None:
    endpoint.replies = [failure(status, "busy")] * 3

    with pytest.raises(ProviderUnavailable, match=rf"answered {status} \(busy\); try again later"):
        make(retries=2).structured(PROMPT, Colour, UTILITY)

    assert len(endpoint.requests) == 3


MIDNIGHT = "Fri, 02 Jan 2026 00:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0"}, 0.375),
        ({"retry-after-ms": "1500"}, 1.5),
        (
            {
                "Retry-After": "Fri, 02 Jan 2026 00:00:09 GMT",
                "Date": "Fri, 02 Jan 2026 00:00:00 GMT",
            },
            9,
        ),
        ({"Retry-After": "soon"}, 0.375),
        ({"Retry-After": "nan"}, 0.375),
        ({"Retry-After": "inf"}, 0.375),
        ({"Retry-After": "-5"}, 0.375),
    ],
)
def test_an_endpoint_can_ask_for_time(
    endpoint: Endpoint, make: Make, time: Time, headers: dict[str, str], waited: float
) -> None:
    endpoint.replies = [with_headers(failure(429, "slow down"), headers)]

    make(retries=1).complete(PROMPT, UTILITY)

    assert time.waits == [waited]


def test_nobody_waits_beyond_the_deadline(endpoint: Endpoint, make: Make, time: Time) -> None:
    endpoint.replies = [failure(429, "slow down", {"Retry-After": "3600"})]

    with pytest.raises(ProviderUnavailable, match=r"429 \(slow down\)"):
        make(retries=5, deadline_s=60).complete(PROMPT, UTILITY)

    assert time.waits == []


def test_all_tries_together_keep_the_deadline(endpoint: Endpoint, make: Make, time: Time) -> None:
    llm = make(retries=20, deadline_s=60)
    endpoint.otherwise = lambda asked: failure(500, "oops")

    with pytest.raises(ProviderUnavailable):
        llm.structured(PROMPT, Colour, UTILITY)

    assert 20 < time.seconds < 60
    assert len(endpoint.requests) < 10


def test_a_repair_does_not_outlive_the_deadline(endpoint: Endpoint, make: Make, time: Time) -> None:
    endpoint.replies = [said("no")]
    llm = make(deadline_s=60)
    time.per_look_s = 25.0

    with pytest.raises(ProviderUnavailable, match=r"within llm\.deadline_s = 60 s"):
        llm.structured(PROMPT, Colour, UTILITY)

    assert len(endpoint.requests) == 1


def test_a_silent_server_is_unavailable(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [hang]

    with pytest.raises(ProviderUnavailable, match=r"longer than 0\.1 s; check llm\.base_url"):
        make(timeout_s=0.1).complete(PROMPT, UTILITY)


def test_a_silent_server_may_wake_up(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [hang]

    assert make(timeout_s=0.2, retries=1).complete(PROMPT, UTILITY).text == BLUE


def test_a_server_that_answers_too_slowly_is_unavailable(
    endpoint: Endpoint, make: Make, time: Time
) -> None:
    endpoint.replies = [never_end]
    time.per_look_s = 20.0

    with pytest.raises(ProviderUnavailable, match="longer than 60 s"):
        make(deadline_s=1000).complete(PROMPT, UTILITY)


def test_a_server_that_is_not_there_is_unavailable(make: Make) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as closed:
        port = closed.server_address[1]

    with pytest.raises(ProviderUnavailable, match=f"127.0.0.1:{port} could not be reached") as e:
        make(base_url=f"http://user:{KEY}@127.0.0.1:{port}/v1").complete(PROMPT, UTILITY)

    assert KEY not in everything_about(e.value)


def test_a_connection_that_is_closed_is_tried_again(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [hang_up, cut_short(said(BLUE)), hang_up]
    llm = make(retries=2)

    with pytest.raises(ProviderUnavailable, match="could not be reached"):
        llm.complete(PROMPT, UTILITY)

    endpoint.replies = [hang_up, cut_short(said(BLUE))]
    assert llm.complete(PROMPT, UTILITY).text == BLUE


def test_a_failure_may_be_cut_short_too(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [cut_short(failure(500, "oops"))]

    with pytest.raises(ProviderUnavailable):
        make().complete(PROMPT, UTILITY)


# --- answers that are none ------------------------------------------------------------------------


def choices(*given: object) -> bytes:
    return json.dumps({"choices": given}).encode()


BROKEN = {
    "no choices": (choices(), "a completion without a choice"),
    "no message": (choices({"index": 0}), "something else"),
    "null": (choices({"message": {"content": None}}), "a choice without text"),
    "no text": (choices({"message": {}}), "a choice without text"),
    "a number": (choices({"message": {"content": 5}}), "something else"),
    "refused": (choices({"message": {"content": None, "refusal": "I cannot."}}), "a refusal"),
    "filtered": (
        choices({"message": {"content": None}, "finish_reason": "content_filter"}),
        "a refusal",
    ),
    "error": (b'{"error": {"message": "oops"}}', "something else"),
    "truncated": (b'{"choices": [{"message": {"content": "bl', "something else"),
    "deep": (b'{"usage": ' + b"[" * 100_000, "something else"),
    "a list": (b"[]", "something else"),
    "nothing": (b"", "something else"),
    "not text": (b"\xff\xfe\x00", "something else"),
    "web page": (b"<html>Welcome</html>", "something else"),
    "a stream": (b'data: {"choices": []}\n\ndata: [DONE]\n\n', "something else"),
}


@pytest.mark.parametrize(("body", "what"), BROKEN.values(), ids=BROKEN.keys())
def test_an_unusable_answer_is_refused(
    endpoint: Endpoint, make: Make, body: bytes, what: str
) -> None:
    endpoint.replies = [Reply(body)]

    with pytest.raises(ProviderMisbehaved, match=rf"sent {what}.*; check llm\.base_url"):
        make(retries=2).complete(PROMPT, UTILITY)

    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("kind", ["text/html", "text/plain; charset=latin-1", "image/png", ""])
def test_a_wrong_content_type_does_not_matter(endpoint: Endpoint, make: Make, kind: str) -> None:
    page = Reply(b"<html>")
    endpoint.replies = [with_headers(each, {"Content-Type": kind}) for each in (said("ø"), page)]
    llm = make()

    assert llm.complete(PROMPT, UTILITY).text == "ø"
    with pytest.raises(ProviderMisbehaved, match="something else than a chat completion"):
        llm.complete(PROMPT, UTILITY)


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_huge_answer_is_not_read(endpoint: Endpoint, make: Make, status: int) -> None:
    endpoint.replies = [said("x" * 5000)._replace(status=status)]

    with pytest.raises(ProviderMisbehaved, match=r"more than llm\.max_answer_bytes = 2048 bytes"):
        make(max_answer_bytes=2048).complete(PROMPT, UTILITY)


def test_an_endless_answer_is_not_read(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [never_end]

    with pytest.raises(ProviderMisbehaved, match="max_answer_bytes"):
        make().complete(PROMPT, UTILITY)


def test_a_compressed_answer_is_not_unfolded(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [with_headers(said(BLUE), {"Content-Encoding": "gzip"})]

    with pytest.raises(ProviderMisbehaved, match="compressed"):
        make().complete(PROMPT, UTILITY)

    assert endpoint.headers[0]["accept-encoding"] == "identity"


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
    endpoint: Endpoint, make: Make, status: int, advice: str
) -> None:
    endpoint.replies = [failure(status, f"no such\nthing for {KEY} " + "x" * 5000)]

    with pytest.raises(ProviderMisbehaved) as caught:
        make(retries=2).complete(PROMPT, UTILITY)

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
    endpoint: Endpoint, make: Make, reply: Reply, retries: int
) -> None:
    endpoint.replies = [reply] * 6

    for ask in (complete, structured):
        with pytest.raises(ProviderError) as caught:
            ask(make(retries=retries))
        assert KEY not in everything_about(caught.value)


def test_a_key_echoed_by_the_model_does_not_leak(endpoint: Endpoint, make: Make) -> None:
    class Strict(BaseModel, extra="forbid"):
        name: str

    endpoint.replies = [said(json.dumps({KEY: KEY, "name": 1}))] * 2

    with pytest.raises(ProviderMisbehaved) as caught:
        make().structured(PROMPT, Strict, UTILITY)

    assert KEY not in everything_about(caught.value)


def test_texts_go_nowhere_else(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [Reply(b"", 307, {"Location": endpoint.url + "/elsewhere"})]

    with pytest.raises(ProviderMisbehaved, match="answered 307"):
        make().complete(PROMPT, UTILITY)

    assert endpoint.paths == ["/v1/chat/completions"]


def test_a_local_server_needs_no_key(
    endpoint: Endpoint, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://192.0.2.1/v1")

    make(api_key=None).complete(PROMPT, UTILITY)

    assert KEY not in str(endpoint.headers)


def test_a_missing_package_is_named(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)

    with pytest.raises(InvalidSettings, match=r'llm\.provider.*pip install "sharpwave\[openai\]"'):
        make()


def test_an_address_and_a_model_must_be_given(make: Make) -> None:
    with pytest.raises(InvalidSettings, match=r"llm\.base_url"):
        make(base_url="localhost:8080")
    with pytest.raises(InvalidSettings, match=r"no model for analyzer, .*llm\.models\.default"):
        make(models={"utility": "small"})


@pytest.mark.spec("LLM-02")
def test_the_settings_choose_it(
    endpoint: Endpoint, make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    with_none = open_ports(load_settings(path=tmp_path / "none.db"))
    with_none.store.close()
    monkeypatch.setenv("SHARPWAVE_LLM__PROVIDER", "openai")
    monkeypatch.setenv("SHARPWAVE_LLM__BASE_URL", endpoint.url)
    monkeypatch.setenv("SHARPWAVE_LLM__API_KEY", KEY)
    monkeypatch.setenv("SHARPWAVE_LLM__MODELS__DEFAULT", "big")
    monkeypatch.setenv("SHARPWAVE_LLM__MODELS__UTILITY", "small")
    settings = load_settings(path=tmp_path / "one.db")
    with_one = open_ports(settings)
    with_one.store.close()

    assert with_none.llm is None
    assert with_one.llm is not None
    assert with_one.llm.complete(PROMPT, UTILITY).usage.model == "small"
    assert KEY not in repr(settings)


def said(text: str, usage: object = None, finish: str = "stop") -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    body = {"object": "chat.completion", "choices": [choice | {"finish_reason": finish}]}
    return Reply(json.dumps(body | ({"usage": usage} if usage is not None else {})).encode())


def with_headers(reply: Reply, headers: dict[str, str]) -> Reply:
    return reply._replace(headers=headers)


def cut_short(reply: Reply) -> Reply:
    """It announces more than it sends."""
    return with_headers(reply, {"Content-Length": str(len(reply.body) + 9), "Connection": "close"})


def complete(llm: OpenAILLM) -> object:
    return llm.complete(PROMPT, UTILITY)


def structured(llm: OpenAILLM) -> object:
    return llm.structured(PROMPT, Colour, UTILITY)


def everything_about(error: BaseException) -> str:
    """What a log of the error with its whole history would show."""
    return repr(error) + "".join(traceback.format_exception(error))
