"""Cases of messages with words of others in them, and a count of what is taken for the user's own.

Half of the first two files, by digest, was held out while the segmenter was written. The other
files were each written when those before were read without a mistake, to see how far it carries.
"""

import hashlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from sharpwave import Memory

DATA = Path(__file__).parent / "data"


class Case(NamedTuple):
    """One message: words that are not the user's, and sentences that are."""

    title: str
    text: str
    not_own: tuple[str, ...]
    own: tuple[str, ...]
    left: str = ""
    """Why it is read wrong, and left so."""

    @property
    def held_out(self) -> bool:
        """Whether it belongs to the half that was not looked at."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 1


def cases() -> list[Case]:
    """All cases of both files."""
    files = sorted(DATA.glob("whose_words_*.txt"))
    return [case for file in files for case in _cases(file.read_text(encoding="utf-8"))]


def _cases(text: str) -> Iterator[Case]:
    for block in text.split("\n%% ")[1:]:
        title, _, rest = block.partition("\n")
        lines = rest.split("\n")
        labels = [line for line in lines if line.startswith(("%not ", "%own ", "%left "))]
        message = "\n".join(line for line in lines if line not in labels).strip("\n")
        not_own = [line[5:].split(", ") for line in labels if line.startswith("%not")]
        own = [line[5:].split(" | ") for line in labels if line.startswith("%own")]
        left = "".join(line[6:] for line in labels if line.startswith("%left"))
        yield Case(title, message, tuple(chain(*not_own)), tuple(chain(*own)), left)


def learned(memory: Memory, text: str) -> set[tuple[str, str]]:
    """Facts, tasks, notes and rules of a memory after one message: kind and text."""
    memory.remember(text)
    found = {
        "fact": [one.text for one in memory.facts.list()],
        "task": [one.title for one in memory.tasks.list()],
        "note": [one.text for one in memory.behavior.notes()],
        "rule": [one.rule for one in [*memory.behavior.rules(), *memory.behavior.pending()]],
    }
    return {(kind, text) for kind, texts in found.items() for text in texts}
