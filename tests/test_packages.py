"""What has to be installed: little for the memory itself, the rest only for what needs it."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "sharpwave"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MODULE_OF = {
    "apsw-sqlite3mc": "apsw",
    "pydantic-settings": "pydantic_settings",
    "pystemmer": "Stemmer",
    "python-stdnum": "stdnum",
    "prometheus-client": "prometheus_client",
    "sentence-transformers": "sentence_transformers",
    "langchain-core": "langchain_core",
    "openai-agents": "agents",
    "google-adk": "google",
    "llama-index-core": "llama_index",
    "pydantic-ai-slim": "pydantic_ai",
}
COMES_ALONG = {
    "starlette": "fastapi",
    "anyio": "fastapi",
    "pydantic_core": "pydantic",
    "click": "typer",
    "psycopg_pool": "psycopg",
    "jinja2": "nicegui",
}
"""Packages of others that come with one of those we name, and are used through it."""
MATHEMATICS = ("formulas", "index", "recall", "knowledge", "behavior", "experience", "sleep")

LIFE = """
import importlib.abc, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[2].split(","):
            raise ImportError(name)

sys.meta_path.insert(0, Blocked())
from sharpwave import Memory
with Memory.open(sys.argv[1]) as memory:
    memory.remember("I live in Porto. Always use tabs.")
    choice = memory.skills.select("Where do I live?")
    memory.feedback(choice.message_id, 1)
    memory.agents.log("build", "app.py")
    memory.sleep(heavy=True)
    print(memory.recall("Where do I live?").items[0].text)
    print(memory.context("Where do I live?", skill=choice).tokens > 0)
"""


def modules(requirements: list[str]) -> set[str]:
    """The modules that a list of requirements brings."""
    names = [re.split(r"[<>=;\\[ ]", one)[0] for one in requirements]
    return {MODULE_OF.get(name, name) for name in names}


CORE = modules(PROJECT["dependencies"])
EXTRAS = {
    module
    for name, wanted in PROJECT["optional-dependencies"].items()
    if name != "all"
    for module in modules(wanted)
}


def imported(path: Path, late: bool = False) -> set[str]:
    """The top-level packages of others that a file imports when it is loaded, or ever if `late`."""
    found, tree = set(), ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree) if late else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).partition(".")[0])
    return found - sys.stdlib_module_names - {"sharpwave"}


def test_search_and_learning_compute_with_numpy_alone() -> None:
    rooms = [path for room in MATHEMATICS for path in (SOURCE / room).rglob("*.py")]
    used = set().union(*(imported(path, late=True) for path in rooms))
    assert used <= {"numpy", "pydantic", "Stemmer", "cronsim", "psutil"} and "numpy" in used
    assert {"numpy"} == {name for name in CORE if name in {"numpy", "scipy", "sklearn", "torch"}}


def test_what_is_imported_is_named_as_a_requirement() -> None:
    files = {path: imported(path) for path in SOURCE.rglob("*.py")}
    used = {name for path in files for name in imported(path, late=True)}
    assert {COMES_ALONG.get(name, name) for name in used} <= CORE | EXTRAS
    outside = {
        path.relative_to(SOURCE).parts[0]
        for path, names in files.items()
        if {COMES_ALONG.get(name, name) for name in names} - CORE
    }
    assert outside <= {"interfaces"}, "only doors load what is optional, each when it is opened"


@pytest.mark.spec("DEP-05")
def test_a_memory_lives_without_any_extra(tmp_path: Path) -> None:
    blocked = ",".join(sorted(EXTRAS | {"scipy", "sklearn", "torch", "pandas"}))
    done = subprocess.run(
        [sys.executable, "-c", LIFE, str(tmp_path / "m.db"), blocked],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Porto" in done.stdout and done.stdout.endswith("True\n"), done.stderr
