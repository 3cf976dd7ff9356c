"""The commands about skills, feedback and style."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sharpwave.interfaces.cli.app import app

run = CliRunner()


@pytest.fixture
def db(tmp_path: Path) -> list[str]:
    return ["--db", str(tmp_path / "m.db")]


def told(*arguments: str) -> str:
    result = run.invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_choice_a_rating_and_what_came_of_it(db: list[str]) -> None:
    chosen = json.loads(
        told("select-skill", "What is a monad?", "--message-id", "m", "--json", *db)
    )
    assert chosen["message_id"] == "m" and chosen["reason"]
    assert "because" in told("select-skill", "What is a monad?", "--message-id", "m", *db)
    assert "0.50 → 0.41" in told("feedback", *db, "--", "m", "-1")
    receipt = json.loads(told("feedback", *db, "--reason", "too_verbose", "--json", "m", "1"))
    assert (receipt["status"], receipt["new_confidence"]) == ("changed", 0.59)
    listed = json.loads(told("skills", "--json", *db))
    assert listed[0]["skill"]["id"] == chosen["skill"]["id"] and listed[0]["positive"] == 1
    assert chosen["skill"]["id"] in told("skills", *db)


def test_a_skill_of_ones_own(db: list[str]) -> None:
    assert "Added haiku" in told(
        "add-skill", "haiku", "Answer as a haiku.", "--intent", "chat", *db
    )
    assert "haiku" in told("skills", *db)


def test_style_is_set_and_reset(db: list[str]) -> None:
    told("skills", *db)
    assert "you set it" in told("style", "--set", "verbosity=0.2", *db).replace("\n", " ")
    style = json.loads(told("style", "--reset", "--json", *db))
    assert {one["value"] for one in style["dimensions"]} == {0.5}
    assert run.invoke(app, ["style", "--set", "verbosity", *db]).exit_code != 0
