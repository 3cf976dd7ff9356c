"""Ordinary talk without standing instructions, for the reader to be trained beside the corpus.

    python -m training.encoder.ordinary --data FOLDER --out FILE

People of the corpus speak to an assistant; among friends, "Don't let anything stop you!" is no
rule, and in a request "Include headings." holds for this once:

    Synthetic-Persona-Chat, Taskmaster-4   (CC BY 4.0)   friends; orders of coffee
    LongMemEval_S dev, every second question (MIT)       requests to an assistant

Writes one text a line, as JSON.
"""

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evals import talks
from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import sentences
from training.encoder.readings import Label, Reading

CHATS, ORDERS, REQUESTS = 9000, 500, 3000
"""How many texts of each."""
SHORTEST, LONGEST = 150, 1500
"""Characters of a request: a short one may well be a standing instruction."""


def load(file: Path) -> Iterator[Reading]:
    """The texts of a file: no sentence is a rule; whether it is a fact or a task is not known."""
    for line in file.read_text("utf-8").splitlines():
        text = json.loads(line)
        spans = sentences(own_words(text))
        yield Reading(text, [Label(span, [None, None, 0.0]) for span in spans])


def drawn(data: Path, draw: random.Random) -> Iterator[str]:
    """Texts of the three sets."""
    for name, many in (("synthetic_persona_chat", CHATS), ("taskmaster4", ORDERS)):
        with gzip.open(data / "text" / f"{name}.jsonl.gz", "rt") as file:
            said = [text for line in file for text in _texts(json.loads(line))]
        yield from draw.sample(
            [text for text in said if 15 < len(text) < 400 and " " in text], many
        )
    asked = [
        turn.text
        for talk in talks.load("longmemeval", data).talks
        if not talk.questions[0].held_out
        for turn in talk.turns
        if turn.role == "user" and SHORTEST < len(turn.text) < LONGEST
    ]
    yield from draw.sample(asked, min(REQUESTS, len(asked)))


def _texts(given: Any) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    elif isinstance(given, list):
        yield from (text for each in given for text in _texts(each))
    elif isinstance(given, dict):
        yield from (
            t for name, each in given.items() if "persona" not in name for t in _texts(each)
        )


def main() -> None:
    """Draw the texts, always the same, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    lines = [json.dumps(text) for text in drawn(options.data, random.Random(5))]
    options.out.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    main()
