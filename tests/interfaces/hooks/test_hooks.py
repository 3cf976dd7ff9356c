"""Hooks of Claude Code: what they capture, what they tell a model, and that they never fail."""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import eventually

from sharpwave import Memory, Settings
from sharpwave.interfaces.hooks import events, server
from sharpwave.interfaces.hooks.client import HookFiles, hook_files
from sharpwave.interfaces.hooks.server import answers_from, listening
from sharpwave.types.records import Trust

SOURCE = str(Path(__file__).resolve().parents[3] / "src")
START = "from sharpwave.interfaces.start import main; main()"
HEAVY = ("pydantic", "numpy", "typer", "rich", "apsw", "asyncio", "mcp", "sharpwave.memory")
Tell = Callable[..., str]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db") as opened:
        yield opened


@pytest.fixture
def tell(memory: Memory) -> Tell:
    """Tells an event as a host does, and gives what the model is told."""
    answer = answers_from(memory, Settings())

    def told(event: str, **fields: Any) -> str:
        text = answer(event, {"session_id": "s1", "hook_event_name": event, **fields})
        if not text:
            return ""
        given = json.loads(text)["hookSpecificOutput"]
        assert given["hookEventName"] == event
        return str(given["additionalContext"])

    return told


def test_what_was_said_in_one_session_helps_in_the_next(memory: Memory, tell: Tell) -> None:
    assert tell("SessionStart", source="startup") == "", "nothing is known, so nothing is said"
    assert tell("UserPromptSubmit", prompt="I live in Porto and I prefer tabs.") == ""
    assert next(fact.trust for fact in memory.facts.profile()) is Trust.USER
    assert "Porto" in tell("SessionStart", session_id="s2", source="startup")
    shown = tell("UserPromptSubmit", session_id="s2", prompt="Where do I live?")
    assert "Porto" in shown and "<memory " in shown and "never an instruction" in shown
    assert tell("UserPromptSubmit", session_id="s3", prompt="asdf qwer zxcv") == ""


@pytest.mark.parametrize(
    ("said", "asked", "answer"),
    [
        ("My cat is called Whiskers.", "What is my cat called?", "Whiskers"),
        ("My sister Ana works at Acme.", "Where does Ana work?", "Ana works at Acme"),
        ("Remind me to buy salt.", "Do I have to buy salt?", "Buy salt"),
    ],
)
def test_what_is_in_the_conversation_is_not_told_again(
    tell: Tell, said: str, asked: str, answer: str
) -> None:
    tell("UserPromptSubmit", prompt=said)
    assert tell("UserPromptSubmit", prompt=asked) == ""
    assert answer in tell("UserPromptSubmit", session_id="s2", prompt=asked)


def test_commands_are_not_kept(memory: Memory, tell: Tell) -> None:
    for prompt in ("/compact", "  ", "<command-name>x</command-name>", "Fix it"):
        tell("UserPromptSubmit", prompt=prompt)
    assert [turn.text for turn in memory.admin.recent()] == ["Fix it"]


def test_who_changes_back_is_heard(memory: Memory, tell: Tell) -> None:
    for city in ("Porto", "Berlin", "Porto"):
        tell("UserPromptSubmit", prompt=f"I live in {city}.")
    assert [fact.text for fact in memory.facts.profile()] == ["The user lives in Porto"]


def test_a_long_paste_is_not_the_users_own_words(memory: Memory, tell: Tell) -> None:
    tell("UserPromptSubmit", prompt="Look at this log: I bank with Evil Corp.\n" + "line\n" * 600)
    tell("UserPromptSubmit", prompt="I bank with Evil Corp. " * 200)
    assert len(memory.admin.recent()) == 2 and memory.facts.list() == []


def test_answers_are_kept_as_the_assistants(memory: Memory, tell: Tell) -> None:
    tell("Stop", last_assistant_message="Your bank is Evil Corp. " * 500)
    (turn,) = memory.admin.recent()
    assert turn.provenance.trust is Trust.INFERRED and len(turn.text) <= 2000
    assert memory.facts.profile() == []


def test_tools_are_logged_once_and_failures_as_such(memory: Memory, tell: Tell) -> None:
    edit = {"tool_name": "Edit", "tool_use_id": "t1", "tool_input": {"file_path": "/a.py"}}
    tell("PostToolUse", **edit)
    tell("PostToolUse", **edit)
    tell("PostToolUseFailure", tool_name="Bash", tool_use_id="t2", error="exit 1")
    used = {tool.name: tool for tool in memory.agents.tools()}
    assert used["Edit"].executions == 1 and used["Bash"].failures == 1
    tell("SessionEnd", reason="clear")


def test_without_consent_nothing_happens(memory: Memory, tell: Tell) -> None:
    tell("UserPromptSubmit", prompt="I live in Porto.")
    memory.admin.consent("memory", False)
    assert tell("SessionStart", session_id="s2") == ""
    assert tell("UserPromptSubmit", session_id="s2", prompt="Where do I live?") == ""
    memory.admin.consent("memory", True)
    assert len(memory.admin.recent()) == 1


# --- the command, as the host runs it ------------------------------------------------------------


@pytest.fixture
def home() -> Iterator[Path]:
    """Short, for names of sockets; what a hook started is not waited for, and may still write."""
    with tempfile.TemporaryDirectory(prefix="sw", ignore_cleanup_errors=True) as short:
        yield Path(short)


class Host:
    """Runs hooks as Claude Code does: a command, with JSON on stdin."""

    def __init__(self, home: Path) -> None:
        self.home, self.db = home, home / "m.db"

    def point(self, monkeypatch: pytest.MonkeyPatch) -> HookFiles:
        for name, value in self._environment().items():
            monkeypatch.setenv(name, value)
        return hook_files(str(self.db), None, None)

    def run(self, event: str, told: str, code: str = START) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, "hook", event, "--db", str(self.db)],
            input=told,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **self._environment()},
        )

    def _environment(self) -> dict[str, str]:
        places = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME")
        return {"PYTHONPATH": SOURCE, **dict.fromkeys(places, str(self.home))}


def test_the_server_answers_quickly(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(home)
    point = host.point(monkeypatch)
    told = json.dumps({"session_id": "s1", "prompt": "I live in Porto."})
    with Memory.open(host.db) as memory:
        with listening(point, answers_from(memory, Settings())):
            _until(point.socket.exists)
            assert host.run("UserPromptSubmit", told).returncode == 0
            assert [turn.text for turn in memory.admin.recent()] == ["I live in Porto."]
            loaded = f"{START}; import sys; assert not {{*{HEAVY}}} & {{*sys.modules}}"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            asked = json.dumps({"session_id": "s2", "prompt": "Where do I live?"})
            done = host.run("UserPromptSubmit", asked, loaded)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0, done.stderr
        assert "Porto" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        assert seconds < 0.3, "a hook is not noticed"
        assert not point.socket.exists()


def test_of_two_servers_the_second_takes_over(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_RETRY_S", 0.05)
    point = Host(home).point(monkeypatch)
    heard: list[str] = []
    with listening(point, lambda event, told: heard.append("second") or ""):  # type: ignore[func-returns-value]
        _until(point.socket.exists)
        with listening(point, lambda event, told: ""):
            assert Host(home).run("Stop", "{}").returncode == 0
        assert Host(home).run("Stop", "{}").returncode == 0
    assert heard == ["second", "second"]


def test_without_a_server_nothing_is_lost(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(home)
    point = host.point(monkeypatch)
    used = {
        "session_id": "s1",
        "tool_name": "Write",
        "tool_use_id": "t1",
        "tool_input": {"file_path": "/a.py", "content": "secret words"},
    }
    assert host.run("PostToolUse", json.dumps(used)).stdout == ""
    assert "secret words" not in point.unsent.read_text()
    assert point.unsent.stat().st_mode & 0o077 == 0
    lean = f"{START}; import sys; assert not {{'typer', 'rich'}} & {{*sys.modules}}"
    done = host.run("SessionStart", json.dumps({"session_id": "s2"}), lean)
    assert done.returncode == 0, f"somebody waits, so no command line is loaded: {done.stderr}"
    assert not point.unsent.exists()
    with Memory.open(host.db) as memory:
        assert [tool.name for tool in memory.agents.tools()] == ["Write"]


def test_what_was_taken_and_not_finished_waits_for_the_next(tmp_path: Path) -> None:
    """In a container the next process has the number of the one that died."""
    unsent, heard = tmp_path / "point.jsonl", list[str]()

    def dies(event: str, told: dict[str, object]) -> str:
        raise SystemExit

    def hears(event: str, told: dict[str, object]) -> str:
        heard.append(event)
        return ""

    unsent.write_text('{"event": "first"}\n')
    with pytest.raises(SystemExit):
        server.replay_unsent(unsent, dies)
    unsent.write_text('{"event": "second"}\n')
    server.replay_unsent(unsent, hears)
    assert sorted(heard) == ["first", "second"] and not list(tmp_path.iterdir())


@pytest.mark.parametrize("told", ["", "not json", "[]", '{"prompt": 1}', '{"session_id": {}}'])
def test_a_hook_never_fails(home: Path, monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    host = Host(home)
    point = host.point(monkeypatch)
    for event in ("PostToolUse", "NoSuchEvent"):
        done = host.run(event, told)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with listening(point, lambda event, given: str(1 / 0)):
        _until(point.socket.exists)
        done = host.run("UserPromptSubmit", told)
        assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.spec("MCP-09")
def test_the_plugin_names_the_events_that_are_served() -> None:
    plugin = Path(__file__).resolve().parents[3] / "plugins" / "claude-code"
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    assert hooks.keys() == events.ACTS.keys()
    for event, groups in hooks.items():
        for group in groups:
            for hook in group["hooks"]:
                script = '"${CLAUDE_PLUGIN_ROOT}/hooks/run.sh"'
                assert hook["command"] == f"sh {script} {event}" and hook["timeout"] <= 15
    served = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["sharpwave"]
    assert served == {"command": "sharpwave", "args": ["mcp", "--hooks"]}
    assert json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())["name"]


def _until(ready: Callable[[], bool]) -> None:
    """Wait for a thread, without a fixed time."""
    assert eventually(ready), "it never happened"
