"""Install the wheel and the source archive into fresh environments, and use them as a user would.

    python scripts/clean_installs.py [PYTHON ...]

Builds both from what is committed. For each Python (this one, if none is named) and each archive:
the core alone, as a library and on the command line, then the extras of a server. Ends with status
1 if anything failed. Needs `git` and a package index.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = "[server,mcp,dashboard]"
BROUGHT = {"pip", "setuptools"}  # by the environment itself
BYTES_PER_MB = 1_000_000
STOP_S = 60

LIBRARY = """
from sharpwave import Memory
with Memory.open("memory.db", user="maya") as memory:
    memory.remember("I live in Porto.")
    memory.sleep()
    assert "Porto" in memory.recall("Where do I live?", k=1).items[0].text
"""
COMMANDS = (
    ("--help", "Remember and recall:"),
    ("doctor", "there is no memory yet"),
    ("remember", "The spare key hangs behind the mirror.", "Remembered as"),
    ("recall", "Where is the spare key?", "hangs behind the mirror"),
    ("sleep", "s of CPU"),
    ("doctor", "nothing is wrong"),
)
"""Each with a part of what it must print."""


def main() -> int:
    failures = 0
    print("Python    archive  core               with a server      result")
    with tempfile.TemporaryDirectory() as folder:
        archives = build(Path(folder) / "build")
        for python in sys.argv[1:] or [sys.executable]:
            for archive in archives:
                print(f"{version(python):<10}{archive.suffix[1:]:<9}", end="", flush=True)
                try:
                    for size in journey(python, archive, Path(tempfile.mkdtemp(dir=folder))):
                        print(f"{size:<19}", end="", flush=True)
                    print("passed")
                except (AssertionError, OSError, ValueError, subprocess.SubprocessError) as error:
                    failures += 1
                    print(f"FAILED: {error}\n{getattr(error, 'stderr', None) or ''}")
    return 1 if failures else 0


def build(folder: Path) -> list[Path]:
    """The wheel and the source archive, from a clean clone."""
    clone, python = folder / "clone", folder / "venv" / "bin" / "python"
    run("git", "clone", "--quiet", ROOT, clone)
    run(sys.executable, "-m", "venv", folder / "venv")
    run(python, "-m", "pip", "install", "--require-hashes", "-r", clone / "requirements/build.lock")
    run(python, "-m", "hatchling", "build", "--directory", folder / "dist", cwd=clone)
    return sorted((folder / "dist").iterdir())


def journey(python: str, archive: Path, folder: Path) -> Iterator[str]:
    """Install an archive and use it; yields the sizes of the core and of all that serves."""
    run(python, "-m", "venv", folder / "venv")
    programs, empty = folder / "venv" / "bin", folder / "empty"
    empty.mkdir()
    run(programs / "pip", "install", archive)
    yield installed(programs)
    run(programs / "python", "-c", LIBRARY, cwd=empty, HOME=str(empty))
    for *words, expected in COMMANDS:
        printed = run(programs / "sharpwave", *words, cwd=empty, HOME=str(empty))
        assert expected in printed, f"sharpwave {words[0]} printed {printed}"
    run(programs / "pip", "install", f"{archive}{EXTRAS}")
    yield installed(programs)
    with serving(programs / "sharpwave", empty) as (url, key):
        request(f"{url}/v1/consents/memory", key, b'{"granted": true}', "PUT")
        answer = request(f"{url}/v1/recall", key, b'{"query": "Where is the spare key?"}', "POST")
        assert "hangs behind the mirror" in answer, f"recall answered {answer}"
        assert "<html" in request(f"{url}/ui/", key), "the dashboard shows no page"


def installed(programs: Path) -> str:
    """How many packages an environment has, and their megabytes on disk."""
    listed = json.loads(run(programs / "pip", "list", "--format", "json"))
    names = {package["name"] for package in listed} - BROUGHT
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    place = Path(run(programs / "python", "-c", code).strip())
    files = [path for path in place.rglob("*") if path.relative_to(place).parts[0] not in BROUGHT]
    megabytes = sum(path.stat().st_size for path in files if path.is_file()) / BYTES_PER_MB
    return f"{len(names)} pkg {megabytes:.0f} MB"


@contextmanager
def serving(program: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """URL and key of a server for the memory that the command line made."""
    command = [str(program), "serve", "--port", "0", "--json"]
    clean = environment(HOME=str(folder))
    server = subprocess.Popen(command, cwd=folder, env=clean, stdout=subprocess.PIPE, text=True)
    said = ""
    try:
        while server.stdout and not said.endswith("}\n") and (line := server.stdout.readline()):
            said += line
        told = json.loads(said)
        yield told["url"], Path(told["key_file"]).read_text("utf-8").strip()
    finally:
        server.terminate()
        server.communicate(timeout=STOP_S)
    assert server.returncode == 0, f"the server ended with {server.returncode}"


def request(url: str, key: str, data: bytes | None = None, method: str = "GET") -> str:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    asked = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(asked) as answer:
        return str(answer.read().decode("utf-8"))


def version(python: str) -> str:
    return run(python, "-c", "import platform; print(platform.python_version())").strip()


def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> str:
    words = [str(word) for word in command]
    clean = environment(**variables)
    return subprocess.run(
        words, cwd=cwd, env=clean, capture_output=True, text=True, check=True
    ).stdout


def environment(**variables: str) -> dict[str, str]:
    """What is set here, without that which would change what is installed or where it is kept."""
    left_out = ("PYTHON", "SHARPWAVE_", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return {**kept, **variables}


if __name__ == "__main__":
    sys.exit(main())
