"""Documents that are run or generated, so that they cannot lag behind the code."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = [
    "deploy/README.md",
    *(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
]
PAGES = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", *DOCS]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
EXAMPLES = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_of_the_readme_run(example: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "an example shows something"


@pytest.mark.parametrize("script", ["reference.py", "architecture.py"])
def test_what_is_made_from_the_code_is_current(script: str) -> None:
    done = subprocess.run(
        [sys.executable, f"scripts/{script}", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", sorted(PAGES))
def test_links_lead_somewhere(page: str) -> None:
    file = ROOT / page
    missing = [
        link for link in LINK.findall(file.read_text("utf-8")) if not (file.parent / link).exists()
    ]
    assert missing == []


def test_every_page_is_reached_from_the_readme() -> None:
    linked = LINK.findall((ROOT / "README.md").read_text("utf-8"))
    assert set(DOCS) - set(linked) == set()


def test_the_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in text and "make test" in text


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


def test_the_map_of_the_house_is_complete() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {
        path.name + ("/" if path.is_dir() else "")
        for path in (ROOT / "src" / "sharpwave").iterdir()
        if path.name not in {"__pycache__", "py.typed", "data"}
    }
    assert {room for room in rooms if room not in text} == set()
