"""A few sentences of a conversation that say most of it, quoted, within a budget of tokens.

A sentence is worth the words it holds that are not covered yet, for each token it costs. Words that
are rare in the conversation count more, and names and numbers most; questions and words of praise
tell little of anybody. Choosing goes on until the budget is spent; then the sentences stand in the
order they were said. By the same worth the gist of a single turn is told.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sharpwave.formulas.budget import token_estimate
from sharpwave.formulas.text import word_worth
from sharpwave.settings.sleep import SummarySettings
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
    start: int
    end: int
    line: int
    words: frozenset[str]
    tokens: int
    weight: float
    """For each of its words' worth."""
    cost: int


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


def gists(
    turns: Sequence[Record], rates: TokenRates, settings: SummarySettings
) -> dict[str, list[int]]:
    """What each sentence tells of its turn, by the id of the turn: start, end, hundredths.

    A turn of one sentence, or without any that tells something, has no gist: it is shown whole. So
    are the oldest, if there are more than may be kept.
    """
    lines = [Line(_speaker(turn), turn.text) for turn in turns]
    found = [s for place, line in enumerate(lines) for s in _read(place, line, rates, settings)]
    worth = _worths(found)
    told: dict[int, dict[tuple[int, int], float]] = {}
    for one in found:
        tells = one.weight * sum(worth[word] for word in one.words)
        told.setdefault(one.line, {})[one.start, one.end] = tells
    kept: dict[str, list[int]] = {}
    left = settings.gist_sentences
    for place in sorted(told, reverse=True):
        spans, shares = _spans(turns[place].text), told[place]
        whole = sum(shares.values())
        left -= len(spans)
        if left < 0:
            break
        if len(spans) > 1 and whole > 0.0:
            kept[turns[place].id] = [
                number
                for span in spans
                for number in (*span, round(100 * shares.get(span, 0.0) / whole))
            ]
    return kept


def sentences(text: str) -> list[str]:
    """A text cut into sentences."""
    return [text[start:end] for start, end in _spans(text)]


def _spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends, without the blanks around it."""
    ends = [*(match.span() for match in _END.finditer(text)), (len(text), len(text))]
    starts = [0, *(after for _, after in ends)]
    parts = [(start, end) for start, (end, _) in zip(starts, ends, strict=False)]
    return [
        (end - len(part.lstrip()), start + len(part.rstrip()))
        for start, end in parts
        if (part := text[start:end]).strip()
    ]


def _worths(found: Sequence[_Sentence]) -> dict[str, float]:
    """What each word tells, by how many of the sentences hold it."""
    counts = Counter(word for sentence in found for word in sentence.words)
    return {word: word_worth(len(found), count) for word, count in counts.items()}


def _choose(
    lines: Sequence[Line], budget: int, rates: TokenRates, settings: SummarySettings
) -> list[_Sentence]:
    found = [s for place, line in enumerate(lines) for s in _read(place, line, rates, settings)]
    worth = _worths(found)
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
    return sentence.weight / sentence.cost * gain


def _read(place: int, line: Line, rates: TokenRates, settings: SummarySettings) -> list[_Sentence]:
    found = []
    for start, end in _spans(line.text):
        text = line.text[start:end]
        words = frozenset(word.lower() for word in _WORD.findall(text) if len(word) > 3)
        if words:
            tokens = token_estimate(text, rates)
            cost = tokens + settings.sentence_tokens
            weight = _weight(text, settings)
            found.append(_Sentence(text, start, end, place, words, tokens, weight, cost))
    return found


def _weight(text: str, settings: SummarySettings) -> float:
    """How much a sentence tells of somebody, beside its words."""
    if text.endswith(_ASKING):
        return settings.question_weight
    tells = bool(_OWN.search(text)) + bool(_DIGIT.search(text)) + bool(_NAME.search(text))
    return 1.0 + settings.telling_weight * tells


def _speaker(turn: Record) -> str:
    return turn.speaker or (turn.role.value if turn.role else "user")
