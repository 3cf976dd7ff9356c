"""Trust, consent and work in the background: `quarantine`, `consent`, `jobs`, `work`."""

import signal
import threading
from collections import defaultdict
from types import FrameType
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave import Memory
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose, moment
from sharpwave.types.sleep import Report


def quarantine(
    source: Annotated[str | None, typer.Option(help="web, tool, import, inferred …")] = None,
    author: Annotated[str | None, typer.Option(help="Who wrote it.")] = None,
    since: Annotated[str | None, typer.Option(help="Recorded since this date.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Believe it again.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Stop believing a source, with all that was learned from it alone; --undo brings it back."""
    with choose(db, user, settings, json).open_existing() as memory:
        done = memory.quarantine(source=source, author=author, since=moment(since), undo=undo)
    if json:
        output.as_json(done)
        return
    output.say(f"{done.turns} turns, {done.facts} facts; {done.reopened} facts hold again.")


def consent(
    purpose: Annotated[
        str | None, typer.Argument(help="memory, learning, sensitive or egress.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="No longer.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Note that the user agrees to something, or no longer; without a purpose, show it all."""
    with choose(db, user, settings, json).open() as memory:
        if purpose is not None:
            memory.consent(purpose, not withdraw)
        given = memory.consents()
    if json:
        output.as_json({each.value: agreed for each, agreed in given.items()})
        return
    for each, agreed in given.items():
        output.say(f"{each.value:10} {'yes' if agreed else 'no'}")


def jobs(
    limit: Annotated[int, typer.Option(help="How many to show.")] = 20,
    retry: Annotated[bool, typer.Option("--retry", help="Queue again what failed.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show work in the background, the newest first."""
    with choose(db, user, settings, json).open_existing() as memory:
        queued = memory.retry_jobs() if retry else 0
        found = memory.jobs(limit)
    if json:
        output.as_json(found)
        return
    table = Table("job", "kind", "state", "tries", "not before", "error", box=None)
    for one in found:
        when = f"{one.not_before:%Y-%m-%d %H:%M}"
        tries = str(one.attempts)
        table.add_row(
            str(one.number), one.kind, one.state.value, tries, when, Text(one.error or "")
        )
    output.rows(table, "No work is queued.")
    if retry:
        output.say(f"Queued again: {queued}.")


def work(
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Do now what is queued and due, of every user."""
    with choose(db, user, settings, json).open_existing() as memory:
        done = memory.work()
    output.as_json({"done": done}) if json else output.say(f"Did {done} jobs.")


app = typer.Typer(
    name="sleep",
    help="Consolidate memories, read what was done, take it back.",
    add_completion=False,
    rich_markup_mode=None,
)
_SHOWN = 5
_TEXT_CHARS = 90


@app.callback(invoke_without_command=True)
def sleep(
    ctx: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    heavy: Annotated[bool | None, typer.Option(help="The weekly work too, or not.")] = None,
    everyone: Annotated[bool, typer.Option("--everyone", help="Every user who is due.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Consolidate now: replay, promote, summarise, learn, let fade; then tell what and why."""
    if ctx.invoked_subcommand is not None:
        return
    with choose(db, user, settings, json).open_existing() as memory:
        if everyone:
            with output.steps("sleeping", quiet=json) as tell:
                reports = memory.sleep_everyone(tell=lambda who, step: tell(f"{who}: {step}"))
        else:
            reports = [memory.sleep(heavy=heavy, dry_run=dry_run)]
        if json:
            output.as_json(reports if everyone else reports[0])
            return
        for report in reports:
            _show(report, memory.user(report.user_id))
        if everyone:
            output.say(f"{len(reports)} users slept.")


@app.command()
def log(
    limit: Annotated[int, typer.Option(help="How many to show.")] = 10,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Past nights, the newest first."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.sleep_log(limit)
    if json:
        output.as_json(found)
        return
    table = Table("night", "began", "what was done", "cpu s", box=None)
    for report in found:
        did = ", ".join(f"{count} {what}" for what, count in report.counts.items()) or "nothing"
        undone = " (undone)" if report.undone else ""
        table.add_row(
            report.run, f"{report.started_at:%Y-%m-%d %H:%M}", did + undone, str(report.cpu_s)
        )
    output.rows(table, "There was no night yet; `sharpwave sleep` has one now.")


@app.command()
def undo(
    run: Annotated[str, typer.Argument(help="The night, as `sleep log` names it.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Take a night back: what it made goes, what it changed stands as before."""
    with choose(db, user, settings, json).open_existing() as memory:
        done = memory.undo_sleep(run)
    if json:
        output.as_json(done)
        return
    output.say(f"{done.removed} records removed, {done.restored} stand as before.")
    if done.kept:
        output.say(f"{len(done.kept)} changed since and were left as they are.")


@app.command()
def status(
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """What waits for the next night."""
    with choose(db, user, settings, json).open_existing() as memory:
        now = memory.sleep_status()
    if json:
        output.as_json(now)
        return
    last = f"{now.last_at:%Y-%m-%d %H:%M}" if now.last_at else "never"
    output.say(f"{now.pending} memories wait; last night: {last}.")
    if now.running:
        output.say(f"Night {now.running} is under way or was interrupted, in phase {now.phase}.")


def _show(report: Report, memory: Memory) -> None:
    """A night, as one would tell it."""
    state = "" if report.finished_at else ", not finished"
    kind = "a heavy night" if report.heavy else "a light night"
    output.say(f"{report.user_id}: {kind} ({report.run}{state}), {report.cpu_s} s of CPU")
    shown = defaultdict(list)
    for entry in report.entries:
        shown[entry.what].append(entry)
    texts = memory.texts([entry.id for entry in report.entries])
    for what, count in report.counts.items():
        output.say(f"  {count} {what}")
        for entry in shown[what][:_SHOWN]:
            text = " ".join(texts.get(entry.id, entry.id).split())
            short = text if len(text) <= _TEXT_CHARS else text[:_TEXT_CHARS] + "…"
            output.console.print(Text(f"    {short}  ({entry.why})", style="dim"))
    if not report.counts:
        output.say("  nothing to do yet")
    for note in report.notes:
        output.say(f"  note: {note}")
    if report.finished_at and report.counts and report.run != "dry-run":
        output.say(f"  Take it back with: sharpwave sleep undo {report.run}")


def worker(
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
) -> None:
    """Do queued jobs and let users sleep when it is time, until stopped (Ctrl-C or SIGTERM)."""
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    with choose(db, user, settings, False).open() as memory:
        output.say("Working. Stop with Ctrl-C.")
        memory.run_worker(stop)
    output.say("Stopped.")
