"""`remember`, `recall`, `context`, `forget`, `demo`."""

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Options, TextOptions, moment
from sharpwave.memory import Memory
from sharpwave.types.answers import Recollection
from sharpwave.types.message import Message
from sharpwave.types.records import Channel

if TYPE_CHECKING:
    from sharpwave.types.known import Fact

Since = Annotated[str | None, typer.Option(help="Only since this date, such as 2026-05-01.")]

Form = Annotated[
    bool | None,
    typer.Option(
        "--json/--explain",
        help="Print one JSON document; or all reasons as text, and the nearest misses.",
    ),
]


def remember(
    options: Options,
    text: Annotated[str, typer.Argument(help="The message; - reads it from standard input.")],
    role: Annotated[str, typer.Option(help="user, assistant, system or tool.")] = "user",
    speaker: Annotated[str | None, typer.Option(help="The speaker's name.")] = None,
    session: Annotated[str | None, typer.Option(help="Name of the conversation.")] = None,
) -> None:
    content = sys.stdin.read() if text == "-" else text
    with options.open() as memory:
        message = Message(content, role=role, speaker=speaker, session=session, channel="cli")
        receipt = memory.remember(message)
    options.if_json(receipt)
    output.receipt(receipt)


def recall(
    options: TextOptions,
    query: Annotated[str, typer.Argument(help="The query.")],
    k: Annotated[int | None, typer.Option("-k", help="Maximum number to show.")] = None,
    session: Annotated[str | None, typer.Option(help="Only in this conversation.")] = None,
    since: Since = None,
    form: Form = None,
) -> None:
    with options.open_existing() as memory:
        recollection = memory.recall(query, k=k, session=session, since=moment(since))
    if form:
        output.as_json(recollection)
    else:
        output.recollection(recollection, explain=form is False)


def context(
    options: Options,
    query: Annotated[str, typer.Argument(help="The message to answer.")],
    budget: Annotated[int | None, typer.Option(help="Maximum number of tokens.")] = None,
    trusted_only: Annotated[
        bool, typer.Option("--trusted-only", help="Exclude tools, web pages and imports.")
    ] = False,
) -> None:
    with options.open_existing() as memory:
        text = memory.context(query, budget=budget, trusted_only=trusted_only)
    output.as_json(text) if options.json else output.say(f"{text}\n\n({text.tokens} tokens)")


def forget(
    options: Options,
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of memories to forget.")] = None,
    session: Annotated[str | None, typer.Option(help="Forget a whole conversation.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Erase this user.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    with options.open_existing() as memory:
        if everything and options.json and not yes:
            raise InvalidInput("with --json nobody can be asked: add --yes to erase everything")
        full_ids = [options.whole_id(memory, id_) for id_ in ids or ()]
        texts = memory.admin.texts(full_ids).values()
        if not (yes or options.json) and (texts or session or everything):
            what = f"everything of user {memory.user_id!r}" if everything else f"session {session}"
            typer.confirm(f"Erase {'; '.join(texts) or what} for ever?", abort=True)
        receipt = memory.forget(*full_ids, session=session, everything=everything)
    options.if_json(receipt)
    output.say(f"Forgot {receipt.memories} memories and {receipt.vectors} vectors.")
    if receipt.copies:
        output.say(f"Erased {receipt.copies} old copies of the whole file with them.")
    if not receipt.traces_cleared:
        output.say("Old copies may be left in or beside the file: run `sharpwave scrub`.")


CONVERSATION = """
2026-03-02 Maya: I finally adopted a dog! Her name is Pixel, a two-year-old beagle.
2026-03-02 Assistant: Congratulations! How is Pixel settling in?
2026-03-02 Maya: She is afraid of the vacuum cleaner, but she loves my brother Tomás.
2026-04-11 Maya: I started a new job as a hydrologist at the river authority.
2026-04-11 Assistant: What does a normal day look like there?
2026-04-11 Maya: Mostly field work. I'm allergic to penicillin, so I always carry a card.
2026-05-20 Maya: We are moving to Lisbon in September, Tomás got a place at the university.
2026-06-01 Maya: From now on always keep your answers short, I read them on the tram.
"""
_QUESTIONS = [
    "What is the name of Maya's dog?",
    "What is Maya's job?",
    "When are they moving, and where to?",
    "Which car does she drive?",
]


def demo(
    keep: Annotated[Path | None, typer.Option(help="Keep the demo's memory in this file.")] = None,
    json: AsJson = False,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = keep or Path(folder) / "demo.db"
        with Memory.open(path, user="maya") as memory:
            messages = turns(CONVERSATION, Channel.CLI)
            receipt = memory.remember(messages)
            answers = [memory.recall(question, k=3) for question in _QUESTIONS]
            if json:
                return output.as_json({"remembered": receipt, "recalled": answers})
            _show_demo(messages, memory.facts.profile(), answers)
            output.say("\nWhat a prompt would be told:\n")
            output.say(memory.context(_QUESTIONS[1], budget=400).text)
    if keep:
        output.say(f"\nKept in {keep}: try `sharpwave recall --db {keep} --user maya 'the dog'`")


def turns(conversation: str, channel: Channel) -> list[Message]:
    """The turns of a conversation, one per line; each day is a session."""
    return [_turn(line, channel) for line in conversation.strip().splitlines()]


def _turn(line: str, channel: Channel) -> Message:
    day, _, spoken = line.partition(" ")
    speaker, _, text = spoken.partition(": ")
    return Message(
        text,
        role="assistant" if speaker == "Assistant" else "user",
        speaker=speaker,
        at=moment(day),
        session=day,
        channel=channel,
        idempotency_key=line,
    )


def _show_demo(messages: list[Message], profile: "list[Fact]", answers: list[Recollection]) -> None:
    output.say(f"Remembered {len(messages)} turns of a conversation, on disk and synced:\n")
    for message in messages:
        output.say(f"  {message.session}  {message.speaker}: {message.text}")
    output.say("\nLearned from it, without a model:\n")
    for fact in profile:
        output.say(f"  {fact.text}")
    for recollection in answers:
        output.say(f"\n? {recollection.query}")
        output.recollection(recollection)
