"""What a correction changed is named, and other content teaches nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.behavior.differences import differences
from sharpwave.testing import HashEmbedder

HERE = Path(__file__).parent
EMBEDDER = HashEmbedder(64)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db") as opened:
        yield opened


def cases(name: str) -> list[tuple[str, str, str]]:
    rows = [line.split("\t") for line in (HERE / name).read_text("utf-8").splitlines()]
    return [
        (label, *(text.replace("\\n", "\n") for text in (before, after)))  # type: ignore[misc]
        for label, before, after in rows
    ]


@pytest.mark.spec("UPR-04")
@pytest.mark.parametrize("name", ["corrections.tsv", "corrections_unseen.tsv"])
def test_what_changed_is_named(memory: Memory, name: str) -> None:
    wrong = []
    for n, (label, before, after) in enumerate(cases(name)):
        learned = memory.user(f"u{n}").behavior.correct(before, after)
        named = {f"{one.key}={one.value}" for one in learned.preferences}
        if not (label in named or (label == "none" and not named)):
            wrong.append((label, named))
    assert len(wrong) <= 0.15 * len(cases(name)), wrong


def test_a_correction_becomes_a_preference_and_a_rule(memory: Memory) -> None:
    learned = memory.behavior.correct('{"host": "a", "port": 1}', "host: a\nport: 1")
    (preference,) = learned.preferences
    assert (preference.category, preference.key, preference.value) == (
        "format",
        "data_format",
        "yaml",
    )
    assert [rule.rule for rule in memory.behavior.rules()] == ["Use YAML instead of JSON"]


def test_the_opposite_correction_supersedes(memory: Memory) -> None:
    memory.behavior.correct("def f(a):\n    return a", "def f(a: int) -> int:\n    return a")
    memory.behavior.correct("def g(b: int) -> int:\n    return b", "def g(b):\n    return b")
    assert [rule.rule for rule in memory.behavior.rules()] == ["Do not use type hints in code"]


@pytest.mark.parametrize("text", ["", "{", "```", "def f(:\n", "a: b: c", "\x00", "é" * 3000])
def test_any_text_can_be_compared(text: str) -> None:
    differences(text, "Plain words.", EMBEDDER)
    differences("Plain words.", text, EMBEDDER)


@pytest.mark.parametrize("step", ["  ", "    ", "        "])
def test_the_way_to_indent_is_learned(memory: Memory, step: str) -> None:
    tabs, spaces = "while ready:\n\tgo()\n\twait()", f"while ready:\n{step}go()\n{step}wait()"
    memory.behavior.correct(tabs, spaces)
    assert [rule.rule for rule in memory.behavior.rules()] == ["Use spaces instead of tabs"]
    memory.behavior.correct(spaces, tabs)
    assert [rule.rule for rule in memory.behavior.rules()] == ["Use tabs instead of spaces"]


def test_more_of_the_same_indentation_teaches_nothing(memory: Memory) -> None:
    assert not memory.behavior.correct("if x:\n  y()", "if x:\n    y()").preferences


@pytest.mark.parametrize(
    ("code", "corrected"),
    [
        ("let timeout = 30;", "timeout = 30"),
        ("const limit = 5;\nconst name = 'a';", "limit = 5\nname = 'a'"),
        ("this.count = 0;", "this.count = 0"),
    ],
)
def test_assignments_are_no_data(memory: Memory, code: str, corrected: str) -> None:
    memory.behavior.correct(code, corrected)
    assert not any("TOML" in rule.rule for rule in memory.behavior.rules())
    data = '{"server": {"port": 1}}', "[server]  # local\nport = 1"
    memory.behavior.correct(*data)
    assert "Use TOML instead of JSON" in [rule.rule for rule in memory.behavior.rules()]
