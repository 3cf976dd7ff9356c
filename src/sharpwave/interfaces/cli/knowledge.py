"""What is known: `profile`, `facts`, `about`, `tasks`, `explain`, and what may be: `consent`."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import Options, moment
from sharpwave.memory import Memory
from sharpwave.types.known import Connection


def profile(options: Options) -> None:
    with options.open_existing() as memory:
        found = memory.facts.profile()
    output.as_json(found) if options.json else output.facts(found)


def sessions(
    options: Options,
    limit: Annotated[int, typer.Option(help="The most that are shown.")] = 20,
) -> None:
    with options.open_existing() as memory:
        found = memory.admin.sessions(limit)
    options.if_json(found)
    table = Table("session", "from", "to", "turns", "summary")
    for one in found:
        times = (f"{at:%Y-%m-%d %H:%M}" for at in (one.started_at, one.ended_at))
        table.add_row(Text(one.id), *times, str(one.turns), Text(one.summary or ""))
    output.console.print(table)


def facts(
    options: Options,
    subject: Annotated[str | None, typer.Option(help="Only about this person or thing.")] = None,
    predicate: Annotated[str | None, typer.Option(help="Only this, such as lives_in.")] = None,
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
) -> None:
    with options.open_existing() as memory:
        found = memory.facts.list(subject=subject, predicate=predicate)
        if (date := moment(at)) is not None:
            held = memory.facts.at(date, subject=subject).facts
            found = [one for one in held if predicate in (None, one.predicate)]
    output.as_json(found) if options.json else output.facts(found)


def history(
    options: Options,
    subject: Annotated[str, typer.Argument(help="Who or what; user for yourself.")],
    predicate: Annotated[str, typer.Argument(help="What about it, such as lives_in.")],
) -> None:
    with options.open_existing() as memory:
        found = memory.facts.history(subject, predicate)
    output.as_json(found) if options.json else output.facts(found.versions)


def conflicts(options: Options) -> None:
    with options.open_existing() as memory:
        found = memory.facts.conflicts()
    options.if_json(found)
    for conflict in found:
        output.say(f"{conflict.question}\n  sharpwave resolve {conflict.id} older|newer")
    if not found:
        output.say("Nothing contradicts itself.")


def resolve(
    options: Options,
    conflict: Annotated[str, typer.Argument(help="Id of the conflict, from `conflicts`.")],
    keep: Annotated[str, typer.Argument(help="older, newer, or the id of the fact that holds.")],
) -> None:
    with options.open_existing() as memory:
        settled = memory.facts.resolve(options.whole_id(memory, conflict), keep)
        history = memory.facts.history(settled.newer.subject, settled.newer.predicate)
    output.as_json(history) if options.json else output.facts(history.versions)


def correct(
    options: Options,
    id: Annotated[str, typer.Argument(help="Id of the fact, from `facts`.")],
    text: Annotated[str, typer.Argument(help="How it really is, in your own words.")],
) -> None:
    with options.open_existing() as memory:
        receipt = memory.facts.correct(options.whole_id(memory, id), text)
    output.as_json(receipt) if options.json else output.receipt(receipt)


def tasks(
    options: Options,
    status: Annotated[str | None, typer.Option(help="active, stalled or done.")] = None,
    done: Annotated[str | None, typer.Option(help="Id of a task that is done now.")] = None,
    stall: Annotated[str | None, typer.Option(help="Id of a task that is stalled now.")] = None,
    reopen: Annotated[str | None, typer.Option(help="Id of a task to be done after all.")] = None,
) -> None:
    with options.open_existing() as memory:
        for task, wanted in ((done, "done"), (stall, "stalled"), (reopen, "active")):
            if task is not None:
                memory.tasks.set_status(options.whole_id(memory, task), wanted)
        found = memory.tasks.list(status)
    options.if_json(found)
    table = Table("task", "due", "status", "id", box=None)
    for one in found:
        table.add_row(Text(one.title), one.due_text, one.status.value, one.id)
    output.rows(table, "There are no tasks.")


def notes(options: Options) -> None:
    with options.open_existing() as memory:
        found = memory.behavior.notes()
    options.if_json(found)
    for note in found:
        output.say(f"{note.confidence:.2f}  {note.text}  [{note.id}]")
    if not found:
        output.say("There are no notes yet; sleep draws them.")


def about(
    options: Options,
    name: Annotated[str, typer.Argument(help="A person, place or thing; me for yourself.")],
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
) -> None:
    with options.open_existing() as memory:
        entity = memory.graph.about(name, at=moment(at))
    options.if_json(entity)
    times = f"{entity.mentions} mentions"
    if entity.first_mentioned and entity.last_mentioned:
        times += f", {entity.first_mentioned:%Y-%m-%d} to {entity.last_mentioned:%Y-%m-%d}"
    output.say(f"{entity.name} ({entity.kind.value}; {times})")
    for alias in entity.aliases:
        output.say(f"  also {alias.name}: {alias.reason}" + (f" [{alias.fact}]" * bool(alias.fact)))
    others = [edge.fact for edge in entity.relations if edge.fact not in entity.facts]
    output.facts((*entity.facts, *others))
    if entity.formerly:
        output.say("formerly")
        output.facts(entity.formerly)
    for title, texts in (
        ("to do", [task.title for task in entity.tasks]),
        ("note", [note.text for note in entity.notes]),
        ("to ask", [conflict.question for conflict in entity.conflicts]),
    ):
        for text in texts:
            output.say(f"{title}: {text}")


def related(
    options: Options,
    name: Annotated[str, typer.Argument(help="A person, place or thing; me for yourself.")],
    other: Annotated[str | None, typer.Argument(help="How it is connected with this one.")] = None,
    hops: Annotated[int | None, typer.Option(help="How many steps away: 1, or 3 for two.")] = None,
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
) -> None:
    with options.open_existing() as memory:
        if other is not None:
            ways = memory.graph.paths(name, other, hops=hops or 3, at=moment(at))
            output.as_json(ways) if options.json else _say_ways(ways)
            return
        relations = memory.graph.related(name, hops=hops or 1, at=moment(at))
    output.as_json(relations) if options.json else output.facts(
        relation.fact for relation in relations
    )


def _say_ways(ways: list[Connection]) -> None:
    for way in ways:
        output.say(" - ".join(way.names))
        for edge in way.relations:
            output.say(f"  {edge.fact.text}")
    if not ways:
        output.say("Nothing known connects them.")


def explain(
    options: Options,
    id: Annotated[str, typer.Argument(help="Id of a memory.")],
) -> None:
    with options.open_existing() as memory:
        explanation = memory.explain(options.whole_id(memory, id))
    options.if_json(explanation)
    output.say(explanation.record.text)
    for title, records in (("rests on", explanation.rests_on), ("supports", explanation.supports)):
        for record in records:
            source = f"{record.provenance.source.value} of {record.valid_from:%Y-%m-%d}"
            output.say(f"  {title}: {record.text}  ({source}) [{record.id}]")


def quarantine(
    options: Options,
    source: Annotated[str | None, typer.Option(help="web, tool, import, inferred …")] = None,
    author: Annotated[str | None, typer.Option(help="Who wrote it.")] = None,
    since: Annotated[str | None, typer.Option(help="Recorded since this date.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Believe it again.")] = False,
) -> None:
    with options.open_existing() as memory:
        done = memory.facts.quarantine(source=source, author=author, since=moment(since), undo=undo)
    options.if_json(done)
    output.say(f"{done.turns} turns, {done.facts} facts; {done.reopened} facts hold again.")


def consent(
    options: Options,
    purposes: Annotated[
        list[str] | None, typer.Argument(help="memory, learning, sensitive or egress.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="No longer.")] = False,
) -> None:
    privacy = options.settings.privacy
    as_server = privacy.model_copy(update={"consent_assumed": False})
    with Memory.open(settings=options.settings.model_copy(update={"privacy": as_server})) as memory:
        for purpose in purposes or ():
            memory.admin.consent(purpose, not withdraw)
        given = memory.admin.consents()
        assumed = memory.admin.unanswered_consents() if privacy.consent_assumed else []
    options.if_json({each.value: agreed or each in assumed for each, agreed in given.items()})
    asks = "" if "consent_assumed" in privacy.model_fields_set else ", but a server asks first"
    for each, agreed in given.items():
        answer = f"yes, assumed{asks}" if each in assumed else "yes" if agreed else "no"
        output.say(f"{each.value:10} {answer}")
