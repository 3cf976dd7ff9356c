"""`sharpwave eval context`: how much of a question's evidence is inside the assembled context.

A turn of the evidence is *inside* if it is shown itself, or a fact that rests on it, or a summary
with a sentence of it. It is *carried* only if what is shown of it still has every word of the gold
answer that the whole turn has (`carried.py`). The peers show whole turns in their order, with date
and speaker, until the same number of tokens is used: all that is inside is carried. Questions
without an answer are left out.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from sharpwave import Settings
from sharpwave.embedding.table_embedder import SharpwaveEmbedder
from sharpwave.evals.recall.carried import Carried
from sharpwave.evals.recall.measure import Held, Plan, remembered
from sharpwave.evals.recall.notebook import Notebook, Rows, Told, mark
from sharpwave.evals.recall.rival import said
from sharpwave.evals.recall.talks import Question, Talk, Talks, Turn
from sharpwave.evals.retrievers import Dense, Keywords, Retriever, ranking
from sharpwave.formulas.token_estimate import token_estimate
from sharpwave.rendering.quoting import quoted
from sharpwave.sleep.phases.extractive import sentences
from sharpwave.types.contexts import Context
from sharpwave.types.records import Kind

BUDGETS = (400, 800, 1600)
OURS = "sharpwave"
Shares = dict[str, float]
"""For each budget, as text, the share of the evidence that is inside."""
Words = dict[str, str]
"""For each turn, what is shown of it."""


def measure(talks: Talks, plan: Plan, told: Told = lambda _: None) -> dict[str, Any]:
    """A context for every question of every conversation at every budget; shares, and means."""
    peers: dict[str, Retriever] = {"bm25": Keywords(), "vector": Dense(SharpwaveEmbedder())}
    notebook = Notebook(
        plan.progress, mark(talks, plan.settings, "context, carried", BUDGETS, *plan.conditions)
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
        "carried": _means([row["carried"] for row in rows]),
        "tokens": _means([row["tokens"] for row in rows]),
        "questions": rows,
    }


def _talk(talk: Talk, peers: Mapping[str, Retriever], plan: Plan) -> Rows:
    asked = [one for one in talk.questions if one.answerable and one.evidence]
    beside = {name: _by_turns(talk, asked, peer, plan.settings) for name, peer in peers.items()}
    rows = []
    carried, turns = Carried(), {turn.id: turn for turn in talk.turns}
    with remembered(talk, plan.settings, plan.sleep, plan.database) as held:
        for place, question in enumerate(asked):
            needs = {
                one: carried.by(turns[one].text, question, turns[one].at)
                for one in question.evidence
            }
            ours = _by_us(held, question, needs, carried)
            inside = {OURS: ours["inside"], **{name: each[place] for name, each in beside.items()}}
            one = {"id": question.id, "category": question.category}
            rows.append({**one, **ours, "inside": inside})
    return rows


def _by_us(
    held: Held, question: Question, needs: Mapping[str, frozenset[str]], carried: Carried
) -> dict[str, Shares]:
    held.clock.set(question.asked_at)
    shares: dict[str, Shares] = {"inside": {}, "carried": {}, "tokens": {}}
    for budget in BUDGETS:
        context = held.memory.context(question.text, budget=budget)
        told = words(held, context)
        whole = {one for one in needs if one in told and needs[one] <= carried.in_(told[one])}
        shares["inside"][str(budget)] = _share(set(told), question)
        shares["carried"][str(budget)] = _share(whole, question)
        shares["tokens"][str(budget)] = context.tokens
    return shares


def words(held: Held, context: Context) -> Words:
    """What a context shows of each turn: itself, what rests on it, sentences in a summary."""
    told: Words = {}
    lines = [line for section in context.sections for line in section.lines]
    for id_, line in zip(context.ids, lines[len(lines) - len(context.ids) :], strict=True):
        for turn in _behind(held, id_, line):
            told[turn] = f"{told.get(turn, '')} {line}"
    return told


def _behind(held: Held, id_: str, line: str) -> list[str]:
    """The turns whose words a line has, or on which what it says rests."""
    if id_ in held.names:
        return [held.names[id_]]
    found = held.memory.explain(id_)
    turns = [turn for turn in found.rests_on if turn.id in held.names]
    if found.record.kind is Kind.EPISODE:
        turns = [t for t in turns if any(quoted(s)[1:-1] in line for s in sentences(t.text))]
    return [held.names[turn.id] for turn in turns]


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
