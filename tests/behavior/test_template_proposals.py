"""A better template for a skill, proposed from what the user said; nothing changes by itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.errors import ProviderUnavailable, SkillNotFound
from sharpwave.llm.prompts import behavior
from sharpwave.testing import ScriptedLLM
from sharpwave.types.llm import LLMRole

BETTER = behavior.OptimiseOutput(
    why="All remarks ask for less.", instruction="Answer in two sentences."
)


@pytest.fixture
def llm() -> ScriptedLLM:
    return ScriptedLLM(lambda _: BETTER)


@pytest.fixture
def memory(tmp_path: Path, llm: ScriptedLLM) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", llm=llm) as opened:
        opened.skills.create("essay", "Explain thoroughly.")
        yield opened


def remark(memory: Memory, number: int, text: str | None, reason: str | None = None) -> str:
    receipt = memory.feedback(f"m{number}", -1, reason, text, skill="essay")
    return str(receipt.id)


@pytest.mark.spec("LLM-02")
def test_remarks_become_a_proposal(memory: Memory, llm: ScriptedLLM) -> None:
    said = [
        remark(memory, 1, "Far too long. Write to ana@example.com."),
        remark(memory, 2, None, "too_verbose"),
    ]
    remark(memory, 3, None)  # a rating without a word

    found = memory.skills.improve("essay")

    assert (found.template, found.why) == (BETTER.instruction, BETTER.why)
    assert list(found.remarks) == said
    (asked,) = llm.asked
    assert asked.role is LLMRole.OPTIMIZER
    assert "Explain thoroughly." in asked.prompt.user and "too verbose" in asked.prompt.user
    assert "Far too long" in asked.prompt.user and "ana@example.com" not in asked.prompt.user
    assert memory.admin.spending().calls == 1
    assert memory.skills.get("essay").skill.template == "Explain thoroughly.", "only a proposal"
    assert memory.skills.edit("essay", template=BETTER.instruction).template == BETTER.instruction
    assert memory.skills.improve("essay").template is None, "it says so already"


def test_the_template_is_redacted_too(memory: Memory, llm: ScriptedLLM) -> None:
    memory.skills.create("letter", "Sign with ana@example.com.")
    memory.feedback("m9", -1, None, "Too long.", skill="letter")

    assert memory.skills.improve("letter").template

    assert "ana@example.com" not in llm.asked[0].prompt.user


def test_without_remarks_or_a_model_nobody_is_asked(
    memory: Memory, llm: ScriptedLLM, tmp_path: Path
) -> None:
    assert "nobody said anything" in memory.skills.improve("essay").why
    remark(memory, 1, "Too long.")
    memory.admin.consent("egress", granted=False)
    assert memory.skills.improve("essay").template is None
    assert llm.asked == []
    with Memory.open(tmp_path / "m.db") as without:
        assert "no language model" in without.skills.improve("essay").why
    with pytest.raises(SkillNotFound):
        memory.skills.improve("sonnet")


def test_a_model_that_is_away_is_an_error(memory: Memory, llm: ScriptedLLM) -> None:
    remark(memory, 1, "Too long.")
    llm.failing = ProviderUnavailable("down")

    with pytest.raises(ProviderUnavailable):
        memory.skills.improve("essay")
