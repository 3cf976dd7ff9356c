"""An answer of the configured model, as far as the user allows it."""

from pathlib import Path

import pytest

from sharpwave import InvalidInput, Memory, Settings
from sharpwave.checks import MAX_TEXT_BYTES
from sharpwave.testing import ScriptedLLM


def test_the_model_is_told_the_context_and_it_is_paid_for(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda asked: "In Porto." if asked.prompt.name == "reply" else "{}")
    with Memory.open(tmp_path / "m.db", llm=llm) as memory:
        memory.admin.consent("egress", True)
        found = memory.skills.reply(
            "Where does Ana live?", "Ana lives in Porto; call +351 912 345 678."
        )
        assert (found.text, found.why_not) == ("In Porto.", "") and found.tokens > 0
        (asked,) = [one for one in llm.asked if one.prompt.name == "reply"]
        assert "Ana lives in Porto" in asked.prompt.system and "912 345" not in asked.prompt.system
        assert memory.admin.spending().calls == 1 and memory.admin.stats().memories == 0
        memory.admin.consent("egress", False)
        refused = memory.skills.reply("Where does Ana live?")
        assert refused.text is None and "does not agree" in refused.why_not


def test_without_a_model_it_says_so(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", settings=Settings()) as memory:
        assert "no language model" in memory.skills.reply("Hello").why_not


def test_a_context_has_its_bounds_too(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", llm=ScriptedLLM()) as memory:
        with pytest.raises(InvalidInput, match="context has"):
            memory.skills.reply("Hello", "x" * (MAX_TEXT_BYTES + 1))
