"""Consolidation: status, a button to run it, reports, undo."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import html, ui

from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.components import ButtonStyle, button, confirm, meter, notify_done
from sharpwave.interfaces.web.records import PagedList, Tone, page_of, table
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.sleep import Phase, Report, SleepStatus

PHASES = {
    Phase.REPLAY: "going through the day again",
    Phase.RECONSOLIDATE: "letting facts settle",
    Phase.DOUBT: "looking for contradictions",
    Phase.PROMOTE: "keeping what came up often",
    Phase.SUMMARISE: "summing up conversations",
    Phase.EVOLVE: "noticing what changes",
    Phase.DISTIL: "drawing lessons",
    Phase.FADE: "letting go of what is old",
}
_ORDER = list(Phase)
_SHOWN_WORDS = 200


def progress_words(status: SleepStatus) -> tuple[float, str]:
    """Progress of a run as a share, and its current phase in words.

    >>> progress_words(SleepStatus(3, None, None, "run", "distil", 0.0))
    (0.75, 'drawing lessons')
    >>> progress_words(SleepStatus(3, None, None, "run", None, 0.0))
    (0.0, 'beginning')
    """
    try:
        phase = Phase(status.phase or "")
    except ValueError:
        return 0.0, "beginning"
    return _ORDER.index(phase) / len(_ORDER), PHASES.get(phase, phase.value)


def work_counts(report: Report) -> Sequence[str]:
    """Counts of what was done, the most frequent first.

    >>> from types import SimpleNamespace
    >>> work_counts(SimpleNamespace(counts={"kept": 1, "replayed": 8, "dropped": 0}))
    ['8 replayed', '1 kept']
    """
    done = sorted(report.counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"{count:,} {what}" for what, count in done if count]


def report_lines(report: Report, texts: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Action, text and reason of each entry; the text is empty for erased records."""
    return [
        (entry.what, _short(texts.get(entry.id, "")), entry.why)
        for entry in report.entries
        if entry.id in texts or entry.why
    ]


def can_undo(report: Report) -> bool:
    """True if there is something to undo."""
    return bool(report.finished_at and not report.undone and any(report.counts.values()))


def _short(words: str) -> str:
    return words if len(words) <= _SHOWN_WORDS else f"{words[:_SHOWN_WORDS].rstrip()} …"


_AT_ONCE = 5
_MOST_NIGHTS = 200
_LOOK_EVERY_S = 1.0
_WORTH_SAYING_S = 0.1
_NO_NIGHTS = (
    "bedtime",
    "No runs yet",
    "At night, or when you press the button, the day is gone through again: what matters is "
    "kept, conversations are summed up, lessons are drawn, and what is old fades. Everything "
    "is listed here and can be taken back.",
)

ShownReport = tuple[Report, Sequence[tuple[str, str, str]]]


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    await _SleepPage(viewer).build()


class _SleepPage:
    """Status, a button to sleep now, and past runs."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer, self._asleep = viewer, False
        with components.card("Now"):
            self._status = html.div().classes("sw-column")
            self._progress = html.div(role="status").classes("sw-column")
            if viewer.may_write:
                with components.row():
                    self._now = button(
                        "Sleep now", partial(self._sleep, False), ButtonStyle.PRIMARY
                    )
                    self._dry = button("Only show what it would do", partial(self._sleep, True))
        self._dry_run_place = html.div()
        with components.card("Runs", "What each did and why; a run can be taken back."):
            self._reports: PagedList[ShownReport] = PagedList(
                self._load, self._draw, _NO_NIGHTS, _AT_ONCE
            )
        self._timer = ui.timer(_LOOK_EVERY_S, self._refresh_status, active=False)

    async def build(self) -> None:
        """Draw the current state."""
        await self._refresh_status()
        await self._reports.show()

    async def _refresh_status(self) -> None:
        status = await self._viewer.ask(self._viewer.memory.admin.sleep_status)
        self._status.clear()
        with self._status:
            _draw_status(status)
        self._progress.clear()
        self._timer.active = self._asleep or status.running is not None
        if status.running:
            share, words = progress_words(status)
            with self._progress:
                html.span(f"Asleep: {words}")
                meter(share, "How far the run is")

    async def _sleep(self, dry_run: bool) -> None:
        self._dry_run_place.clear()
        for control in (self._now, self._dry):
            control.disable()
        self._asleep = True
        self._timer.activate()
        try:
            report = await self._viewer.ask(self._viewer.memory.sleep, dry_run=dry_run)
        finally:
            self._asleep = False
            for control in (self._now, self._dry):
                control.enable()
        if dry_run:
            shown = await self._shown(report)
            with self._dry_run_place, components.card("What a run would do now"):
                _report(shown, None)
        else:
            notify_done("Slept. " + (", ".join(work_counts(report)) or "Nothing had to be done."))
        await self.build()

    async def _load(self, begin: Any, size: int) -> tuple[Sequence[ShownReport], Any]:
        count = min((begin or 0) + size + 1, _MOST_NIGHTS)
        reports = await self._viewer.ask(self._viewer.memory.admin.sleep_log, count)
        found, after = page_of(reports, begin, size)
        return [await self._shown(report) for report in found], after

    async def _shown(self, report: Report) -> ShownReport:
        ids = list(dict.fromkeys(entry.id for entry in report.entries))
        texts = await self._viewer.ask(self._viewer.memory.admin.texts, ids) if ids else {}
        return report, report_lines(report, texts)

    def _draw(self, shown_reports: Sequence[ShownReport]) -> None:
        with html.ul().classes("sw-list"):
            for shown in shown_reports:
                with html.li().classes("sw-column sw-tight"):
                    _report(shown, self._undo if self._viewer.may_write else None)

    async def _undo(self, report: Report) -> None:
        words = "What it changed stands again as before; what changed since is left as it is."
        if not await confirm("Take back this run?", words, "Take it back"):
            return
        undone = await self._viewer.ask(self._viewer.memory.admin.undo_sleep, report.run)
        kept = f" {len(undone.kept)} changed since and were left." if undone.kept else ""
        notify_done(f"Taken back: {undone.removed} removed, {undone.restored} restored.{kept}")
        await self.build()


def _draw_status(status: SleepStatus) -> None:
    words = records.noun(status.pending, "memory waits", "memories wait")
    shown: list[tuple[object, str]] = [(status.pending, f"{words} for the next run")]
    if status.estimated_s >= _WORTH_SAYING_S:
        shown.append((f"{status.estimated_s:.1f} s", "it will take, by the last one's pace"))
    components.numbers(shown)
    with components.row():
        if status.last_at is None:
            html.span("There was no run yet.").classes("sw-soft sw-small")
            return
        records.happened("Last slept", status.last_at)
        if status.last_heavy_at is not None:
            records.happened("Weekly work", status.last_heavy_at, day_only=True)


def _report(shown: ShownReport, undo: Any) -> None:
    report, lines = shown
    with components.row():
        records.moment(report.started_at)
        if report.heavy:
            records.badge("weekly work too", Tone.ACCENT)
        if report.undone:
            records.badge("taken back", Tone.WARN)
        if report.finished_at is None:
            records.badge("interrupted; the next one goes on", Tone.WARN)
        tokens = f", {report.tokens:,} tokens" if report.tokens else ""
        html.span(f"{report.cpu_s:.2f} s of computing{tokens}").classes("sw-soft sw-small")
        if undo is not None and can_undo(report):
            button("Take back", partial(undo, report)).classes("sw-end")
    with components.row():
        for words in work_counts(report) or ("nothing had to be done",):
            records.badge(words)
    for note in report.notes:
        html.p(note).classes("sw-soft sw-small")
    if lines:
        with components.details(f"What was done, and why ({len(lines)})"):
            table(("Done", "What", "Why"), lines)
