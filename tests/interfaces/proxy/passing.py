"""A proxy on a free port of this machine, and what tests ask it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
from tests.waiting import eventually

from sharpwave import Clock, Memory, Record, Settings
from sharpwave.interfaces.proxy import app, recall, recording
from sharpwave.interfaces.rest.server import Server
from sharpwave.settings.privacy import PrivacySettings
from sharpwave.types.access import Scope


@dataclass
class Proxied:
    """A memory, and the proxy that uses it."""

    memory: Memory
    url: str

    @property
    def base(self) -> str:
        return f"{self.url}/v1"

    def key(self, user: str, *scopes: Scope) -> str:
        name = f"{user}-{len(self.memory.admin.keys.all())}"
        return self.memory.admin.keys.create(name, user, scopes or (Scope.READ, Scope.WRITE)).secret

    def http(self, user: str = "ana", **headers: str) -> httpx2.Client:
        """A client with a key of ours, and one of its own."""
        sent = {"X-Sharpwave-Key": self.key(user), "Authorization": "Bearer sk-own"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx2.Client(base_url=self.base, headers=sent | named, trust_env=False, timeout=30)

    def turns(self, user: str = "ana", count: int = 0) -> list[Record]:
        """What was kept, once there is as much as that."""
        memory = self.memory.user(user)
        eventually(lambda: len(memory.admin.recent()) >= count, 20)
        return memory.admin.recent()


def settings_of(upstream: str, **proxy: Any) -> Settings:
    return Settings.model_validate(
        {
            "embedder": {"provider": "hash"},
            "sleep": {"enabled": False},
            "server": {"rate_per_s": 0},
            "proxy": {"upstream": upstream, "port": 0} | proxy,
        }
    )


@contextmanager
def proxied(
    path: Path, upstream: str, clock: Clock | None = None, **proxy: Any
) -> Iterator[Proxied]:
    """A proxy until the block ends; then all that was said is kept."""
    agreed = {"privacy": PrivacySettings(consent_assumed=True)}
    settings = app.checked_settings(settings_of(upstream, **proxy).model_copy(update=agreed))
    with (
        patch.object(recall, "CONTEXT_S", 20),
        patch.object(recording, "BACKOFF_S", 0.01),
        Memory.open(path / "m.db", settings=settings, clock=clock) as memory,
    ):
        opened = threading.Event()
        door = Server(
            memory, settings, lambda url: opened.set(), app=app.create_app(memory, settings)
        )
        thread = threading.Thread(target=door.serve_until_stopped, daemon=True)
        thread.start()
        assert opened.wait(30), "the proxy did not start"
        try:
            yield Proxied(memory, door.url)
        finally:
            door.should_exit = True
            thread.join(30)
            assert not thread.is_alive(), "the proxy did not stop"


def kept(path: Path, user: str = "ana") -> list[str]:
    """What is in the memory once the proxy has stopped."""
    settings = Settings.model_validate({"embedder": {"provider": "hash"}})
    with Memory.open(path / "m.db", user=user, settings=settings) as memory:
        return [turn.text for turn in memory.admin.recent(1000)]


def chat(*said: str, **more: Any) -> dict[str, Any]:
    """A request in which the user and the assistant took turns."""
    roles = ["user", "assistant"] * len(said)
    messages = [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]
    return {"model": "m", "messages": messages} | more
