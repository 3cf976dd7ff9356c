"""`sharpwave eval context`: how much of a question's evidence is inside the assembled context.

A turn of the evidence is inside if it is shown itself, or a fact that rests on it, or a summary
with a sentence of it. The peers show whole turns in their order, with date and speaker, until the
same number of tokens is used. Questions without an answer are left out.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from sharpwave import Settings
from sharpwave.evals.recall.measure import Held, Plan, remembered
from sharpwave.evals.recall.notebook import Notebook, Rows, Told, mark
from sharpwave.evals.recall.rival import said
from sharpwave.evals.recall.talks import Question, Talk, Talks, Turn
from sharpwave.evals.retrievers import Dense, Keywords, Retriever, ranking
from sharpwave.formulas.token_estimate import token_estimate
from sharpwave.providers.sharpwave_embedder.embedder import SharpwaveEmbedder
from sharpwave.rendering.quoting import quoted
from sharpwave.sleep.phases.extractive import sentences
from sharpwave.types.contexts import Context
from sharpwave.types.records import Kind

BUDGETS = (400, 800, 1600)
OURS = "sharpwave"
Shares = dict[str, float]
"""For each budget, as text, the share of the evidence that is inside."""


def measure(talks: Talks, plan: Plan, told: Told = lambda _: None) -> dict[str, Any]:
    """A context for every question of every conversation at every budget; shares, and means."""
    peers: dict[str, Retriever] = {"bm25": Keywords(), "vector": Dense(SharpwaveEmbedder())}
    notebook = Notebook(
        plan.progress, mark(talks, plan.settings, "context", BUDGETS, *plan.conditions)
    )
    rows = notebook.each(
        talks.talks[: plan.limit],
        lambda text: told(f"{talks.set}: {text}"),
        lambda talk: _talk(talk, peers, plan),
    )
    return {
        "set": talks.set,
        "budgets": list(BUDGETS),
        "inside": {name: _means([row["inside"][name] for row in rows]) for name in (OURS, *peers)},
        "tokens": _means([row["tokens"] for row in rows]),
        "questions": rows,
    }


def _talk(talk: Talk, peers: Mapping[str, Retriever], plan: Plan) -> Rows:
    asked = [one for one in talk.questions if one.answerable and one.evidence]
    beside = {name: _by_turns(talk, asked, peer, plan.settings) for name, peer in peers.items()}
    rows = []
    with remembered(talk, plan.settings, plan.sleep) as held:
        for place, question in enumerate(asked):
            shares, tokens = _by_us(held, question)
            inside = {OURS: shares, **{name: found[place] for name, found in beside.items()}}
            one = {"id": question.id, "category": question.category}
            rows.append({**one, "inside": inside, "tokens": tokens})
    return rows


def _by_us(held: Held, question: Question) -> tuple[Shares, Shares]:
    held.clock.set(question.asked_at)
    shares, tokens = Shares(), Shares()
    for budget in BUDGETS:
        context = held.memory.context(question.text, budget=budget)
        shares[str(budget)] = _share(inside(held, context), question)
        tokens[str(budget)] = context.tokens
    return shares, tokens


def inside(held: Held, context: Context) -> set[str]:
    """The turns that a context shows, rests on, or quotes a sentence of."""
    summaries = {
        one: found
        for one in context.ids
        if one not in held.names and (found := held.memory.explain(one)).record.kind is Kind.EPISODE
    }
    said = {
        held.names[turn.id]
        for found in summaries.values()
        for turn in found.rests_on
        if turn.id in held.names
        and any(quoted(part)[1:-1] in context.text for part in sentences(turn.text))
    }
    return said | shown(held, [one for one in context.ids if one not in summaries])


def shown(held: Held, ids: Sequence[str]) -> set[str]:
    """The turns that are shown, or on which something rests that is."""
    turns = {held.names[one] for one in ids if one in held.names}
    facts = [one for one in ids if one not in held.names]
    return turns | {
        held.names[turn.id]
        for one in facts
        for turn in held.memory.explain(one).rests_on
        if turn.id in held.names
    }


def _by_turns(
    talk: Talk, asked: Sequence[Question], peer: Retriever, settings: Settings
) -> list[Shares]:
    turns = [turn for turn in talk.turns if turn.candidate]
    search = peer.index([said(turn) for turn in turns])
    found = []
    for question in asked:
        order = [turns[place] for place in ranking(np.asarray(search(question.text)))]
        fits = {
            budget: {turn.id for turn in fitting(order, budget, settings)} for budget in BUDGETS
        }
        found.append({str(budget): _share(ids, question) for budget, ids in fits.items()})
    return found


def fitting(order: Sequence[Turn], budget: int, settings: Settings) -> list[Turn]:
    """The first turns that fit into a budget, each as a line with its date."""
    fit = []
    for turn in order:
        line = f"- [{turn.at:%Y-%m-%d}] {said(turn)}\n"
        budget -= token_estimate(line, settings.context.rates)
        if budget < 0:
            break
        fit.append(turn)
    return fit


def _share(inside: set[str], question: Question) -> float:
    return len(inside & set(question.evidence)) / len(question.evidence)


def _means(rows: Sequence[Shares]) -> Shares:
    if not rows:
        return {}
    return {budget: fmean(row[budget] for row in rows) for budget in rows[0]}
