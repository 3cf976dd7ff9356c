"""Rules learned from the user: review, change, delete, restore."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import html
from nicegui.events import ValueChangeEventArguments

from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.components import ButtonStyle, button, notify_done
from sharpwave.interfaces.web.records import PagedList, Tone, of_call, times
from sharpwave.interfaces.web.sessions import PAGE_SIZE, Viewer
from sharpwave.types.records import State
from sharpwave.types.steering import Behavior, SteeringType

TYPES = {kind: kind.removeprefix("behavioral_") for kind in SteeringType}
KINDS = {name: name for name in TYPES.values()}
"""The kinds by their names in the facade."""
GLOBAL = "global"
_GONE = {State.SUPERSEDED: "replaced", State.INVALIDATED: "deleted"}


def scope_words(behavior: Behavior) -> str:
    """Where a rule holds.

    >>> from types import SimpleNamespace
    >>> [scope_words(SimpleNamespace(scope=scope)) for scope in ("global", "project:atlas")]
    ['everywhere', 'in project:atlas']
    """
    return "everywhere" if behavior.scope == GLOBAL else f"in {behavior.scope}"


def frequency_words(behavior: Behavior) -> str:
    """How often a rule was observed; the text before the date of the last time.

    >>> from types import SimpleNamespace
    >>> frequency_words(SimpleNamespace(frequency=1)), frequency_words(SimpleNamespace(frequency=3))
    ('observed once,', 'observed 3 times, last')
    """
    last = ", last" if behavior.frequency > 1 else ","
    return f"observed {times(max(behavior.frequency, 1))}{last}"


def state_words(behavior: Behavior) -> str:
    """Why a rule is pending, or how it ended; empty if it is active and accepted."""
    if behavior.state is State.UNCERTAIN:
        return "reported by an agent, not used yet"
    if behavior.state in _GONE:
        return _GONE[behavior.state]
    return "" if behavior.accepted else "used already"


_MOST_CHARS = 500
_NONE_WAITING = (
    "done_all",
    "Nothing to look over",
    "Say “From now on, answer briefly”, and the rule waits here for your agreement.",
)
_NONE_HELD = (
    "rule",
    "No rules",
    "Corrections and wishes that are meant for good become rules: “Always use metric "
    "units”, “Never apologise”. Add one yourself, or just say it in a chat.",
)
_NONE_PAST = "Nothing was deleted or replaced."


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    await _RulesPage(viewer).build()


class _RulesPage:
    """Pending rules, active rules, and past rules."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer, memory, size = viewer, viewer.memory, PAGE_SIZE
        self._type, self._scope = "", ""
        waiting = of_call(partial(viewer.ask, memory.behavior.pending))
        past = of_call(partial(viewer.ask, memory.behavior.rules, past=True))
        looked_over = partial(self._rules, looked_over=True)

        async def load_rules(limit: int, offset: int) -> list[Behavior]:
            kind, scope = self._type or None, self._scope or None
            return await viewer.ask(
                memory.behavior.rules, kind, scope=scope, limit=limit, offset=offset
            )

        with components.card("To look over", "What was learned and nobody has agreed to yet."):
            self._waiting = PagedList(waiting, self._rules, _NONE_WAITING, size)
        with components.card("Rules that hold", "The most frequent are told first, at most 15."):
            with components.row():
                kinds = {"": "all", **KINDS}
                components.choice("Kind", kinds, "", self._filter_type).classes("sw-choice")
                place = components.text_field("Holds in project or file").props("clearable")
                place.classes("sw-choice").on("change", self._filter_scope).on(
                    "clear", self._filter_scope
                )
                self._place = place
                if viewer.may_write:
                    button("Add a rule", self._add, icon="add").classes("sw-end")
            self._active = PagedList(of_call(load_rules), looked_over, self._none_held, size)
        with components.card("No longer", "Deleted and replaced rules; undo brings them back."):
            self._past = PagedList(past, self._rules, _NONE_PAST, size)

    async def build(self) -> None:
        """Draw the current state of all lists."""
        for listed in (self._waiting, self._active, self._past):
            await listed.show(same_page=True)

    def _rules(self, rules: Sequence[Behavior], looked_over: bool = False) -> None:
        with html.ul().classes("sw-list"):
            for rule in rules:
                with html.li().classes("sw-rule"):
                    with html.div().classes("sw-column sw-tight"):
                        _rule(rule, looked_over)
                    if self._viewer.may_write:
                        with components.row():
                            self._buttons(rule, looked_over)

    def _buttons(self, rule: Behavior, looked_over: bool) -> None:
        memory = self._viewer.memory
        if rule.state in _GONE:
            undo = partial(self._change, memory.behavior.undo, rule, "It holds again.")
            button("Undo", undo, about=rule.rule)
            return
        if not rule.accepted and not looked_over:
            agree = partial(self._change, memory.behavior.accept, rule, "Agreed.")
            button("Agree", agree, ButtonStyle.PRIMARY, about=rule.rule)
        button("Edit", partial(self._edit, rule), ButtonStyle.PLAIN, about=rule.rule)
        delete = partial(self._change, memory.behavior.delete, rule, "Deleted. Undo is below.")
        button("Delete", delete, ButtonStyle.PLAIN, about=rule.rule)

    async def _change(self, call: Callable[[str], Behavior], rule: Behavior, words: str) -> None:
        await self._viewer.ask(call, rule.id)
        notify_done(words)
        await self.build()

    async def _edit(self, behavior: Behavior) -> None:
        if fields := await self._ask_for_rule("Change a rule", behavior.rule, behavior.scope):
            rule, scope, _ = fields
            await self._viewer.ask(self._viewer.memory.behavior.edit, behavior.id, rule, scope)
            notify_done("Changed. What it was is kept below.")
            await self.build()

    async def _add(self) -> None:
        if fields := await self._ask_for_rule("Add a rule", "", GLOBAL, choose=True):
            rule, scope, kind = fields
            behavior = self._viewer.memory.behavior
            added = await self._viewer.ask(behavior.add, rule, kind, scope=scope)
            if added.id is not None:  # it is the user who adds it
                await self._viewer.ask(behavior.accept, added.id)
            notify_done("Added.")
            await self.build()

    async def _ask_for_rule(
        self, title: str, rule: str, scope: str, choose: bool = False
    ) -> tuple[str, str, str] | None:
        """Rule, scope and kind from a dialog; None if it is cancelled."""
        with components.form_on_page(title) as dialog:
            words = components.text_field("Rule", rule, long=True, max_chars=_MOST_CHARS)
            place = components.text_field("Where it holds: global, or a project or file", scope)
            kind = components.choice("Kind", KINDS, "preference")
            kind.set_visibility(choose)
            components.submit_buttons(dialog, "Save")
        agreed = await dialog
        fields = str(words.value), str(place.value).strip() or GLOBAL, str(kind.value)
        dialog.delete()
        return fields if agreed else None

    async def _filter_type(self, event: ValueChangeEventArguments[Any]) -> None:
        self._type = event.value or ""
        await self._active.show()

    async def _filter_scope(self) -> None:
        scope = str(self._place.value or "").strip()
        if scope != self._scope:
            self._scope = scope
            await self._active.show()

    def _none_held(self) -> None:
        narrowed = self._type or self._scope
        words = "No rule fits. Choose another kind or place."
        components.draw_nothing(words if narrowed else _NONE_HELD)


def _rule(rule: Behavior, looked_over: bool) -> None:
    html.div(rule.rule).classes("sw-words sw-strong")
    with components.row():
        records.badge(TYPES[rule.type], Tone.ACCENT)
        records.badge(scope_words(rule))
        if not looked_over and (words := state_words(rule)):
            records.badge(words, Tone.WARN)
        records.happened(frequency_words(rule), rule.last_seen)
