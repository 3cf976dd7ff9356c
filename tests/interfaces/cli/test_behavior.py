"""The commands about how the user wants to be helped."""

import pytest
from tests.interfaces.cli.test_commands import Shell, shell

__all__ = ["shell"]


@pytest.mark.spec("DEP-01")
def test_rules_preferences_and_reset(shell: Shell) -> None:
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
    assert "Erased 2 rules, 1 preferences" in shell.run("reset-learning", "--yes")
    assert shell.json("behaviors", "--all")["behaviors"] == []
