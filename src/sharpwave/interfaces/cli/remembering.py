"""`remember`, `recall`, `forget`."""

import sys
from typing import Annotated

import typer

from sharpwave import Said
from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose, moment

Moment = Annotated[str | None, typer.Option(help="Only since this date, such as 2026-05-01.")]

Form = Annotated[
    bool | None,
    typer.Option(
        "--json/--explain",
        help="One JSON document; or every reason in words, and what was nearly recalled.",
    ),
]


def remember(
    text: Annotated[str, typer.Argument(help="What was said; - reads it from standard input.")],
    role: Annotated[str, typer.Option(help="user, assistant, system or tool.")] = "user",
    speaker: Annotated[str | None, typer.Option(help="The speaker's name.")] = None,
    session: Annotated[str | None, typer.Option(help="The conversation it belongs to.")] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Remember something."""
    said = sys.stdin.read() if text == "-" else text
    with choose(db, user, settings, json).open() as memory:
        message = Said(said, role=role, speaker=speaker, session=session, channel="cli")
        receipt = memory.remember(message)
    if json:
        output.as_json(receipt)
    else:
        output.receipt(receipt)


def recall(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    k: Annotated[int | None, typer.Option("-k", help="How many to show.")] = None,
    session: Annotated[str | None, typer.Option(help="Only in this conversation.")] = None,
    since: Moment = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    form: Form = None,
) -> None:
    """Recall what is remembered about something, and show why."""
    with choose(db, user, settings, bool(form)).open_existing() as memory:
        found = memory.recall(query, k=k, session=session, since=moment(since))
    if form:
        output.as_json(found)
    else:
        output.recollection(found, explain=form is False)


def context(
    query: Annotated[str, typer.Argument(help="What the prompt is about.")],
    budget: Annotated[int | None, typer.Option(help="Most tokens it may take.")] = None,
    trusted_only: Annotated[bool, typer.Option("--trusted-only", help="Nothing of tools.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Print what a prompt should know: profile, goals, notes, and what bears on the query."""
    with choose(db, user, settings, json).open_existing() as memory:
        text = memory.context(query, budget=budget, trusted_only=trusted_only)
    output.as_json(text) if json else output.say(f"{text}\n\n({text.tokens} tokens)")


def forget(
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of what to forget.")] = None,
    session: Annotated[str | None, typer.Option(help="Forget a whole conversation.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Erase this user.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Erase memories without a trace, and print the receipt."""
    with choose(db, user, settings, json).open_existing() as memory:
        if everything and json and not yes:
            raise InvalidInput("with --json nobody can be asked: add --yes to erase everything")
        if everything and not yes:
            typer.confirm(f"Erase everything of user {memory.user_id!r} for ever?", abort=True)
        receipt = memory.forget(*(ids or ()), session=session, everything=everything)
    if json:
        output.as_json(receipt)
    else:
        output.say(f"Forgot {receipt.memories} memories and {receipt.vectors} vectors.")
        if not receipt.traces_cleared:
            output.say("Old copies may be left in the file: run `sharpwave scrub`.")
