"""What is known: `profile`, `facts`, `history`, `conflicts`, `tasks`, `notes`, `explain`."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose, moment


def profile(
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show what is known of the user, as far as it can be believed."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.profile()
    output.as_json(found) if json else output.facts(found)


def facts(
    subject: Annotated[str | None, typer.Option(help="Only about this person or thing.")] = None,
    predicate: Annotated[str | None, typer.Option(help="Only this, such as lives_in.")] = None,
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show facts that hold now, or that held on a date."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.facts(subject=subject, predicate=predicate)
        if (date := moment(at)) is not None:
            held = memory.at(date, subject=subject).facts
            found = [one for one in held if predicate in (None, one.predicate)]
    output.as_json(found) if json else output.facts(found)


def history(
    subject: Annotated[str, typer.Argument(help="Who or what; user for yourself.")],
    predicate: Annotated[str, typer.Argument(help="What about it, such as lives_in.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show every version of one thing, oldest first."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.history(subject, predicate)
    output.as_json(found) if json else output.facts(found.versions)


def conflicts(
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show what contradicts itself, with the question that would settle it."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.conflicts()
    if json:
        output.as_json(found)
        return
    for one in found:
        output.say(f"{one.question}\n  sharpwave resolve {one.id} older|newer")
    if not found:
        output.say("Nothing contradicts itself.")


def resolve(
    conflict: Annotated[str, typer.Argument(help="Id of the conflict, from `conflicts`.")],
    keep: Annotated[str, typer.Argument(help="older, newer, or the id of the fact that holds.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Say which of two contradicting facts holds."""
    with choose(db, user, settings, json).open_existing() as memory:
        settled = memory.resolve(conflict, keep)
        found = memory.history(settled.newer.subject, settled.newer.predicate)
    output.as_json(found) if json else output.facts(found.versions)


def tasks(
    status: Annotated[str | None, typer.Option(help="active, stalled or done.")] = None,
    done: Annotated[str | None, typer.Option(help="Id of a task that is done now.")] = None,
    stall: Annotated[str | None, typer.Option(help="Id of a task that is stalled now.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show tasks, those due first; or say that one is done or stalled."""
    with choose(db, user, settings, json).open_existing() as memory:
        for task, wanted in ((done, "done"), (stall, "stalled")):
            if task is not None:
                memory.set_task(task, wanted)
        found = memory.tasks(status)
    if json:
        output.as_json(found)
        return
    table = Table("task", "due", "status", "id")
    for one in found:
        due = "" if one.due is None else f"{one.due:%Y-%m-%d %H:%M}"
        table.add_row(Text(one.title), due, one.status.value, one.id)
    output.console.print(table)


def notes(
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show rules of thumb for helping this user."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.notes()
    if json:
        output.as_json(found)
        return
    for one in found:
        output.say(f"{one.confidence:.2f}  {one.text}  [{one.id}]")


def related(
    name: Annotated[str, typer.Argument(help="A person, place or thing; user for yourself.")],
    hops: Annotated[int, typer.Option(help="How many steps away.")] = 1,
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show how a name is related to others."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.related(name, hops=hops, at=moment(at))
    output.as_json(found) if json else output.facts(one.fact for one in found)


def explain(
    id: Annotated[str, typer.Argument(help="Id of a memory.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show where a memory comes from, and what rests on it."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.explain(id)
    if json:
        output.as_json(found)
        return
    output.say(found.record.text)
    for title, records in (("rests on", found.rests_on), ("supports", found.supports)):
        for record in records:
            source = f"{record.provenance.source.value} of {record.valid_from:%Y-%m-%d}"
            output.say(f"  {title}: {record.text}  ({source}) [{record.id}]")
