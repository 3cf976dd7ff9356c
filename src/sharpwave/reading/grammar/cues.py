"""Finds cue words of many languages in a message, in one pass and without a model."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from sharpwave.formulas.relevance import mood

_WORD = re.compile(
    "[\\w\u0300-\u036f\u064b-\u065f\u0900-\u0dff]+|[\u2600-\u27bf\U0001f300-\U0001faff]"
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")


class Cues:
    """Which kinds of cue a text has, and how many of each."""

    def __init__(self, by_kind: Mapping[str, Iterable[str]]) -> None:
        self._kinds: dict[str, list[str]] = {}
        for kind, cues in by_kind.items():
            for cue in cues:
                self._kinds.setdefault(cue, []).append(kind)
        self._lengths: dict[str, set[int]] = {}
        for cue in self._kinds:
            self._lengths.setdefault(cue[0], set()).add(len(cue))

    def found(self, text: str) -> dict[str, int]:
        """How many different cues of each kind the text has; `text` as `spaced` gives it."""
        seen = {
            text[start : start + length]
            for start in _starts(text)
            for length in self._lengths.get(text[start], ())
            if text[start : start + length] in self._kinds
        }
        counts: dict[str, int] = {}
        for cue in seen:
            for kind in self._kinds[cue]:
                counts[kind] = counts.get(kind, 0) + 1
        return counts


def spaced(text: str) -> str:
    """The words of a text in lower case, each with one space behind it.

    >>> spaced("That's WRONG!")
    'that s wrong '
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(f"{word} " for word in _WORD.findall(folded))


def mood_of(text: str) -> float:
    """How glad a text sounds, from -1 to 1, by its cue words; 0 if none tells.

    >>> mood_of("I love it, thank you"), mood_of("That was awful"), mood_of("It is Monday")
    (1.0, -1.0, 0.0)
    """
    found = load_cues("sentiment").found(spaced(text))
    return mood(found.get("positive", 0), found.get("negative", 0))


@cache
def load_cues(table: str) -> Cues:
    """The cues of one table of the bundled file."""
    text = (files("sharpwave") / "data" / "cues.toml").read_text("utf-8")
    return Cues(tomllib.loads(text)[table])


def _starts(text: str) -> list[int]:
    """Where a cue can begin: at words, and at any letter of a script without spaces."""
    return [
        at
        for at, letter in enumerate(text)
        if at == 0 or text[at - 1] == " " or _UNSPACED.match(letter)
    ]
