"""Trust, consent and work in the background: `quarantine`, `consent`, `jobs`, `work`."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose, moment


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
