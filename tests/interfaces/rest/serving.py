"""A real server on a free port of this machine, and what tests ask it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2

from sharpwave import Memory, Settings
from sharpwave.interfaces.rest import events
from sharpwave.interfaces.rest.server import Server
from sharpwave.types.access import Scope

EVERYTHING = list(Scope)


@dataclass
class Served:
    """A memory, the server in front of it, and its keys."""

    memory: Memory
    door: Server
    settings: Settings

    @property
    def url(self) -> str:
        return self.door.url

    def key(self, user: str, *scopes: Scope | str) -> str:
        name = f"{user}-{'-'.join(map(str, scopes))}-{len(self.memory.admin.keys.all())}"
        chosen = scopes or (Scope.READ, Scope.WRITE)
        return self.memory.admin.keys.create(name, user, chosen).secret

    def http(self, key: str | None = None, **headers: str) -> httpx2.Client:
        sent = {**headers, **({"Authorization": f"Bearer {key}"} if key else {})}
        return httpx2.Client(base_url=self.url, headers=sent, trust_env=False, timeout=30)


def settings_for_tests(**server: Any) -> Settings:
    given = {"host": "127.0.0.1", "port": 0, "rate_per_s": 0, **server}
    return Settings.model_validate(
        {"embedder": {"provider": "hash"}, "server": given, "sleep": {"enabled": False}}
    )


@contextmanager
def serving(path: Path | str, **server: Any) -> Iterator[Served]:
    """Serve a file or a database until the block ends."""
    settings = settings_for_tests(**server)
    with patch.object(events, "POLL_S", 0.01), Memory.open(path, settings=settings) as memory:
        with serving_memory(memory, settings) as served:
            yield served


@contextmanager
def serving_memory(memory: Memory, settings: Settings, dashboard: bool = False) -> Iterator[Served]:
    """Serve an open memory until the block ends."""
    opened = threading.Event()
    door = Server(memory, settings, lambda url: opened.set(), dashboard=dashboard)
    thread = threading.Thread(target=door.serve_until_stopped, daemon=True)
    thread.start()
    assert opened.wait(30), "the server did not start"
    try:
        yield Served(memory, door, settings)
    finally:
        door.should_exit = True
        thread.join(30)
        assert not thread.is_alive(), "the server did not stop"


def events_of(stream: httpx2.Response) -> Iterator[dict[str, Any]]:
    event: dict[str, Any] = {}
    for line in stream.iter_lines():
        name, _, value = line.partition(": ")
        if name in ("id", "event", "data"):
            event[name] = json.loads(value) if name == "data" else value
        elif not line and event:
            yield event
            event = {}


def kept(memory: Memory) -> list[dict[str, Any]]:
    """Everything of a user, but for how often it was recalled: that is counted by reading."""
    records = [json.loads(line) for line in list(memory.export())[1:]]
    for record in records:
        record["standing"].pop("access_count"), record["standing"].pop("accessed_at")
    return records
