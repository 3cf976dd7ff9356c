"""The sentences of a conversation that say most of it, quoted, within a budget of tokens.

A sentence is worth its words that are not covered yet, for each token it costs. Words that are rare
in the conversation count more, and names and numbers most; questions and words of praise say
little about the user. Sentences are chosen until the budget is spent, and put in the order they
were said. The gist of a single turn is measured by the same worth.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sharpwave.formulas.budget import token_estimate
from sharpwave.formulas.text import word_worth
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.reading.sentences import is_abbreviated
from sharpwave.types.records import Record

SENTENCE_TOKENS = 4
"""Added to the cost of each sentence, so that short ones are worth less."""
QUESTION_WEIGHT = 0.5
"""Worth of a question; that of a statement is 1."""
TELLING_WEIGHT = 0.5
"""Added for each: about oneself, with a name, with a number."""
GIST_SENTENCES = 2000
"""Sentences whose places a summary stores, those of the newest turns."""

_END = re.compile(rf"(?<=[.!?…。\uff01\uff1f])\s+|[\n{FOREIGN}]+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_QUESTION_MARKS = ("?", "\uff1f")
_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"(?<=[\w,] )[A-Z]\w+")
_OWN = re.compile(r"\b(?:I|I'\w+|my|me|we|our)\b")


class Utterance(NamedTuple):
    """A speaker and a text."""

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
    utterance: int
    words: frozenset[str]
    tokens: int
    weight: float
    """Factor of the worth of its words."""
    cost: int


def quoted_summary(turns: Sequence[Record], budget: int) -> Summary:
    """The best sentences of these turns that fit into so many tokens, with their speakers."""
    utterances = _utterances(turns)
    kept = choose(utterances, budget)
    text = "\n".join(f"{utterances[s.utterance].speaker}: {s.text}" for s in kept)
    return Summary(text, tuple(dict.fromkeys(turns[s.utterance].id for s in kept)))


def gists(turns: Sequence[Record]) -> dict[str, list[int]]:
    """How much each sentence says of its turn, by the turn's id: start, end, hundredths, ...

    A turn of one sentence, or with words of others, or without any sentence that says something,
    has no gist: it is shown whole. So are the oldest turns beyond `GIST_SENTENCES`.
    """
    utterances = _utterances(turns)
    every = _read_all(utterances)
    worth = _worths(every)
    by_turn: dict[int, dict[tuple[int, int], float]] = {}
    for sentence in every:
        says = sentence.weight * sum(worth[word] for word in sentence.words)
        by_turn.setdefault(sentence.utterance, {})[sentence.start, sentence.end] = says
    kept: dict[str, list[int]] = {}
    left = GIST_SENTENCES
    for place in sorted(by_turn, reverse=True):
        spans, shares = _spans(turns[place].text), by_turn[place]
        whole = sum(shares.values())
        left -= len(spans)
        if left < 0:
            break
        if len(spans) > 1 and whole > 0.0 and FOREIGN not in utterances[place].text:
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
    every = (match.span() for match in _END.finditer(text))
    ends = [*(one for one in every if not is_abbreviated(text, one[0])), (len(text), len(text))]
    starts = [0, *(after for _, after in ends)]
    parts = [(start, end) for start, (end, _) in zip(starts, ends, strict=False)]
    return [
        (end - len(part.lstrip()), start + len(part.rstrip()))
        for start, end in parts
        if (part := text[start:end]).strip()
    ]


def _worths(every: Sequence[_Sentence]) -> dict[str, float]:
    """What each word is worth, by how many of the sentences have it."""
    counts = Counter(word for sentence in every for word in sentence.words)
    return {word: word_worth(len(every), count) for word, count in counts.items()}


def choose(utterances: Sequence[Utterance], budget: int) -> list[_Sentence]:
    """The sentences that say most within so many tokens, in their order."""
    every = _read_all(utterances)
    worth = _worths(every)
    kept: list[_Sentence] = []
    covered: set[str] = set()
    left = budget
    while True:
        fitting = [s for s in every if s not in kept and s.tokens <= left]
        best = max(fitting, key=lambda s: _value(s, worth, covered), default=None)
        if best is None or _value(best, worth, covered) <= 0.0:
            return sorted(kept, key=every.index)
        kept.append(best)
        covered |= best.words
        left -= best.tokens


def _value(sentence: _Sentence, worth: dict[str, float], covered: set[str]) -> float:
    gain = sum(worth[word] for word in sentence.words - covered)
    return sentence.weight / sentence.cost * gain


def _read_all(utterances: Sequence[Utterance]) -> list[_Sentence]:
    every = []
    for place, (_, text) in enumerate(utterances):
        for start, end in _spans(text):
            part = text[start:end]
            words = frozenset(word.lower() for word in _WORD.findall(part) if len(word) > 3)
            if words:
                tokens = token_estimate(part)
                cost = tokens + SENTENCE_TOKENS
                every.append(_Sentence(part, start, end, place, words, tokens, _weight(part), cost))
    return every


def _weight(text: str) -> float:
    """How much a sentence says about the user, beside its words."""
    if text.endswith(_QUESTION_MARKS):
        return QUESTION_WEIGHT
    telling = bool(_OWN.search(text)) + bool(_DIGIT.search(text)) + bool(_NAME.search(text))
    return 1.0 + TELLING_WEIGHT * telling


def _utterances(turns: Sequence[Record]) -> list[Utterance]:
    return [
        Utterance(turn.speaker or (turn.role.value if turn.role else "user"), own_words(turn.text))
        for turn in turns
    ]
