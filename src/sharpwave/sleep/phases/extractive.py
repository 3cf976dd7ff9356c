"""A few sentences of a conversation that say most of it, quoted, within a budget of tokens.

A sentence is worth the words it holds that are not covered yet, for each token it costs. Words that
are rare in the conversation count more, and names and numbers most; questions and words of praise
tell little of anybody. Choosing goes on until the budget is spent; then the sentences stand in the
order they were said.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sharpwave.formulas.token_estimate import token_estimate
from sharpwave.tunables.sleep import SummarySettings
from sharpwave.types.records import Record
from sharpwave.types.tokens import TokenRates

_END = re.compile(r"(?<=[.!?…。\uff01\uff1f])\s+|\n+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")

_ASKING = ("?", "\uff1f")
_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"(?<=[\w,] )[A-Z]\w+")
_OWN = re.compile(r"\b(?:I|I'\w+|my|me|we|our)\b")


class Line(NamedTuple):
    """What somebody said in one go."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Sentences in the order they were said, and the ids of the turns they are from."""

    text: str
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    line: int
    words: frozenset[str]
    tokens: int
    value: float
    """For each of its words' worth."""


def summary(
    turns: Sequence[Record], budget: int, rates: TokenRates, settings: SummarySettings
) -> Summary:
    """The best sentences of these turns that fit into so many tokens, with who said them."""
    lines = [Line(_speaker(turn), turn.text) for turn in turns]
    kept = _choose(lines, budget, rates, settings)
    text = "\n".join(f"{lines[s.line].speaker}: {s.text}" for s in kept)
    return Summary(text, tuple(dict.fromkeys(turns[s.line].id for s in kept)))


def chosen(
    lines: Sequence[Line], budget: int, rates: TokenRates, settings: SummarySettings
) -> list[str]:
    """The same sentences, without who said them."""
    return [sentence.text for sentence in _choose(lines, budget, rates, settings)]


def sentences(text: str) -> list[str]:
    """A text cut into sentences."""
    return [part.strip() for part in _END.split(text) if part.strip()]


def _choose(
    lines: Sequence[Line], budget: int, rates: TokenRates, settings: SummarySettings
) -> list[_Sentence]:
    found = [s for place, line in enumerate(lines) for s in _read(place, line, rates, settings)]
    counts = Counter(word for sentence in found for word in sentence.words)
    worth = {word: math.log(1 + len(found) / count) for word, count in counts.items()}
    kept: list[_Sentence] = []
    covered: set[str] = set()
    left = budget
    while True:
        fitting = [s for s in found if s not in kept and s.tokens <= left]
        best = max(fitting, key=lambda s: _value(s, worth, covered), default=None)
        if best is None or _value(best, worth, covered) <= 0.0:
            return sorted(kept, key=found.index)
        kept.append(best)
        covered |= best.words
        left -= best.tokens


def _value(sentence: _Sentence, worth: dict[str, float], covered: set[str]) -> float:
    gain = sum(worth[word] for word in sentence.words - covered)
    return sentence.value * gain


def _read(place: int, line: Line, rates: TokenRates, settings: SummarySettings) -> list[_Sentence]:
    found = []
    for text in sentences(line.text):
        words = frozenset(word.lower() for word in _WORD.findall(text) if len(word) > 3)
        if words:
            tokens = token_estimate(text, rates)
            value = _weight(text, settings) / (tokens + settings.sentence_tokens)
            found.append(_Sentence(text, place, words, tokens, value))
    return found


def _weight(text: str, settings: SummarySettings) -> float:
    """How much a sentence tells of somebody, beside its words."""
    if text.endswith(_ASKING):
        return settings.question_weight
    tells = bool(_OWN.search(text)) + bool(_DIGIT.search(text)) + bool(_NAME.search(text))
    return 1.0 + settings.telling_weight * tells


def _speaker(turn: Record) -> str:
    return turn.speaker or (turn.role.value if turn.role else "user")
