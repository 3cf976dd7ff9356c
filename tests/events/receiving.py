"""A server of somebody else, which is told what happens."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sharpwave.settings.server import WebhookSettings

INSIDE = WebhookSettings(allow_private=True)


class Receiver:
    """A server of somebody else, which may be out of order."""

    def __init__(self) -> None:
        self.heard: list[tuple[dict[str, Any], dict[str, str], bytes]] = []
        self.status = 200
        self.answers = threading.Event()
        """While it is not set, nobody gets an answer."""
        self.answers.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.heard.append((json.loads(body), dict(self.headers), body))
                outer.answers.wait()
                self.send_response(outer.status)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.end_headers()

            def log_message(self, *given: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook?x=1"
