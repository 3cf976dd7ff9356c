"""`serve`, `keys` and `config`, as a person and as a program would call them."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from tests.interfaces.cli.test_commands import Shell

from sharpwave import Memory, Settings
from sharpwave.errors import Unauthorized
from sharpwave.interfaces.cli import serve
from sharpwave.interfaces.rest.server import Server

SERVE = [sys.executable, "-c", "from sharpwave.interfaces.cli.app import main; main()", "serve"]


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    return Shell(tmp_path / "memory.db", capsys, monkeypatch)


def test_keys(shell: Shell) -> None:
    shown = shell.run("keys", "create", "laptop", "--for", "ana", "--scope", "read")
    secret = shown.splitlines()[0]
    assert secret.startswith("sw_") and "not be shown again" in shown
    made = shell.json("keys", "create", "desktop")
    assert (made["user"], made["scopes"]) == ("default", ["read", "write"])
    listed = shell.run("keys", "list")
    assert "laptop" in listed and "ana" in listed and secret not in listed
    assert shell.json("keys", "list")["keys"][1]["name"] == "laptop"
    assert "opens nothing" in shell.run("keys", "revoke", "laptop")
    assert shell.json("keys", "revoke", "laptop", fails=3)["error"]["code"] == "not_found"
    assert shell.json("keys", "create", "laptop", fails=4)["error"]["code"] == "conflict"
    with Memory.open(shell.path) as memory, pytest.raises(Unauthorized):
        memory.admin.keys.principal(secret)


@pytest.mark.spec("CFG-09")
def test_config_says_where_each_setting_comes_from(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sharpwave.toml"
    file.write_text('user = "ana"\n[recall]\nk = 5\n[llm]\napi_key = "very-secret"\n')
    monkeypatch.setenv("SHARPWAVE_CONTEXT__BUDGET_TOKENS", "77")
    shown = shell.run("config", "--settings", str(file))
    assert "very-secret" not in shown and str(shell.path) in shown.replace("\n", "")
    found = shell.json("config", "--settings", str(file))
    sources = {one["name"]: (one["value"], one["source"]) for one in found["settings"]}
    assert sources["recall.k"] == (5, "file")
    assert sources["context.budget_tokens"] == (77, "environment")
    assert sources["user"] == ("ana", "file")
    assert sources["path"][1] == "argument"
    assert sources["recall.hedge_at"][1] == "default"
    assert "very-secret" not in json.dumps(found)
    file.write_text("[RECALL]\nk = 5\n")
    monkeypatch.setenv("SHARPWAVE_CONTEXT", '{"budget_tokens": 88}')
    monkeypatch.delenv("SHARPWAVE_CONTEXT__BUDGET_TOKENS")
    found = shell.json("config", "--settings", str(file))
    sources = {one["name"]: (one["value"], one["source"]) for one in found["settings"]}
    assert sources["recall.k"] == (5, "file")
    assert sources["context.budget_tokens"] == (88, "environment")


@pytest.mark.spec("DEP-04", "XPT-03")
@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_serving_until_a_signal(tmp_path: Path, ending: signal.Signals) -> None:
    """It says where it listens and what to try; a signal ends it well, with everything written.

    And a copy of it is kept.
    """
    command = [*SERVE, "--db", str(tmp_path / "memory.db"), "--port", "0"]
    environment = {**os.environ, "SHARPWAVE_EMBEDDER__PROVIDER": "hash"}
    environment["SHARPWAVE_SERVER__BACKUP__KEEP"] = "7"
    with ended(command, environment) as process:
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        url = first.split()[3]
        assert f"in a browser: {url}/ui/enter?token=" in process.stdout.readline()
        told = [process.stdout.readline() for _ in range(10)]
        assert url + "/docs" in told[0] and url + "/mcp" in told[1]
        assert "Three things to try" in told[3]
        assert "PUT" in told[5] and "/v1/consents/memory" in told[5]
        assert "PUT" in told[6] and "/v1/consents/learning" in told[6]
        assert "/v1/remember" in told[7] and "/v1/recall" in told[8] and "connect" in told[9]
        file = told[4].partition("cat ")[2].partition(")")[0]
        headers = {"Authorization": f"Bearer {Path(file).read_text().strip()}"}
        with httpx2.Client(base_url=url, headers=headers, trust_env=False, timeout=30) as http:
            said = {"messages": "My sister Ana lives in Porto."}
            assert http.put("/v1/consents/memory", json={"granted": True}).is_success
            kept = http.post("/v1/remember", json=said)
            assert kept.status_code == 200 and kept.json()["learned"], kept.text
        process.send_signal(ending)
        assert process.wait(40) == 0, process.stderr.read()
        said_last = process.stdout.read()
        assert "everything is written" in said_last and "A copy is" in said_last
    assert not (tmp_path / "memory.db-wal").exists(), "closed, not killed"
    (copy,) = (tmp_path / "backups").iterdir()
    assert re.fullmatch(r"memory-\d{4}-\d\d-\d\d\.db", copy.name)
    for each in (tmp_path / "memory.db", copy):
        with Memory.open(each) as memory:
            assert memory.facts.list(subject="Ana"), (each, memory.facts.list())


@pytest.mark.timeout(60)
def test_a_program_reads_where_it_listens_while_it_serves(tmp_path: Path) -> None:
    command = [*SERVE, "--db", str(tmp_path / "memory.db"), "--port", "0", "--json"]
    environment = {**os.environ, "SHARPWAVE_EMBEDDER__PROVIDER": "hash"}
    environment.pop("PYTHONUNBUFFERED", None)
    with ended(command, environment) as process:
        assert process.stdout is not None
        told = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
        assert told["dashboard"].startswith(told["url"])


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_copy_that_could_not_be_kept_is_told(
    more: tuple[str, ...], tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SHARPWAVE_SERVER__BACKUP__KEEP", "7")
    monkeypatch.setenv("SHARPWAVE_SERVER__BACKUP__FOLDER", str(tmp_path / "file"))
    monkeypatch.setattr(Server, "serve_until_stopped", lambda door: door._address.close())
    told = io.StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    shell.run("serve", "--port", "0", *more)
    assert "No copy was kept: cannot keep a copy" in told.getvalue()


@contextmanager
def ended(command: list[str], environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """A process that does not outlive the test, however that ends."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_it_refuses_to_serve_everybody_without_a_key(shell: Shell) -> None:
    refused = shell.run("serve", "--host", "0.0.0.0", "--port", "0", fails=2)
    assert "without any key" in refused and "keys create" in refused


def test_a_port_that_cannot_be_had_is_told_with_advice(shell: Shell) -> None:
    assert "65535" in shell.run("serve", "--port", "99999", fails=2)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = shell.run("serve", "--port", str(taken.getsockname()[1]), fails=2)
    assert "--port" in told


def test_every_door_has_a_port_of_its_own() -> None:
    settings = Settings()
    ports = [settings.server.port, serve.DASHBOARD_PORT, settings.proxy.port]
    assert len(set(ports)) == 3


def test_where_to_look_in_is_said(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str, bool]] = []

    def serve(door: Server) -> None:
        opened.append((door.url, door._runs_sleep))
        door._opened(door.url)
        door._address.close()

    monkeypatch.setattr(Server, "serve_until_stopped", serve)
    told = shell.run("dashboard", "--port", "0")
    ((url, has_nights),) = opened
    assert f"in a browser: {url}/ui/enter?token=" in told and not has_nights
    monkeypatch.setenv("SHARPWAVE_SERVER__DASHBOARD", "false")
    assert "switched off" in shell.run("serve", "--port", "0")
    monkeypatch.delenv("SHARPWAVE_SERVER__DASHBOARD")
    monkeypatch.setattr("sharpwave.interfaces.extras.has_dashboard", lambda: False)
    assert "sharpwave[dashboard]" in shell.run("serve", "--port", "0")
    assert "sharpwave[dashboard]" in shell.run("dashboard", fails=2)
