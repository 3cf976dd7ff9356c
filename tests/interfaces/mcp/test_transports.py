"""Real clients of the SDK, over a pipe and over HTTP, in both eras of the protocol."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.interfaces.mcp.served import ALL, ERAS, http, over_http, settings, stdio, text

from sharpwave import Memory
from sharpwave.interfaces.auth import PRINCIPAL
from sharpwave.interfaces.mcp.app import McpApp
from sharpwave.types.access import Principal, Scope

ANN = Principal("ann", ALL, "ann's key")
BOB = Principal("bob", ALL, "bob's key")
READER = Principal("ann", frozenset({Scope.READ}), "ann's reader")
KEYS = {"a": ANN, "b": BOB, "r": READER}
PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"accept": "application/json, text/event-stream"}


async def remember_and_recall(client: Client) -> str:
    stored = await client.call_tool(
        "remember", {"text": "My cat is called Whiskers", "role": "user"}
    )
    assert not stored.is_error, text(stored)
    return text(await client.call_tool("recall", {"query": "What is my cat called?"}))


@pytest.mark.spec("MCP-01")
@pytest.mark.parametrize("era", ERAS)
def test_remember_and_recall_over_stdio(tmp_path: Path, era: str) -> None:
    async def meet() -> None:
        async with stdio(tmp_path / "m.db", era) as client:
            assert "Whiskers" in await remember_and_recall(client)
        if era != ERAS[0]:
            return
        async with stdio(tmp_path / "m.db", era) as client:
            found = text(await client.call_tool("recall", {"query": "cat"}))
            assert "Whiskers" in found, "what one process stored, the next one finds"

    asyncio.run(meet())


@pytest.mark.spec("MCP-01")
@pytest.mark.parametrize("era", ERAS)
def test_remember_and_recall_over_http(tmp_path: Path, era: str) -> None:
    chosen = settings(tmp_path / "m.db")

    async def meet(url: str) -> None:
        async with over_http(url, "a", era) as ann, over_http(url, "b", era) as bob:
            assert "Whiskers" in await remember_and_recall(ann)
            assert "Whiskers" not in text(await bob.call_tool("recall", {"query": "cat"}))
        async with over_http(url, "r", era) as reader:
            names = [tool.name for tool in (await reader.list_tools()).tools]
            assert "recall" in names and "remember" not in names and "forget" not in names
            refused = await reader.call_tool("remember", {"text": "x"})
            assert refused.is_error and "may not write" in text(refused)

    with Memory.open(settings=chosen) as memory, http(memory, chosen, KEYS) as url:
        asyncio.run(meet(url))


def test_without_a_valid_key_nothing_opens(tmp_path: Path) -> None:
    chosen = settings(tmp_path / "m.db")
    with Memory.open(settings=chosen) as memory, http(memory, chosen, KEYS) as url:
        for headers in ({}, {"authorization": "Bearer nobody"}, {"authorization": "Basic a"}):
            for method in ("POST", "GET", "DELETE"):
                answer = httpx2.request(method, url, json=PING, headers={**HEADERS, **headers})
                assert answer.status_code == 401
                assert answer.headers["www-authenticate"] == "Bearer"
    with pytest.raises((MCPError, ExceptionGroup, httpx2.HTTPError)):
        asyncio.run(_list(url, "nobody"))


def test_without_sessions_there_is_no_stream_to_listen_on(tmp_path: Path) -> None:
    chosen = settings(tmp_path / "m.db")
    with Memory.open(settings=chosen) as memory, http(memory, chosen, KEYS) as url:
        for method in ("GET", "DELETE"):
            answer = httpx2.request(method, url, headers={**HEADERS, "authorization": "Bearer a"})
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def _list(url: str, key: str) -> None:
    async with over_http(url, key, "legacy") as client:
        await client.list_tools()


def test_behind_a_wall_the_principal_comes_from_there(tmp_path: Path) -> None:
    chosen = settings(tmp_path / "m.db")
    with Memory.open(settings=chosen) as memory:
        door = McpApp(memory, chosen)

        async def knock(principal: Principal | None) -> int:
            async def wall(scope: Any, receive: Any, send: Any) -> None:
                await door({**scope, PRINCIPAL: principal}, receive, send)

            transport = httpx2.ASGITransport(app=wall)
            async with httpx2.AsyncClient(transport=transport, base_url="http://any.name") as web:
                return (await web.post("/mcp", json=PING, headers=HEADERS)).status_code

        async def meet() -> tuple[int, int]:
            async with door.running():
                return await knock(ANN), await knock(None)

        assert asyncio.run(meet()) == (200, 401)
