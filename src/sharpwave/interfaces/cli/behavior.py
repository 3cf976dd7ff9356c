"""`behaviors`, `behavior`, `preferences`, `reset-learning`: rules and preferences of the user."""

import json as json_form
from collections.abc import Callable, Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave import strict_json
from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import Options
from sharpwave.types.records import State
from sharpwave.types.steering import Behavior


def behaviors(
    options: Options,
    type: Annotated[
        str | None, typer.Option(help="correction, preference, style or knowledge.")
    ] = None,
    scope: Annotated[str | None, typer.Option(help="Only rules for a project or file.")] = None,
    pending: Annotated[bool, typer.Option("--pending", help="Only rules not reviewed.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Also replaced and deleted.")] = False,
) -> None:
    with options.open_existing() as memory:
        if pending:
            found = memory.behavior.pending()
        else:
            found = memory.behavior.rules(type, scope=scope, everything=everything)
    _show(found, options.json)


def behavior(
    options: Options,
    action: Annotated[str, typer.Argument(help="accept, edit, delete or undo.")],
    id: Annotated[str, typer.Argument(help="Id of the rule.")],
    rule: Annotated[str | None, typer.Option(help="For edit: the new text.")] = None,
    scope: Annotated[str | None, typer.Option(help="For edit: a project or file.")] = None,
) -> None:
    with options.open_existing() as memory:
        acts: dict[str, Callable[[str], Behavior]] = {
            "accept": memory.behavior.accept,
            "edit": lambda rule_id: memory.behavior.edit(rule_id, rule, scope),
            "delete": memory.behavior.delete,
            "undo": memory.behavior.undo,
        }
        if action not in acts:
            raise InvalidInput(f"action must be one of {', '.join(acts)}, not {action!r}")
        changed = acts[action](options.whole_id(memory, id))
    _show([changed], options.json)


def _show(rules: Sequence[Behavior], json: bool) -> None:
    if json:
        return output.as_json({"behaviors": rules})
    table = Table("rule", "type", "scope", "seen", "state", "id", box=None)
    for rule in rules:
        state = "accepted" if rule.accepted and rule.state is State.ACTIVE else rule.state.value
        kind = rule.type.removeprefix("behavioral_")
        table.add_row(Text(rule.rule), kind, Text(rule.scope), str(rule.frequency), state, rule.id)
    output.rows(table, "No rules were learned yet.")


def preferences(
    options: Options,
    category: Annotated[str | None, typer.Argument(help="Only this category.")] = None,
    key: Annotated[str | None, typer.Argument(help="Key to set, with a value.")] = None,
    value: Annotated[str | None, typer.Argument(help="Value to set: JSON, or a text.")] = None,
    scope: Annotated[str | None, typer.Option(help="A project or file.")] = None,
) -> None:
    with options.open() as memory:
        if category is not None and key is not None and value is not None:
            found = [
                memory.behavior.set_preference(category, key, _read(value), scope=scope or "global")
            ]
        else:
            found = memory.behavior.preferences(category, scope=scope)
    options.if_json({"preferences": found})
    table = Table("category", "key", "value", "source", "scope", "version", box=None)
    for preference in found:
        value_text = json_form.dumps(preference.value, ensure_ascii=False)
        cells = (
            preference.category,
            preference.key,
            value_text,
            preference.source.value,
            preference.scope,
            str(preference.version),
        )
        table.add_row(*map(Text, cells))
    output.rows(table, "No preferences are known yet.")


def _read(value: str) -> object:
    try:
        return strict_json.loads(value)
    except ValueError:
        return value


def reset_learning(
    options: Options,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    if not yes:
        typer.confirm("Erase all that was learned? What was said and known stays.", abort=True)
    done = options.ask(lambda memory: memory.behavior.reset())
    output.say(
        f"Erased {done.behaviors} rules, {done.preferences} preferences and corrections, "
        f"{done.experience} records of experience, {done.skills} of skills, {done.tallies} counts."
    )
