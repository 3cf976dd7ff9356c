import json
from http.server import ThreadingHTTPServer

import pytest
from tests.llm.chat_endpoint import (
    BLUE,
    PROMPT,
    UTILITY,
    Colour,
    MakeLLM,
    Time,
    cut_short,
    everything_about,
    said,
    with_headers,
)
from tests.llm.endpoint import (
    KEY,
    Endpoint,
    Handler,
    Reply,
    failure,
    hang,
    hang_up,
    never_end,
)

from sharpwave.errors import AnswerUnfit, ProviderMisbehaved, ProviderUnavailable

pytest.importorskip("openai")

# --- failures in passing --------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again_later_each_time(
    endpoint: Endpoint, make_llm: MakeLLM, time: Time, status: int
) -> None:
    endpoint.replies = [failure(status, "busy")] * 3

    assert make_llm(RETRIES=3).complete(PROMPT, UTILITY).text == BLUE
    assert time.waits == [0.375, 0.75, 1.5]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_lasting_overload_is_unavailable(
    endpoint: Endpoint, make_llm: MakeLLM, status: int
) -> None:
    endpoint.replies = [failure(status, "busy")] * 3

    with pytest.raises(ProviderUnavailable, match=rf"answered {status} \(busy\); try again later"):
        make_llm(RETRIES=2).structured(PROMPT, Colour, UTILITY)

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
    endpoint: Endpoint, make_llm: MakeLLM, time: Time, headers: dict[str, str], waited: float
) -> None:
    endpoint.replies = [with_headers(failure(429, "slow down"), headers)]

    make_llm(RETRIES=1).complete(PROMPT, UTILITY)

    assert time.waits == [waited]


def test_nobody_waits_beyond_the_deadline(
    endpoint: Endpoint, make_llm: MakeLLM, time: Time
) -> None:
    endpoint.replies = [failure(429, "slow down", {"Retry-After": "3600"})]

    with pytest.raises(ProviderUnavailable, match=r"429 \(slow down\)"):
        make_llm(RETRIES=5, DEADLINE_S=60).complete(PROMPT, UTILITY)

    assert time.waits == []


def test_all_tries_together_keep_the_deadline(
    endpoint: Endpoint, make_llm: MakeLLM, time: Time
) -> None:
    llm = make_llm(RETRIES=20, DEADLINE_S=60)
    endpoint.otherwise = lambda asked: failure(500, "oops")

    with pytest.raises(ProviderUnavailable):
        llm.structured(PROMPT, Colour, UTILITY)

    assert 20 < time.seconds < 60
    assert len(endpoint.requests) < 10


def test_a_repair_does_not_outlive_the_deadline(
    endpoint: Endpoint, make_llm: MakeLLM, time: Time
) -> None:
    endpoint.replies = [said("no")]
    llm = make_llm(DEADLINE_S=60)
    time.per_look_s = 25.0

    with pytest.raises(ProviderUnavailable, match=r"within 60 s"):
        llm.structured(PROMPT, Colour, UTILITY)

    assert len(endpoint.requests) == 1


def test_a_silent_server_is_unavailable(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [hang]

    with pytest.raises(ProviderUnavailable, match=r"longer than 0\.1 s; check llm\.base_url"):
        make_llm(timeout_s=0.1).complete(PROMPT, UTILITY)


def test_a_silent_server_may_wake_up(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [hang]

    assert make_llm(timeout_s=0.2, RETRIES=1).complete(PROMPT, UTILITY).text == BLUE


def test_a_server_that_answers_too_slowly_is_unavailable(
    endpoint: Endpoint, make_llm: MakeLLM, time: Time
) -> None:
    endpoint.replies = [never_end]
    time.per_look_s = 20.0

    with pytest.raises(ProviderUnavailable, match="longer than 60 s"):
        make_llm(DEADLINE_S=1000).complete(PROMPT, UTILITY)


def test_a_server_that_is_not_there_is_unavailable(make_llm: MakeLLM) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as closed:
        port = closed.server_address[1]

    with pytest.raises(ProviderUnavailable, match=f"127.0.0.1:{port} could not be reached") as e:
        make_llm(base_url=f"http://user:{KEY}@127.0.0.1:{port}/v1").complete(PROMPT, UTILITY)

    assert KEY not in everything_about(e.value)


def test_a_connection_that_is_closed_is_tried_again(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [hang_up, cut_short(said(BLUE)), hang_up]
    llm = make_llm(RETRIES=2)

    with pytest.raises(ProviderUnavailable, match="could not be reached"):
        llm.complete(PROMPT, UTILITY)

    endpoint.replies = [hang_up, cut_short(said(BLUE))]
    assert llm.complete(PROMPT, UTILITY).text == BLUE


def test_a_failure_may_be_cut_short_too(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [cut_short(failure(500, "oops"))]

    with pytest.raises(ProviderUnavailable):
        make_llm().complete(PROMPT, UTILITY)


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
    endpoint: Endpoint, make_llm: MakeLLM, body: bytes, what: str
) -> None:
    endpoint.replies = [Reply(body)]

    with pytest.raises(ProviderMisbehaved, match=rf"sent {what}.*; check llm\.base_url"):
        make_llm(RETRIES=2).complete(PROMPT, UTILITY)

    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("kind", ["text/html", "text/plain; charset=latin-1", "image/png", ""])
def test_a_wrong_content_type_does_not_matter(
    endpoint: Endpoint, make_llm: MakeLLM, kind: str
) -> None:
    page = Reply(b"<html>")
    endpoint.replies = [with_headers(each, {"Content-Type": kind}) for each in (said("ø"), page)]
    llm = make_llm()

    assert llm.complete(PROMPT, UTILITY).text == "ø"
    with pytest.raises(ProviderMisbehaved, match="something else than a chat completion"):
        llm.complete(PROMPT, UTILITY)


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_huge_answer_is_not_read(endpoint: Endpoint, make_llm: MakeLLM, status: int) -> None:
    endpoint.replies = [said("x" * 5000)._replace(status=status)]

    with pytest.raises(ProviderMisbehaved, match=r"more than 2048 bytes"):
        make_llm(MAX_ANSWER_BYTES=2048).complete(PROMPT, UTILITY)


def test_an_endless_answer_is_not_read(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [never_end]

    with pytest.raises(ProviderMisbehaved, match="more than 4194304 bytes"):
        make_llm().complete(PROMPT, UTILITY)


def test_a_compressed_answer_is_not_unfolded(endpoint: Endpoint, make_llm: MakeLLM) -> None:
    endpoint.replies = [with_headers(said(BLUE), {"Content-Encoding": "gzip"})]

    with pytest.raises(ProviderMisbehaved, match="compressed"):
        make_llm().complete(PROMPT, UTILITY)

    assert endpoint.headers[0]["accept-encoding"] == "identity"


@pytest.mark.parametrize("kind", ["null", "refused", "filtered"])
def test_who_says_nothing_is_paid_and_not_asked_again(
    endpoint: Endpoint, make_llm: MakeLLM, kind: str
) -> None:
    body = json.loads(BROKEN[kind][0]) | {"usage": {"prompt_tokens": 9, "completion_tokens": 5}}
    endpoint.replies = [Reply(json.dumps(body).encode())] * 2
    llm = make_llm()

    for ask in (
        lambda: llm.complete(PROMPT, UTILITY),
        lambda: llm.structured(PROMPT, Colour, UTILITY),
    ):
        with pytest.raises(AnswerUnfit) as caught:
            ask()
        assert (caught.value.input_tokens, caught.value.output_tokens) == (9, 5)
    assert len(endpoint.requests) == 2
