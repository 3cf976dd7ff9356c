"""`locomo`, `abstention`, `context` and `update` on sets of our own."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.evals.test_commands import Shell
from tests.evals.test_recall import asked, chat, updated

from evals import pages


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


@pytest.fixture
def data(tmp_path: Path) -> str:
    folder = tmp_path / "sets"
    (folder / "locomo").mkdir(parents=True)
    (folder / "longmemeval").mkdir()
    talk = {"sample_id": "own", "conversation": chat(), "qa": asked()}
    (folder / "locomo" / "own.json").write_text(json.dumps([talk]))
    updated(folder / "longmemeval")
    return str(folder)


def charts_in(file: Path) -> list[str]:
    """The charts of a page, each of which must be well-formed."""
    text = file.read_text("utf-8")
    assert "<script" not in text and "src=" not in text, "all of it is in the file"
    drawn = ["<svg" + part.split("</svg>")[0] + "</svg>" for part in text.split("<svg")[1:]]
    for one in drawn:
        ElementTree.fromstring(one)
    return drawn


@pytest.mark.spec("EVL-01", "EVL-05")
def test_locomo(shell: Shell, data: str, tmp_path: Path) -> None:
    resume, report = tmp_path / "notes", tmp_path / "out.html"
    given = ("locomo", "--data", data, "--resume", str(resume), "--report", str(report))
    printed = shell.run(*given)
    assert "locomo: 3 questions" in printed and "multi-hop" in printed
    assert not resume.exists(), "notes of a finished run are not kept"
    (bars,) = charts_in(report)
    assert "multi-hop" in bars and "bm25" in bars
    result = shell.json(*given)
    assert result["macro"].keys() == {"ndcg@10", "recall@5", "recall@10"}
    assert len(result["questions"]) == 3


def test_peers_are_named(shell: Shell, data: str) -> None:
    printed = shell.run("locomo", "--data", data, "--peer", "bm25", "--json")
    assert json.loads(printed)["peers"].keys() == {"bm25"}
    assert "no peer 'nobody'" in shell.run("locomo", "--data", data, "--peer", "nobody", fails=2)


@pytest.mark.spec("EVL-08")
def test_abstention(shell: Shell, data: str, tmp_path: Path) -> None:
    report = tmp_path / "out.html"
    printed = shell.run("abstention", "--data", data, "--report", str(report))
    assert "coverage  risk" in printed and "brier" in printed
    assert len(charts_in(report)) == 4, "one of risk, and reliability of two sets and of all"


def test_context(shell: Shell, data: str, tmp_path: Path) -> None:
    report = tmp_path / "out.html"
    printed = shell.run("context", "--data", data, "--report", str(report))
    assert "share of the evidence of 2 questions" in printed
    (lines,) = charts_in(report)
    assert "sharpwave at 400: " in lines


def test_remarks(shell: Shell) -> None:
    found = shell.json("remarks", "--limit", "6")
    pairs, messages = found["remarks"], found["messages"]
    assert pairs["replaced"] > 0.4 and pairs["left alone"] > 0.8
    assert sum(all_ for _, all_ in pairs["each"].values()) == pairs["notes"] == 6
    assert messages["notes"] > 15 and messages["left alone"] > 0.9


def test_restated(shell: Shell) -> None:
    found = shell.json("restated", "--limit", "8")
    assert list(found) == ["many wordings", "one form"]
    for one in found.values():
        assert one["pairs"] == 8 and one["before the old"] >= one["newest first"] > 0


def test_update(shell: Shell, data: str, tmp_path: Path) -> None:
    report = tmp_path / "out.html"
    given = ("update", "--limit", "1", "--report", str(report))
    assert "knowledge-update: 1 questions" in shell.run(*given, "--data", data)
    assert len(charts_in(report)) == 2
    assert "knowledge-update" not in shell.run(*given, "--data", str(tmp_path / "nowhere"))


@pytest.mark.spec("EVL-04")
def test_reflective(shell: Shell) -> None:
    found = json.loads(shell.run("reflective", "--limit", "4", "--json"))
    shares = found["shares"]
    assert shares.keys() == {"sharpwave", "without learning", "bm25", "vector"}
    assert shares["sharpwave"] == 1.0 > shares["without learning"], "the control"
    assert [list(one["told"]) == list(shares) for one in found["tasks"]] == [True] * 4


@pytest.mark.spec("EVL-03")
def test_conflict(shell: Shell) -> None:
    found = json.loads(shell.run("conflict", "--limit", "3", "--json"))["kinds"]
    assert {kind: of["right"] for kind, of in found.items()} == dict.fromkeys(found, 1.0)
    assert [found[kind]["asked"] for kind in ("newer", "weaker", "unclear")] == [0, 0, 1]
    believed = [found[kind]["last_wins"] for kind in ("newer", "weaker", "unclear")]
    assert believed == [1, 0, 0], "the control believes whatever was said last"
    assert "unclear" in shell.run("conflict", "--limit", "3")


def test_names_in_charts_and_tables_are_only_names() -> None:
    bars = pages.bars("a <b>", ["x & y"], {"<i>": [0.5]})
    ElementTree.fromstring(bars)
    assert "&lt;i&gt;" in bars and "x &amp; y" in bars
    assert "&lt;b&gt;" in pages.table(("", "n"), {"<b>": [0.25]})


def test_the_best_of_a_column_is_bold() -> None:
    drawn = pages.table(("", "n"), {"a": [0.25], "b": [0.5]})
    assert '<td class="best">0.500</td>' in drawn and "<td>0.250</td>" in drawn
