"""A memory behind the MCP door, and real clients of the SDK that knock at it."""

import asyncio
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import uvicorn
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent
from starlette.applications import Starlette
from starlette.routing import Route

from sharpwave import Memory, Settings
from sharpwave.interfaces.auth import PRINCIPAL
from sharpwave.interfaces.mcp.app import McpApp
from sharpwave.interfaces.mcp.server import ServedMemory, build
from sharpwave.types.access import Principal, Scope

Result = TypeVar("Result")
ERAS = ("2026-07-28", "legacy")
ALL = frozenset(Scope)
SOURCE = str(Path(__file__).resolve().parents[3] / "src")


def settings(path: Path, **mcp: Any) -> Settings:
    return Settings.model_validate({"path": path, "mcp": mcp})


class Knock:
    """Talks to one memory as one principal, by a client in this process, without a wire."""

    def __init__(self, memory: Memory, chosen: Settings, principal: Principal) -> None:
        self.memory = memory
        self._server = build(ServedMemory(memory, chosen, lambda request: principal))

    def __call__(self, tool: str, **arguments: Any) -> CallToolResult:
        return self.say(lambda client: client.call_tool(tool, arguments))

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = self(tool, **arguments)
        assert not result.is_error, text(result)
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def say(self, say: Callable[[Client], Awaitable[Result]]) -> Result:
        async def meet() -> Result | MCPError:
            async with Client(self._server, mode="2026-07-28") as client:
                try:
                    return await say(client)
                except MCPError as error:  # raised in here it would come out in a group
                    return error

        found = asyncio.run(meet())
        if isinstance(found, MCPError):
            raise found
        return found


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@asynccontextmanager
async def stdio(path: Path, mode: str, *options: str) -> AsyncIterator[Client]:
    """A client of a server that it starts itself, as programs do."""
    run = "from sharpwave.interfaces.cli.app import main; main()"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", run, "mcp", "--db", str(path), *options],
        env={"PYTHONPATH": SOURCE, "OMP_NUM_THREADS": "1", "HOME": str(path.parent)},
    )
    async with Client(stdio_client(server), mode=mode) as client:
        yield client


@contextmanager
def http(memory: Memory, chosen: Settings, keys: Mapping[str, Principal]) -> Iterator[str]:
    """The address of a server on this machine that knows these keys."""
    with in_turns([memory], chosen, keys) as url:
        yield url


@contextmanager
def in_turns(
    memories: Sequence[Memory], chosen: Settings, keys: Mapping[str, Principal]
) -> Iterator[str]:
    """The address of several doors as of several processes: each request meets the next one."""

    doors = [McpApp(memory, chosen) for memory in memories]
    turns = cycle(doors)

    class Turns:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            key = dict(scope["headers"]).get(b"authorization", b"").decode()
            principal = keys.get(key.removeprefix("Bearer "))
            await next(turns)({**scope, PRINCIPAL: principal}, receive, send)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            for door in doors:
                await running.enter_async_context(door.running())
            yield

    app = Starlette(routes=[Route("/mcp", endpoint=Turns())], lifespan=lifespan)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


@asynccontextmanager
async def over_http(url: str, key: str, mode: str, person: Any = None) -> AsyncIterator[Client]:
    """A client that sends a key, and can ask this person."""
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}) as web:
        wire = streamable_http_client(url, http_client=web)
        async with Client(wire, mode=mode, elicitation_callback=person) as client:
            yield client
