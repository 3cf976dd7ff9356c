"""The phrases that the reader of feedback learns from, read from TOML and checked."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from sharpwave.errors import InvalidSettings

BUNDLED = "feedback_phrases.toml"


@dataclass(frozen=True, slots=True)
class Sense:
    """One thing that a remark can mean; several may belong to one category [resolution 47]."""

    name: str
    category: str | None
    """None: no complaint, as praise."""
    signals: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Example:
    """A phrase, its language, and the number of its sense."""

    text: str
    language: str
    sense: int


@dataclass(frozen=True, slots=True)
class Phrases:
    """Everything there is to learn from."""

    senses: tuple[Sense, ...]
    examples: tuple[Example, ...]

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, each once, in the order of the file."""
        return tuple(dict.fromkeys(one.category for one in self.senses if one.category))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages, each once, in the order of the file."""
        return tuple(dict.fromkeys(one.language for one in self.examples))

    def without(self, language: str) -> "Phrases":
        """The same but for one language."""
        kept = tuple(one for one in self.examples if one.language != language)
        return Phrases(self.senses, kept)


def load_phrases(file: Path | None = None) -> Phrases:
    """The phrases in a file, or those that came with the package."""
    source = file or files("sharpwave") / "data" / BUNDLED
    try:
        return _phrases(tomllib.loads(source.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(f"cannot read the phrases in {source}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidSettings(
            f"{source} has not the form of feedback phrases ({error!r}): give [senses.NAME] with "
            "category and signals, and [phrases.LANGUAGE] with a list for each sense"
        ) from error


def _phrases(content: Mapping[str, Any]) -> Phrases:
    senses = tuple(_sense(name, one) for name, one in content["senses"].items())
    number = {one.name: at for at, one in enumerate(senses)}
    examples = tuple(
        Example(str(text), language, number[name])
        for language, by_sense in content["phrases"].items()
        for name, texts in by_sense.items()
        for text in texts
    )
    if len({one.sense for one in examples}) < 2:
        raise ValueError("phrases of two senses at least are needed")
    return Phrases(senses, examples)


def _sense(name: str, given: Mapping[str, Any]) -> Sense:
    signals = {dimension: float(way) for dimension, way in given["signals"].items()}
    if any(abs(way) > 1 for way in signals.values()):
        raise ValueError(f"signals of {name} must lie between -1 and 1")
    return Sense(name, given["category"] or None, signals)
