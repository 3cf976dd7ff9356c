"""Where each client keeps its MCP servers, and in which form."""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from sharpwave.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Client:
    """One program: its files, and the key under which it lists servers."""

    name: str
    key: str
    user: tuple[str, ...]
    """The file of one user. `~` is the home folder, `*` the folder for settings of programs."""
    project: tuple[str, ...] | None
    """The file of one project, inside its folder."""
    typed: bool
    """Whether an entry says `"type": "stdio"`."""
    then: str
    """What is left for the user to do."""

    def file(self, project: Path | None, home: Path | None = None) -> Path:
        """The file to change: the project's, or the user's without one."""
        if project is not None:
            if self.project is None:
                raise InvalidInput(
                    f"{self.name} has no settings for a project; leave --project out"
                )
            return project.joinpath(*self.project)
        first, *rest = self.user
        folder = home or Path.home()
        if first == "*":
            folder = home or platformdirs.user_config_path(roaming=True)
        return folder.joinpath(*rest)

    def entry(self, command: Path | str, arguments: list[str]) -> dict[str, Any]:
        """How this client writes down a server that it starts itself."""
        kind = {"type": "stdio"} if self.typed else {}
        return {**kind, "command": str(command), "args": arguments}


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "mcpServers",
            ("~", ".claude.json"),
            (".mcp.json",),
            True,
            "Start Claude Code; /mcp shows the server.",
        ),
        Client(
            "claude-desktop",
            "mcpServers",
            ("*", "Claude", "claude_desktop_config.json"),
            None,
            False,
            "Quit and start Claude Desktop again.",
        ),
        Client(
            "cursor",
            "mcpServers",
            ("~", ".cursor", "mcp.json"),
            (".cursor", "mcp.json"),
            True,
            "Switch the server on in Cursor's settings, under MCP.",
        ),
        Client(
            "vscode",
            "servers",
            ("*", "Code", "User", "mcp.json"),
            (".vscode", "mcp.json"),
            True,
            "Run 'MCP: List Servers' in VS Code and start it.",
        ),
    )
}


def client_of(name: str) -> Client:
    """The client of that name."""
    if name not in CLIENTS:
        raise InvalidInput(f"there is no client {name!r}; there are: {', '.join(CLIENTS)}")
    return CLIENTS[name]


def command() -> Path:
    """Our own program, in full: clients are started with another search path than a shell."""
    beside = Path(sys.executable).with_name("sharpwave")
    found = beside if beside.exists() else shutil.which("sharpwave")
    if found is None:
        raise InvalidInput("cannot find the `sharpwave` program; give it with --command")
    return Path(found)
