"""What is known: `profile`, `facts`, `about`, `related`, `history`, `tasks`, `notes`, `explain`."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose, moment
from sharpwave.types.known import Connection


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


def sessions(
    limit: Annotated[int, typer.Option(help="The most that are shown.")] = 20,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show the last conversations, the newest first."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.sessions(limit)
    if json:
        output.as_json(found)
        return
    table = Table("session", "from", "to", "turns", "summary")
    for one in found:
        times = (f"{at:%Y-%m-%d %H:%M}" for at in (one.started_at, one.ended_at))
        table.add_row(Text(one.id), *times, str(one.turns), Text(one.summary or ""))
    output.console.print(table)


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
    table = Table("task", "due", "status", "id", box=None)
    for one in found:
        due = "" if one.due is None else str(one.last_day)
        table.add_row(Text(one.title), due, one.status.value, one.id)
    output.rows(table, "There are no tasks.")


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
    if not found:
        output.say("There are no notes yet; nights draw them.")


def about(
    name: Annotated[str, typer.Argument(help="A person, place or thing; me for yourself.")],
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show all that is known of somebody or something, under every name."""
    with choose(db, user, settings, json).open_existing() as memory:
        found = memory.about(name, at=moment(at))
    if json:
        output.as_json(found)
        return
    times = f"{found.mentions} mentions"
    if found.first_mentioned and found.last_mentioned:
        times += f", {found.first_mentioned:%Y-%m-%d} to {found.last_mentioned:%Y-%m-%d}"
    output.say(f"{found.name} ({found.kind.value}; {times})")
    for alias in found.aliases:
        output.say(f"  also {alias.name}: {alias.reason}" + (f" [{alias.fact}]" * bool(alias.fact)))
    others = [edge.fact for edge in found.relations if edge.fact not in found.facts]
    output.facts((*found.facts, *others))
    if found.formerly:
        output.say("formerly")
        output.facts(found.formerly)
    for title, texts in (
        ("to do", [task.title for task in found.tasks]),
        ("note", [note.text for note in found.notes]),
        ("to ask", [conflict.question for conflict in found.conflicts]),
    ):
        for text in texts:
            output.say(f"{title}: {text}")


def related(
    name: Annotated[str, typer.Argument(help="A person, place or thing; me for yourself.")],
    other: Annotated[str | None, typer.Argument(help="How it is connected with this one.")] = None,
    hops: Annotated[int | None, typer.Option(help="How many steps away: 1, or 3 for two.")] = None,
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show how a name is related to others, or how two names are connected."""
    with choose(db, user, settings, json).open_existing() as memory:
        if other is not None:
            ways = memory.paths(name, other, hops=hops or 3, at=moment(at))
            output.as_json(ways) if json else _say_ways(ways)
            return
        found = memory.related(name, hops=hops or 1, at=moment(at))
    output.as_json(found) if json else output.facts(one.fact for one in found)


def _say_ways(ways: list[Connection]) -> None:
    for way in ways:
        output.say(" - ".join(way.names))
        for edge in way.relations:
            output.say(f"  {edge.fact.text}")
    if not ways:
        output.say("Nothing known connects them.")


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
