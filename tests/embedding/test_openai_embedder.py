import json
import sys
from collections.abc import Callable
from functools import partial
from http.server import ThreadingHTTPServer

import numpy as np
import pytest
from tests.llm.endpoint import KEY, Endpoint, Handler, Reply, hang
from tests.llm.endpoint import failure as plain_failure

from sharpwave import InvalidSettings
from sharpwave.embedding import openai_embedder
from sharpwave.embedding.openai_embedder import OpenAIEmbedder
from sharpwave.errors import ProviderMisbehaved, ProviderUnavailable
from sharpwave.settings.models import EmbedderSettings
from sharpwave.types.storing import Space

pytest.importorskip("openai")

Make = Callable[..., OpenAIEmbedder]
failure = partial(plain_failure, headers={"retry-after-ms": "1"})  # the SDK really waits


@pytest.fixture
def make(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Make an embedder of the endpoint; capitals change constants, others the settings."""
    endpoint.otherwise = lambda asked: good(asked["input"])

    def build(**changes: object) -> OpenAIEmbedder:
        given: dict[str, object] = {
            "provider": "openai",
            "model": "m",
            "base_url": endpoint.url,
            "api_key": KEY,
        }
        for name, value in ({"RETRIES": 0} | changes).items():
            if name.isupper():
                monkeypatch.setattr(openai_embedder, name, value)
            else:
                given[name] = value
        return OpenAIEmbedder(EmbedderSettings.model_validate(given))

    return build


def test_vectors_are_of_unit_length_and_in_the_order_of_the_texts(
    endpoint: Endpoint, make: Make
) -> None:
    endpoint.replies = [answer((2, [0, 0, 5]), (0, [3.0, 4.0, 0.0]), (1, [0, 1e-300, 0]))]

    vectors = make().embed(["a", "b", "c"])

    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[0.6, 0.8, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert endpoint.requests == [
        {"model": "m", "input": ["a", "b", "c"], "encoding_format": "float"}
    ]
    assert endpoint.authorizations == [f"Bearer {KEY}"]


def test_a_question_is_one_vector(make: Make) -> None:
    assert np.allclose(make().embed_question("abc"), unit([3, 1, 2]))


def test_texts_are_sent_in_batches(endpoint: Endpoint, make: Make) -> None:
    vectors = make(BATCH_SIZE=2).embed(["a", "bb", "ccc", "dddd", "eeeee"])

    assert [request["input"] for request in endpoint.requests] == [
        ["a", "bb"],
        ["ccc", "dddd"],
        ["eeeee"],
    ]
    assert np.allclose(vectors, [unit([length, 1, 2]) for length in range(1, 6)])


def test_the_dimension_is_found_out_once_and_not_before_it_is_needed(
    endpoint: Endpoint, make: Make
) -> None:
    embedder = make()
    assert endpoint.requests == []

    assert embedder.space == embedder.space == Space("openai:m", "1", 3)
    assert embedder.embed([]).shape == (0, 3)
    assert len(endpoint.requests) == 1


def test_a_given_dimension_is_asked_for(endpoint: Endpoint, make: Make) -> None:
    embedder = make(dimension=3)

    assert embedder.space == Space("openai:m", "1", 3)
    assert endpoint.requests == []
    embedder.embed_question("a")
    assert endpoint.requests[0]["dimensions"] == 3


def test_a_local_server_needs_no_key(
    endpoint: Endpoint, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    make(api_key=None).embed_question("a")

    assert KEY not in str(endpoint.authorizations)


def test_texts_that_json_cannot_carry_are_sent_all_the_same(endpoint: Endpoint, make: Make) -> None:
    make().embed(["lone \ud800 surrogate", "", "🎉"])

    assert endpoint.requests[0]["input"] == ["lone ? surrogate", " ", "🎉"]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_a_passing_failure_is_tried_again(endpoint: Endpoint, make: Make, status: int) -> None:
    endpoint.replies = [failure(status, "busy")]

    make(RETRIES=1).embed_question("a")

    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_a_lasting_overload_is_unavailable(endpoint: Endpoint, make: Make, status: int) -> None:
    endpoint.replies = [failure(status, "busy")] * 2

    with pytest.raises(ProviderUnavailable, match=rf"answered {status} \(busy\); try again"):
        make(RETRIES=1).embed_question("a")

    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "embedder.api_key"),
        (403, "embedder.api_key"),
        (404, "embedder.base_url and embedder.model"),
        (413, "send less text"),
        (400, "embedder.dimension"),
    ],
)
def test_a_refusal_says_what_to_do_and_keeps_the_key(
    endpoint: Endpoint, make: Make, status: int, advice: str
) -> None:
    endpoint.replies = [failure(status, f"no such\nthing for {KEY} " + "x" * 5000)]

    with pytest.raises(ProviderMisbehaved) as caught:
        make(RETRIES=2).embed_question("a")

    message = str(caught.value)
    assert f"answered {status} (no such thing for [key] xxx" in message
    assert advice in message
    assert len(message) < 500
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert len(endpoint.requests) == 1


def test_a_silent_server_is_unavailable(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [hang]

    with pytest.raises(ProviderUnavailable, match=r"longer than 0\.1 s"):
        make(TIMEOUT_S=0.1).embed_question("a")


def test_a_server_that_is_not_there_is_unavailable(make: Make) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as closed:
        port = closed.server_address[1]

    with pytest.raises(ProviderUnavailable, match=f"127.0.0.1:{port} could not be reached"):
        make(base_url=f"http://user:{KEY}@127.0.0.1:{port}/v1").embed_question("a")


def test_a_connection_that_breaks_off_is_unavailable(endpoint: Endpoint, make: Make) -> None:
    whole = good(["a", "b"])
    endpoint.replies = [whole._replace(headers={"Content-Length": str(len(whole.body) + 9)})]

    with pytest.raises(ProviderUnavailable):
        make().embed(["a", "b"])


BROKEN = {
    "wrong count": (b'{"data": [{"index": 0, "embedding": [1, 2]}]}', "1 vectors for 2 texts"),
    "none": (b'{"data": []}', "0 vectors for 2 texts"),
    "same index": (
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]}',
        "without a place",
    ),
    "ragged": (
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}',
        "different lengths",
    ),
    "zeros": (
        b'{"data": [{"index": 0, "embedding": [1, 0]}, {"index": 1, "embedding": [0, 0]}]}',
        "zeros",
    ),
    "no numbers": (
        b'{"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]}',
        "zeros",
    ),
    "not a number": (
        b'{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [NaN, 2]}]}',
        "something else",
    ),
    "infinite": (
        b'{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1e999, 2]}]}',
        "something else",
    ),
    "string": (
        b'{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": ["1", 2]}]}',
        "something else",
    ),
    "truncated": (b'{"data": [{"index": 0, "embedding": [1, 2', "something else"),
    "list": (b"[[1, 2], [3, 4]]", "something else"),
    "null": (b"null", "something else"),
    "web page": (b"<html>Welcome</html>", "something else"),
    "not text": (b"\xff\xfe\x00", "something else"),
    "nothing": (b"", "something else"),
}


@pytest.mark.parametrize(("body", "what"), BROKEN.values(), ids=BROKEN.keys())
def test_an_unusable_answer_is_refused(
    endpoint: Endpoint, make: Make, body: bytes, what: str
) -> None:
    endpoint.replies = [Reply(body)]

    with pytest.raises(ProviderMisbehaved, match=rf"sent .*{what}.*; check embedder\."):
        make().embed(["a", "b"])


@pytest.mark.parametrize("dimension", [None, 2])
def test_vectors_may_not_change_their_length(
    endpoint: Endpoint, make: Make, dimension: int | None
) -> None:
    embedder = make(dimension=dimension)
    endpoint.replies = [answer((0, [1, 2])), answer((0, [1, 2, 3]))]
    embedder.embed_question("a")

    with pytest.raises(ProviderMisbehaved, match="3 numbers instead of 2"):
        embedder.embed_question("a")

    assert embedder.space.dimension == 2


def test_texts_go_nowhere_else(endpoint: Endpoint, make: Make) -> None:
    endpoint.replies = [Reply(b"", 307, {"Location": endpoint.url + "/elsewhere"})]

    with pytest.raises(ProviderMisbehaved, match="answered 307"):
        make().embed_question("a")

    assert len(endpoint.requests) == 1


def test_a_missing_package_is_named(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)

    with pytest.raises(InvalidSettings, match=r'pip install "sharpwave\[openai\]"'):
        make()


@pytest.mark.parametrize(
    "url", ["localhost:8080", "ftp://host/v1", "http://", "http://[", "x", "http://a b/"]
)
def test_an_address_must_be_one(make: Make, url: str) -> None:
    with pytest.raises(InvalidSettings, match=r"embedder\.base_url"):
        make(base_url=url)


def test_a_key_must_fit_in_a_header(make: Make) -> None:
    with pytest.raises(InvalidSettings, match=r"embedder\.api_key") as caught:
        make(api_key="sk-sécret")

    assert "sécret" not in str(caught.value)


def answer(*vectors: tuple[int, list[float]]) -> Reply:
    data = [{"index": index, "object": "embedding", "embedding": row} for index, row in vectors]
    return Reply(json.dumps({"object": "list", "model": "m", "data": data}).encode())


def good(texts: list[str]) -> Reply:
    return answer(*((index, [float(len(text)), 1.0, 2.0]) for index, text in enumerate(texts)))


def unit(row: list[int]) -> list[float]:
    return [number / float(np.linalg.norm(row)) for number in row]
