"""`demo`: a short conversation is remembered, questions are asked, and the answers explained."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from sharpwave import Memory, Recollection, Said
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson
from sharpwave.interfaces.sample import CONVERSATION, SPEAKER, turns
from sharpwave.types.known import Fact
from sharpwave.types.records import Channel

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
            said = turns(CONVERSATION, Channel.CLI)
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


def _converse(memory: Memory) -> None:
    output.say("\nNow you. Ask something, or tell something with a leading +. Empty to leave.")
    while line := _line():
        if line.startswith("+"):
            said = Said(line[1:].strip() or "+", speaker=SPEAKER, channel="cli")
            output.receipt(memory.remember(said))
        else:
            _show_answer(memory.recall(line, k=3))


def _line() -> str:
    try:
        return output.console.input("> ").strip()
    except EOFError:
        return ""
