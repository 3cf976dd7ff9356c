"""Install wheel and source archive into fresh environments, and use them there as a user would.

    python scripts/clean_installs.py [PYTHON ...]

Builds what is committed. For each Python (this one, if none is named) and each archive: the core
as a library and on the command line, then a server. Status 1 if anything failed.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent
# Nothing of this environment that changes what is installed or where a memory is kept.
LEFT_OUT = ("PYTHON", "SHARPWAVE_", "XDG_", "ORT_")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
LIBRARY = """
from sharpwave import Memory
with Memory.open("memory.db", user="maya") as memory:
    memory.remember("I live in Porto.")
    memory.sleep()
    assert "Porto" in memory.recall("Where do I live?", k=1).items[0].text
"""
COMMANDS = (  # each with a part of what it must print
    ("--help", "Remember and recall:"),
    ("remember", "The spare key hangs behind the mirror.", "Remembered as"),
    ("recall", "Where is the spare key?", "hangs behind the mirror"),
    ("sleep", "s of CPU"),
    ("doctor", "nothing is wrong"),
)


def main() -> int:
    status = 0
    print("Python    archive  core               with a server      result")
    with tempfile.TemporaryDirectory() as folder:
        archives = build(Path(folder) / "build")
        for python in sys.argv[1:] or [sys.executable]:
            for archive in archives:
                version = run(python, "--version").split()[1]
                print(f"{version:<10}{archive.suffix[1:]:<9}", end="", flush=True)
                try:
                    for size in journey(python, archive, Path(tempfile.mkdtemp(dir=folder))):
                        print(f"{size:<19}", end="", flush=True)
                    print("passed")
                except (AssertionError, OSError, ValueError, subprocess.SubprocessError) as error:
                    status = 1
                    print(f"FAILED: {error}\n{getattr(error, 'stderr', None) or ''}")
    return status


def build(folder: Path) -> list[Path]:
    """The archives, from a clean clone."""
    clone, python = folder / "clone", folder / "venv" / "bin" / "python"
    run("git", "clone", "--quiet", ROOT, clone)
    run(sys.executable, "-m", "venv", folder / "venv")
    run(python, "-m", "pip", "install", "--require-hashes", "-r", clone / "requirements/build.lock")
    run(python, "-m", "hatchling", "build", "--directory", folder / "dist", cwd=clone)
    return sorted((folder / "dist").iterdir())


def journey(python: str, archive: Path, folder: Path) -> Iterator[str]:
    """Install an archive and use it; yields the sizes on disk of the core and of a server."""
    run(python, "-m", "venv", folder / "venv")
    programs, empty = folder / "venv" / "bin", folder / "empty"
    empty.mkdir()
    run(programs / "pip", "install", archive)
    yield installed(programs)
    run(programs / "python", "-c", LIBRARY, cwd=empty, HOME=str(empty))
    for *words, expected in COMMANDS:
        printed = run(programs / "sharpwave", *words, cwd=empty, HOME=str(empty))
        assert expected in printed, f"sharpwave {words[0]} printed {printed}"
    run(programs / "pip", "install", f"{archive}[server,mcp,dashboard]")
    yield installed(programs)
    ask_server(programs / "sharpwave", empty)
    assert not (empty / ".cache").exists(), "something keeps files, perhaps to send them"


def installed(programs: Path) -> str:
    """How many packages an environment has, and its size with pip."""
    names = {each["name"] for each in json.loads(run(programs / "pip", "list", "--format=json"))}
    files = [file for file in (programs.parent / "lib").rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    return f"{len(names - {'pip', 'setuptools'})} pkg {size / 1e6:.0f} MB"


def ask_server(program: Path, folder: Path) -> None:
    """Serve the memory that the command line made, and recall from it."""
    command, clean = (program, "serve", "--port", "0", "--json"), {**CLEAN, "HOME": str(folder)}
    with subprocess.Popen(command, env=clean, stdout=subprocess.PIPE, text=True) as server:
        try:
            told = json.loads("".join(takewhile("}\n".__ne__, server.stdout or ())) + "}")
            url, key = told["url"], Path(told["key_file"]).read_text()
            request("PUT", f"{url}/v1/consents/memory", key, b'{"granted": true}')
            answer = request("POST", f"{url}/v1/recall", key, b'{"query": "Where is the key?"}')
            assert "hangs behind the mirror" in answer, f"recall answered {answer}"
            assert "<html" in request("GET", f"{url}/ui/", key), "the dashboard shows no page"
        finally:
            server.terminate()
    assert server.returncode == 0, f"the server ended with {server.returncode}"


def request(method: str, url: str, key: str, data: bytes | None = None) -> str:
    headers = {"Authorization": f"Bearer {key.strip()}", "Content-Type": "application/json"}
    with urlopen(Request(url, data, headers, method=method)) as answer:
        return str(answer.read(), "utf-8")


def run(*command: str | Path, cwd: Path | None = None, **more: str) -> str:
    clean = {**CLEAN, **more}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
