"""The commands that write small files: skills and lessons."""

import json
import os
import tomllib
from pathlib import Path

import pytest
from tests.interfaces.cli.test_commands import Shell, shell

from sharpwave import Memory, Skill
from sharpwave.interfaces.cli.skills import file_name, text_of
from sharpwave.testing import FrozenClock
from sharpwave.types.skills import SkillType, Trigger

__all__ = ["shell"]
USER = SkillType.USER_CREATED


@pytest.mark.spec("XPT-05")
def test_skills_are_small_text_files(shell: Shell, tmp_path: Path) -> None:
    with Memory.open(shell.path) as memory:
        memory.skills.create(
            "haiku", 'Answer as a "haiku".\nThree lines.', trigger={"intent": ["poem", "question"]}
        )
        memory.skills.create("terse", "Be terse.", dimensions={"verbosity": 0.1})
    folder = tmp_path / "skills"
    assert "Wrote 2 skills" in shell.run("export-skills", str(folder))
    files = {file.name: file for file in folder.iterdir()}
    assert files.keys() == {"haiku.toml", "terse.toml"}
    text = files["haiku.toml"].read_text("utf-8")
    assert "\nThree lines." in text and len(text) < 1000, "for people to read"
    assert os.name != "posix" or files["haiku.toml"].stat().st_mode & 0o777 == 0o600

    elsewhere = Shell(tmp_path / "other.db", shell._capsys, shell._monkeypatch)
    added = elsewhere.json("import-skills", str(folder))
    assert added == {"skills": {"haiku": "added", "terse": "added"}}
    with Memory.open(elsewhere.path) as other, Memory.open(shell.path) as memory:
        for name in ("haiku", "terse"):
            one, again = memory.skills.get(name).skill, other.skills.get(name).skill
            assert (one.template, one.trigger, one.name) == (
                again.template,
                again.trigger,
                again.name,
            )
            assert (one.dimensions, one.learned_dimensions) == (
                again.dimensions,
                again.learned_dimensions,
            )
    files["terse.toml"].write_text(files["terse.toml"].read_text().replace("terse.", "brief."))
    told = elsewhere.run("import-skills", str(folder))
    assert "haiku: unchanged" in told and "terse: changed" in told
    files["haiku.toml"].write_text("skill_id = 1\ncolour = 2\n")
    assert "is not a skill" in elsewhere.run("import-skills", str(folder), fails=2)


ODD = [
    "a\\nb",
    'say """this"""',
    "\nlines\n\n",
    "tabs\tand\r\nmore",
    "\x7f\x00\x1b",
    "日本 🦊",
    "it's",
]


@pytest.mark.parametrize("text", ODD)
def test_whatever_a_skill_says_its_file_says_too(text: str) -> None:
    trigger = Trigger(intent=(text,), topic=text)
    read = tomllib.loads(text_of(Skill(text, text, USER, text, trigger, (0.25,) * 16)))
    assert [read[key] for key in ("skill_id", "skill_name", "template")] == [text] * 3
    assert read["trigger"] == {"intent": [text], "topic": text}
    assert set(read["dimensions"].values()) == {0.25}


def test_every_skill_has_a_file_of_its_own() -> None:
    names = ["a b", "a_b", "A_B", "../a_b", "a" * 300, "a" * 299 + "b", "日", "本"]
    made = {file_name(Skill(name, "", USER, "", Trigger(), ())) for name in names}
    assert len({name.lower() for name in made}) == len(names)
    assert all("/" not in name and len(name) < 100 for name in made)


@pytest.mark.spec("XPT-04")
def test_lessons_are_written_by_month(shell: Shell, tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(shell.path, clock=clock) as memory:
        memory.agents.add_insight("Ask before you delete anything.")
        clock.advance(days=40)
        memory.agents.add_insight("Run the tests before you push.")
        memory.agents.add_insight("Push before you leave.")
    shown = shell.run("export-insights")
    folder = shell.path.parent / "exports"
    assert "2 lessons" in shown.replace("\n", " ")
    written = {file.name: json.loads(file.read_text("utf-8")) for file in folder.iterdir()}
    assert {name: len(of) for name, of in written.items()} == {
        "insights-2026-01.json": 1,
        "insights-2026-02.json": 2,
    }
    (first,) = written["insights-2026-01.json"]
    assert first["text"] == "Ask before you delete anything." and first["confidence"] == 0.7
    one = shell.json("export-insights", str(tmp_path / "to"), "--month", "2026-02")
    assert [Path(file).name for file in one["files"]] == ["insights-2026-02.json"]
    assert shell.json("export-insights", "--month", "1999-01") == {"files": []}
