"""Who looks at a page: what each call may, and when it is over. No browser is needed for it."""

import asyncio
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from typer.core import TyperGroup

from sharpwave import Memory, Settings
from sharpwave.errors import Forbidden, Unauthorized
from sharpwave.interfaces.auth import admit
from sharpwave.interfaces.cli.app import COMMANDS, command
from sharpwave.interfaces.rest.limits import RateLimiter
from sharpwave.interfaces.web import navigation
from sharpwave.interfaces.web.app import Dashboard
from sharpwave.interfaces.web.pages import memories
from sharpwave.interfaces.web.sessions import BrowserSessions, Viewer
from sharpwave.knowledge import provenance
from sharpwave.types.access import Scope

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = Settings.model_validate({"embedder": {"provider": "hash"}})
AT_ONCE = 36
"""More calls than a default pool of threads takes; fewer than the doors have."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", settings=SETTINGS) as opened:
        yield opened


def visit(memory: Memory, *scopes: Scope) -> Viewer:
    secret = memory.admin.keys.create("key", "maya", scopes or list(Scope)).secret
    shown = f"Bearer {secret}"
    session = BrowserSessions().begin(shown)
    return Viewer(
        memory.user("maya"),
        admit(memory.admin.keys, shown),
        SETTINGS,
        session,
        RateLimiter(SETTINGS.server.rate_per_s),
        {},
    )


def test_a_page_that_stays_open_says_nothing_once_its_time_is_up(memory: Memory) -> None:
    looking = visit(memory)
    assert asyncio.run(looking.ask(looking.memory.facts.profile)) == []
    looking.session.until = 0.0
    with pytest.raises(Unauthorized, match="signed out"):
        asyncio.run(looking.ask(looking.memory.facts.profile))


def test_a_page_can_do_no_more_than_its_key(memory: Memory) -> None:
    reader = visit(memory, Scope.READ)
    with pytest.raises(Forbidden):
        asyncio.run(reader.ask(reader.memory.forget, everything=True))
    with pytest.raises(Forbidden):
        asyncio.run(reader.ask(reader.memory.admin.keys.all))
    with pytest.raises(Forbidden):
        asyncio.run(reader.ask(reader.memory.context, "Where?", skill=True))
    memory.admin.keys.revoke("key")
    with pytest.raises(Unauthorized):
        asyncio.run(reader.ask(reader.memory.facts.profile))


def test_many_who_sleep_hold_up_nobody_who_asks(memory: Memory) -> None:
    looking, end, begun = visit(memory), threading.Event(), threading.Semaphore(0)

    def sleep() -> None:
        begun.release()
        end.wait(30)

    async def all_at_once() -> None:
        nights = [asyncio.create_task(looking.ask(sleep)) for _ in range(AT_ONCE)]
        try:
            await asyncio.wait_for(looking.ask(looking.memory.facts.profile), 10)
        finally:
            end.set()
            await asyncio.gather(*nights)

    asyncio.run(all_at_once())
    assert all(begun.acquire(blocking=False) for _ in range(AT_ONCE))


def test_a_memory_that_is_down_is_not_a_wrong_key(memory: Memory) -> None:
    dashboard = Dashboard(memory, SETTINGS)
    secret = memory.admin.keys.create("key", "maya").secret

    async def sign_in() -> int:
        transport = httpx2.ASGITransport(dashboard)
        async with httpx2.AsyncClient(transport=transport, base_url="http://here") as http:
            sent = {"Origin": "http://here"}
            return (await http.post("/login", data={"key": secret}, headers=sent)).status_code

    assert asyncio.run(sign_in()) == 303
    memory.close()
    assert asyncio.run(sign_in()) == 503


def test_what_fits_is_found_however_far_back(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "_MOST_LOOKED_AT", 8)
    looking = visit(memory)
    looking.memory.remember([{"role": "tool", "content": "Ana lives in Porto"}])
    looking.memory.remember([f"Apples, {n} of them." for n in range(60)])
    sought = memories.MemoryFilter(kind="turn", trust="untrusted")
    found, _ = asyncio.run(memories._load(looking, sought, None, 20))
    assert [one.text for one in found] == ["Ana lives in Porto"]


def test_every_page_is_in_the_manual() -> None:
    manual = (ROOT / "docs" / "how-to" / "dashboard.md").read_text("utf-8")
    assert [page.title for page in navigation.every() if f"\n| {page.title} |" not in manual] == []


def test_pages_name_commands_that_there_are() -> None:
    pages = (ROOT / "src/sharpwave/interfaces/web").rglob("*.py")
    named = [
        words
        for page in pages
        for words in re.findall(r"[`>\"]sharpwave ([a-z-]+)(?: ([a-z]+))?", page.read_text("utf-8"))
    ]
    assert {"mcp", "doctor"} <= {first for first, _ in named}
    for first, second in named:
        assert first in COMMANDS
        found = command(first)
        assert not isinstance(found, TyperGroup) or second in found.commands, (first, second)
