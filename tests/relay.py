"""A server on loopback that passes requests on and keeps what passed: what a model was asked."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


class Relay(ThreadingHTTPServer):
    """Passes everything on to one other server."""

    daemon_threads = True

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(upstream)
        self.asked: list[dict[str, Any]] = []
        self.answered: list[bytes] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Relay

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if body:
            self.server.asked.append(json.loads(body))
        to = self.server.upstream
        with closing(
            http.client.HTTPConnection(str(to.hostname), to.port, timeout=240)
        ) as upstream:
            upstream.request(self.command, self.path, body, {"Content-Type": "application/json"})
            answer = upstream.getresponse()
            told = answer.read()
        self.server.answered.append(told)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def relayed(upstream: str) -> Iterator[Relay]:
    relay = Relay(upstream)
    thread = threading.Thread(target=relay.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield relay
    finally:
        relay.shutdown()
        relay.server_close()
        thread.join()
