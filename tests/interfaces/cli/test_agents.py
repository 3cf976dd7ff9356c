"""The commands about the work of agents."""

import json
from pathlib import Path

import pytest
from tests.importers.test_agent_logs import TRANSCRIPT, lines
from tests.interfaces.cli.test_commands import Shell, shell

from sharpwave import Memory

__all__ = ["shell"]


def test_learn_from_a_log_and_ask(shell: Shell, tmp_path: Path) -> None:
    log = lines(tmp_path / "log.jsonl", *({**TRANSCRIPT, "task_id": n} for n in range(6)))
    assert "Learned from 6 runs with 12 actions" in shell.run("import-log", str(log))
    assert shell.json("import-log", str(log))["already_there"] == 6
    shown = shell.run("experience", "--learn")
    assert "get_user" in shown and "query_pattern" in shown and "best_practice" in shown
    learned = shell.json("experience", "--type", "plan_pattern")
    assert [pattern["support"] for pattern in learned["patterns"]] == [6]
    advice = shell.run("advise", "cancel my flight", "--stage", "plan")
    assert "get_user → cancel" in advice and "because:" in advice
    asked = shell.json("advise", "cancel my flight", "--done", "get_user", "--stage", "act")
    assert asked["next_steps"][0]["text"] == "cancel"
    assert "stage" in shell.run("advise", "x", "--stage", "dream", fails=2)
    few = shell.json("advise", "cancel my flight", "--limit", "1")
    assert len(few["tools"]) == 1 and few["next_steps"] and few["plans"], "without a stage: all"


def test_conditions_are_given_by_name(shell: Shell) -> None:
    with Memory.open(shell.path) as memory:
        memory.agents.add_insight(
            "Warm the engine up.", applies_to={"conditions": {"degrees": {"max": 0}}}
        )
    told = ("advise", "start the engine", "--given")
    assert "Warm the engine" in shell.run(*told, "degrees=-5")
    assert "Warm the engine" not in shell.run(*told, "degrees=12")
    assert "NAME=VALUE" in shell.run(*told, "cold", fails=2)


def test_nothing_is_known_yet(shell: Shell) -> None:
    shell.run("remember", "hello there")
    assert "nothing to say" in shell.run("advise", "anything")


@pytest.mark.parametrize("text", [json.dumps({"a": 1}), "not json"])
def test_a_wrong_log_is_explained(shell: Shell, tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text)
    assert "Expected one of" in shell.run("import-log", str(file), fails=2)
