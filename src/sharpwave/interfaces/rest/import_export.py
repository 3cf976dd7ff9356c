"""Streams: an export, an import, a backup. Nothing is held in memory as a whole."""

import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from anyio import from_thread
from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from sharpwave.errors import InvalidInput, UsageError
from sharpwave.interfaces.auth import require
from sharpwave.interfaces.rest.custom_routes import add_custom
from sharpwave.interfaces.rest.routes import memory_of, principal, rendered, router
from sharpwave.types.access import Scope
from sharpwave.types.answers import Imported, ImportedChats
from sharpwave.types.experience import ImportedLog

NDJSON = "application/x-ndjson"
_MAX_LINE_BYTES = 4 * 1024 * 1024
_PART_BYTES = 1 << 20


def export(request: Request) -> Response:
    """Everything of this user as lines of JSON, oldest first."""
    return as_lines(memory_of(request).export())


def as_lines(lines: Iterator[str]) -> Response:
    """A streamed answer of lines."""
    first = next(lines)  # errors are raised before anything is sent
    return StreamingResponse((f"{line}\n" for line in chain([first], lines)), media_type=NDJSON)


async def import_(request: Request, own: bool = False) -> Response:
    """Store an export in this user's memory; what is already there is left as it is.

    With `own`, which takes the scope `admin`, everything comes back as it was. Such a file says
    when and by whom things were said and learned; a key to write cannot make that up otherwise.
    """
    if own:
        require(principal(request), Scope.ADMIN)
    memory, chunks = memory_of(request), request.stream()

    def work() -> Imported:
        return memory.admin.import_(_lines(chunks), own=own)

    return rendered(await run_in_threadpool(work), Imported)


def _lines(chunks: AsyncIterator[bytes]) -> Iterator[str]:
    """The lines of a body, read from a thread as they arrive."""
    rest = b""
    while True:
        try:
            chunk: bytes = from_thread.run(chunks.__anext__)  # type: ignore[arg-type]  # an awaitable
        except StopAsyncIteration:
            break
        *complete, rest = (rest + chunk).split(b"\n")
        if len(rest) > _MAX_LINE_BYTES:
            raise InvalidInput(f"a line of an import has at most {_MAX_LINE_BYTES} bytes")
        yield from map(_text, complete)
    if rest:
        yield _text(rest)


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("an import is UTF-8 text") from error


async def import_chats(request: Request, format: str | None = None, own: bool = False) -> Response:
    """Remember what another program exported: one file or zip archive as the body."""
    memory = memory_of(request)
    imported = await _from_file(request, lambda path: memory.admin.import_chats(path, format, own))
    return rendered(imported, ImportedChats)


async def import_log(request: Request, format: str | None = None) -> Response:
    """Learn from the log of an agent: one file as the body."""
    memory = memory_of(request)
    imported = await _from_file(request, lambda path: memory.agents.import_log(path, format))
    return rendered(imported, ImportedLog)


async def _from_file(request: Request, work: Any) -> Any:
    """Call `work` with the body in a temporary file, with a name of ours."""
    with tempfile.TemporaryDirectory(prefix="sharpwave-") as folder:
        path = Path(folder) / "upload"
        with path.open("wb") as file:
            async for chunk in request.stream():
                await run_in_threadpool(file.write, chunk)
        try:
            return await run_in_threadpool(work, path)
        except UsageError as error:  # without the place of our file
            raise type(error)(str(error).replace(str(path), "the upload")) from error


def backup(request: Request) -> Response:
    """A consistent, checked copy of the whole file, encrypted if the file is."""
    with tempfile.TemporaryDirectory(prefix="sharpwave-") as folder:
        path = Path(folder) / "memory.db"
        memory_of(request).admin.backup(path)
        file = path.open("rb")  # it has no name any more once this block ends, nor after a kill
    size = {"Content-Length": str(os.fstat(file.fileno()).st_size)}
    return StreamingResponse(_parts(file), headers=size, media_type="application/octet-stream")


def _parts(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while part := file.read(_PART_BYTES):
            yield part


def routes() -> APIRouter:
    """The routes of this file."""
    api = router()
    lines = {200: {"content": {NDJSON: {"schema": {"type": "string"}}}}}
    data = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    upload = {"requestBody": {"required": True, "content": data}}
    add_custom(api, "export", export, response_class=Response, responses=lines)
    imports: list[tuple[str, Callable[..., Any], Any]] = [
        ("admin.import_", import_, Imported),
        ("admin.import_chats", import_chats, ImportedChats),
        ("agents.import_log", import_log, ImportedLog),
    ]
    for method, endpoint, model in imports:
        add_custom(api, method, endpoint, response_model=model, openapi_extra=upload)
    copy = {200: {"content": data}}
    add_custom(api, "admin.backup", backup, response_class=Response, responses=copy)
    return api
