"""Two whole sessions of Claude Code: a process for each event, with the JSON that it sends."""

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import eventually

from sharpwave import Memory

pytestmark = pytest.mark.timeout(240)  # a process for each event: long on a busy machine
ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "plugins" / "claude-code"
START = "from sharpwave.interfaces.start import main; main()"
SHARPWAVE = f"""#!/bin/sh
exec {sys.executable} -c '{START}' "$@"
"""


class Claude:
    """Runs the plugin's commands as Claude Code does, in a home of their own."""

    def __init__(self, home: Path, installed: bool = True) -> None:
        self.home = home
        self.db = home / "m.db"
        self._bin = home / "bin"
        self._bin.mkdir()
        for name in ("sh", "cat"):
            (self._bin / name).symlink_to(str(shutil.which(name)))
        if installed:
            program = self._bin / "sharpwave"
            program.write_text(SHARPWAVE)
            program.chmod(0o755)
        self._hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]

    @property
    def environment(self) -> dict[str, str]:
        places = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME")
        return {
            "PATH": str(self._bin),
            "PYTHONPATH": str(ROOT / "src"),
            "OMP_NUM_THREADS": "1",
            "CLAUDE_PLUGIN_ROOT": str(PLUGIN),
            "SHARPWAVE_PATH": str(self.db),
            **dict.fromkeys(places, str(self.home)),
        }

    def tell(self, session: str, event: str, **fields: Any) -> dict[str, Any]:
        """What the host reads back; every hook ends well and writes nothing but JSON."""
        told = {
            "session_id": session,
            "prompt_id": f"prompt of {session}",
            "transcript_path": f"{self.home}/.claude/projects/p/{session}.jsonl",
            "cwd": str(self.home),
            "permission_mode": "default",
            "hook_event_name": event,
            **fields,
        }
        (group,) = self._hooks[event]
        (hook,) = group["hooks"]
        done = subprocess.run(
            ["sh", "-c", hook["command"]],
            input=json.dumps(told),
            capture_output=True,
            text=True,
            check=False,
            env=self.environment,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return dict(json.loads(done.stdout)) if done.stdout.strip() else {}

    def context(self, session: str, event: str, **fields: Any) -> str:
        """What the model is told at an event."""
        answer = self.tell(session, event, **fields)
        if not answer:
            return ""
        assert set(answer) == {"hookSpecificOutput"}
        given = answer["hookSpecificOutput"]
        assert given["hookEventName"] == event and len(given["additionalContext"]) < 10_000
        return str(given["additionalContext"])

    @contextmanager
    def served(self) -> Iterator[None]:
        """While Claude Code runs the plugin's MCP server."""
        server = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]["sharpwave"]
        with subprocess.Popen(
            [str(self._bin / server["command"]), *server["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=self.environment,
        ) as running:
            try:
                listens = eventually(
                    lambda: (
                        any(self.home.glob("sharpwave/hooks/*.sock")) or running.poll() is not None
                    )
                )
                assert listens and running.poll() is None, "the server does not listen"
                yield
            finally:
                assert running.stdin is not None
                running.stdin.close()
                running.wait(30)

    def first_session(self) -> None:
        """A session in which something is taught, tools run, and one fails."""
        tell = self.tell
        tell("one", "SessionStart", source="startup", model="claude-opus-4-6")
        tell("one", "UserPromptSubmit", prompt="I work at Acme. Always use tabs in Python.")
        for number, ok in enumerate((True, False), start=1):
            used = {
                "tool_name": "Bash",
                "tool_use_id": f"toolu_{number}",
                "tool_input": {"command": "make test", "description": "Run the tests"},
                "duration_ms": 1200,
            }
            if ok:
                done = {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False}
                tell("one", "PostToolUse", **used, tool_response=done)
                tell("one", "PostToolUse", **used, tool_response=done)
            else:
                tell("one", "PostToolUseFailure", **used, error="exit code 2", is_interrupt=False)
        stopped = {"tool_name": "Bash", "tool_use_id": "toolu_3", "tool_input": {}}
        tell("one", "PostToolUseFailure", **stopped, error="interrupted", is_interrupt=True)
        for active in (False, True):
            said = "Done: the tests pass with tabs."
            tell("one", "Stop", stop_hook_active=active, last_assistant_message=said)
        tell("one", "SessionEnd", reason="prompt_input_exit")

    def second_session(self) -> None:
        """What the first taught is told at the start, and what bears on a prompt with it."""
        told = self.context("two", "SessionStart", source="startup", model="claude-opus-4-6")
        assert "The user works at Acme" in told and "Always use tabs in Python" in told

    def check(self) -> None:
        """What the file holds after both: everything once."""
        with Memory.open(self.db) as memory:
            turns = [
                (turn.role, turn.text) for turn in memory.admin.recent(session="claude-code:one")
            ]
            assert sorted(turns) == [
                ("assistant", "Done: the tests pass with tabs."),
                ("user", "I work at Acme. Always use tabs in Python."),
            ]
            (bash,) = memory.agents.tools()
            assert (bash.name, bash.executions, bash.failures) == ("Bash", 2, 1)
            assert bash.avg_duration_ms == 1200


@pytest.fixture
def claude() -> Iterator[Claude]:
    """In a short folder, for names of sockets; what a hook started may still write at the end."""
    with tempfile.TemporaryDirectory(prefix="sw", ignore_cleanup_errors=True) as short:
        yield Claude(Path(short))


@pytest.mark.spec("MCP-09")
def test_two_sessions_with_the_server_running(claude: Claude) -> None:
    with claude.served():
        claude.first_session()
        claude.tell("one", "UserPromptSubmit", prompt="Thanks!")
        claude.tell("one", "UserPromptSubmit", prompt="Thanks!")
        claude.second_session()
        shown = claude.context("two", "UserPromptSubmit", prompt="Where do I work?")
        assert "Acme" in shown
    with Memory.open(claude.db) as memory:
        assert [turn.text for turn in memory.admin.recent()].count("Thanks!") == 1
        memory.forget(memory.admin.recent(1, session="claude-code:one")[0].id)
    claude.check()


def test_two_sessions_without_a_server(claude: Claude) -> None:
    claude.first_session()
    with Memory.open(claude.db) as memory:
        eventually(  # what is done after its hook has returned
            lambda: (
                len(memory.admin.recent(session="claude-code:one")) == 2 and memory.behavior.rules()
            )
        )
    claude.second_session()
    claude.check()


def test_who_did_not_consent_is_neither_told_nor_heard(claude: Claude) -> None:
    with Memory.open(claude.db) as memory:
        memory.remember("I live in Porto.")
        memory.admin.consent("memory", False)
    assert claude.tell("one", "SessionStart", source="startup") == {}
    used = {"tool_name": "Bash", "tool_use_id": "t", "tool_input": {}, "tool_response": {}}
    claude.tell("one", "PostToolUse", **used)
    claude.tell("one", "SessionStart", source="resume")
    with Memory.open(claude.db) as memory:
        assert memory.agents.tools() == []


def test_a_locked_file_is_not_in_the_way(claude: Claude) -> None:
    with Memory.open(claude.db) as memory:
        memory.remember("I live in Porto.")
    with sqlite3.connect(claude.db, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        told = claude.tell("one", "SessionStart", source="startup")
        assert set(told) <= {"hookSpecificOutput"}
        other.execute("ROLLBACK")


def test_without_sharpwave_the_user_hears_of_it_once() -> None:
    with tempfile.TemporaryDirectory(prefix="sw", ignore_cleanup_errors=True) as short:
        claude = Claude(Path(short), installed=False)
        told = claude.tell("one", "SessionStart", source="startup")
        assert "not on your search path" in told["systemMessage"]
        assert claude.tell("one", "UserPromptSubmit", prompt="Hello") == {}
        assert claude.tell("one", "Stop", last_assistant_message="Hi") == {}
