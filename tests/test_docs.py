"""Documents that are run or generated, so that they cannot lag behind the code."""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.core import TyperGroup

from evals import results
from evals.__main__ import COMMANDS as EVALS
from sharpwave.interfaces.cli.app import COMMANDS, command

ROOT = Path(__file__).resolve().parent.parent
OTHERS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/README.md"]
DOCS = [str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")]
PAGES = sorted({*OTHERS, "ARCHITECTURE.md", "CHANGELOG.md", "evals/LOG.md", *DOCS})
VARIABLE = re.compile(r"[A-Z_]+=")
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
FENCE = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]+) -->\n)?^```(?P<language>\w+)\n(?P<body>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
RUNS = """
import contextlib, io, json, sys
names = {"__name__": "__main__"}
for body, expected in json.load(sys.stdin):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(body, "<example>", "exec"), names)
    if expected is not None and printed.getvalue() != expected:
        sys.exit(f"{body}\\nprints\\n{printed.getvalue()}\\nnot\\n{expected}")
"""


class Block(NamedTuple):
    """A fenced block of a page; `skipped` says why it is not run."""

    language: str
    body: str
    skipped: str | None


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text("utf-8")
    return [Block(m["language"], m["body"], m["reason"]) for m in FENCE.finditer(text)]


def programs(page: str) -> list[tuple[str, str | None]]:
    """The Python of a page, each block with what the page says that it prints."""
    found: list[tuple[str, str | None]] = []
    before = None
    for block in blocks(page):
        if block.language == "python" and not block.skipped:
            found.append((block.body, None))
        elif block.language == "text" and before == "python" and found:
            found[-1] = (found[-1][0], block.body)
        before = block.language if not block.skipped else None
    return found


def shell(page: str, run: bool) -> list[str]:
    """The shell blocks of a page: those that are run, or all of them."""
    return [
        block.body
        for block in blocks(page)
        if block.language == "sh" and not (run and block.skipped)
    ]


def environment(folder: Path) -> dict[str, str]:
    """An environment in which `sharpwave` is this checkout, and keeps everything in a folder."""
    tool = folder / "bin" / "sharpwave"
    tool.parent.mkdir()
    tool.write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "'
        'from sharpwave.interfaces.start import main; main()" "$@"\n'
    )
    tool.chmod(0o755)
    places = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("DATA", "CONFIG", "STATE")}
    path = f"{tool.parent}{os.pathsep}{os.environ['PATH']}"
    source = os.environ.get("PYTHONPATH", str(ROOT / "src"))
    return {**os.environ, **places, "PATH": path, "HOME": str(folder), "PYTHONPATH": source}


@pytest.mark.parametrize("page", [page for page in PAGES if programs(page)])
def test_the_python_of_a_page_runs_and_prints_what_it_says(page: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUNS],
        input=json.dumps(programs(page)),
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", [page for page in PAGES if shell(page, run=True)])
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    script = "set -e\n" + "\n".join(shell(page, run=True))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def named_commands(page: str) -> Iterator[list[str]]:
    for body in shell(page, run=False):
        for line in body.replace("\\\n", " ").splitlines():
            for part in re.split(r"&&|\|\|?|;", line):
                words = list(dropwhile(VARIABLE.match, shlex.split(part, comments=True)))
                if words[:1] in (["sharpwave"], ["make"]):
                    yield words


def is_known(words: list[str]) -> bool:
    """Whether such a command exists, with all the options it is given."""
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        return all("=" in word or word in targets for word in words[1:])
    if words[1] not in COMMANDS:
        return False
    found: Any = command(words[1])
    rest = words[2:]
    if isinstance(found, TyperGroup) and rest and not rest[0].startswith("-"):
        if rest[0] not in found.commands:
            return False
        found = found.commands[rest[0]]
    options = {one for param in found.params for one in (*param.opts, *param.secondary_opts)}
    given = {word.split("=")[0] for word in rest if word.startswith("-") and word != "-"}
    return given <= options


@pytest.mark.parametrize("page", [page for page in PAGES if shell(page, run=False)])
def test_commands_that_a_page_names_exist(page: str) -> None:
    assert [words for words in named_commands(page) if not is_known(words)] == []


MEASURING = re.compile(r"python -m ((?:evals|benchmarks|training|tests)[\w.]*)(?: (\w+))?")


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_measures_with_exists(page: str) -> None:
    evals = {measured.__name__ for measured in EVALS}
    for module, name in set(MEASURING.findall((ROOT / page).read_text("utf-8"))):
        assert importlib.util.find_spec(module), module
        assert module != "evals" or not name or name in evals, name


@pytest.mark.parametrize("script", ["reference", "architecture", "spec_coverage", "figures"])
def test_what_is_made_from_the_code_is_current(script: str) -> None:
    done = subprocess.run(
        [sys.executable, f"scripts/{script}.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


GENERATED = re.compile(r"<!-- generated: ([^>]+) -->.*?<!-- end -->", re.DOTALL)
TELLING = re.compile(r"\d*\.\d+ / \d*\.\d+|\d+\.\d+ %")
"""Figures that are no coincidence if they are met again: pairs, and shares with a decimal."""
LOGS = {"evals/LOG.md", "CHANGELOG.md"}
"""What was tried and what changed, as it was then."""


def by_hand(page: str) -> str:
    """The text of a page without its generated parts."""
    return GENERATED.sub("", (ROOT / page).read_text("utf-8"))


def telling_figures() -> dict[str, str]:
    """Figures of evals/results.json, as pages show them, with the entry that has them."""
    tables = GENERATED.findall((ROOT / "docs" / "figures.md").read_text("utf-8"))
    assert {entry["section"] for entry in results.load()} == set(tables)
    return {
        figure: entry["name"]
        for entry in results.load()
        for figure in TELLING.findall(" ".join(map(shown, entry["figures"].values())))
    }


def shown(figures: str | list[float]) -> str:
    if isinstance(figures, str):
        return figures
    return " / ".join(f"{each:.3f}".lstrip("0") for each in figures if isinstance(each, float))


@pytest.mark.parametrize("page", [page for page in PAGES if page not in LOGS])
def test_a_figure_of_the_results_stands_on_no_page_by_hand(page: str) -> None:
    text = by_hand(page)
    known = telling_figures()
    assert len(known) > 40
    assert {figure: name for figure, name in known.items() if figure in text} == {}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    file = ROOT / page
    missing = [
        link for link in LINK.findall(file.read_text("utf-8")) if not (file.parent / link).exists()
    ]
    assert missing == []


def test_every_page_is_reached_from_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link).resolve() for link in LINK.findall(index.read_text("utf-8"))}
    assert {ROOT / page for page in [*DOCS, *OTHERS]} - linked - {
        index,
        ROOT / "README.md",
    } == set()
    assert "docs/README.md" in LINK.findall((ROOT / "README.md").read_text("utf-8"))


def test_every_page_is_in_the_site() -> None:
    named = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(f"docs/{page}" for page in named) == sorted(DOCS)


def test_the_readme_names_the_two_commands_and_stays_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in text and "make test" in text
    assert len(text.split()) < 700


NAMED = re.compile(r"`((?:formulas|sleep|experience)/[\w/.]*)`")


@pytest.mark.spec("FUT-07")
def test_what_was_taken_from_research_is_cited_with_its_place() -> None:
    text = (ROOT / "docs" / "internals" / "research.md").read_text("utf-8")
    for work in ("Prioritized Experience Replay", "CAVIA", "Variational Preference", "Agent Q",
                 "complementary learning systems"):  # fmt: skip
        assert work in text
    places = NAMED.findall(text)
    missing = [one for one in places if not (ROOT / "src" / "sharpwave" / one).exists()]
    assert len(places) >= 6 and missing == []


def test_the_map_of_the_source_is_complete() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    units = {
        path.name + ("/" if path.is_dir() else "")
        for path in (ROOT / "src" / "sharpwave").iterdir()
        if path.name not in {"__pycache__", "py.typed", "data"}
    }
    assert {unit for unit in units if unit not in text} == set()
