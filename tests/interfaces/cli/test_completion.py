"""Completion in a real shell, and what it costs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sharpwave.interfaces.cli.app import COMMANDS

BASH = shutil.which("bash")
ASK = """
eval "$(_SHARPWAVE_COMPLETE=source_bash sharpwave)"
complete -p sharpwave
COMP_WORDS=({words}) COMP_CWORD={at}
_sharpwave_completion sharpwave
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
PROGRAM = "#!{python}\nfrom sharpwave.interfaces.start import main\n\nmain()\n"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A home of its own, with the program as pip would install it."""
    home = tmp_path_factory.mktemp("home")
    program = home / "bin" / "sharpwave"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    source = str(Path(__file__).parents[3] / "src")
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return {"HOME": str(home), "PATH": path, "PYTHONPATH": source, "SHELL": str(BASH)}


def run(environment: dict[str, str], *command: str) -> str:
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=50
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def offered(environment: dict[str, str], *words: str) -> list[str]:
    """What bash would offer for the last of these words."""
    given = " ".join(f"'{word}'" for word in ("sharpwave", *words))
    script = ASK.format(words=given, at=len(words))
    first, *found = run(environment, str(BASH), "--norc", "-c", script).splitlines()
    assert "_sharpwave_completion" in first
    return [word for word in found if word]


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("re",), ["remember", "recall", "resolve", "reset-learning"]),
        (("",), list(COMMANDS)),
        (("--ver",), ["--version"]),
        (("keys", ""), ["create", "list", "revoke", "bus"]),
        (("recall", "--"), ["--user", "--json"]),
        (("import", "--fo"), ["--format"]),
    ],
)
def test_bash_completes(
    environment: dict[str, str], words: tuple[str, ...], some: list[str]
) -> None:
    found = offered(environment, *words)
    assert set(some) <= set(found) and all(one.startswith(words[-1]) for one in found)


def test_names_are_offered_without_loading_what_they_do(environment: dict[str, str]) -> None:
    asked = "import sys; sys.argv = ['sharpwave']\nfrom sharpwave.interfaces.cli.app import app\n"
    asked += (
        "import atexit\natexit.register(lambda: print('numpy' in sys.modules, 'loaded'))\napp()"
    )
    completing = {
        "_SHARPWAVE_COMPLETE": "complete_bash",
        "COMP_WORDS": "sharpwave ",
        "COMP_CWORD": "1",
    }
    shown = run({**environment, **completing}, sys.executable, "-c", asked).splitlines()
    assert shown[: len(COMMANDS)] == list(COMMANDS) and shown[-1] == "False loaded"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_script_of_its_own(environment: dict[str, str], shell: str) -> None:
    script = run({**environment, "_SHARPWAVE_COMPLETE": f"source_{shell}"}, "sharpwave")
    assert "_SHARPWAVE_COMPLETE" in script and f"complete_{shell}" in script


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
def test_it_installs_itself(environment: dict[str, str]) -> None:
    told = run(environment, str(BASH), "--norc", "-c", "sharpwave --install-completion; true")
    home = Path(environment["HOME"])
    assert "bash completion installed" in told
    assert "sharpwave" in (home / ".bashrc").read_text()
