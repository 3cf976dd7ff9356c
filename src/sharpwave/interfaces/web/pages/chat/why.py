"""Why this skill: every candidate with what spoke for it [SEC-07]."""

from nicegui import html

from sharpwave.interfaces.web.parts.bars import Bar, bars
from sharpwave.interfaces.web.parts.layout import details
from sharpwave.interfaces.web.parts.paging import table
from sharpwave.types.skills import Candidate, SkillChoice

_TITLES = ("skill", "score", "fits", "experience", "style", "confidence")


def skill(choice: SkillChoice) -> None:
    """The chosen way to answer, and the others that were considered."""
    with details(f"Why this skill: {choice.skill.name}"), html.div().classes("sw-column"):
        html.p(choice.reason)
        if choice.is_exploration:
            html.p("It was tried out of curiosity, to learn whether you like it.")
        if choice.candidates:
            best = choice.candidates[0]
            bars(
                [
                    Bar("fits the message", best.trigger),
                    Bar("experience", best.sampled),
                    Bar("your style", best.alignment),
                    Bar("confidence", best.confidence),
                ]
            )
            html.p("All that were considered:").classes("sw-small sw-soft")
            table(_TITLES, [_row(one) for one in choice.candidates])


def _row(one: Candidate) -> tuple[str, ...]:
    numbers = (one.score, one.trigger, one.sampled, one.alignment, one.confidence)
    return (one.skill.replace("_", " "), *(f"{number:.2f}" for number in numbers))
