"""`python -m evals …`, as a person and as a program would call it."""

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.evals import sets_of_our_own
from tests.evals.sets_of_our_own import write_all
from typer.main import get_command
from typer.testing import CliRunner

import evals
from evals import rerank, sets
from evals.__main__ import app, main
from sharpwave import NotFound

MEASURED = {
    "accurate retrieval": "everyday",
    "test-time learning": "extraction",
    "conflict resolution": "conflict",
    "reflective reasoning": "reflective",
    "long-term session management": "locomo",
    "temporal awareness": "temporal",
    "knowledge updates": "update",
    "confidence and abstention": "abstention",
    "efficiency and capacity": "context",
    "lifelong learning": "skills",
}
"""For each of the ten skills that the documents name as goals, what measures it."""


@pytest.mark.spec("EVL-39")
def test_each_of_the_ten_skills_has_a_command() -> None:
    commands: Any = get_command(app)
    helps = {name: command.get_short_help_str() for name, command in commands.commands.items()}
    assert {skill: helps.get(name) for skill, name in MEASURED.items() if not helps.get(name)} == {}


class Shell:
    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def run(self, *arguments: str, fails: int = 0) -> str:
        self._monkeypatch.setattr(sys, "argv", ["evals", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
            sys.exit(0)
        printed = self._capsys.readouterr()
        assert (left.value.code or 0) == fails, printed
        return printed.out + (printed.err if fails else "")

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json"))


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


def test_embedders(shell: Shell, tmp_path: Path) -> None:
    given = ("embedders", "--data", str(write_all(tmp_path)), "--embedders", "bm25, hash")
    found = shell.json(*given)
    assert [result["name"] for result in found["results"]] == ["bm25", "hash"]
    on = found["results"][1]["sets"][0]
    assert on["set"] == "locomo"
    assert on["macro"].keys() == {
        "ndcg_at_10", "recall_at_1", "recall_at_5", "recall_at_10", "mrr"
    }  # fmt: skip
    assert on["categories"].keys() == {"1", "4", "5"}
    assert "locomo: 3 questions (1 without evidence left out)" in shell.run(*given)


def test_data_that_is_missing_is_said_plainly(shell: Shell, tmp_path: Path) -> None:
    printed = shell.run("embedders", "--data", str(tmp_path), "--embedders", "hash", fails=3)
    assert "locomo is not there" in printed


def test_languages(shell: Shell) -> None:
    found = shell.json("languages", "--embedders", "hash")
    assert len(found["results"][0]["accuracy"]) == 14
    assert "% of 30 phrases" in shell.run("languages", "--embedders", "hash")


def test_rerank(shell: Shell, tmp_path: Path) -> None:
    given = ("rerank", "--data", str(write_all(tmp_path)), "--embedder", "hash", "--rerankers", "")
    found = shell.json(*given)
    assert [each["name"] for each in found["sets"][0]["results"]] == [rerank.NONE]
    assert "best 30 of bm25 + hash" in shell.run(*given)


COMMANDS = {command.name: command for command in get_command(app).commands.values()}  # type: ignore[attr-defined]


def test_without_a_command_all_are_listed() -> None:
    shown = CliRunner().invoke(app, []).output
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert {"locomo", "longmemeval", "realtalk", "extraction"} <= COMMANDS.keys()


@pytest.mark.parametrize("option", ["--json", "--data", "--limit", "--report", "--resume"])
def test_an_option_means_the_same_everywhere(option: str) -> None:
    meanings = {
        (parameter.help, parameter.is_flag, parameter.default)
        for command in COMMANDS.values()
        for parameter in command.params
        if option in parameter.opts
    }
    assert len(meanings) == 1


def test_every_command_prints_json() -> None:
    without = [n for n, c in COMMANDS.items() if not any("--json" in p.opts for p in c.params)]
    assert without == []


def test_data_may_be_a_file_or_a_folder_of_any_name(tmp_path: Path) -> None:
    file = tmp_path / "anything" / "of mine.json"
    sets_of_our_own.write(file, [])
    for data in (file, file.parent):
        assert sets.files_of("locomo", data) == [file]
        with pytest.raises(NotFound, match="say where with --data"):
            sets.files_of("locomo", data, among=True)  # it may be another set
    assert sets.files_of("mine", file, "of mine*.json", among=True) == [file]


def test_evals_use_the_public_surface() -> None:
    """Only `evals/parts.py` imports more of Sharpwave than a user would."""
    public = r"sharpwave(\.(errors|ports|settings|testing|types)(\..*)?)?"
    inner = [
        (file.name, module)
        for file in Path(evals.__path__[0]).glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        for module in imported(node)
        if module.split(".")[0] == "sharpwave" and not re.fullmatch(public, module)
    ]
    assert {name for name, _ in inner} == {"parts.py"}


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
