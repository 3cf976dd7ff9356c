"""Knowledge: `profile`, `facts`, `about`, `tasks`, `explain` and others; and `consent`."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import Options, moment
from sharpwave.memory import Memory
from sharpwave.types.known import Evolution, Fact


def profile(options: Options) -> None:
    output.facts(options.ask(lambda memory: memory.facts.profile()))


def sessions(
    options: Options,
    limit: Annotated[int, typer.Option(help="Maximum number to show.")] = 20,
) -> None:
    shown_sessions = options.ask(lambda memory: memory.admin.sessions(limit))
    table = Table("session", "from", "to", "turns", "summary")
    for session in shown_sessions:
        times = (f"{at:%Y-%m-%d %H:%M}" for at in (session.started_at, session.ended_at))
        table.add_row(Text(session.id), *times, str(session.turns), Text(session.summary or ""))
    output.rows(table, "There are no conversations yet.")


def facts(
    options: Options,
    subject: Annotated[str | None, typer.Option(help="Only about this person or thing.")] = None,
    predicate: Annotated[str | None, typer.Option(help="Only this, such as lives_in.")] = None,
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
) -> None:
    def load_facts(memory: Memory) -> list[Fact]:
        if (date := moment(at)) is None:
            return memory.facts.list(subject=subject, predicate=predicate)
        past_facts = memory.facts.at(date, subject=subject).facts
        return [fact for fact in past_facts if predicate in (None, fact.predicate)]

    output.facts(options.ask(load_facts))


def history(
    options: Options,
    subject: Annotated[str, typer.Argument(help="Subject of the fact; user for yourself.")],
    predicate: Annotated[str, typer.Argument(help="Predicate, such as lives_in.")],
) -> None:
    output.facts(options.ask(lambda memory: memory.facts.history(subject, predicate)).versions)


def conflicts(options: Options) -> None:
    found = options.ask(lambda memory: memory.facts.conflicts())
    lines = [
        f"{conflict.question}\n  sharpwave resolve {conflict.id} older|newer" for conflict in found
    ]
    output.say("\n".join(lines) or "Nothing contradicts itself.")


def resolve(
    options: Options,
    conflict: Annotated[str, typer.Argument(help="Id of the conflict, from `conflicts`.")],
    keep: Annotated[str, typer.Argument(help="older, newer, or the id of the right fact.")],
) -> None:
    def resolve_and_load(memory: Memory) -> Evolution:
        resolved = memory.facts.resolve(options.whole_id(memory, conflict), keep)
        return memory.facts.history(resolved.newer.subject, resolved.newer.predicate)

    output.facts(options.ask(resolve_and_load).versions)


def correct(
    options: Options,
    id: Annotated[str, typer.Argument(help="Id of the fact, from `facts`.")],
    text: Annotated[str, typer.Argument(help="The right fact, in your own words.")],
) -> None:
    whole_id = options.whole_id
    output.receipt(options.ask(lambda memory: memory.facts.correct(whole_id(memory, id), text)))


def tasks(
    options: Options,
    status: Annotated[str | None, typer.Option(help="active, stalled, done or dropped.")] = None,
    done: Annotated[str | None, typer.Option(help="Id of a task to mark as done.")] = None,
    stall: Annotated[str | None, typer.Option(help="Id of a task to mark as stalled.")] = None,
    drop: Annotated[str | None, typer.Option(help="Id of a task to drop.")] = None,
    reopen: Annotated[str | None, typer.Option(help="Id of a task to reopen.")] = None,
) -> None:
    with options.open_existing() as memory:
        new_statuses = {"done": done, "stalled": stall, "dropped": drop, "active": reopen}
        for new_status, task in new_statuses.items():
            if task is not None:
                changed = memory.tasks.set_status(options.whole_id(memory, task), new_status)
                if not options.json:
                    output.say(f"{new_status}: {changed.title}")
        found = memory.tasks.list(status)
    options.if_json(found)
    table = Table("task", "due", "status", "id", box=None)
    for listed_task in found:
        table.add_row(
            Text(listed_task.title), listed_task.due_text, listed_task.status.value, listed_task.id
        )
    output.rows(table, "There are no tasks." if status else "There are no open tasks.")


def notes(options: Options) -> None:
    found = options.ask(lambda memory: memory.behavior.notes())
    shown = [f"{note.confidence:.2f}  {note.text}  [{note.id}]" for note in found]
    output.say("\n".join(shown) or "There are no notes yet; sleep draws them.")


def about(
    options: Options,
    name: Annotated[str, typer.Argument(help="A person, place or thing; me for yourself.")],
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
) -> None:
    entity = options.ask(lambda memory: memory.graph.about(name, at=moment(at)))
    times = f"{entity.mentions} mentions"
    if entity.first_mentioned and entity.last_mentioned:
        times += f", {entity.first_mentioned:%Y-%m-%d} to {entity.last_mentioned:%Y-%m-%d}"
    output.say(f"{entity.name} ({entity.kind.value}; {times})")
    for alias in entity.aliases:
        output.say(f"  also {alias.name}: {alias.reason}" + (f" [{alias.fact}]" * bool(alias.fact)))
    related_facts = [edge.fact for edge in entity.relations if edge.fact not in entity.facts]
    output.facts((*entity.facts, *related_facts))
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
    other: Annotated[str | None, typer.Argument(help="Show paths to this name.")] = None,
    hops: Annotated[
        int | None, typer.Option(help="Maximum steps; default: 1, or 3 between two names.")
    ] = None,
    at: Annotated[str | None, typer.Option(help="As it was on this date.")] = None,
) -> None:
    when = moment(at)
    if other is None:
        edges = options.ask(lambda memory: memory.graph.related(name, hops=hops or 1, at=when))
        return output.facts(edge.fact for edge in edges)
    paths = options.ask(lambda memory: memory.graph.paths(name, other, hops=hops or 3, at=when))
    shown = [
        "\n".join((" - ".join(path.names), *(f"  {edge.fact.text}" for edge in path.relations)))
        for path in paths
    ]
    output.say("\n".join(shown) or "Nothing known connects them.")


def explain(
    options: Options,
    id: Annotated[str, typer.Argument(help="Id of a memory.")],
) -> None:
    explanation = options.ask(lambda memory: memory.explain(options.whole_id(memory, id)))
    output.say(explanation.record.text)
    for title, records in (("rests on", explanation.rests_on), ("supports", explanation.supports)):
        for record in records:
            source = f"{record.provenance.source.value} of {record.valid_from:%Y-%m-%d}"
            output.say(f"  {title}: {record.text}  ({source}) [{record.id}]")


def quarantine(
    options: Options,
    source: Annotated[str | None, typer.Option(help="web, tool, import, inferred …")] = None,
    author: Annotated[str | None, typer.Option(help="Only records of this author.")] = None,
    since: Annotated[str | None, typer.Option(help="Recorded since this date.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Lift the quarantine.")] = False,
) -> None:
    suspect = {"source": source, "author": author}
    result = options.ask(
        lambda memory: memory.facts.quarantine(**suspect, since=moment(since), undo=undo)
    )
    output.say(f"{result.turns} turns, {result.facts} facts; {result.reopened} facts hold again.")


def consent(
    options: Options,
    purposes: Annotated[
        list[str] | None, typer.Argument(help="memory, learning, sensitive or egress.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw consent.")] = False,
) -> None:
    privacy = options.settings.privacy
    as_server = privacy.model_copy(update={"consent_assumed": False})
    with Memory.open(settings=options.settings.model_copy(update={"privacy": as_server})) as memory:
        for purpose in purposes or ():
            memory.admin.consent(purpose, not withdraw)
        answers = memory.admin.consents()
        assumed = memory.admin.unanswered_consents() if privacy.consent_assumed else []
    options.if_json(
        {
            asked_purpose.value: agreed or asked_purpose in assumed
            for asked_purpose, agreed in answers.items()
        }
    )
    server_note = (
        "" if "consent_assumed" in privacy.model_fields_set else ", but a server asks first"
    )
    for asked_purpose, agreed in answers.items():
        answer = (
            f"yes, assumed{server_note}" if asked_purpose in assumed else "yes" if agreed else "no"
        )
        output.say(f"{asked_purpose.value:10} {answer}")
