"""Tasks, due ones first; each can be finished, dropped and reopened."""

from collections.abc import Sequence
from functools import partial

from nicegui import html, ui

from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.records import PagedList, of_call
from sharpwave.interfaces.web.sessions import PAGE_SIZE, Viewer
from sharpwave.types.known import Task
from sharpwave.types.statements import TaskStatus

_LISTS = (
    ("Open tasks", None, "Nothing to do", "Tasks come from what you say: “I must call Tom today.”"),
    ("Done", TaskStatus.DONE, "Nothing yet", "What you finish is kept here."),
    ("Given up", TaskStatus.DROPPED, "Nothing", "What you no longer want to do is kept here."),
)
_BUTTONS = {"Done": TaskStatus.DONE, "Give up": TaskStatus.DROPPED}


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    for title, status, nothing, words in _LISTS:
        with components.card(title):
            load = of_call(partial(viewer.ask, viewer.memory.tasks.list, status))
            empty = ("task_alt", nothing, words)
            listed = PagedList(load, partial(draw, viewer), empty, PAGE_SIZE)
        await listed.show()


def draw(viewer: Viewer, tasks: Sequence[Task]) -> None:
    """A list of tasks."""
    with html.div().classes("sw-list"):
        for task in tasks:
            _draw_one(viewer, task)


def _draw_one(viewer: Viewer, task: Task) -> None:
    async def move(status: TaskStatus) -> None:
        await viewer.ask(viewer.memory.tasks.set_status, task.id, status)
        components.notify_done(f"{task.title}: {status}.")
        ui.navigate.reload()

    with html.div().classes("sw-record"):
        with html.div().classes("sw-record-words"):
            html.div(task.title).classes("sw-words")
            with components.row():
                if task.due is not None:
                    records.happened("by", task.due)
                if task.status is TaskStatus.STALLED:
                    records.badge(task.status.value)
        over = task.status in (TaskStatus.DONE, TaskStatus.DROPPED)
        offered = {"Reopen": TaskStatus.ACTIVE} if over else _BUTTONS
        for label, status in offered.items() if viewer.may_write else ():
            components.button(label, partial(move, status), about=task.title[:80])
