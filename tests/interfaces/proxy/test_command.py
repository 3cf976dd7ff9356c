"""`sharpwave proxy`, as a person would start it."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.interfaces.cli.test_commands import Shell
from tests.interfaces.cli.test_serving import ended
from tests.interfaces.proxy.passing import chat, kept, settings_of
from tests.interfaces.proxy.scripted import says, scripted

from sharpwave import Memory
from sharpwave.embedding.hash_embedder import HashEmbedder
from sharpwave.interfaces.proxy import app
from sharpwave.interfaces.rest.server import Server

PROXY = [sys.executable, "-c", "from sharpwave.interfaces.cli.app import main; main()", "proxy"]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_passing_until_a_signal(tmp_path: Path) -> None:
    """It says what to change in a program; a signal ends it well, with everything written."""
    environment = {**os.environ, "SHARPWAVE_EMBEDDER__PROVIDER": "hash"}
    environment["SHARPWAVE_PRIVACY__CONSENT_ASSUMED"] = "true"
    with scripted(says("Ok.")) as upstream:
        options = ["--upstream", upstream.url, "--db", str(tmp_path / "m.db"), "--port", "0"]
        with ended([*PROXY, *options], environment) as process:
            assert process.stdout is not None and process.stderr is not None
            told = [process.stdout.readline() for _ in range(5)]
            assert "base_url" in told[3] and "X-Sharpwave-Key" in told[4]
            key = Path(told[4].partition('open("')[2].partition('"')[0]).read_text().strip()
            base = told[3].partition("'")[2].partition("'")[0]
            with httpx2.Client(base_url=base, trust_env=False, timeout=30) as http:
                headers = {"X-Sharpwave-Key": key}
                said = chat("I like tea.")
                assert http.post("/chat/completions", json=said).status_code == 401
                passed = http.post("/chat/completions", json=said, headers=headers)
                assert passed.status_code == 200
            process.send_signal(signal.SIGTERM)
            assert process.wait(40) == 0, process.stderr.read()
    assert kept(tmp_path, "default") == ["I like tea.", "Ok."]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_the_command_that_it_prints_lets_it_remember_and_learn(tmp_path: Path) -> None:
    """In the right file, for the right user; afterwards it is not printed."""
    rule = "From now on, always answer in French."
    environment = {**os.environ, "SHARPWAVE_EMBEDDER__PROVIDER": "hash"}
    (tmp_path / "my files").mkdir()
    place = ["--db", str(tmp_path / "my files" / "m.db"), "--user", "ana"]
    with scripted(says("D'accord.")) as upstream:
        options = ["--upstream", upstream.url, "--port", "0", "--without-key", *place]
        with ended([*PROXY, *options], environment) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(7)]
            assert "Nothing is remembered before the user agrees:" in lines[5]
            name, *arguments = shlex.split(lines[6])
            assert name == "sharpwave"
            subprocess.run([*PROXY[:-1], *arguments], env=environment, check=True)
            base = lines[3].partition("'")[2].partition("'")[0]
            with httpx2.Client(base_url=base, trust_env=False, timeout=30) as http:
                sent = http.post("/chat/completions", json=chat(rule))
                assert sent.headers["x-sharpwave-memory"] == "on"
            process.send_signal(signal.SIGTERM)
            assert process.wait(40) == 0
        with Memory.open(tmp_path / "my files" / "m.db", user="ana") as memory:
            assert [one.rule for one in memory.behavior.rules()] == ["Always answer in French"]
        with ended([*PROXY, *options], environment) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            assert process.wait(40) == 0
            assert "agrees" not in process.stdout.read()


def test_what_is_missing_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(tmp_path / "m.db", capsys, monkeypatch)
    assert "proxy.upstream" in shell.run("proxy", "--port", "0", fails=2)
    everybody = ("--upstream", "http://127.0.0.1:1/v1", "--host", "0.0.0.0")
    assert "without any key" in shell.run("proxy", *everybody, fails=2)
    assert "without keys" in shell.run("proxy", *everybody, "--without-key", fails=2)


class LoadedWhenUsed(HashEmbedder):
    """An embedder that loads its model at its first use, as the bundled one does."""

    loaded = False

    def embed_question(self, question: str) -> NDArray[np.float32]:
        self.loaded = True
        return super().embed_question(question)


def test_the_model_is_loaded_before_it_says_that_it_listens(tmp_path: Path) -> None:
    """The first request would give up waiting for the memory otherwise."""
    settings = app.checked_settings(settings_of("http://127.0.0.1:1/v1"))
    embedder = LoadedWhenUsed()
    with Memory.open(tmp_path / "m.db", settings=settings, embedder=embedder) as memory:
        loaded: list[bool] = []

        def opened(url: str) -> None:
            loaded.append(embedder.loaded)
            server.should_exit = True

        server = Server(memory, settings, opened, app=app.create_app(memory, settings))
        server.serve_until_stopped()
    assert loaded == [True]
