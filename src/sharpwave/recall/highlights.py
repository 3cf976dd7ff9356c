"""Step 8, before: of a session's summary only what the question asks for and nothing else shows.

A whole summary costs as much as several turns, most of it about other things. What is left are the
sentences that share a word with the question, the most first; those of turns that were recalled
themselves are theirs to show. They stand behind the turns, which say more for their tokens.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from sharpwave.types.answers import Recalled
from sharpwave.types.records import Kind

_WORD = re.compile(r"[^\W_]{4,}")
_STEM = 5
"""Words that begin alike count as the same: visit, visited, visiting."""


def shortened(items: Sequence[Recalled], query: str, most: int) -> list[Recalled]:
    """The items; each summary cut to its sentences for this question, or left out."""
    asked = _stems(query)
    said = [item.record.text for item in items if item.record.kind is Kind.TURN]
    kept = []
    for item in items:
        if item.record.kind is not Kind.EPISODE:
            kept.append(item)
        elif lines := _meeting(item.record.text, asked, said, most):
            kept.append(replace(item, record=replace(item.record, text="\n".join(lines))))
    return sorted(kept, key=lambda item: item.record.kind is Kind.EPISODE)


def _meeting(text: str, asked: frozenset[str], said: Sequence[str], most: int) -> list[str]:
    lines = text.splitlines()
    new = [line for line in lines if not any(_sentence(line) in turn for turn in said)]
    scores = {line: len(_stems(_sentence(line)) & asked) for line in new}
    best = sorted(filter(scores.get, new), key=lambda line: -scores[line])[:most]
    return sorted(best, key=lines.index)


def _sentence(line: str) -> str:
    """A line of a summary without who said it."""
    return line.partition(": ")[2] or line


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.casefold()[:_STEM] for word in _WORD.findall(text))
