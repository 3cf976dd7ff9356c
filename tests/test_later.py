"""What is loaded when: a recall does not wait for the rooms that it does not enter."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from sharpwave.facades.rooms import later

RECALLS = """
import sys
from sharpwave import Memory
with Memory.open(sys.argv[1]) as memory:
    memory.recall("Where does Ana live?")
print("\\n".join(sys.modules))
"""


def test_each_room_is_what_the_types_say() -> None:
    tree = ast.parse(inspect.getsource(later))
    (checked,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {
        name.asname or name.name: f"{node.module}.{name.name}"
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert typed == {name: f"sharpwave.{place}" for name, place in later.PLACES.items()}
    for name, place in typed.items():
        assert getattr(later, name) is sys.modules[place]


def test_what_is_no_room_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'tomorrow'"):
        later.tomorrow  # noqa: B018


def test_a_recall_loads_no_room_that_it_does_not_enter(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RECALLS, str(tmp_path / "m.db")]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "sharpwave.recall.flow" in loaded
    assert not {f"sharpwave.{place}" for place in later.PLACES.values()} & set(loaded)
