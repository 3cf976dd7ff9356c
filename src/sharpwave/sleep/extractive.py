"""The sentences of a conversation that say most of it, quoted, within a budget of tokens.

A sentence is worth its words that are not covered yet, for each token it costs. Words that are rare
in the conversation count more, and names and numbers most; questions and words of praise say
little about the user. Sentences are chosen until the budget is spent, and put in the order they
were said.
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

_END = re.compile(rf"(?<=[.!?…。\uff01\uff1f])\s+|[\n{FOREIGN}]+")
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
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
    utterance: int
    words: frozenset[str]
    tokens: int
    weight: float
    """Factor of the worth of its words."""
    cost: int


def quoted_summary(turns: Sequence[Record], budget: int) -> Summary:
    """The best sentences of these turns that fit into `budget` tokens, with their speakers."""
    utterances = _utterances(turns)
    kept = choose(utterances, budget)
    text = "\n".join(f"{utterances[s.utterance].speaker}: {s.text}" for s in kept)
    return Summary(text, tuple(dict.fromkeys(turns[s.utterance].id for s in kept)))


def sentences(text: str) -> list[str]:
    """A text cut into sentences, without the blanks around them."""
    ends = (match.span() for match in _END.finditer(text))
    cuts = [0, *(at for end in ends if not is_abbreviated(text, end[0]) for at in end), len(text)]
    parts = (text[start:end].strip() for start, end in zip(cuts[::2], cuts[1::2], strict=True))
    return [part for part in parts if part]


def _worths(every: Sequence[_Sentence]) -> dict[str, float]:
    """What each word is worth, by how many of the sentences have it."""
    counts = Counter(word for sentence in every for word in sentence.words)
    return {word: word_worth(len(every), count) for word, count in counts.items()}


def choose(utterances: Sequence[Utterance], budget: int) -> list[_Sentence]:
    """The sentences that say most within `budget` tokens, in their order."""
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
        for part in sentences(text):
            words = frozenset(word.lower() for word in WORD.findall(part) if len(word) > 3)
            if words:
                tokens = token_estimate(part)
                cost = tokens + SENTENCE_TOKENS
                every.append(_Sentence(part, place, words, tokens, _weight(part), cost))
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
