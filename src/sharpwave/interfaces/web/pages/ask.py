"""Ask the memory: results, confidence, reasons, and the resulting prompt."""

from collections.abc import Sequence

from nicegui import html

from sharpwave.interfaces.reasons import WHY_NOT, grouped
from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.records import assembled_prompt, count, signed
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.answers import LeftOut, Recalled, Recollection

_ITEMS = 8
_COUNTS = 0.005
"""Minimum absolute value of a term to be shown as a bar."""


async def show(viewer: Viewer) -> None:
    """Draw the page; a question in the address is written into the field, not sent."""
    with html.form().classes("sw-row") as form:
        question = components.text_field("Ask your memory", viewer.query.get("q", "")[:1000])
        question.classes("sw-grow").props("autofocus")
        components.button("Ask", None, components.ButtonStyle.PRIMARY).props("type=submit")
    place = components.column().classes("sw-wide-gap")
    with place:
        _introduction()

    async def ask() -> None:
        words = (question.value or "").strip()
        if not words:
            return
        recollection = await viewer.ask(viewer.memory.recall, words, k=_ITEMS)
        context = await viewer.ask(viewer.memory.context, words)
        place.clear()
        with place:
            _verdict(recollection)
            _items(recollection)
            with components.card(
                "What a prompt would be told", "Put this before the question of the user."
            ):
                assembled_prompt(context, viewer.settings.context.budget_tokens)

    form.on("submit.prevent", ask)


def _introduction() -> None:
    with components.card():
        components.empty(
            "help_outline",
            "See what an assistant would be told",
            "Type a question as you would ask it. You see whether it can be answered, from which "
            "memories, and what speaks for each. Asking teaches nothing.",
        )


def _verdict(recollection: Recollection) -> None:
    with components.card("Can it be answered?"):
        with components.row():
            records.badge(*records.DECISIONS[recollection.decision])
            html.span(recollection.rationale)
        components.bars([components.Bar("how sure", recollection.confidence)])
        searched = count(recollection.searched, "memory was", "memories were")
        html.p(f"{searched} searched.").classes("sw-small sw-soft")
        for note in recollection.notes:
            html.p(note).classes("sw-small sw-soft")


def _items(recollection: Recollection) -> None:
    with components.card("What was found"):
        if not recollection.items:
            words = "No memory is about this. It says so instead of guessing."
            components.empty("search_off", "Nothing", words)
        terms = [grouped(item.terms).values() for item in recollection.items]
        largest = max((abs(value) for values in terms for value in values), default=0.0) or 1.0
        with html.ol().classes("sw-list"):
            for item in recollection.items:
                with html.li().classes("sw-column sw-tight"):
                    _item(item, largest)
        if recollection.left_out:
            with components.details(count(len(recollection.left_out), "near miss", "near misses")):
                _left_out(recollection.left_out)


def _item(item: Recalled, largest: float) -> None:
    html.div(item.text).classes("sw-words")
    records.record_badges(item.record)
    if item.outdated_by:
        html.p("It no longer holds; something newer is found, too.").classes("sw-small sw-soft")
    for fact in item.outdated:
        html.p(f"No longer so: {fact}").classes("sw-small sw-soft")
    terms = sorted(grouped(item.terms).items(), key=lambda term: -abs(term[1]))
    shown = [(name.replace("_", " "), value) for name, value in terms if abs(value) >= _COUNTS]
    with components.details("Why: " + ", ".join(name for name, _ in shown[:2])):
        components.bars(
            components.Bar(name, abs(value) / largest, signed(value), "" if value > 0 else "bad")
            for name, value in shown
        )


def _left_out(omitted: Sequence[LeftOut]) -> None:
    with html.ul().classes("sw-list"):
        for candidate in omitted:
            with html.li():
                html.div(candidate.text).classes("sw-words")
                html.div(WHY_NOT[candidate.why]).classes("sw-small sw-soft")
