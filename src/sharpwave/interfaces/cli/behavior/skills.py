"""`skills`, `feedback`, `style`: how answers are given, and what the user thinks of them."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose
from sharpwave.types.behavior.skills import KnownSkill, SkillChoice

_BAR = 10


def skills(
    message: Annotated[str | None, typer.Argument(help="Choose a skill for this message.")] = None,
    message_id: Annotated[str | None, typer.Option(help="Its id, to rate it by later.")] = None,
    archived: Annotated[bool, typer.Option(help="Show those set aside too.")] = False,
    add: Annotated[str | None, typer.Option(help="Id of a skill to make.")] = None,
    template: Annotated[str | None, typer.Option(help="Its instruction.")] = None,
    intent: Annotated[list[str] | None, typer.Option(help="When it applies; repeat it.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show the skills and how sure we are of each, choose one for a message, or add one."""
    with choose(db, user, settings, json).open() as memory:
        if add is not None:
            if template is None:
                raise InvalidInput("a skill needs its instruction: --template")
            memory.create_skill(add, template, trigger={"intent": intent or []})
        if message is not None:
            choice = memory.select_skill(message, message_id=message_id)
            output.as_json(choice) if json else _show_choice(choice)
            return
        found = memory.skills(archived=archived)
    output.as_json(found) if json else _show(found)


def feedback(
    message_id: Annotated[str, typer.Argument(help="Which answer: the id `skills` gave.")],
    reward: Annotated[int, typer.Argument(help="1, 0 or -1 (write: -- ID -1).")],
    reason: Annotated[str | None, typer.Option(help="Such as too_verbose.")] = None,
    text: Annotated[str | None, typer.Option(help="A comment, up to 300 characters.")] = None,
    skill: Annotated[str | None, typer.Option(help="The skill, if it is not known.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Say what you thought of an answer."""
    with choose(db, user, settings, json).open_existing() as memory:
        receipt = memory.feedback(message_id, reward, reason, text, skill)
    if json:
        output.as_json(receipt)
        return
    moved = f"{receipt.old_confidence:.2f} → {receipt.new_confidence:.2f}"
    output.say(f"{receipt.status}: {receipt.skill}, confidence {moved}")


def style(
    context: Annotated[
        str | None, typer.Argument(help="Such as question_neutral_morning; overall if left out.")
    ] = None,
    set: Annotated[list[str] | None, typer.Option(help="DIMENSION=VALUE; repeat it.")] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Forget what was learned.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Show how you like answers and why we think so; set or reset it."""
    with choose(db, user, settings, json).open_existing() as memory:
        if reset:
            memory.reset_skills(context=context)
        if set:
            memory.set_style(dict(map(_pair, set)), context)
        found = memory.style(context)
    if json:
        output.as_json(found)
        return
    table = Table("dimension", "from", "", "to", "sure", "because", box=None)
    for one in found.dimensions:
        full = round(one.value * _BAR)
        bar = "█" * full + "░" * (_BAR - full)
        table.add_row(one.name, one.low, bar, one.high, f"{one.sure:.0%}", Text(one.why))
    output.console.print(table)


def _pair(given: str) -> tuple[str, float]:
    name, _, value = given.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise InvalidInput(f"{given!r} is not DIMENSION=VALUE, such as verbosity=0.2") from None


def _show(found: list[KnownSkill]) -> None:
    table = Table("skill", "sure", "used", "liked", "disliked", "what it is", box=None)
    for one in found:
        counts = (str(one.usage_count), str(one.positive), str(one.negative))
        name = one.skill.id + (" (set aside)" if one.archived else "")
        table.add_row(name, f"{one.confidence:.2f}", *counts, Text(one.skill.name))
    output.console.print(table)


def _show_choice(choice: SkillChoice) -> None:
    output.say(f"{choice.skill.name}: {choice.template}")
    output.say(f"because: {choice.reason}")
    if choice.ask:
        output.say(f"ask: {choice.ask}")
    output.say(f"rate it: sharpwave feedback {choice.message_id} 1")
