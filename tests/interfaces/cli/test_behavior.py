"""The commands about how the user wants to be helped."""

from pathlib import Path

import pytest
from tests.importers.test_agent_logs import TRANSCRIPT, lines
from tests.interfaces.cli.test_commands import Shell, shell

__all__ = ["shell"]


@pytest.mark.spec("DEP-01")
def test_rules_preferences_and_reset(shell: Shell, tmp_path: Path) -> None:
    shell.run("remember", "Always use tabs.")
    (rule,) = shell.json("behaviors", "--pending")["behaviors"]
    assert rule["rule"] == "Always use tabs"
    assert "accepted" in shell.run("behavior", "accept", rule["id"])
    (edited,) = shell.json("behavior", "edit", rule["id"], "--scope", "shop")["behaviors"]
    assert edited["scope"] == "shop"
    shell.run("behavior", "delete", edited["id"])
    assert shell.json("behaviors")["behaviors"] == []
    shell.run("behavior", "undo", edited["id"])
    assert len(shell.json("behaviors", "--all")["behaviors"]) == 2
    assert "action must be" in shell.run("behavior", "praise", "x", fails=2)
    shell.run("preferences", "tool", "pytest", "0.9")
    assert "pytest" in shell.run("preferences", "tool")
    assert shell.json("preferences")["preferences"][0]["value"] == 0.9
    log = lines(tmp_path / "log.jsonl", *({**TRANSCRIPT, "task_id": n} for n in range(6)))
    shell.run("import-log", str(log))
    learned = shell.json("experience")
    assert learned["patterns"] and learned["tools"]
    assert "Erased 2 rules, 1 preferences" in shell.run("reset-learning", "--yes")
    assert shell.json("behaviors", "--all")["behaviors"] == []
    assert shell.json("preferences")["preferences"] == []
    left = shell.json("experience")
    assert (left["patterns"], left["tools"], left["insights"]) == ([], [], [])
