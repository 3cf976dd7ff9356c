"""Summaries of sessions: what is left of what people later ask about, at a quarter of the tokens.

For every session of LoCoMo, the turns that its questions rest on are known, and a summary that a
person wrote. A turn counts as kept if the summary holds at least half of its content words. Beside
ours: the first sentences (lead), TextRank, and sentences drawn at random.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sharpwave.errors import NotFound
from sharpwave.formulas.token_estimate import token_estimate
from sharpwave.settings.tree import Settings
from sharpwave.sleep import extractive, summarise
from sharpwave.sleep.extractive import Utterance as Line
from sharpwave.types.tokens import TokenRates

_WORD = re.compile(r"[^\W_]{3,}")
_KEPT = 0.5
_DAMPING, _ROUNDS = 0.85, 40


@dataclass(frozen=True, slots=True)
class Session:
    """One session: who said what, which lines are asked about, and a summary by a person."""

    lines: tuple[Line, ...]
    asked: frozenset[int]
    written: str


@dataclass(frozen=True, slots=True)
class Scores:
    """What a way of summarising kept, in [0, 1], over all sessions."""

    kept: float
    """Share of the turns asked about that are kept."""
    rouge_1: float
    rouge_2: float
    tokens: float
    """Tokens of the summaries, of those of the sessions."""


def sessions(path: Path) -> Iterator[Session]:
    """Every session of a file or folder of LoCoMo that has a summary."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise NotFound(f"there is no .json file in {path}")
    for file in files:
        for talk in json.loads(file.read_text("utf-8")):
            yield from _of_talk(talk)


def measure(found: Sequence[Session], settings: Settings) -> dict[str, Scores]:
    """Ours beside the others, on the same sessions and budgets."""
    rates = settings.context.rates
    ways: dict[str, Callable[[Sequence[Line], int], Sequence[str]]] = {
        "sharpwave": lambda lines, budget: extractive.best_sentences(lines, budget, rates),
        "textrank": lambda lines, budget: _fill(_text_rank(lines), lines, budget, rates),
        "lead": lambda lines, budget: _fill(None, lines, budget, rates),
        "random": lambda lines, budget: _fill(_drawn(lines), lines, budget, rates),
    }
    return {name: _score(found, way, summarise.SHARE, rates) for name, way in ways.items()}


def _score(
    found: Sequence[Session],
    way: Callable[[Sequence[Line], int], Sequence[str]],
    share: float,
    rates: TokenRates,
) -> Scores:
    kept = asked = 0
    used = whole = 0
    one, two = [], []
    for session in found:
        tokens = sum(token_estimate(line.text, rates) for line in session.lines)
        summary = " ".join(way(session.lines, int(tokens * share)))
        used, whole = used + token_estimate(summary, rates), whole + tokens
        words = set(_words(summary))
        for place in session.asked:
            content = set(_words(session.lines[place].text))
            asked += 1
            kept += bool(content) and len(content & words) >= _KEPT * len(content)
        one.append(_overlap(session.written, summary, 1))
        two.append(_overlap(session.written, summary, 2))
    return Scores(kept / asked, float(np.mean(one)), float(np.mean(two)), used / whole)


def _of_talk(talk: dict[str, Any]) -> Iterator[Session]:
    evidence = {str(id_) for question in talk["qa"] for id_ in question.get("evidence", ())}
    for name, turns in talk["conversation"].items():
        written = talk["session_summary"].get(f"{name}_summary")
        if not isinstance(turns, list) or not written:
            continue
        lines = tuple(Line(turn["speaker"], turn["text"]) for turn in turns)
        asked = frozenset(n for n, turn in enumerate(turns) if turn["dia_id"] in evidence)
        yield Session(lines, asked, written)


def _fill(
    order: Sequence[float] | None, lines: Sequence[Line], budget: int, rates: TokenRates
) -> list[str]:
    """Sentences by falling score, or from the top, as long as they fit; in the order said."""
    sentences = [(n, s) for n, line in enumerate(lines) for s in extractive.sentences(line.text)]
    ranked = range(len(sentences))
    scores = order if order is not None else [-float(place) for place in ranked]
    kept, left = [], budget
    for place in sorted(ranked, key=lambda place: -scores[place]):
        cost = token_estimate(sentences[place][1], rates)
        if cost <= left:
            kept.append(place)
            left -= cost
    return [sentences[place][1] for place in sorted(kept)]


def _text_rank(lines: Sequence[Line]) -> list[float]:
    """PageRank on sentences that share words (Mihalcea and Tarau 2004)."""
    bags = [set(_words(s)) for line in lines for s in extractive.sentences(line.text)]
    size = len(bags)
    weights = np.zeros((size, size))
    for one in range(size):
        for other in range(one):
            lengths = np.log(max(2, len(bags[one]))) + np.log(max(2, len(bags[other])))
            weights[one, other] = weights[other, one] = len(bags[one] & bags[other]) / lengths
    sums = weights.sum(axis=0)
    flow = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    rank = np.full(size, 1 / max(1, size))
    for _ in range(_ROUNDS):
        rank = (1 - _DAMPING) / max(1, size) + _DAMPING * flow @ rank
    return [float(score) for score in rank]


def _drawn(lines: Sequence[Line]) -> list[float]:
    draw = random.Random(len(lines))
    return [draw.random() for line in lines for _ in extractive.sentences(line.text)]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _overlap(written: str, summary: str, size: int) -> float:
    """ROUGE-n recall: the share of the person's words, or pairs of words, that are there."""
    wanted, given = (_grams(_words(text), size) for text in (written, summary))
    total = sum(wanted.values())
    return sum((wanted & given).values()) / total if total else 0.0


def _grams(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[place:] for place in range(size)), strict=False))
