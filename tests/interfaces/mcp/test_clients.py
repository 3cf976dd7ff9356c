"""Setting up a client: one entry more in its file, everything else as it was."""

import json
import sys
from pathlib import Path

import pytest

from sharpwave import InvalidInput
from sharpwave.interfaces.cli.app import main
from sharpwave.interfaces.mcp import clients
from sharpwave.interfaces.mcp.clients import CLIENTS, client_of

ENTRY = {"command": "/opt/sharpwave", "args": ["mcp"]}


@pytest.mark.parametrize(
    ("name", "key", "user", "project"),
    [
        ("claude-code", "mcpServers", ".claude.json", ".mcp.json"),
        ("claude-desktop", "mcpServers", "Claude/claude_desktop_config.json", None),
        ("cursor", "mcpServers", ".cursor/mcp.json", ".cursor/mcp.json"),
        ("vscode", "servers", "Code/User/mcp.json", ".vscode/mcp.json"),
    ],
)
def test_each_client_has_its_files(
    name: str, key: str, user: str, project: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, home = client_of(name), Path("/home/ann")
    monkeypatch.setattr(Path, "home", lambda: home)
    monkeypatch.setattr("platformdirs.user_config_path", lambda roaming: home)
    assert (client.key, client.file(None)) == (key, home / user)
    if project is None:
        with pytest.raises(InvalidInput, match="no settings for a project"):
            client.file(Path("/work"))
    else:
        assert client.file(Path("/work")) == Path("/work") / project
    assert client.entry("/opt/sharpwave", ["mcp"]).items() >= ENTRY.items()


def test_everything_else_in_the_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    others = {"theme": "dark", "mcpServers": {"files": {"command": "x"}}, "n": [1, {"é": None}]}
    file.write_text(json.dumps(others))
    file.chmod(0o640)
    clients.write(clients.with_entry(file, "mcpServers", ENTRY))
    changed = json.loads(file.read_text())
    assert changed["mcpServers"].pop("sharpwave") == ENTRY and changed == others
    assert list(changed) == list(others), "in the same order"
    assert file.stat().st_mode & 0o777 == 0o640
    backup = clients.with_entry(file, "mcpServers", ENTRY).backup
    assert json.loads(backup.read_text()) == others
    assert not clients.with_entry(file, "mcpServers", ENTRY).changed
    assert sorted(each.name for each in tmp_path.iterdir()) == [file.name, backup.name]


@pytest.mark.parametrize("text", ['{"a": 1, // mine\n}', "[1]", '{"mcpServers": []}', "\xff{"])
def test_a_file_that_is_not_understood_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text, encoding="latin-1")
    before = file.read_bytes()
    with pytest.raises(InvalidInput, match="left as it is"):
        clients.with_entry(file, "mcpServers", ENTRY)
    assert file.read_bytes() == before


def test_a_link_is_followed_and_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    real.write_text("{}")
    link.symlink_to(real)
    clients.write(clients.with_entry(link, "mcpServers", ENTRY))
    assert link.is_symlink() and "sharpwave" in real.read_text()


class Shell:
    """Runs `sharpwave mcp` commands."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def run(self, *arguments: str, fails: int = 0) -> str:
        self._monkeypatch.setattr(sys, "argv", ["sharpwave", "mcp", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
            sys.exit(0)
        printed = self._capsys.readouterr()
        assert (left.value.code or 0) == fails, printed
        return " ".join((printed.out + printed.err).split())


def test_install_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(capsys, monkeypatch)
    cursor = ("install", "cursor", "--project", str(tmp_path), "--command", "/opt/sharpwave")
    assert "would become" in shell.run(*cursor, "--dry-run")
    assert not (tmp_path / ".cursor").exists()
    assert "Changed" in shell.run(*cursor, "--user", "ann")
    entry = json.loads((tmp_path / ".cursor" / "mcp.json").read_text())["mcpServers"]["sharpwave"]
    arguments = ["mcp", "--user", "ann"]
    assert entry == {"type": "stdio", "command": "/opt/sharpwave", "args": arguments}
    assert "nothing was changed" in shell.run(*cursor, "--user", "ann")
    assert '"changed": true' in shell.run(*cursor, "--json")
    assert "there are: " + ", ".join(CLIENTS) in shell.run("install", "emacs", fails=2)
