"""`behaviors`, `preferences`, `reset-learning`: how the user wants to be helped."""

import json as json_form
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose
from sharpwave.memory import Memory
from sharpwave.types.behavior.steering import Behavior

Id = Annotated[str | None, typer.Argument(help="A rule's id, for what is done to it.")]


def behaviors(
    action: Annotated[
        str | None, typer.Argument(help="accept, edit, delete or undo; without one, list.")
    ] = None,
    id: Id = None,
    rule: Annotated[str | None, typer.Option(help="For edit: the rule in other words.")] = None,
    scope: Annotated[str | None, typer.Option(help="A project or file; for edit, the new.")] = None,
    type: Annotated[
        str | None, typer.Option(help="correction, preference, style or knowledge.")
    ] = None,
    pending: Annotated[bool, typer.Option("--pending", help="Not looked at yet.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also replaced and deleted.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show the rules learned from the user; accept, edit, delete or undo one."""
    with choose(db, user, settings, json).open_existing() as memory:
        if action is not None:
            found = [_done(memory, action, id, rule, scope)]
        elif pending:
            found = memory.pending_behaviors()
        else:
            found = memory.behaviors(type, scope=scope, everything=everything)
    if json:
        output.as_json({"behaviors": found})
        return
    table = Table("rule", "type", "scope", "seen", "state", "id", title=f"{len(found)} rules")
    for one in found:
        state = "accepted" if one.accepted and one.state == "active" else one.state.value
        kind = one.type.removeprefix("behavioral_")
        table.add_row(Text(one.rule), kind, Text(one.scope), str(one.frequency), state, one.id)
    output.console.print(table)


def _done(
    memory: Memory, action: str, id: str | None, rule: str | None, scope: str | None
) -> Behavior:
    if id is None:
        raise InvalidInput(f"say which rule to {action}: its id")
    match action:
        case "accept":
            return memory.accept_behavior(id)
        case "edit":
            return memory.edit_behavior(id, rule, scope)
        case "delete":
            return memory.delete_behavior(id)
        case "undo":
            return memory.undo_behavior(id)
    raise InvalidInput(f"action must be accept, edit, delete or undo, not {action!r}")


def preferences(
    category: Annotated[str | None, typer.Argument(help="Only this category.")] = None,
    key: Annotated[str | None, typer.Argument(help="With a value: what to set.")] = None,
    value: Annotated[str | None, typer.Argument(help="JSON, or a text.")] = None,
    scope: Annotated[str | None, typer.Option(help="A project or file.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show what the user prefers; with category, key and value, set it."""
    with choose(db, user, settings, json).open() as memory:
        if category is not None and key is not None and value is not None:
            found = [memory.set_preference(category, key, _read(value), scope=scope or "global")]
        else:
            found = memory.preferences(category, scope=scope)
    if json:
        output.as_json({"preferences": found})
        return
    table = Table("category", "key", "value", "source", "scope", "version")
    for one in found:
        shown = json_form.dumps(one.value, ensure_ascii=False)
        told = (one.category, one.key, shown, one.source.value, one.scope, str(one.version))
        table.add_row(*map(Text, told))
    output.console.print(table)


def _read(value: str) -> object:
    try:
        return json_form.loads(value)
    except ValueError:
        return value


def reset_learning(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Erase all that was learned: rules, preferences, patterns, tool records, insights."""
    if not yes:
        typer.confirm("Erase all that was learned? What was said and known stays.", abort=True)
    with choose(db, user, settings, json).open_existing() as memory:
        done = memory.reset_learning()
    if json:
        output.as_json(done)
        return
    output.say(
        f"Erased {done.behaviors} rules, {done.preferences} preferences and corrections, "
        f"{done.experience} records of experience and {done.tallies} counts."
    )
