"""The ways to answer, with what can be done about each."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from nicegui import html, ui

from sharpwave.interfaces.web.parts import badges, fields, layout
from sharpwave.interfaces.web.parts.actions import (
    Look,
    button,
    confirmed,
    dialog_on_page,
    done,
    line_button,
)
from sharpwave.interfaces.web.parts.badges import Tone
from sharpwave.interfaces.web.parts.bars import meter
from sharpwave.interfaces.web.parts.paging import Paged, of_list, table
from sharpwave.interfaces.web.shown import skills as shown
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.skills import KnownSkill

_AT_ONCE = 10

Do = Callable[[KnownSkill], Awaitable[None]]


class SkillList:
    """Every skill, the surest first: those of the house, and the few that somebody made."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        with layout.card("Skills", "Ways to answer, the surest first."):
            self._listed = Paged(of_list(self._every), self._draw, _no_skills, _AT_ONCE)

    async def build(self) -> None:
        """Draw it as it is now."""
        await self._listed.show(again=True)

    async def _every(self) -> list[KnownSkill]:
        return await self._visit.ask(self._visit.memory.skills, archived=True)

    def _draw(self, items: Sequence[KnownSkill]) -> None:
        titles = ["Skill", "Confidence", "Used", "Ratings"]
        rows: list[list[object]] = [
            [partial(_name, one), partial(_confidence, one), one.usage_count, shown.ratings(one)]
            for one in items
        ]
        if self._visit.may_write:
            titles.append("Change")
            for row, one in zip(rows, items, strict=True):
                row.append(partial(_buttons, one, self._offered(one)))
        table(titles, rows)

    def _offered(self, one: KnownSkill) -> Mapping[str, Do]:
        aside = "Use again" if one.archived else "Set aside"
        every: dict[str, Do] = {aside: self._set_aside, "Reset": self._reset}
        own: dict[str, Do] = {"Edit": self._edit, "Delete": self._delete}
        return every | own if shown.is_own(one) else every

    async def _set_aside(self, one: KnownSkill) -> None:
        await self._visit.ask(self._visit.memory.archive_skill, one.skill.id, undo=one.archived)
        done(f"{one.skill.name} is {'used again' if one.archived else 'set aside'}.")
        await self.build()

    async def _reset(self, one: KnownSkill) -> None:
        words = "Its confidence and odds begin anew. The ratings stay, but count no more."
        if await confirmed(f"Forget what was learned of {one.skill.name}?", words, "Forget it"):
            await self._visit.ask(self._visit.memory.reset_skills, skill=one.skill.id)
            done("Forgotten.")
            await self.build()

    async def _edit(self, one: KnownSkill) -> None:
        title = f"Change {one.skill.name}"
        with dialog_on_page(title) as dialog, ui.card().classes("sw-dialog"):
            html.h2(title).classes("sw-card-title")
            name = fields.text_field("Name", one.skill.name)
            template = fields.text_field("How to answer", one.skill.template, long=True)
            with html.div().classes("sw-row sw-dialog-buttons"):
                button("Cancel", lambda: dialog.submit(False))
                button("Save", lambda: dialog.submit(True), Look.PRIMARY)
        agreed, called, words = await dialog, str(name.value), str(template.value)
        dialog.delete()
        if agreed:
            edit = self._visit.memory.edit_skill
            await self._visit.ask(edit, one.skill.id, template=words, name=called)
            done("Changed. Its earlier versions are kept.")
            await self.build()

    async def _delete(self, one: KnownSkill) -> None:
        words = "It is erased with every version."
        if await confirmed(f"Delete {one.skill.name}?", words, "Delete it"):
            await self._visit.ask(self._visit.memory.delete_skill, one.skill.id)
            done("Deleted.")
            await self.build()


def _name(one: KnownSkill) -> None:
    with layout.row():
        html.span(one.skill.name).classes("sw-strong")
        if shown.is_own(one):
            badges.badge("yours", Tone.ACCENT)
        if one.archived:
            badges.badge("set aside", Tone.WARN)
    with layout.details("Why, and how it answers"):
        html.p(one.why).classes("sw-small")
        html.p(one.skill.template).classes("sw-small sw-soft sw-words")


def _confidence(one: KnownSkill) -> None:
    html.span(f"{one.confidence:.0%}").classes("sw-small")
    meter(one.confidence, f"Confidence in {one.skill.name}")


def _buttons(one: KnownSkill, offered: Mapping[str, Do]) -> None:
    with layout.row():
        for words, do in offered.items():
            line_button(words, partial(do, one), one.skill.name)


def _no_skills() -> None:
    html.p("There are no skills.").classes("sw-soft")
