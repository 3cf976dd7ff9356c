"""`sharpwave eval …`, as a person and as a program would call it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.evals.sets_of_our_own import write_all

from evals import rerank
from sharpwave.interfaces.cli.app import main


class Shell:
    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def run(self, *arguments: str, fails: int = 0) -> str:
        self._monkeypatch.setattr(sys, "argv", ["sharpwave", "eval", *arguments])
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
