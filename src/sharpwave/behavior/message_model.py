"""The bundled message model: probabilities of intents, sentiments and tones.

A linear layer over the vector of a message (the built-in embedder's) and its words. Fitted by
`python -m training.messages` from the labelled messages there. With another embedder a second layer
over the words alone is used.

The file is a NumPy archive without pickles. With w words, d dimensions and c classes it holds for
each head (`intent`, `sentiment`, `tone`)

    <head>             uint8         names of the classes, one per line
    <head>_vector      int8 (d, c)   weights of the vector, by `<head>_vector_scale` float32 (c,)
    <head>_words       int8 (w, c)   weights of words beside the vector, by a scale likewise
    <head>_start       float32 (c,)  the score without any feature
    <head>_alone       int8 (w, c)   weights of words without a vector, by a scale likewise
    <head>_alone_start float32 (c,)

and `words` (uint8, one per line), `space` (uint8: name and version of the embedder).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.linear import softmax
from sharpwave.reading.grammar.lexicon import load_cues, spaced
from sharpwave.types.intent import MessageLabels
from sharpwave.types.storing import Space

BUNDLED = "message_model.npz"
HEADS = ("intent", "sentiment", "tone")
WORD_SHARE = 0.8
"""Length of the words' part of the features; the vector has length 1."""
FEW_WORDS, MANY_WORDS = 5, 40
CUES = ("intents", "sentiment")
FOREIGN_SHARE = 0.3
"""Share of known words below which a text is probably not English."""
READ_CHARS = 600
"""The intent is at the beginning or end of a message; only these characters are read."""

_CODE = re.compile(
    r"```|\bdef \w+\(|\bclass \w+[:({]|\bimport \w+|=>|\);|\{\s*\n|</\w+>|#include\b"
    r"|\bSELECT\b.+\bFROM\b|\w\(\w*\)\s*[{;:]|==|\w\.\w+\(|^\s*Traceback|\b\w+Error\b"
)
_QUESTION_MARK = re.compile("[?\uff1f\u061f\u037e]")
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of one head."""

    classes: tuple[str, ...]
    by_vector: Floats
    by_word: Floats
    start: Floats
    alone: Floats
    alone_start: Floats


@dataclass(frozen=True, slots=True)
class MessageModel:
    """The layers of all heads, and the words that they know."""

    words: Mapping[str, int]
    space: str
    layers: Mapping[str, Layer]

    def labels(self, message: str, vector: Floats | None, space: Space | None) -> MessageLabels:
        """The likelihood of each intent and sentiment of a message.

        The model was fitted to English: if it knows few of the words, cue words decide.
        """
        found = [self.likely(head, message, vector, space) for head in ("intent", "sentiment")]
        plain = spaced(message)
        words = plain.split()
        if sum(word in self.words for word in words) < FOREIGN_SHARE * len(words):
            found = [_by_cues(cues, plain) or head for cues, head in zip(CUES, found, strict=True)]
        return MessageLabels(*found)

    def likely(
        self, head: str, message: str, vector: Floats | None, space: Space | None
    ) -> dict[str, float]:
        """The probability of each class of a head."""
        layer, row = self.layers[head], word_row(message, self.words)
        if vector is None or space is None or self.space != space_name(space):
            scores = row @ layer.alone + layer.alone_start
        else:
            scores = vector @ layer.by_vector + row @ layer.by_word + layer.start
        likely = softmax(scores, sharpness=1.0)
        return dict(zip(layer.classes, likely.tolist(), strict=True))


def _by_cues(kind: str, plain: str) -> dict[str, float]:
    """Shares of the cues in a text; greetings and question words only where there are no others."""
    found = load_cues(kind).found(plain)
    special = {name: count for name, count in found.items() if name not in ("chat", "question")}
    counts = special or ({"chat": 1} if "chat" in found else found)
    if len(set(counts.values())) == 1 and {"positive", "negative"} == set(counts):
        return {"neutral": 1.0}
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()}


def ends(message: str) -> str:
    """The beginning and end of a long message."""
    if len(message) <= READ_CHARS:
        return message
    return f"{message[: READ_CHARS // 2]}\n{message[-READ_CHARS // 2 :]}"


def features(message: str) -> frozenset[str]:
    """Words and word pairs of a message, its opening words, its marks and its cues.

    >>> sorted(features("Why?"))
    ['#few', '#question_mark', '^why', 'why']
    """
    text = ends(message)
    plain = spaced(text)
    words = plain.split()
    found = {*words, *map(" ".join, pairwise(words))}
    found |= {"^" + " ".join(words[:count]) for count in (1, 2) if len(words) >= count}
    marks = {
        "#code": bool(_CODE.search(text)),
        "#question_mark": bool(_QUESTION_MARK.search(text)),
        "#exclaimed": "!" in text,
        "#few": len(words) < FEW_WORDS,
        "#many": len(words) > MANY_WORDS,
    }
    found |= {mark for mark, holds in marks.items() if holds}
    for cues in CUES:
        found |= {f"#{name}" for name in load_cues(cues).found(plain)}
    return frozenset(found)


def word_row(message: str, words: Mapping[str, int]) -> Floats:
    """The features of a message that the model knows, as a vector of length `WORD_SHARE`."""
    row = np.zeros(len(words), dtype=np.float32)
    row[[words[name] for name in features(message) if name in words]] = 1.0
    length = float(np.linalg.norm(row))
    return row * np.float32(WORD_SHARE / length) if length else row


def space_name(space: Space) -> str:
    """Name and version of an embedder, as the file holds them."""
    return f"{space.name} {space.version}"


@cache
def bundled() -> MessageModel:
    """The model that comes with the package."""
    with as_file(files("sharpwave") / "data" / BUNDLED) as file:
        return load(file)


def load(file: Path) -> MessageModel:
    """The model in a file."""
    with np.load(file, allow_pickle=False) as held:
        names = _text(held["words"]).split("\n")
        layers = {
            head: Layer(
                tuple(_text(held[head]).split("\n")),
                held[f"{head}_vector"] * held[f"{head}_vector_scale"],
                held[f"{head}_words"] * held[f"{head}_words_scale"],
                held[f"{head}_start"],
                held[f"{head}_alone"] * held[f"{head}_alone_scale"],
                held[f"{head}_alone_start"],
            )
            for head in HEADS
        }
        words = {name: index for index, name in enumerate(names)}
        return MessageModel(words, _text(held["space"]), layers)


def _text(letters: NDArray[np.uint8]) -> str:
    return letters.tobytes().decode()
