"""A rule that somebody agreed to wins over a skill."""

from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.behavior.skills import catalog, scoring, select
from sharpwave.testing import FrozenClock, HashEmbedder

ASKED = "Can you explain how photosynthesis works?"
LONG = {"detailed_explanation"}


def chosen(memory: Memory, times: int = 40) -> set[str]:
    return {memory.skills.select(f"{ASKED} ({n})").skill.id for n in range(times)}


def opened(folder: Path) -> Memory:
    return Memory.open(folder / "m.db", clock=FrozenClock(), embedder=HashEmbedder(32))


def test_no_skill_is_chosen_or_tried_that_contradicts_a_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "EXPLORATION_START", 0.5)
    monkeypatch.setattr(select, "SEED", 1)
    with opened(tmp_path) as memory:
        assert chosen(memory) & LONG, "the control"
        rule = memory.behavior.add("Keep answers concise").id
        assert rule
        memory.behavior.accept(rule)
        assert not chosen(memory) & LONG
        memory.behavior.delete(rule)
        assert chosen(memory) & LONG


def test_what_a_rule_speaks_against() -> None:
    base = catalog.base()
    assert scoring.contradicts(base["detailed_explanation"], "Be brief")
    assert not scoring.contradicts(base["concise_response"], "Be brief")
    assert scoring.contradicts(base["casual_chat"], "Use a formal tone")
    assert scoring.contradicts(base["concise_response"], "Give detailed answers")
    assert not scoring.contradicts(base["detailed_explanation"], "Be brief in emails")
    assert not scoring.contradicts(base["detailed_explanation"], "Use tabs")
    assert scoring.compatible(list(base.values())[:1], ["Give detailed answers"]), "never none"


def test_what_a_rule_is_about() -> None:
    base = catalog.base()
    for rule in ("Be concise, not detailed", "Prefer short answers over long ones", "Be brief"):
        assert not scoring.contradicts(base["concise_response"], rule), rule
        assert scoring.contradicts(base["detailed_explanation"], rule), rule
    assert scoring.contradicts(base["concise_response"], "Explain in detail")
    elsewhere = ("Use short variable names", "Prefer plain SQL", "Prefer complex types")
    for rule in (*elsewhere, "Use direct imports", "Keep it short but detailed"):
        assert not any(scoring.contradicts(one, rule) for one in base.values()), rule
