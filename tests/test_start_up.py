"""What each command imports: start-up must not pay for packages that the command does not use."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sharpwave import Memory

RECALLS = """
from sharpwave import Memory
with Memory.open(sys.argv[1]) as memory:
    memory.recall("Where does Ana live?")
"""
RUNS = """
from sharpwave.interfaces.start import main
try:
    main()
except SystemExit:
    pass
"""
COUNTED = """
import dataclasses, sys
made, process = [], dataclasses._process_class
def processed(cls, *rest): made.append(cls.__module__); return process(cls, *rest)
dataclasses._process_class = processed
{program}
ours = sum(one.startswith("sharpwave") for one in made)
print("loaded:", ours, *sys.modules, file=sys.stderr)
"""
UNUSED = (
    "sharpwave.behavior",
    "sharpwave.experience",
    "sharpwave.importers",
    "sharpwave.remember",
    "sharpwave.sleep",
    "sharpwave.storage.postgres",
    "sharpwave.interfaces.rest",
    "sharpwave.interfaces.mcp",
    "sharpwave.interfaces.web",
)
"""Packages that a recall does not need."""
HEAVY = set(
    """asyncio http.client ssl pydantic_settings dotenv yaml argparse numpy.ma rich.progress
    rich.markdown multiprocessing xml sqlite3 openai httpx""".split()
)
"""What no start needs: each takes milliseconds."""


class Loaded:
    """What a program has loaded when it ends."""

    def __init__(self, told: str) -> None:
        dataclasses, *modules = told.rpartition("loaded: ")[2].split()
        self.dataclasses = int(dataclasses)
        self.modules = set(modules)
        self.ours = {one for one in modules if one.startswith("sharpwave")}


def run(program: str, home: Path, *arguments: str, told: str = "") -> Loaded:
    """Run a program in a process of its own, without settings of whoever runs the tests."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SHARPWAVE_")}
    places = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    done = subprocess.run(
        [sys.executable, "-c", COUNTED.format(program=program), *arguments],
        input=told,
        capture_output=True,
        text=True,
        check=True,
        env={**environment, **dict.fromkeys(places, str(home))},
    )
    return Loaded(done.stderr)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember("My sister Ana lives in Porto.")
    return tmp_path / "m.db"


def test_a_recall_imports_only_what_it_uses(file: Path) -> None:
    loaded = run(RECALLS, file.parent, str(file))
    assert "sharpwave.recall.flow" in loaded.modules
    assert not [name for name in loaded.ours if name.startswith(UNUSED)]
    assert not HEAVY & loaded.modules
    assert not {one for one in loaded.ours if one.startswith("sharpwave.interfaces")}
    assert len(loaded.ours) < 225, "modules of ours; all have more than 800"
    assert loaded.dataclasses < 80
    assert len(loaded.modules) < 620


def test_the_command_recall_loads_little_more(file: Path) -> None:
    loaded = run(RUNS, file.parent, "recall", "Where does Ana live?", "--db", str(file))
    assert "sharpwave.interfaces.cli.remember" in loaded.modules
    assert not [name for name in loaded.ours if name.startswith(UNUSED)]
    assert not HEAVY & loaded.modules
    assert len(loaded.ours) < 240
    assert loaded.dataclasses < 85


def test_the_start_of_a_session_waits_for_no_search(file: Path) -> None:
    """It is told what is known of the user; nothing is embedded, cut or screened for that."""
    told = json.dumps({"session_id": "s1", "source": "startup"})
    loaded = run(RUNS, file.parent, "hook", "SessionStart", "--db", str(file), told=told)
    assert "sharpwave.interfaces.hooks.server" in loaded.modules
    screening = {"sharpwave.privacy.findings", "sharpwave.remember.flow", "typer", "rich"}
    assert not (HEAVY | screening) & loaded.modules
    assert len(loaded.ours) < 270


def test_settings_from_variables_load_what_reads_them(tmp_path: Path) -> None:
    asked = "import os\nos.environ['SHARPWAVE_RECALL__K'] = '3'\n" + RECALLS
    asked += "    from sharpwave.testing import resources_of\n"
    asked += "    assert resources_of(memory).settings.recall.k == 3\n"
    assert "pydantic_settings" in run(asked, tmp_path, str(tmp_path / "m.db")).modules
