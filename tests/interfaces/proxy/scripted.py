"""An upstream that answers as it was told, to the byte, well or badly."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SSE = "text/event-stream; charset=utf-8"
Deed = Callable[["Handler"], None]


@dataclass(frozen=True)
class Got:
    """One request as upstream got it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def prompt(self) -> str:
        """Everything a model is shown."""
        return json.dumps(self.json.get("messages") or self.json, ensure_ascii=False)


@dataclass
class Script:
    """What upstream does, one deed a request; then always the last one."""

    deeds: list[Deed] = field(default_factory=list)
    got: list[Got] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    broken_off: threading.Event = field(default_factory=threading.Event)
    """Set when nobody read an answer to its end."""


class Upstream(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Upstream
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        script = self.server.script
        headers = {name.lower(): value for name, value in self.headers.items()}
        script.got.append(Got(self.command, self.path, headers, body))
        deed = script.deeds.pop(0) if len(script.deeds) > 1 else script.deeds[0]
        try:
            deed(self)
        except OSError:
            script.broken_off.set()
            self.close_connection = True

    do_GET = do_DELETE = do_POST

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def scripted(*deeds: Deed) -> Iterator[Upstream]:
    upstream = Upstream(Script(list(deeds)))
    thread = threading.Thread(target=upstream.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield upstream
    finally:
        upstream.script.released.set()
        upstream.shutdown()
        upstream.server_close()
        thread.join()


# ---- deeds


def reply(body: bytes, status: int = 200, **headers: str) -> Deed:
    """Answer at once."""

    def deed(handler: Handler) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        usual = {"content-type": "application/json", "content-length": str(len(body))}
        handler.begin(status, usual | named)
        handler.wfile.write(body)

    return deed


def says(text: str) -> Deed:
    """Answer as a chat model does."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "c-1", "object": "chat.completion", "created": 1, "model": "m"}
    return reply(json.dumps(body | {"choices": [choice]}).encode(), x_request_id="req-7")


def stream(*chunks: bytes, then: Deed | None = None) -> Deed:
    """Answer in chunks; `then` may do something else than end."""

    def deed(handler: Handler) -> None:
        handler.begin(200, {"content-type": SSE, "transfer-encoding": "chunked"})
        for data in chunks:
            handler.chunk(data)
        if then is not None:
            then(handler)
        handler.chunk(b"")

    return deed


def event(text: str, finish: str | None = None) -> bytes:
    delta = {"content": text} if text else {}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    data = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"data: " + json.dumps(data | {"choices": [choice]}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def hang(handler: Handler) -> None:
    """Say nothing more, until whoever asked is gone."""
    handler.connection.settimeout(30)
    if not handler.connection.recv(1):
        raise OSError("they left")


def wait(handler: Handler) -> None:
    """Go on when the test says so."""
    handler.server.script.released.wait(30)


def reset(handler: Handler) -> None:
    """Break off hard."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    raise OSError("broken off")
