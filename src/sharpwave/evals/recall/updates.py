"""`sharpwave eval update`: a value has changed; which one comes first, and is the old one gone.

Two sources: conversations of our own, in which values change once, twice or four times
(`changes.py`), and LongMemEval's knowledge-update questions, where evidence of the latest session
is new and earlier evidence old. Judged are three views of ours and two of peers:

    recall     the items of `recall`, best first
    profile    what is known of the user, whatever is asked; our own conversations only
    context    the text for a prompt, from its beginning
    bm25, vector   turns in their order, as many as fit into a prompt of the same size

An old value that is marked as no longer so counts as history, not as shown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sharpwave import Settings
from sharpwave.embedding.table_embedder import SharpwaveEmbedder
from sharpwave.evals.recall import changes, contexts
from sharpwave.evals.recall.measure import Held, Plan, remembered
from sharpwave.evals.recall.notebook import Notebook, Rows, Told, mark
from sharpwave.evals.recall.rival import said
from sharpwave.evals.recall.talks import Question, Talk, Talks
from sharpwave.evals.retrievers import Dense, Keywords, Retriever, ranking

BUDGET = 800
KIND = "knowledge-update"
MARK = "no longer so)"
"""How a context marks what has been superseded."""
SHARES = ("new_first", "old_first", "new_shown", "old_shown")
NEW, OLD, NEITHER = "new", "old", "neither"

Label = Callable[[str, set[str]], str | None]
"""A text and the turns it is, or rests on: whether it tells the new value, an old one, or none."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about something that changed, and how to tell new from old."""

    question: Question
    label: Label
    profiled: bool


def measure(public: Talks | None, plan: Plan, told: Told = lambda _: None) -> dict[str, Any]:
    """Our own conversations and, if it is there, LongMemEval; by the number of changes."""
    peers: dict[str, Retriever] = {"bm25": Keywords(), "vector": Dense(SharpwaveEmbedder())}

    def rows_of(talks: Talks, asked: Callable[[Talk], list[Asked]]) -> Rows:
        notebook = Notebook(plan.progress, mark(talks, plan.settings, "update", BUDGET))
        return notebook.each(
            talks.talks[: plan.limit],
            lambda text: told(f"{talks.set}: {text}"),
            lambda talk: _talk(talk, asked(talk), peers, plan.settings),
        )

    own, values = changes.talks()
    rows = rows_of(own, lambda talk: [_of_values(values[one.id]) for one in talk.questions])
    if public is not None:
        rows += rows_of(_knowledge_updates(public), _of_sessions)
    names = dict.fromkeys(row["category"] for row in rows)
    categories = {name: summary([r for r in rows if r["category"] == name]) for name in names}
    return {"categories": categories, "questions": rows}


def summary(rows: Rows) -> dict[str, dict[str, float]]:
    """For each view: how often the new value comes first, an old one does, and each is shown."""
    views = dict.fromkeys(view for row in rows for view in row["views"])
    return {
        view: _shares([row["views"][view] for row in rows if view in row["views"]])
        for view in views
    }


def _shares(seen: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    count = len(seen)
    return {
        "questions": count,
        "new_first": sum(one["first"] == NEW for one in seen) / count,
        "old_first": sum(one["first"] == OLD for one in seen) / count,
        "new_shown": sum(NEW in one["shown"] for one in seen) / count,
        "old_shown": sum(OLD in one["shown"] for one in seen) / count,
    }


def _talk(
    talk: Talk, asked: Sequence[Asked], peers: Mapping[str, Retriever], settings: Settings
) -> Rows:
    turns = [turn for turn in talk.turns if turn.candidate]
    searches = {name: peer.index([said(turn) for turn in turns]) for name, peer in peers.items()}
    rows = []
    with remembered(talk, settings) as held:
        for one in asked:
            views = _ours(held, one)
            for name, search in searches.items():
                order = [turns[place] for place in ranking(np.asarray(search(one.question.text)))]
                shown = contexts.fitting(order, BUDGET, settings)
                views[name] = _view(one.label(turn.text, {turn.id}) for turn in shown)
            rows.append({"id": one.question.id, "category": one.question.category, "views": views})
    return rows


def _ours(held: Held, asked: Asked) -> dict[str, Any]:
    held.clock.set(asked.question.asked_at)
    memory, text = held.memory, asked.question.text
    found = memory.recall(text)
    context = memory.context(text, budget=BUDGET)
    lines = (line for section in context.sections[1:] for line in section.lines)
    views = {
        "recall": [one.record.id for one in found if one.outdated_by is None],
        "context": [id_ for id_, line in zip(context.ids, lines, strict=True) if MARK not in line],
    }
    if asked.profiled:
        views["profile"] = [fact.id for fact in memory.profile()]
    return {
        view: _view(
            asked.label(memory.explain(one).record.text, contexts.shown(held, [one])) for one in ids
        )
        for view, ids in views.items()
    }


def _view(labels: Iterable[str | None]) -> dict[str, Any]:
    """What comes first, and what is there at all."""
    told = [label for label in labels if label]
    return {"first": told[0] if told else NEITHER, "shown": sorted(set(told))}


def _by_value(now: str, before: Sequence[str], text: str, turns: set[str]) -> str | None:
    if now in text:
        return NEW
    return OLD if any(value in text for value in before) else None


def _by_turn(new: set[str], old: set[str], text: str, turns: set[str]) -> str | None:
    if turns & new:
        return NEW
    return OLD if turns & old else None


def _of_values(one: changes.Asked) -> Asked:
    return Asked(one.question, partial(_by_value, one.now, one.before), profiled=True)


def _knowledge_updates(public: Talks) -> Talks:
    """The conversations whose question is about a change that more than one session tells of."""
    some = [
        talk
        for talk in public.talks
        for one in talk.questions
        if one.category == KIND
        and one.answerable
        and len({_session(id_) for id_ in one.evidence}) > 1
    ]
    return Talks(public.set, tuple(some), public.digest)


def _of_sessions(talk: Talk) -> list[Asked]:
    """Evidence of the last session is new, that of earlier ones old."""
    asked = []
    for question in talk.questions:
        last = max(map(_session, question.evidence))
        new = {one for one in question.evidence if _session(one) == last}
        label = partial(_by_turn, new, set(question.evidence) - new)
        asked.append(Asked(question, label, profiled=False))
    return asked


def _session(turn: str) -> int:
    """LongMemEval's turns are named by session, in order of time, and place."""
    return int(turn.split(":")[0])
