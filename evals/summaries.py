"""`summaries` of sessions: what is left of what people later ask about, at a quarter of the tokens.

For every session of LoCoMo, the turns that its questions rest on are known, and a summary that a
person wrote. A turn counts as kept if the summary holds at least half of its content words. Beside
ours: the first sentences (lead), TextRank, and sentences drawn at random.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from evals import cli
from evals.cli import SHARED, Data, Json
from evals.parts import (
    SUMMARY_SHARE,
    SessionLine,
    split_sentences,
    summary_sentences,
    token_count,
)
from evals.sets import in_form, read_json

_WORD = re.compile(r"[^\W_]{3,}")
_KEPT = 0.5
Way = Callable[[Sequence[SessionLine], int], Sequence[str]]
"""Lines of a session and a budget of tokens to the sentences of its summary."""
_DAMPING, _ROUNDS = 0.85, 40


@dataclass(frozen=True, slots=True)
class Session:
    """One session: who said what, which lines are asked about, and a summary by a person."""

    lines: tuple[SessionLine, ...]
    asked: frozenset[int]
    written: str


@dataclass(frozen=True, slots=True)
class SummaryScores:
    """What a way of summarising kept, in [0, 1], over all sessions."""

    kept: float
    """Share of the turns asked about that are kept."""
    rouge_1: float
    rouge_2: float
    tokens: float
    """Tokens of the summaries, of those of the sessions."""


def sessions(data: Path) -> list[Session]:
    """Every session of LoCoMo that has a summary."""
    contents = read_json("locomo", data)
    with in_form("locomo", data):
        return [each for content in contents for talk in content for each in _of_talk(talk)]


def measure(found: Sequence[Session]) -> dict[str, SummaryScores]:
    """Ours beside the others, on the same sessions and budgets."""
    ways: dict[str, Way] = {
        "sharpwave": summary_sentences,
        "textrank": lambda lines, budget: _fill(_text_rank(lines), lines, budget),
        "lead": lambda lines, budget: _fill(None, lines, budget),
        "random": lambda lines, budget: _fill(_drawn(lines), lines, budget),
    }
    return {name: _score(found, way) for name, way in ways.items()}


def _score(found: Sequence[Session], way: Way) -> SummaryScores:
    kept = asked = 0
    used = whole = 0
    one, two = [], []
    for session in found:
        tokens = sum(token_count(line.text) for line in session.lines)
        summary = " ".join(way(session.lines, int(tokens * SUMMARY_SHARE)))
        used, whole = used + token_count(summary), whole + tokens
        words = set(_words(summary))
        for place in session.asked:
            content = set(_words(session.lines[place].text))
            asked += 1
            kept += bool(content) and len(content & words) >= _KEPT * len(content)
        one.append(_overlap(session.written, summary, 1))
        two.append(_overlap(session.written, summary, 2))
    return SummaryScores(kept / asked, float(np.mean(one)), float(np.mean(two)), used / whole)


def _of_talk(talk: dict[str, Any]) -> Iterator[Session]:
    evidence = {str(id_) for question in talk["qa"] for id_ in question.get("evidence", ())}
    for name, turns in talk["conversation"].items():
        written = talk["session_summary"].get(f"{name}_summary")
        if not isinstance(turns, list) or not written:
            continue
        lines = tuple(SessionLine(turn["speaker"], turn["text"]) for turn in turns)
        asked = frozenset(n for n, turn in enumerate(turns) if turn["dia_id"] in evidence)
        yield Session(lines, asked, written)


def _fill(order: Sequence[float] | None, lines: Sequence[SessionLine], budget: int) -> list[str]:
    """Sentences by falling score, or from the top, as long as they fit; in the order said."""
    sentences = [(n, s) for n, line in enumerate(lines) for s in split_sentences(line.text)]
    ranked = range(len(sentences))
    scores = order if order is not None else [-float(place) for place in ranked]
    kept, left = [], budget
    for place in sorted(ranked, key=lambda place: -scores[place]):
        cost = token_count(sentences[place][1])
        if cost <= left:
            kept.append(place)
            left -= cost
    return [sentences[place][1] for place in sorted(kept)]


def _text_rank(lines: Sequence[SessionLine]) -> list[float]:
    """PageRank on sentences that share words (Mihalcea and Tarau 2004)."""
    bags = [set(_words(s)) for line in lines for s in split_sentences(line.text)]
    size = len(bags)
    weights = np.zeros((size, size))
    for row in range(size):
        for other in range(row):
            lengths = np.log(max(2, len(bags[row]))) + np.log(max(2, len(bags[other])))
            weights[row, other] = weights[other, row] = len(bags[row] & bags[other]) / lengths
    sums = weights.sum(axis=0)
    flow = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    rank = np.full(size, 1 / max(1, size))
    for _ in range(_ROUNDS):
        rank = (1 - _DAMPING) / max(1, size) + _DAMPING * flow @ rank
    return [float(score) for score in rank]


def _drawn(lines: Sequence[SessionLine]) -> list[float]:
    draw = random.Random(len(lines))
    return [draw.random() for line in lines for _ in split_sentences(line.text)]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _overlap(written: str, summary: str, size: int) -> float:
    """ROUGE-n recall: the share of the person's words, or pairs of words, that are there."""
    wanted, given = (_grams(_words(text), size) for text in (written, summary))
    total = sum(wanted.values())
    return sum((wanted & given).values()) / total if total else 0.0


def _grams(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[place:] for place in range(size)), strict=False))


# --- the command ----------------------------------------------------------------------------------


def summaries(data: Data = SHARED, as_json: Json = False) -> None:
    """Summaries of sessions at a quarter of their tokens, beside lead, TextRank and chance."""
    found = sessions(data)
    scores = measure(found)
    if as_json:
        cli.print_json(scores)
        return
    asked = sum(len(session.asked) for session in found)
    cli.say(f"{len(found)} sessions; {asked} of their turns are asked about later")
    table = Table("", "turns kept", "ROUGE-1", "ROUGE-2", "tokens", box=None)
    for name, score in scores.items():
        figures = (score.kept, score.rouge_1, score.rouge_2, score.tokens)
        table.add_row(name, *(f"{figure:.3f}" for figure in figures))
    cli.console.print(table)
