"""MCP behind the wall of the REST door: the same keys, the same scopes, the same walls."""

import asyncio
from typing import Any

import pytest
from mcp import Client
from tests.interfaces.mcp.served import over_http, text
from tests.interfaces.rest.serving import Served

from sharpwave.client.calls import CALLS
from sharpwave.interfaces.mcp.tools.table import offered_tools
from sharpwave.types.access import Scope

PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ERA = "2026-07-28"


def knock(served: Served, key: str, say: Any) -> Any:
    async def meet() -> Any:
        async with over_http(f"{served.url}/mcp", key, ERA) as client:
            return await say(client)

    return asyncio.run(meet())


def test_what_is_said_over_rest_is_recalled_over_mcp(served: Served) -> None:
    served.memory.user("victim").remember("My cat is called Zanzibar.")
    with served.http(served.key("mia")) as http:
        http.post("/v1/remember", json={"messages": "My dog is called Pixel."})

    async def both(client: Client) -> list[str]:
        asked = ("What is my dog called?", "What is my cat called?")
        return [text(await client.call_tool("recall", {"query": one})) for one in asked]

    mine, theirs = knock(served, served.key("mia"), both)
    assert "Pixel" in mine and "Zanzibar" not in mine + theirs


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer sw_nope"}])
def test_without_a_key_nothing_opens(served: Served, headers: dict[str, str]) -> None:
    with served.http(None, **headers) as http:
        assert http.post("/mcp", json=PING).status_code == 401


def test_the_wall_is_the_same(served: Served) -> None:
    with served.http(served.key("mia")) as http:
        assert http.post("/mcp", json=PING, headers={"Host": "evil.example"}).status_code == 421
        assert http.post("/mcp", json=PING, headers={"Origin": "http://evil"}).status_code == 403
        assert http.post("/mcp", content=b"{}").status_code == 415
    with served.http(served.key("mia"), **{"Sharpwave-User": "victim"}) as http:
        assert http.post("/mcp", json=PING).status_code == 403, "naming others is for admins"


@pytest.mark.parametrize("scope", list(Scope))
def test_a_key_lists_over_mcp_what_it_may_do_over_rest(served: Served, scope: Scope) -> None:
    """M2: one tool, one call of the facade; both doors ask for the same scope."""
    tools = knock(served, served.key("mia", scope), lambda client: client.list_tools()).tools
    offered = {tool.name for tool in tools}
    assert offered == {tool.name for tool in offered_tools(aliases=False) if tool.scope is scope}
    needed = {
        call.method.split(".")[-1]: call.scope for call in CALLS if call.scope is not Scope.ADMIN
    }
    shared = {tool.name: tool.scope for tool in offered_tools(aliases=True) if tool.name in needed}
    assert len(shared) >= 7 and shared == {name: needed[name] for name in shared}
