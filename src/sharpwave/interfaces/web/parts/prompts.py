"""A prompt as it was put together, and how many tokens each part takes."""

from nicegui import html

from sharpwave.interfaces.web.parts.bars import Bar, bars
from sharpwave.interfaces.web.parts.layout import details
from sharpwave.types.contexts import Context


def assembled(told: Context, budget: int) -> None:
    """The text with its token meter."""
    most = max(budget, told.tokens, 1)
    bars([Bar("tokens", told.tokens / most, f"{told.tokens:,} of {budget:,}")])
    with details("Tokens by section"):
        bars(
            Bar(
                one.title,
                one.tokens / most,
                f"{one.tokens:,}" + (f", {one.cut} left out" if one.cut else ""),
                "soft",
            )
            for one in told.sections
        )
    html.pre(told.text, tabindex="0", **{"aria-label": "The text of the prompt"}).classes(
        "sw-prompt"
    )
