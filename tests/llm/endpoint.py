"""A real HTTP server on loopback that answers as it was told, well or badly."""

import json
import socket
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

KEY = "sk-secret-0123456789"


class Reply(NamedTuple):
    """What the endpoint answers to one request."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    """Instead of, or beside, the usual ones."""


Deed = Callable[["Handler"], None]
"""What the endpoint does instead of answering."""


class Endpoint(ThreadingHTTPServer):
    """Gives the `replies` one after the other, and then whatever `otherwise` makes of a request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[Reply | Deed] = []
        self.otherwise: Callable[[dict[str, Any]], Reply | Deed] = lambda asked: Reply(b"{}")
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.paths: list[str] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def authorizations(self) -> list[str | None]:
        return [headers.get("authorization") for headers in self.headers]


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(asked)
        self.server.headers.append({name.lower(): text for name, text in self.headers.items()})
        self.server.paths.append(self.path)
        reply = self.server.replies.pop(0) if self.server.replies else self.server.otherwise(asked)
        if isinstance(reply, Reply):
            self.give(reply)
        else:
            reply(self)

    def give(self, reply: Reply) -> None:
        usual = {"Content-Type": "application/json", "Content-Length": str(len(reply.body))}
        self.send_response_only(reply.status)
        for name, value in (usual | dict(reply.headers)).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


def hang(handler: Handler) -> None:
    """Take the request and say nothing."""
    handler.server.released.wait(30)


def hang_up(handler: Handler) -> None:
    """Close the connection instead of answering."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def never_end(handler: Handler) -> None:
    """Go on answering for as long as anyone listens."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    try:
        while not handler.server.released.is_set():
            handler.wfile.write(b" " * 65_536)
    except OSError:  # nobody listens any more
        handler.close_connection = True


def failure(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """An error in OpenAI's form."""
    body = json.dumps({"error": {"message": message, "type": "t", "code": None}}).encode()
    return Reply(body, status, headers or {})
