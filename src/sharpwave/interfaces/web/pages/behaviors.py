"""Rules learned from the user: look them over, set them right, take them back."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from nicegui import html, ui
from nicegui.events import ValueChangeEventArguments

from sharpwave.interfaces.web.parts import badges, fields, layout, times
from sharpwave.interfaces.web.parts.actions import Look, button, dialog_on_page, done
from sharpwave.interfaces.web.parts.badges import Tone
from sharpwave.interfaces.web.parts.paging import Paged, of_call
from sharpwave.interfaces.web.shown import behaviors as shown
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.steering import Behavior

TITLE = "Behaviors"
ICON = "rule"
PATH = "/behaviors"
_MOST_CHARS = 500


async def show(visit: Visit) -> None:
    """Draw the page."""
    await _Page(visit).build()


class _Page:
    """The rules to look over, those that hold, and those that no longer do."""

    def __init__(self, visit: Visit) -> None:
        self._visit, memory, size = visit, visit.memory, visit.limits.page_size
        self._type, self._scope = "", ""
        waiting = of_call(partial(visit.ask, memory.pending_behaviors))
        past = of_call(partial(visit.ask, memory.behaviors, past=True))

        async def held(limit: int, offset: int) -> list[Behavior]:
            kind, scope = self._type or None, self._scope or None
            return await visit.ask(memory.behaviors, kind, scope=scope, limit=limit, offset=offset)

        with layout.card("To look over", "What was learned and nobody has agreed to yet."):
            self._waiting = Paged(waiting, self._rules, _none_waiting, size)
        with layout.card("Rules that hold", "The most frequent are told first, at most 15."):
            with layout.row():
                kinds = {"": "all", **shown.KINDS}
                fields.choice("Kind", kinds, "", self._filter_type).classes("sw-choice")
                place = fields.text_field("Holds in project or file").props("clearable")
                place.classes("sw-choice").on("change", self._filter_scope).on(
                    "clear", self._filter_scope
                )
                self._place = place
                if visit.may_write:
                    button("Add a rule", self._add, icon="add").classes("sw-end")
            self._held = Paged(of_call(held), self._held_rules, self._none_held, size)
        with layout.card("No longer", "Deleted and replaced rules; undo brings them back."):
            self._past = Paged(past, self._rules, _none_past, size)

    async def build(self) -> None:
        """Draw everything as it is now."""
        for listed in (self._waiting, self._held, self._past):
            await listed.show(again=True)

    def _rules(self, found: Sequence[Behavior]) -> None:
        self._listed(found, looked_over=False)

    def _held_rules(self, found: Sequence[Behavior]) -> None:
        self._listed(found, looked_over=True)

    def _listed(self, found: Sequence[Behavior], looked_over: bool) -> None:
        with html.ul().classes("sw-list"):
            for one in found:
                with html.li().classes("sw-rule"):
                    with html.div().classes("sw-column sw-tight"):
                        _rule(one, looked_over)
                    if self._visit.may_write:
                        with layout.row():
                            self._buttons(one, looked_over)

    def _buttons(self, one: Behavior, looked_over: bool) -> None:
        memory = self._visit.memory
        if shown.is_past(one):
            _act("Undo", one, partial(self._do, memory.undo_behavior, one, "It holds again."))
            return
        if not one.accepted and not looked_over:
            agree = partial(self._do, memory.accept_behavior, one, "Agreed.")
            _act("Agree", one, agree, Look.PRIMARY)
        _act("Edit", one, partial(self._edit, one), Look.PLAIN)
        delete = partial(self._do, memory.delete_behavior, one, "Deleted. Undo is below.")
        _act("Delete", one, delete, Look.PLAIN)

    async def _do(self, call: Callable[[str], Behavior], one: Behavior, words: str) -> None:
        await self._visit.ask(call, one.id)
        done(words)
        await self.build()

    async def _edit(self, one: Behavior) -> None:
        async def save(rule: str, scope: str, kind: str) -> None:
            await self._visit.ask(self._visit.memory.edit_behavior, one.id, rule, scope)
            done("Changed. What it was is kept below.")

        await self._ask("Change a rule", one.rule, one.scope, save)

    async def _add(self) -> None:
        async def save(rule: str, scope: str, kind: str) -> None:
            await self._visit.ask(self._visit.memory.store_behavior, rule, kind, scope=scope)
            done("Added.")

        await self._ask("Add a rule", "", shown.GLOBAL, save, choose=True)

    async def _ask(
        self,
        title: str,
        rule: str,
        scope: str,
        save: Callable[[str, str, str], Awaitable[None]],
        choose: bool = False,
    ) -> None:
        with dialog_on_page(title) as dialog, ui.card().classes("sw-dialog"):
            html.h2(title).classes("sw-card-title")
            words = fields.text_field("Rule", rule, long=True, most=_MOST_CHARS)
            place = fields.text_field("Where it holds: global, or a project or file", scope)
            kind = fields.choice("Kind", shown.KINDS, "preference")
            kind.set_visibility(choose)
            with html.div().classes("sw-row sw-dialog-buttons"):
                button("Cancel", lambda: dialog.submit(False))
                button("Save", lambda: dialog.submit(True), Look.PRIMARY)
        agreed = await dialog
        given = str(words.value), str(place.value).strip() or shown.GLOBAL, str(kind.value)
        dialog.delete()
        if agreed:
            await save(*given)
            await self.build()

    async def _filter_type(self, event: ValueChangeEventArguments[Any]) -> None:
        self._type = event.value or ""
        await self._held.show()

    async def _filter_scope(self) -> None:
        wanted = str(self._place.value or "").strip()
        if wanted != self._scope:
            self._scope = wanted
            await self._held.show()

    def _none_held(self) -> None:
        if self._type or self._scope:
            html.p("No rule fits. Choose another kind or place.").classes("sw-soft")
        else:
            _none_held()


def _rule(one: Behavior, looked_over: bool) -> None:
    html.div(one.rule).classes("sw-words sw-strong")
    with layout.row():
        badges.badge(shown.TYPES[one.type], Tone.ACCENT)
        badges.badge(shown.where(one))
        if not looked_over and (words := shown.standing(one)):
            badges.badge(words, Tone.WARN)
        times.told(shown.frequency(one), one.last_seen)


def _act(words: str, one: Behavior, do: Callable[..., object], look: Look = Look.QUIET) -> None:
    made = button(words, do, look)
    made.props["aria-label"] = f"{words}: {one.rule}"


def _none_waiting() -> None:
    layout.empty(
        "done_all",
        "Nothing to look over",
        "Say “From now on, answer briefly”, and the rule waits here for your agreement.",
    )


def _none_held() -> None:
    layout.empty(
        "rule",
        "No rules",
        "Corrections and wishes that are meant for good become rules: “Always use metric "
        "units”, “Never apologise”. Add one yourself, or just say it in a chat.",
    )


def _none_past() -> None:
    html.p("Nothing was deleted or replaced.").classes("sw-soft")
