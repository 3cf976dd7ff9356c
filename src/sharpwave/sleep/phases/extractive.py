"""A few sentences of a conversation that say most of it, quoted, within a budget of tokens.

A sentence is worth the rarer words it holds that are not covered yet, for each token it costs:
names, numbers and things count, greetings and questions hardly. Choosing goes on until the budget
is spent; then the sentences stand in the order they were said.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sharpwave.formulas.token_estimate import token_estimate
from sharpwave.ports import Embedder
from sharpwave.types.records import Record
from sharpwave.types.tokens import TokenRates

_END = re.compile(r"(?<=[.!?…。\uff01\uff1f])\s+|\n+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Summary:
    """Sentences in the order they were said, and the ids of the turns they are from."""

    text: str
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    turn: Record
    words: frozenset[str]
    tokens: int


def summary(turns: Sequence[Record], budget: int, rates: TokenRates, embedder: Embedder) -> Summary:
    """The best sentences of these turns that fit into so many tokens."""
    sentences = [s for turn in turns for s in _sentences(turn, rates)]
    counts = Counter(word for s in sentences for word in s.words)
    worth = {word: math.log(1 + len(sentences) / count) for word, count in counts.items()}
    chosen: list[int] = []
    covered: set[str] = set()
    left = budget
    while True:
        best, best_value = -1, 0.0
        for place, sentence in enumerate(sentences):
            if place in chosen or sentence.tokens > left:
                continue
            gain = sum(worth[word] for word in sentence.words - covered)
            value = gain / (sentence.tokens + 4)
            if value > best_value:
                best, best_value = place, value
        if best < 0:
            break
        chosen.append(best)
        covered |= sentences[best].words
        left -= sentences[best].tokens
    kept = [sentences[place] for place in sorted(chosen)]
    return Summary("\n".join(_line(s) for s in kept), tuple(dict.fromkeys(s.turn.id for s in kept)))


def _sentences(turn: Record, rates: TokenRates) -> list[_Sentence]:
    found = []
    for part in _END.split(turn.text):
        text = part.strip()
        words = frozenset(word.lower() for word in _WORD.findall(text) if len(word) > 3)
        if words:
            found.append(_Sentence(text, turn, words, token_estimate(text, rates) + 2))
    return found


def _line(sentence: _Sentence) -> str:
    who = sentence.turn.speaker or (sentence.turn.role.value if sentence.turn.role else "")
    return f"{who}: {sentence.text}" if who else sentence.text
