"""Anthropic's memory tool: the files that Claude keeps under /memories are memories.

    client.beta.messages.run_tools(..., tools=[SharpwaveMemoryTool(memory)])

They belong to the user of the memory, whatever path the model writes. Errors reach the model as
errors of the tool.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from sharpwave.errors import SharpwaveError
from sharpwave.interfaces.adapters.core import requires
from sharpwave.interfaces.adapters.files import Files
from sharpwave.memory import Memory

with requires("anthropic-memory"):
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818Command,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )


@contextmanager
def _tool_errors() -> Iterator[None]:
    """What Sharpwave refuses, as an error that the model is shown."""
    try:
        yield
    except SharpwaveError as error:
        raise ToolError(str(error)) from error


class SharpwaveMemoryTool(BetaAbstractMemoryTool):
    """The memory tool, for `Anthropic`."""

    def __init__(
        self, memory: Memory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = Files(memory)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """A file or folder."""
        with _tool_errors():
            view_range = command.view_range
            lines = (view_range[0], view_range[1]) if view_range and len(view_range) == 2 else None
            return self._files.view(command.path, lines)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """A new file."""
        with _tool_errors():
            return self._files.create(command.path, command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Other words in the place of some."""
        with _tool_errors():
            return self._files.replace(command.path, command.old_str, command.new_str)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """More lines."""
        with _tool_errors():
            return self._files.insert(command.path, command.insert_line, command.insert_text)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forget a file or folder."""
        with _tool_errors():
            return self._files.delete(command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Another name."""
        with _tool_errors():
            return self._files.rename(command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        """Forget all files."""
        with _tool_errors():
            return self._files.clear()


class AsyncSharpwaveMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for `AsyncAnthropic`."""

    def __init__(
        self, memory: Memory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = SharpwaveMemoryTool(memory)

    async def _run(self, command: BetaMemoryTool20250818Command) -> str:
        return str(await asyncio.to_thread(self._tool.execute, command))

    view = create = str_replace = insert = delete = rename = _run

    async def clear_all_memory(self) -> str:
        """Forget all files."""
        return await asyncio.to_thread(self._tool.clear_all_memory)
