"""Figures that commands write into the file from which the pages are made."""

import json
import sys
from pathlib import Path

import pytest

from evals import __main__ as command
from evals import results
from sharpwave import UsageError

ENTRIES = [
    {"name": "a", "figures": {"Sharpwave": [0.1]}, "command": "python -m evals restated",
     "from": {"Sharpwave": ["newest first", ["pairs", "pairs"]]}, "by_hand": True},
    {"name": "b", "figures": {"Sharpwave": "two"}, "command": "python -m evals restated"},
]  # fmt: skip


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(ENTRIES), "utf-8")
    monkeypatch.setattr(results, "FILE", path)
    return path


def test_a_command_writes_its_figures_with_commit_machine_and_date(file: Path) -> None:
    assert results.save(["restated"], {"newest first": 0.63188, "pairs": 364}) == ["a"]
    measured, kept = json.loads(file.read_text("utf-8"))
    assert measured["figures"] == {"Sharpwave": [0.632, "364 of 364"]}
    assert "by_hand" not in measured and {"commit", "machine", "date"} <= measured.keys()
    assert kept == ENTRIES[1], "what is entered by hand stays"


def test_the_option_saves_what_the_command_prints(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {
        "name": "right",
        "command": "python -m evals conflict --limit 1",
        "from": {"Sharpwave": ["kinds.newer.right"]},
    }
    file.write_text(json.dumps([entry]), "utf-8")
    monkeypatch.setattr(sys, "argv", ["evals", "conflict", "--limit", "1", "--save"])
    command.main()
    assert capsys.readouterr().out == "saved: right\n"
    assert json.loads(file.read_text("utf-8"))[0]["figures"] == {"Sharpwave": [1.0]}


@pytest.mark.parametrize("words", ["restated --limit 3", "restated --data /tmp/mine", "locomo"])
def test_figures_of_a_part_are_not_saved_as_those_of_the_whole(file: Path, words: str) -> None:
    with pytest.raises(UsageError):
        results.measured_by(words.split(), results.load())


def test_every_entry_says_what_it_measured_and_when() -> None:
    entries = results.load()
    names = [entry["name"] for entry in entries]
    assert len(set(names)) == len(names)
    for entry in entries:
        assert entry["figures"] and entry["what"] and entry["data"], entry["name"]
        assert entry["commit"] and entry["date"], entry["name"]
        assert entry.get("by_hand") or "from" in entry, entry["name"]
