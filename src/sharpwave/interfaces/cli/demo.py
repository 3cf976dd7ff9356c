"""`demo`: a short conversation is remembered, questions are asked, and the answers explained."""

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from sharpwave import Memory, Recollection, Said
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson
from sharpwave.types.known import Fact

_CONVERSATION = """
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
    """Remember a short conversation, recall from it, and show why. Then ask your own questions."""
    with tempfile.TemporaryDirectory() as folder:
        path = keep or Path(folder) / "demo.db"
        with Memory.open(path, user="maya") as memory:
            said = [_turn(line) for line in _CONVERSATION.strip().splitlines()]
            receipt = memory.remember(said)
            answers = [memory.recall(question, k=3) for question in _QUESTIONS]
            if json:
                output.as_json({"remembered": receipt, "recalled": answers})
                return
            _show(said, memory.profile(), answers)
            output.say("\nWhat a prompt would be told:\n")
            output.say(memory.context(_QUESTIONS[1], budget=400).text)
            if sys.stdin.isatty():
                _converse(memory)
    if keep:
        output.say(f"\nKept in {keep}: try `sharpwave recall --db {keep} --user maya 'the dog'`")


def _show(said: list[Said], profile: list[Fact], answers: list[Recollection]) -> None:
    output.say(f"Remembered {len(said)} turns of a conversation, on disk and synced:\n")
    for one in said:
        output.say(f"  {one.session}  {one.speaker}: {one.text}")
    output.say("\nLearned from it, without a model:\n")
    for fact in profile:
        output.say(f"  {fact.text}")
    for found in answers:
        _show_answer(found)


def _show_answer(found: Recollection) -> None:
    output.say(f"\n? {found.query}")
    output.recollection(found)


def _turn(line: str) -> Said:
    day, _, spoken = line.partition(" ")
    speaker, _, text = spoken.partition(": ")
    return Said(
        text,
        role="assistant" if speaker == "Assistant" else "user",
        speaker=speaker,
        at=datetime.fromisoformat(day).replace(tzinfo=UTC),
        session=day,
        channel="cli",
        idempotency_key=line,
    )


def _converse(memory: Memory) -> None:
    output.say("\nNow you. Ask something, or tell something with a leading +. Empty to leave.")
    while line := _line():
        if line.startswith("+"):
            said = Said(line[1:].strip() or "+", speaker="Maya", channel="cli")
            output.receipt(memory.remember(said))
        else:
            _show_answer(memory.recall(line, k=3))


def _line() -> str:
    try:
        return output.console.input("> ").strip()
    except EOFError:
        return ""
