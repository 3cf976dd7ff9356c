"""Programs that use MCP servers: where their settings are, and how an entry is added."""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from sharpwave import strict_json
from sharpwave.errors import InvalidInput

NAME = "sharpwave"
"""Name of the server in each client's settings."""


@dataclass(frozen=True, slots=True)
class Client:
    """One program: its files, and the key under which it lists servers."""

    name: str
    user: str
    """The file of one user. `~` is the home folder, `*` the folder for settings of programs."""
    project: str | None
    """The file of one project, inside its folder."""
    next_step: str
    """The remaining step for the user."""
    key: str = "mcpServers"
    typed: bool = True
    """Whether an entry says `"type": "stdio"`."""

    def file(self, project: Path | None) -> Path:
        """The file to change: the project's, or the user's without one."""
        if project is not None:
            if self.project is None:
                raise InvalidInput(
                    f"{self.name} has no settings for a project; leave --project out"
                )
            return project / self.project
        first, _, rest = self.user.partition("/")
        settings = first == "*"
        return (platformdirs.user_config_path(roaming=True) if settings else Path.home()) / rest

    def entry(self, command: Path | str, arguments: list[str]) -> dict[str, Any]:
        """The settings entry for a server that this client starts."""
        kind = {"type": "stdio"} if self.typed else {}
        return {**kind, "command": str(command), "args": arguments}


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "~/.claude.json",
            ".mcp.json",
            "Start Claude Code; /mcp shows the server.",
        ),
        Client(
            "claude-desktop",
            "*/Claude/claude_desktop_config.json",
            None,
            "Quit and start Claude Desktop again.",
            typed=False,
        ),
        Client(
            "cursor",
            "~/.cursor/mcp.json",
            ".cursor/mcp.json",
            "Switch the server on in Cursor's settings, under MCP.",
        ),
        Client(
            "vscode",
            "*/Code/User/mcp.json",
            ".vscode/mcp.json",
            "Run 'MCP: List Servers' in VS Code and start it.",
            key="servers",
        ),
    )
}


def client_of(name: str) -> Client:
    """The client of that name."""
    if name not in CLIENTS:
        raise InvalidInput(f"there is no client {name!r}; there are: {', '.join(CLIENTS)}")
    return CLIENTS[name]


def command() -> Path:
    """Full path of the `sharpwave` program: clients have a different search path than a shell."""
    sibling = Path(sys.executable).with_name("sharpwave")
    found = sibling if sibling.exists() else shutil.which("sharpwave")
    if found is None:
        raise InvalidInput("cannot find the `sharpwave` program; give it with --command")
    return Path(found)


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """A pending change of a settings file."""

    file: Path
    after: str
    changed: bool

    @property
    def backup(self) -> Path:
        """Path of the backup of the previous file."""
        return self.file.with_name(self.file.name + ".before-sharpwave")


def with_entry(file: Path, key: str, entry: dict[str, Any]) -> ConfigChange:
    """The file with the entry in it."""
    config = _read(file)
    servers = config.setdefault(key, {})
    if not isinstance(servers, dict):
        raise InvalidInput(f"{key!r} in {file} is no JSON object; it was left as it is")
    changed = servers.get(NAME) != entry
    servers[NAME] = entry
    return ConfigChange(file, json.dumps(config, ensure_ascii=False, indent=2) + "\n", changed)


def write(change: ConfigChange) -> None:
    """Keep a copy of the old file, then put the new one in its place in one step."""
    target = Path(os.path.realpath(change.file))
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    if target.exists():
        shutil.copy2(target, change.backup)
    new_file = target.with_name(f".{target.name}.new")
    new_file.touch(mode=0o600)
    new_file.write_text(change.after, "utf-8")
    new_file.chmod(mode)
    new_file.replace(target)


def _read(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    try:
        text = file.read_text("utf-8-sig")
        config = strict_json.loads(text) if text.strip() else {}
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InvalidInput(
            f"{file} is not plain JSON ({error}); it may hold comments. It was left as it is: "
            "add the entry yourself, --dry-run prints it"
        ) from error
    if not isinstance(config, dict):
        raise InvalidInput(f"{file} does not hold a JSON object; it was left as it is")
    return config
