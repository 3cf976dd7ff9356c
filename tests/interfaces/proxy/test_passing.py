"""What passes the proxy is what was sent: bytes, statuses, headers, and what goes wrong."""

import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.interfaces.proxy.passing import Proxied, chat, kept, proxied
from tests.interfaces.proxy.scripted import (
    DONE,
    Upstream,
    event,
    hang,
    reply,
    reset,
    says,
    scripted,
    stream,
    wait,
)
from tests.waiting import eventually

from sharpwave.interfaces.proxy import app
from sharpwave.interfaces.proxy import upstream as upstream_module

CHAT = "/chat/completions"
STREAM = (event("Por"), b": a comment\r\n\r\n", event("to "), b"data: {br", b"oken\n\n",
          event("é"), event("", "stop"), b"event: x\ndata: 1\n\n", DONE)  # fmt: skip


def direct(upstream: Upstream) -> httpx2.Client:
    return httpx2.Client(base_url=upstream.url, trust_env=False, timeout=30)


def test_a_stream_is_the_same_to_the_byte(tmp_path: Path) -> None:
    with scripted(stream(*STREAM)) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with direct(upstream) as http:
            expected = http.post(CHAT, json=chat("Hi", stream=True))
        with proxy.http() as http:
            got = http.post(CHAT, json=chat("Hi", stream=True))
        assert got.content == expected.content == b"".join(STREAM)
        assert got.headers["content-type"] == expected.headers["content-type"]
    assert kept(tmp_path) == ["Hi", "Porto é"]


def test_events_come_as_they_are_sent_and_not_at_the_end(tmp_path: Path) -> None:
    deed = stream(event("one"), then=wait)
    with scripted(deed) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http, http.stream("POST", CHAT, json=chat("Hi")) as answer:
            assert next(answer.iter_raw()) == event("one")
            upstream.script.released.set()


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_errors_of_upstream_are_passed_as_they_are(tmp_path: Path, status: int) -> None:
    body = json.dumps({"error": {"message": "no", "type": "t", "code": "c"}}).encode()
    told = {"retry_after": "7", "x_ratelimit_remaining_tokens": "0", "x_request_id": "r-1"}
    with scripted(reply(body, status, **told)) as upstream:
        with proxied(tmp_path, upstream.url) as proxy, proxy.http() as http:
            got = http.post(CHAT, json=chat("I live in Porto."))
        assert (got.status_code, got.content) == (status, body)
        for name, value in told.items():
            assert got.headers.get_list(name.replace("_", "-")) == [value]
    assert kept(tmp_path) == [], "upstream did not take it, so it was not said"


def test_whatever_else_is_asked_goes_through_unchanged(tmp_path: Path) -> None:
    with scripted(reply(b'{"data": []}')) as upstream:
        with proxied(tmp_path, upstream.url) as proxy, proxy.http(x_other="a") as http:
            assert http.get("/models?limit=3&x=%2F").json() == {"data": []}
            http.delete("/files/abc")
            http.post("/embeddings", content=b'{"input":  "a"}')
            http.get("/models", headers={"Connection": "keep-alive, X-Other"})
    got = upstream.script.got
    assert [(one.method, one.path) for one in got] == [
        ("GET", "/v1/models?limit=3&x=%2F"),
        ("DELETE", "/v1/files/abc"),
        ("POST", "/v1/embeddings"),
        ("GET", "/v1/models"),
    ]
    assert "x-other" not in got[3].headers, "the client said that it is for us"
    assert got[2].body == b'{"input":  "a"}' and got[2].headers["x-other"] == "a"
    assert all(one.headers["authorization"] == "Bearer sk-own" for one in got)
    assert all(one.headers["host"] == urlsplit(upstream.url).netloc for one in got)
    assert not any(name.startswith("x-sharpwave") for one in got for name in one.headers)


def test_what_is_no_conversation_is_left_to_upstream(tmp_path: Path) -> None:
    bodies = [b"{not json", b"[]", b'{"messages": 3}', b'{"messages": [null, {"role": "user"}]}',
              b'{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}',
              b"[" * 200_000, b""]  # fmt: skip
    with scripted(reply(b"{}", 400)) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http:
            for body in bodies:
                assert http.post(CHAT, content=body).status_code == 400
        assert [one.body for one in upstream.script.got] == bodies
        lengths = [one.headers["content-length"] for one in upstream.script.got]
        assert lengths == [str(len(body)) for body in bodies]


def test_no_request_can_name_another_upstream(tmp_path: Path) -> None:
    with scripted(reply(b"{}")) as upstream, proxied(tmp_path, upstream.url) as proxy:
        key = proxy.key("ana")
        for target in ("/v1/../admin", "/v1/%2e%2e/admin", "/admin", "/v1", "//evil.example/v1/x",
                       "/v1/a%2f..%2f..%2fb"):  # fmt: skip
            assert _raw(proxy, target, key).startswith(b"HTTP/1.1 404"), target
        assert upstream.script.got == []
        for target in ("/v1/@evil.example/x", "http://evil.example/v1/models"):
            assert _raw(proxy, target, key).startswith(b"HTTP/1.1 200"), target
        paths = [one.path for one in upstream.script.got]
        assert paths == ["/v1/@evil.example/x", "/v1/models"], "both went to the only one there is"


def _raw(proxy: Proxied, target: str, key: str) -> bytes:
    """The first line of the answer to a path that a client library would tidy up."""
    with _connected(proxy) as line:
        line.sendall(f"{_head(proxy, 'GET', target, key)}Connection: close\r\n\r\n".encode())
        return line.recv(100)


def _connected(proxy: Proxied) -> socket.socket:
    where = urlsplit(proxy.url)
    return socket.create_connection((where.hostname or "", where.port or 0), 30)


def _head(proxy: Proxied, method: str, target: str, key: str) -> str:
    host = urlsplit(proxy.url).netloc
    return f"{method} {target} HTTP/1.1\r\nHost: {host}\r\nX-Sharpwave-Key: {key}\r\n"


def test_a_redirect_is_the_clients_to_follow(tmp_path: Path) -> None:
    with scripted(reply(b"", 307, location="http://169.254.169.254/")) as upstream:
        with proxied(tmp_path, upstream.url) as proxy, proxy.http() as http:
            assert http.post(CHAT, json=chat("Hi")).status_code == 307


# ---- a misbehaving upstream


def test_a_hang_ends_when_the_client_leaves(tmp_path: Path) -> None:
    with scripted(hang) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with _connected(proxy) as line:
            body = json.dumps(chat("Hi"))
            line.sendall(f"{_head(proxy, 'POST', '/v1' + CHAT, proxy.key('ana'))}".encode())
            line.sendall(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
            assert eventually(lambda: upstream.script.got)
        assert upstream.script.broken_off.wait(20), "upstream is let go, too"
    assert kept(tmp_path) == []


def test_silence_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upstream_module, "SILENCE_S", 0.3)
    with scripted(hang) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http:
            got = http.post(CHAT, json=chat("Hi"))
        assert got.status_code == 504 and got.json()["error"]["code"] == "upstream_timeout"


def test_a_client_that_leaves_a_stream_stops_it(tmp_path: Path) -> None:
    with scripted(stream(event("one"), then=hang)) as upstream:
        with proxied(tmp_path, upstream.url) as proxy:
            with proxy.http() as http, http.stream("POST", CHAT, json=chat("Hi")) as answer:
                next(answer.iter_raw())
            assert upstream.script.broken_off.wait(20)
        assert kept(tmp_path) == ["Hi"]


def test_a_stream_that_breaks_off_breaks_off(tmp_path: Path) -> None:
    with scripted(stream(event("I think"), then=reset)) as upstream:
        with direct(upstream) as http, pytest.raises(httpx2.TransportError):
            http.post(CHAT, json=chat("Hi"))
        with proxied(tmp_path, upstream.url) as proxy:
            with proxy.http() as http, pytest.raises(httpx2.TransportError):
                http.post(CHAT, json=chat("I live in Porto."))
    assert kept(tmp_path) == ["I live in Porto."], "half an answer is none"


def test_no_answer_at_all_is_told_as_such(tmp_path: Path) -> None:
    with scripted(reset) as upstream:
        with proxied(tmp_path, upstream.url) as proxy, proxy.http() as http:
            assert http.post(CHAT, json=chat("Hi")).status_code == 502
    assert kept(tmp_path) == []


def test_truncated_json_reaches_the_client_and_not_the_memory(tmp_path: Path) -> None:
    cut = b'{"choices": [{"index": 0, "message": {"content": "I am'
    with scripted(reply(cut)) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http:
            assert http.post(CHAT, json=chat("Hi")).content == cut
    assert kept(tmp_path) == ["Hi"]


def test_a_body_cut_short_of_its_length_is_cut_short(tmp_path: Path) -> None:
    whole = b'{"choices": [{"index": 0, "message": {"content": "I am"}}]}'
    deed = reply(whole, content_length=str(len(whole) + 9), connection="close")
    with scripted(deed) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http, pytest.raises(httpx2.RemoteProtocolError):
            http.post(CHAT, json=chat("Hi"))
    assert kept(tmp_path) == ["Hi"]


def test_fifty_megabytes_pass_without_being_held(tmp_path: Path) -> None:
    part, parts = b"x" * 1_000_000, 50
    deed = stream(*[part] * parts)
    with scripted(deed) as upstream, proxied(tmp_path, upstream.url) as proxy:
        with proxy.http() as http, http.stream("POST", CHAT, json=chat("Hi")) as answer:
            assert sum(map(len, answer.iter_raw())) == len(part) * parts
    assert kept(tmp_path) == ["Hi"]


def test_a_request_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MAX_BODY_BYTES", 2000)
    with scripted(says("Hi")) as upstream:
        with proxied(tmp_path, upstream.url) as proxy, proxy.http() as http:
            got = http.post(CHAT, json=chat("x" * 3000))
        assert got.status_code == 413 and "2000 bytes" in got.json()["error"]["message"]
        assert upstream.script.got == []


def test_what_waits_at_a_stop_is_kept(tmp_path: Path) -> None:
    with scripted(says("Hi")) as upstream:
        with proxied(tmp_path, upstream.url) as proxy, proxy.http() as http:
            for number in range(20):
                http.post(CHAT, json=chat(f"My number is {number}."))
    assert len(kept(tmp_path)) == 40
