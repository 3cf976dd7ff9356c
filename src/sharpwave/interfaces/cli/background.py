"""`jobs`, `work`, `worker`, `sleep`: background work."""

import signal
import threading
from collections import defaultdict
from types import FrameType
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import CommandGroup, Options, TextOptions
from sharpwave.memory import Memory
from sharpwave.types.sleep import Report


def jobs(
    options: Options,
    limit: Annotated[int, typer.Option(help="Maximum number to show.")] = 20,
    retry: Annotated[bool, typer.Option("--retry", help="Queue failed jobs again.")] = False,
) -> None:
    with options.open_existing() as memory:
        queued = memory.admin.retry_jobs() if retry else 0
        found = memory.admin.jobs(limit)
    options.if_json(found)
    table = Table("job", "kind", "state", "tries", "not before", "error", box=None)
    for job in found:
        when, tries = f"{job.not_before:%Y-%m-%d %H:%M}", str(job.attempts)
        row = (str(job.number), job.kind, job.state.value, tries, when)
        table.add_row(*row, Text(job.error or ""))
    output.rows(table, "No work is queued.")
    if retry:
        output.say(f"Queued again: {queued}.")


def work(options: Options) -> None:
    with options.open_existing() as memory:
        done = memory.admin.work()
    options.answer({"done": done}, f"Did {done} jobs.")


app = CommandGroup(name="sleep")
_SHOWN = 5
_TEXT_CHARS = 90


@app.callback(invoke_without_command=True)
def sleep(
    options: Options,
    ctx: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done; change nothing.")
    ] = False,
    heavy: Annotated[bool | None, typer.Option(help="Also run the weekly phases, or not.")] = None,
    everyone: Annotated[bool, typer.Option("--everyone", help="All users who are due.")] = False,
) -> None:
    """Consolidate now: replay, promote, summarise, learn, fade; then report changes and reasons."""
    if ctx.invoked_subcommand is not None:
        return
    with options.open_existing() as memory:
        if everyone:
            with output.steps("sleeping", quiet=options.json) as report_step:
                reports = memory.admin.sleep_all(
                    tell=lambda user, step: report_step(f"{user}: {step}")
                )
        else:
            reports = [memory.sleep(heavy=heavy, dry_run=dry_run)]
        options.if_json(reports if everyone else reports[0])
        for report in reports:
            _show(report, memory.user(report.user_id))
        if everyone:
            output.say(f"{len(reports)} users slept.")


@app.command()
def log(
    options: Options,
    limit: Annotated[int, typer.Option(help="Maximum number to show.")] = 10,
) -> None:
    """List past runs of sleep, newest first."""
    reports = options.ask(lambda memory: memory.admin.sleep_log(limit))
    table = Table("run", "began", "what was done", "cpu s", box=None)
    for report in reports:
        summary = ", ".join(f"{count} {what}" for what, count in report.counts.items()) or "nothing"
        undone = " (undone)" if report.undone else ""
        table.add_row(
            report.run, f"{report.started_at:%Y-%m-%d %H:%M}", summary + undone, str(report.cpu_s)
        )
    output.rows(table, "There was no run of sleep yet; `sharpwave sleep` starts one.")


@app.command()
def undo(
    options: Options,
    run: Annotated[str, typer.Argument(help="Id of the run, from `sleep log`.")],
) -> None:
    """Undo a run of sleep; records that changed again since are not changed."""
    undone = options.ask(lambda memory: memory.admin.undo_sleep(run))
    output.say(f"{undone.removed} records removed, {undone.restored} stand as before.")
    if undone.kept:
        output.say(f"{len(undone.kept)} changed since and were left as they are.")


@app.command()
def status(options: Options) -> None:
    """Show what is pending for the next run of sleep."""
    state = options.ask(lambda memory: memory.admin.sleep_status())
    last = f"{state.last_at:%Y-%m-%d %H:%M}" if state.last_at else "never"
    output.say(f"{state.pending} memories wait; last run: {last}.")
    if state.running:
        output.say(f"Run {state.running} is under way or was interrupted, in phase {state.phase}.")


def _show(report: Report, memory: Memory) -> None:
    """Print a report as text."""
    state = "" if report.finished_at else ", not finished"
    kind = "a weekly run" if report.heavy else "a daily run"
    output.say(f"{report.user_id}: {kind} ({report.run}{state}), {report.cpu_s} s of CPU")
    shown = defaultdict(list)
    for entry in report.entries:
        shown[entry.what].append(entry)
    texts = memory.admin.texts([entry.id for entry in report.entries])
    for action, count in report.counts.items():
        output.say(f"  {count} {action}")
        for entry in shown[action][:_SHOWN]:
            text = " ".join(texts.get(entry.id, entry.id).split())
            shortened = text if len(text) <= _TEXT_CHARS else text[:_TEXT_CHARS] + "…"
            output.console.print(Text(f"    {shortened}  ({entry.why})", style="dim"))
    if not report.counts:
        output.say("  nothing to do yet")
    for note in report.notes:
        output.say(f"  note: {note}")
    if report.finished_at and report.counts and report.run != "dry-run":
        output.say(f"  Take it back with: sharpwave sleep undo {report.run}")


def worker(options: TextOptions) -> None:
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    with options.open() as memory:
        output.say("Working. Stop with Ctrl-C.")
        memory.admin.run_worker(stop)
    output.say("Stopped.")
