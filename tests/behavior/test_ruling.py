"""A rule that somebody agreed to wins over a skill."""

from pathlib import Path

from sharpwave.behavior.skills import catalog, ruling
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.testing import FrozenClock, HashEmbedder

ASKED = "Can you explain how photosynthesis works?"
LONG = {"detailed_explanation"}


def chosen(memory: Memory, times: int = 40) -> set[str]:
    return {memory.select_skill(f"{ASKED} ({n})").skill.id for n in range(times)}


def opened(folder: Path) -> Memory:
    settings = Settings.model_validate({"skills": {"seed": 1, "exploration": {"start": 0.5}}})
    return Memory.open(
        folder / "m.db", settings=settings, clock=FrozenClock(), embedder=HashEmbedder(32)
    )


def test_no_skill_is_chosen_or_tried_that_contradicts_a_rule(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        assert chosen(memory) & LONG, "the control"
        rule = memory.store_behavior("Keep answers concise").id
        assert rule
        memory.accept_behavior(rule)
        assert not chosen(memory) & LONG
        memory.delete_behavior(rule)
        assert chosen(memory) & LONG


def test_what_a_rule_speaks_against() -> None:
    base = catalog.base()
    assert ruling.contradicts(base["detailed_explanation"], "Be brief", 0.15)
    assert not ruling.contradicts(base["concise_response"], "Be brief", 0.15)
    assert ruling.contradicts(base["casual_chat"], "Use a formal tone", 0.15)
    assert ruling.contradicts(base["concise_response"], "Give detailed answers", 0.15)
    assert not ruling.contradicts(base["detailed_explanation"], "Be brief in emails", 0.15)
    assert not ruling.contradicts(base["detailed_explanation"], "Use tabs", 0.15)
    assert ruling.allowed(list(base.values())[:1], ["Give detailed answers"], 0.15), "never none"


def test_what_a_rule_is_about() -> None:
    base = catalog.base()
    for rule in ("Be concise, not detailed", "Prefer short answers over long ones", "Be brief"):
        assert not ruling.contradicts(base["concise_response"], rule, 0.15), rule
        assert ruling.contradicts(base["detailed_explanation"], rule, 0.15), rule
    assert ruling.contradicts(base["concise_response"], "Explain in detail", 0.15)
    elsewhere = ("Use short variable names", "Prefer plain SQL", "Prefer complex types")
    for rule in (*elsewhere, "Use direct imports", "Keep it short but detailed"):
        assert not any(ruling.contradicts(one, rule, 0.15) for one in base.values()), rule
