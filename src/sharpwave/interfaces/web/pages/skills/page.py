"""How the user likes to be answered: style, skills, and how they are learned."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import html, ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from sharpwave.interfaces.web.pages.skills.listed import SkillList
from sharpwave.interfaces.web.parts import fields, layout, times
from sharpwave.interfaces.web.parts.actions import (
    done,
)
from sharpwave.interfaces.web.parts.bars import meter
from sharpwave.interfaces.web.parts.charts import chart
from sharpwave.interfaces.web.parts.paging import table
from sharpwave.interfaces.web.shown import skills as shown
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.skills import SkillOdds, Style, StyleDimension

TITLE = "Skills & style"
ICON = "tune"
PATH = "/skills"
_APPLIED = 10


async def show(visit: Visit) -> None:
    """Draw the page."""
    await _StylePart(visit).build()
    await _exploration(visit)
    await SkillList(visit).build()
    await _applied(visit)


class _StylePart:
    """The style in a context that is chosen, and how well skills do there."""

    def __init__(self, visit: Visit) -> None:
        self._visit, self._context = visit, shown.OVERALL
        about = "Each dimension goes from 0 to 1; two of the sixteen are kept free."
        with layout.card("Style", about):
            self._choice = fields.choice("In", {"": "overall"}, "", self._choose)
            self._choice.classes("sw-choice")
            self._place = html.div().classes("sw-two")
        with layout.card("Odds of each skill", "How often it is likely to be liked."):
            self._odds = html.div().classes("sw-column")

    async def build(self) -> None:
        """Draw it as it is now."""
        visit, context = self._visit, self._context or None
        overall = await visit.ask(visit.memory.style)
        self._choice.set_options(shown.contexts(overall), value=self._context)
        style = await visit.ask(visit.memory.style, context) if context else overall
        odds = await visit.ask(visit.memory.skill_odds, context) if context else []
        for place in (self._place, self._odds):
            place.clear()
        with self._place:
            self._style(style)
        with self._odds:
            _odds(odds, bool(overall.contexts))

    def _style(self, style: Style) -> None:
        words = "Style: " + "; ".join(
            f"{shown.label(one.name)} {one.value:.2f}" for one in style.dimensions
        )
        chart(shown.radar(style), words, height=400)
        with html.ul().classes("sw-column sw-tight"):
            for one in style.dimensions:
                self._dimension(one)

    def _dimension(self, one: StyleDimension) -> None:
        name = shown.label(one.name)
        with html.li().classes("sw-dimension"):
            html.span(shown.title(one.name)).classes("sw-strong")
            html.span(f"{shown.leaning(one)} · {shown.basis(one)}").classes("sw-soft sw-small")
            if not self._visit.may_write:
                meter(one.value, name)
                return
            slider = ui.slider(min=0, max=1, step=0.05, value=round(one.value, 2))
            slider.props["aria-label"] = f"{name}: {one.low} to {one.high}"
            slider.on("change", partial(self._set, one.name))

    async def _set(self, name: str, event: GenericEventArguments) -> None:
        value = float(event.args)
        await self._visit.ask(self._visit.memory.set_style, {name: value}, self._context or None)
        done(f"Set: {shown.label(name)} stays at {value:.2f} until you change it.")
        await self.build()

    async def _choose(self, event: ValueChangeEventArguments[Any]) -> None:
        if event.value != self._context:
            self._context = event.value or shown.OVERALL
            await self.build()


def _odds(found: Sequence[SkillOdds], learned: bool) -> None:
    if found:
        words = "; ".join(map(shown.odds_words, found))
        chart(shown.odds_chart(found), words, height=320)
        with layout.details("As a list"), html.ul():
            for one in found:
                html.li(shown.odds_words(one))
    elif learned:
        words = "Choose a context above: skills do better in some than in others."
        html.p(words).classes("sw-soft")
    else:
        layout.empty(
            "casino",
            "No odds yet",
            "Every rating moves the odds of the skill that was used, in the context it was used "
            "in, such as a question asked in the morning.",
        )


async def _exploration(visit: Visit) -> None:
    metrics = await visit.ask(visit.memory.behavior_metrics)
    with layout.card("Trying other skills"), layout.row():
        told = html.p(shown.exploring(metrics)).classes("sw-grow")

        async def turn(on: bool) -> None:
            found = await visit.ask(visit.memory.explore, on)
            told._text = shown.exploring(found)
            told.update()

        label = "Try other skills now and then"
        fields.switch(label, metrics.explores, turn, enabled=visit.may_write)


async def _applied(visit: Visit) -> None:
    found = await visit.ask(visit.memory.trajectories, _APPLIED)
    with layout.card("Lately applied", "Which skill was used, where, and how it was taken."):
        if not found:
            layout.empty(
                "history",
                "No skill was applied yet",
                "Chat, or call `select_skill`, and every choice is listed here.",
            )
            return
        rows = [
            (
                partial(times.moment, one.at),
                shown.title(one.skill) + (" (a try)" if one.is_exploration else ""),
                one.context.replace("_", ", "),
                shown.taken(one),
            )
            for one in found
        ]
        table(("When", "Skill", "Context", "Taken"), rows)
