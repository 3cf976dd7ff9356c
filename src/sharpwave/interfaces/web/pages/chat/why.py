"""Why this skill: every candidate with what spoke for it [SEC-07]."""

from nicegui import html

from sharpwave.interfaces.web.parts.bars import Bar, bars
from sharpwave.interfaces.web.parts.layout import details
from sharpwave.types.behavior.skills import SkillChoice


def skill(choice: SkillChoice) -> None:
    """The chosen way to answer, and the others that were considered."""
    with details(f"Why this skill: {choice.skill.name}"), html.div().classes("sw-column"):
        html.p(choice.reason)
        if choice.is_exploration:
            html.p("It was tried out of curiosity, to learn whether you like it.")
        for place, one in enumerate(choice.candidates):
            html.h3(one.skill.replace("_", " ")).classes("sw-subtitle")
            tone = "" if place == 0 else "soft"
            bars(
                [
                    Bar("fits the message", one.trigger, tone=tone),
                    Bar("experience", one.sampled, tone=tone),
                    Bar("your style", one.alignment, tone=tone),
                    Bar("confidence", one.confidence, tone=tone),
                ]
            )
