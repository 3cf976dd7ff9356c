"""`sharpwave eval context`: how much of a question's evidence is inside the assembled context.

A turn of the evidence is inside if it is shown itself, or a fact that rests on it. The baseline
shows whole turns in the order of BM25, with date and speaker, until the same number of tokens is
used. Questions without an answer are left out.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from sharpwave import Memory, Settings
from sharpwave.evals.recall.measure import Calendar, Told, remember
from sharpwave.evals.recall.rival import said
from sharpwave.evals.recall.talks import Question, Talk, Talks
from sharpwave.evals.retrievers import Keywords, ranking
from sharpwave.formulas.token_estimate import token_estimate

BUDGETS = (400, 800, 1600)


@dataclass(frozen=True, slots=True)
class Covered:
    """Mean share of a question's evidence that is inside, by budget, and the tokens used."""

    set: str
    questions: int
    ours: dict[int, float]
    ours_tokens: dict[int, float]
    bm25: dict[int, float]


def measure(
    talks: Talks, settings: Settings, limit: int | None, told: Told = lambda _: None
) -> Covered:
    """Assemble a context for every question of every conversation, at every budget."""
    ours: dict[int, list[tuple[float, int]]] = {budget: [] for budget in BUDGETS}
    bm25: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    wanted = talks.talks[:limit]
    for place, talk in enumerate(wanted, start=1):
        told(f"{talks.set}: {talk.name} ({place} of {len(wanted)})")
        asked = [one for one in talk.questions if one.answerable and one.evidence]
        for budget, found in _by_us(talk, asked, settings).items():
            ours[budget] += found
        for budget, shares in _by_words(talk, asked, settings).items():
            bm25[budget] += shares
    return Covered(
        talks.set,
        len(ours[BUDGETS[0]]),
        {budget: fmean(share for share, _ in found) for budget, found in ours.items()},
        {budget: fmean(tokens for _, tokens in found) for budget, found in ours.items()},
        {budget: fmean(shares) for budget, shares in bm25.items()},
    )


def _by_us(
    talk: Talk, asked: Sequence[Question], settings: Settings
) -> dict[int, list[tuple[float, int]]]:
    clock = Calendar()
    found: dict[int, list[tuple[float, int]]] = {budget: [] for budget in BUDGETS}
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(f"{folder}/talk.db", settings=settings, clock=clock) as memory:
            names = remember(memory, talk, clock)
            for question in asked:
                clock.set(question.asked_at)
                for budget in BUDGETS:
                    context = memory.context(question.text, budget=budget)
                    inside = _shown(memory, context.ids, names)
                    share = len(inside & set(question.evidence)) / len(question.evidence)
                    found[budget].append((share, context.tokens))
    return found


def _shown(memory: Memory, ids: Sequence[str], names: dict[str, str]) -> set[str]:
    """The turns that are shown, or on which something rests that is."""
    turns = {names[one] for one in ids if one in names}
    facts = [one for one in ids if one not in names]
    return turns | {
        names[turn.id] for one in facts for turn in memory.explain(one).rests_on if turn.id in names
    }


def _by_words(talk: Talk, asked: Sequence[Question], settings: Settings) -> dict[int, list[float]]:
    turns = [turn for turn in talk.turns if turn.candidate]
    search = Keywords().index([said(turn) for turn in turns])
    costs = [
        token_estimate(f"- [{turn.at:%Y-%m-%d}] {said(turn)}\n", settings.context.rates)
        for turn in turns
    ]
    found: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for question in asked:
        order = ranking(np.asarray(search(question.text)))
        for budget in BUDGETS:
            inside, left = set(), budget
            for place in order:
                if costs[place] > left:
                    break
                inside.add(turns[place].id)
                left -= costs[place]
            found[budget].append(len(inside & set(question.evidence)) / len(question.evidence))
    return found
