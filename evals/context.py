"""`context`: how much of a question's evidence is inside the assembled context.

A turn of the evidence is *inside* if it is shown itself, or a fact that rests on it, or a summary
with a sentence of it. It is *carried* only if what is shown of it still has every word of the gold
answer that the whole turn has and, for a question after a time, its expressions of time ("two days
ago"), from which the answer follows. The peers show whole turns in their order, with date and
speaker, until the same number of tokens is used: all that is inside is carried. Questions without
an answer are left out.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import fmean
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from evals import cli, pages, talks
from evals.cli import SHARED, Data, Json, Limit, Page, Resume, Sleep
from evals.parts import find_times, quoted, split_sentences, stems, token_count
from evals.progress import Progress, ProgressFile, Rows, fingerprint, remove, silent
from evals.recall import OURS, LoadedMemory, Plan, loaded
from evals.retrievers import Retriever, baselines, ranking
from evals.stores import with_speaker
from evals.talks import Question, Talk, Talks, Turn
from sharpwave import Context, Kind

BUDGETS = (400, 800, 1600)
Shares = dict[str, float]
"""For each budget, as text, the share of the evidence that is inside."""
Words = dict[str, str]
"""For each turn, what is shown of it."""

_WHEN = re.compile(
    r"(?:when|since when|how long|(?:in |on )?(?:what|which) (?:day|month|year|date|week))\b", re.I
)
_WORD = re.compile(r"\w+")


def measure(conversations: Talks, plan: Plan, progress: Progress = silent) -> dict[str, Any]:
    """A context for every question of every conversation at every budget; shares, and means."""
    peers = baselines()
    notebook = ProgressFile(
        plan.resume,
        fingerprint(conversations, plan.settings, "context, carried", BUDGETS, *plan.conditions),
    )
    rows = notebook.each(
        conversations.talks[: plan.limit],
        lambda text: progress(f"{conversations.set}: {text}"),
        lambda talk: _talk(talk, peers, plan),
    )
    return {
        "set": conversations.set,
        "budgets": list(BUDGETS),
        "inside": {name: _means([row["inside"][name] for row in rows]) for name in (OURS, *peers)},
        "carried": _means([row["carried"] for row in rows]),
        "tokens": _means([row["tokens"] for row in rows]),
        "questions": rows,
    }


def _talk(talk: Talk, peers: Mapping[str, Retriever], plan: Plan) -> Rows:
    asked = [question for question in talk.questions if question.answerable and question.evidence]
    beside = {name: _by_turns(talk, asked, peer) for name, peer in peers.items()}
    rows = []
    turns = {turn.id: turn for turn in talk.turns}
    with loaded(talk, plan.settings, plan.sleep, plan.database) as held:
        for place, question in enumerate(asked):
            needs = {
                turn: words_needed(turns[turn].text, question, turns[turn].at)
                for turn in question.evidence
            }
            ours = _by_us(held, question, needs)
            inside = {OURS: ours["inside"], **{name: each[place] for name, each in beside.items()}}
            one = {"id": question.id, "category": question.category}
            rows.append({**one, **ours, "inside": inside})
    return rows


def _by_us(
    held: LoadedMemory, question: Question, needs: Mapping[str, frozenset[str]]
) -> dict[str, Shares]:
    held.clock.set(question.asked_at)
    shares: dict[str, Shares] = {"inside": {}, "carried": {}, "tokens": {}}
    for budget in BUDGETS:
        assembled = held.memory.context(question.text, budget=budget)
        shown = words_by_turn(held, assembled)
        whole = {
            turn for turn in needs if turn in shown and needs[turn] <= words_shown(shown[turn])
        }
        shares["inside"][str(budget)] = _share(set(shown), question)
        shares["carried"][str(budget)] = _share(whole, question)
        shares["tokens"][str(budget)] = assembled.tokens
    return shares


def words_by_turn(held: LoadedMemory, context: Context) -> Words:
    """What a context shows of each turn: itself, what rests on it, sentences in a summary."""
    shown: Words = {}
    lines = [line for section in context.sections for line in section.lines]
    for id_, line in zip(context.ids, lines[len(lines) - len(context.ids) :], strict=True):
        for turn in _behind(held, id_, line):
            shown[turn] = f"{shown.get(turn, '')} {line}"
    return shown


def _behind(held: LoadedMemory, id_: str, line: str) -> list[str]:
    """The turns whose words a line has, or on which what it says rests."""
    if id_ in held.names:
        return [held.names[id_]]
    found = held.memory.explain(id_)
    turns = [turn for turn in found.rests_on if turn.id in held.names]
    if found.record.kind is Kind.EPISODE:
        turns = [t for t in turns if any(quoted(s)[1:-1] in line for s in split_sentences(t.text))]
    return [held.names[turn.id] for turn in turns]


def turns_shown(held: LoadedMemory, ids: Sequence[str]) -> set[str]:
    """The turns that are shown, or on which something rests that is."""
    turns = {held.names[id_] for id_ in ids if id_ in held.names}
    facts = [id_ for id_ in ids if id_ not in held.names]
    return turns | {
        held.names[turn.id]
        for id_ in facts
        for turn in held.memory.explain(id_).rests_on
        if turn.id in held.names
    }


def _by_turns(talk: Talk, asked: Sequence[Question], peer: Retriever) -> list[Shares]:
    turns = [turn for turn in talk.turns if turn.candidate]
    search = peer.index([with_speaker(turn) for turn in turns])
    found = []
    for question in asked:
        order = [turns[place] for place in ranking(np.asarray(search(question.text)))]
        fits = {budget: {turn.id for turn in fitting(order, budget)} for budget in BUDGETS}
        found.append({str(budget): _share(ids, question) for budget, ids in fits.items()})
    return found


def fitting(order: Sequence[Turn], budget: int) -> list[Turn]:
    """The first turns that fit into a budget, each as a line with its date."""
    fit = []
    for turn in order:
        line = f"- [{turn.at:%Y-%m-%d}] {with_speaker(turn)}\n"
        budget -= token_count(line)
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


def words_needed(text: str, question: Question, at: datetime) -> frozenset[str]:
    """The words that a turn of that time carries towards the answer, by their stems."""
    answer = set(stems(question.answer)) & set(stems(text))
    if not _WHEN.match(question.text):
        return frozenset(answer)
    return frozenset(answer) | _words(" ".join(each.text for each in find_times(text, at)))


def words_shown(shown: str) -> frozenset[str]:
    """All words of what is shown, to compare with."""
    plain = shown.replace("\\n", " ")  # a quoted text spells its line breaks
    return frozenset(stems(plain)) | _words(plain)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


# --- the command ----------------------------------------------------------------------------------


def context(
    data: Data = SHARED,
    name: Annotated[
        str, typer.Option("--set", help=f"Which: {', '.join(talks.NAMES)}.")
    ] = "locomo",
    limit: Limit = None,
    page: Page = None,
    resume: Resume = None,
    sleep: Sleep = False,
    as_json: Json = False,
) -> None:
    """Whether the evidence is inside the assembled context, beside turns by rank."""
    plan = Plan(settings=cli.settings_to_measure(), limit=limit, resume=resume, sleep=sleep)
    result = measure(talks.load(name, data), plan, cli.report_progress)
    cli.write_page(_page(result), page)
    remove(resume)
    if as_json:
        cli.print_json(result)
        return
    inside = result["inside"]
    title = f"{name}: share of the evidence of {len(result['questions'])} questions inside"
    table = Table("tokens", "used", *inside, "sharpwave, carried", title=title)
    for budget in map(str, result["budgets"]):
        shares = (f"{each[budget]:.3f}" for each in (*inside.values(), result["carried"]))
        table.add_row(budget, f"{result['tokens'][budget]:.0f}", *shares)
    cli.console.print(table)


def _page(result: Mapping[str, Any]) -> str:
    """Share of the evidence that is inside, by budget."""
    inside = result["inside"]
    series = {
        name: [(float(budget), share) for budget, share in shares.items()]
        for name, shares in inside.items()
    }
    budgets = [f"{budget} tokens" for budget in result["budgets"]]
    rows = {name: list(shares.values()) for name, shares in inside.items()}
    part = pages.Part(
        "Evidence by budget",
        figure=pages.lines("evidence by budget", series, "tokens of the context", "inside"),
        caption="The peers show whole turns in their order until the budget is used.",
        table=pages.table(("", *budgets), rows),
    )
    lead = f"{len(result['questions'])} answerable questions of {result['set']}."
    return pages.page("Is the evidence in the context?", lead, [part], pages.FOOT)
