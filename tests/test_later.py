"""What is loaded when: nobody waits for rooms and packages that a command does not enter."""

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sharpwave import Memory
from sharpwave.facades.rooms import later
from sharpwave.providers import later as providers
from sharpwave.storage import later as stores

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
LATER = [
    (later, "sharpwave."),
    (providers, "sharpwave.providers."),
    (stores, "sharpwave.storage."),
]
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


@pytest.mark.parametrize(("table", "package"), LATER)
def test_each_part_is_what_the_types_say(table: ModuleType, package: str) -> None:
    tree = ast.parse(inspect.getsource(table))
    (checked,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {
        name.asname or name.name: f"{node.module}.{name.name}"
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert typed == {name: f"{package}{place}" for name, place in table.PLACES.items()}
    for name, place in typed.items():
        assert getattr(table, name) is sys.modules[place]


@pytest.mark.parametrize(("table", "package"), LATER)
def test_what_is_no_part_is_an_error(table: ModuleType, package: str) -> None:
    with pytest.raises(AttributeError, match="no attribute 'tomorrow'"):
        table.tomorrow  # noqa: B018


def test_a_recall_loads_no_room_that_it_does_not_enter(file: Path) -> None:
    loaded = run(RECALLS, file.parent, str(file))
    assert "sharpwave.recall.flow" in loaded.modules
    for table, package in LATER:
        assert not {f"{package}{place}" for place in table.PLACES.values()} & loaded.modules
    assert not HEAVY & loaded.modules
    assert not {one for one in loaded.ours if one.startswith("sharpwave.interfaces")}
    assert len(loaded.ours) < 225, "modules of ours; all have more than 800"
    assert loaded.dataclasses < 80
    assert len(loaded.modules) < 620


def test_the_command_recall_loads_little_more(file: Path) -> None:
    loaded = run(RUNS, file.parent, "recall", "Where does Ana live?", "--db", str(file))
    assert "sharpwave.interfaces.cli.remembering" in loaded.modules
    for table, package in LATER:
        assert not {f"{package}{place}" for place in table.PLACES.values()} & loaded.modules
    assert not HEAVY & loaded.modules
    assert len(loaded.ours) < 240
    assert loaded.dataclasses < 85


def test_the_start_of_a_session_waits_for_no_search(file: Path) -> None:
    """It is told what is known of the user; nothing is embedded, cut or screened for that."""
    told = json.dumps({"session_id": "s1", "source": "startup"})
    loaded = run(RUNS, file.parent, "hook", "SessionStart", "--db", str(file), told=told)
    assert "sharpwave.interfaces.hooks.alone" in loaded.modules
    screening = {"sharpwave.privacy.findings", "sharpwave.remember.flow", "typer", "rich"}
    assert not (HEAVY | screening) & loaded.modules
    assert len(loaded.ours) < 270


def test_settings_from_variables_load_what_reads_them(tmp_path: Path) -> None:
    asked = "import os\nos.environ['SHARPWAVE_RECALL__K'] = '3'\n" + RECALLS
    asked += "    assert memory._settings.recall.k == 3\n"
    assert "pydantic_settings" in run(asked, tmp_path, str(tmp_path / "m.db")).modules
