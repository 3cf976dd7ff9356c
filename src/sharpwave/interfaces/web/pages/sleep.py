"""What happens while nobody asks: nights, what they did, and taking one back."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import html, ui

from sharpwave.interfaces.web.parts import badges, layout, times
from sharpwave.interfaces.web.parts.actions import Look, button, confirmed, done
from sharpwave.interfaces.web.parts.badges import Tone
from sharpwave.interfaces.web.parts.bars import meter
from sharpwave.interfaces.web.parts.paging import Paged, table
from sharpwave.interfaces.web.shown import counts
from sharpwave.interfaces.web.shown import sleep as shown
from sharpwave.interfaces.web.visit import Visit
from sharpwave.types.sleep import Report, SleepStatus

TITLE = "Sleep"
ICON = "bedtime"
PATH = "/sleep"
_AT_ONCE = 5
_MOST_NIGHTS = 200
_LOOK_EVERY_S = 1.0
_WORTH_SAYING_S = 0.1

Told = tuple[Report, Sequence[shown.Line]]


async def show(visit: Visit) -> None:
    """Draw the page."""
    await _Page(visit).build()


class _Page:
    """How it stands, a button to sleep now, and the nights so far."""

    def __init__(self, visit: Visit) -> None:
        self._visit, self._asleep = visit, False
        with layout.card("Now"):
            self._status = html.div().classes("sw-column")
            self._progress = html.div(role="status").classes("sw-column")
            if visit.may_write:
                with layout.row():
                    self._now = button("Sleep now", partial(self._sleep, False), Look.PRIMARY)
                    self._dry = button("Only show what it would do", partial(self._sleep, True))
        self._rehearsed = html.div()
        with layout.card("Nights", "What each did and why; a night can be taken back."):
            self._nights: Paged[Told] = Paged(self._load, self._draw, _no_nights, _AT_ONCE)
        self._timer = ui.timer(_LOOK_EVERY_S, self._look, active=False)

    async def build(self) -> None:
        """Draw it as it is now."""
        await self._look()
        await self._nights.show()

    async def _look(self) -> None:
        status = await self._visit.ask(self._visit.memory.sleep_status)
        self._status.clear()
        with self._status:
            _standing(status)
        self._progress.clear()
        self._timer.active = self._asleep or status.running is not None
        if status.running:
            share, words = shown.progress(status)
            with self._progress:
                html.span(f"Asleep: {words}")
                meter(share, "How far the night is")

    async def _sleep(self, dry_run: bool) -> None:
        self._rehearsed.clear()
        for one in (self._now, self._dry):
            one.disable()
        self._asleep = True
        self._timer.activate()
        try:
            report = await self._visit.ask(self._visit.memory.sleep, dry_run=dry_run)
        finally:
            self._asleep = False
            for one in (self._now, self._dry):
                one.enable()
        if dry_run:
            told = await self._told(report)
            with self._rehearsed, layout.card("What a night would do now"):
                _report(told, None)
        else:
            done("Slept. " + (", ".join(shown.counts(report)) or "Nothing had to be done."))
        await self.build()

    async def _load(self, begin: Any, size: int) -> tuple[Sequence[Told], Any]:
        start = begin or 0
        end = start + size
        every = await self._visit.ask(self._visit.memory.sleep_log, min(end + 1, _MOST_NIGHTS))
        found = [await self._told(report) for report in every[start:end]]
        return found, end if end < len(every) else None

    async def _told(self, report: Report) -> Told:
        ids = list(dict.fromkeys(entry.id for entry in report.entries))
        texts = await self._visit.ask(self._visit.memory.texts, ids) if ids else {}
        return report, shown.lines(report, texts)

    def _draw(self, found: Sequence[Told]) -> None:
        with html.ul().classes("sw-list"):
            for told in found:
                with html.li().classes("sw-column sw-tight"):
                    _report(told, self._undo if self._visit.may_write else None)

    async def _undo(self, report: Report) -> None:
        words = "What it changed stands again as before; what changed since is left as it is."
        if not await confirmed("Take back this night?", words, "Take it back"):
            return
        undone = await self._visit.ask(self._visit.memory.undo_sleep, report.run)
        kept = f" {len(undone.kept)} changed since and were left." if undone.kept else ""
        done(f"Taken back: {undone.removed} removed, {undone.restored} restored.{kept}")
        await self.build()


def _standing(status: SleepStatus) -> None:
    with html.div().classes("sw-numbers"):
        waiting = counts.noun(status.pending, "memory waits", "memories wait")
        layout.number(status.pending, f"{waiting} for the next night")
        if status.estimated_s >= _WORTH_SAYING_S:
            layout.number(f"{status.estimated_s:.1f} s", "it will take, by the last one's pace")
    with layout.row():
        if status.last_at is None:
            html.span("There was no night yet.").classes("sw-soft sw-small")
            return
        times.told("Last slept", status.last_at)
        if status.last_heavy_at is not None:
            times.told("Weekly work", status.last_heavy_at, day_only=True)


def _report(told: Told, undo: Any) -> None:
    report, lines = told
    with layout.row():
        times.moment(report.started_at)
        if report.heavy:
            badges.badge("weekly work too", Tone.ACCENT)
        if report.undone:
            badges.badge("taken back", Tone.WARN)
        if report.finished_at is None:
            badges.badge("interrupted; the next one goes on", Tone.WARN)
        html.span(shown.spent(report)).classes("sw-soft sw-small")
        if undo is not None and shown.can_undo(report):
            button("Take back", partial(undo, report)).classes("sw-end")
    with layout.row():
        for words in shown.counts(report) or ("nothing had to be done",):
            badges.badge(words)
    for note in report.notes:
        html.p(note).classes("sw-soft sw-small")
    if lines:
        with layout.details(f"What was done, and why ({len(lines)})"):
            table(("Done", "What", "Why"), [tuple(line) for line in lines])


def _no_nights() -> None:
    layout.empty(
        "bedtime",
        "No nights yet",
        "At night, or when you press the button, the day is gone through again: what matters is "
        "kept, conversations are summed up, lessons are drawn, and what is old fades. Everything "
        "is listed here and can be taken back.",
    )
