"""Recently learned memories, open questions, due tasks, and the last sleep."""

from collections.abc import Sequence
from functools import partial

from nicegui import html, ui

from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.pages import tasks
from sharpwave.interfaces.web.pages.privacy import PURPOSES
from sharpwave.interfaces.web.pages.sleep import work_counts
from sharpwave.interfaces.web.records import PagedList, count, noun, of_call
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.known import Contradiction
from sharpwave.types.records import Kind
from sharpwave.types.working import Purpose

_LEARNED = (Kind.FACT, Kind.TASK, Kind.NOTE, Kind.BEHAVIOR, Kind.INSIGHT)
_SHOWN = 6
_QUESTIONS = 3
_NOTHING_DUE = "Nothing. Tasks come from what you say: “I have to call Tom by Friday.”"


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    unanswered = await viewer.ask(viewer.memory.admin.unanswered_consents)
    stats = await viewer.ask(viewer.memory.admin.stats)
    if unanswered and viewer.may_write:
        _consent(viewer, unanswered, stats.memories > 0)
    if not stats.memories:
        _welcome()
        return
    counted = (
        (stats.memories, "memory", "memories"),
        (stats.by_kind.get(Kind.FACT, 0), "fact", "facts"),
        (len(await viewer.ask(viewer.memory.behavior.rules)), "rule of yours", "rules of yours"),
        (stats.by_kind.get(Kind.TURN, 0), "message", "messages"),
    )
    components.numbers(
        (number, noun(number, singular, plural)) for number, singular, plural in counted
    )
    with components.grid():
        await _learned(viewer)
        with html.div().classes("sw-column sw-wide-gap"):
            await _questions(viewer)
            await _due(viewer)
            await _last_sleep(viewer)


def _consent(viewer: Viewer, purposes: Sequence[Purpose], known: bool) -> None:
    """Ask once, before anything is stored here."""
    words = "What is stored already stays as it is. " if known else ""
    words += "Nothing is stored or used by this server before you answer."
    with components.card("May Sharpwave remember you?", words):
        with html.ul().classes("sw-bullets"):
            for purpose in purposes:
                title, words = PURPOSES[purpose]
                html.li(f"{title}: {words}")
        with components.row():
            agree = partial(_answer, viewer, purposes, True)
            components.button("Yes, remember me", agree, components.ButtonStyle.PRIMARY, "check")
            components.button("No", partial(_answer, viewer, purposes, False))
        html.p("You can change this at any time on the page Privacy.").classes("sw-small")


async def _answer(viewer: Viewer, purposes: Sequence[Purpose], granted: bool) -> None:
    for purpose in purposes:
        await viewer.ask(viewer.memory.admin.consent, purpose.value, granted)
    ui.navigate.reload()


def _welcome() -> None:
    """Shown while nothing is remembered: how to begin."""
    with components.card():
        with components.empty(
            "waving_hand",
            "Nothing is remembered yet",
            "As soon as an assistant talks with you through Sharpwave, this page shows what it "
            "learned, what it wants to ask you, and what is due.",
        ):
            with html.ul().classes("sw-bullets"):
                with html.li():
                    html.span("Tell it something yourself on the page ")
                    components.link("Chat", "/chat")
                with html.li():
                    html.span("From a program: ")
                    html.code('Memory.open().remember("My sister Ana lives in Porto.")')
                with html.li():
                    html.span("For agents, by MCP: ")
                    html.code("sharpwave mcp install claude-code")


async def _learned(viewer: Viewer) -> None:
    page = await viewer.ask(viewer.memory.admin.memories, kinds=_LEARNED, limit=_SHOWN)
    with components.card("Learned lately"):
        if not page.items:
            components.empty(
                "school",
                "Nothing was learned yet",
                "Facts, tasks and rules are found in what you say: “My sister Ana lives in Porto.”",
            )
        records.record_list(page.items)
        if page.items:
            components.link("All memories", "/memories")


async def _questions(viewer: Viewer) -> None:
    found = await viewer.ask(viewer.memory.facts.conflicts, _QUESTIONS + 1)
    with components.card("Questions for you"):
        if not found:
            html.p("None: nothing that you said contradicts itself.").classes("sw-soft")
            return
        with html.div().classes("sw-list"):
            for conflict in found[:_QUESTIONS]:
                _question(viewer, conflict)
        if len(found) > _QUESTIONS:
            components.link("More questions", "/conflicts")


def _question(viewer: Viewer, conflict: Contradiction) -> None:
    async def resolve(keep: str) -> None:
        await viewer.ask(viewer.memory.facts.resolve, conflict.id, keep)
        components.notify_done("Settled.")
        ui.navigate.reload()

    with html.div().classes("sw-column"):
        html.p(conflict.question)
        if viewer.may_write:
            with components.row():
                components.button(conflict.newer.text, partial(resolve, "newer"))
                components.button(conflict.older.text, partial(resolve, "older"))


async def _due(viewer: Viewer) -> None:
    with components.card("Overdue and due soon"):
        load = of_call(partial(viewer.ask, viewer.memory.tasks.due_soon))
        listed = PagedList(load, partial(tasks.draw, viewer), _NOTHING_DUE, _SHOWN)
    await listed.show()


async def _last_sleep(viewer: Viewer) -> None:
    log = await viewer.ask(viewer.memory.admin.sleep_log, 1)
    status = await viewer.ask(viewer.memory.admin.sleep_status)
    with components.card("Last sleep"):
        if not log:
            html.p(
                "It has not slept yet. At night, or when the machine is idle, it goes through the "
                "day again and keeps what matters."
            ).classes("sw-soft")
        for report in log:
            with html.p():
                records.moment(report.started_at)
            counts = ", ".join(work_counts(report))
            html.p(counts or "There was nothing to do.").classes("sw-soft")
        waiting = count(status.pending, "memory waits", "memories wait")
        html.p(f"{waiting} for the next run.").classes("sw-small sw-soft")
