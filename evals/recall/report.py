"""The answers of a run as numbers: per category, their mean, beside the peers. All in [0, 1]."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from evals import metrics
from evals.recall.measure import Answered, Run

Numbers = dict[str, float]
Ranked = Callable[[Answered], list[str]]
SHOWN = ("ndcg@10", "recall@5", "recall@10")
WHOLE = ("recall_all@5", "recall_all@10")
OURS = "sharpwave"
CATEGORIES = {
    "1": "multi-hop",
    "2": "temporal",
    "3": "open-domain",
    "4": "single-hop",
    "5": "adversarial",
}


def measures(name: str) -> tuple[str, ...]:
    """What is told of a set."""
    return (*WHOLE, *SHOWN) if name == "longmemeval" else SHOWN


def category(name: str, code: str) -> str:
    """A category in words."""
    return CATEGORIES.get(code, code) if name in ("locomo", "realtalk") else code


def as_json(run: Run) -> dict[str, Any]:
    """The whole result in its public form."""
    kept = measures(run.set)
    scored = [one for one in run.answered if one.evidence]
    own = summary(scored, lambda one: one.ranked, kept)
    peers = {name: summary(scored, _peer(name), kept) for name in run.peers}
    result: dict[str, Any] = {
        "set": run.set,
        "macro": own["macro"],
        "micro": own["micro"],
        "categories": own["categories"],
        "peers": peers,
        "cpu_ms": {"p50": median(one.cpu_ms for one in run.answered)} if run.answered else {},
        "notes": list(run.notes),
    }
    if not all(one.held_out for one in run.answered):
        held = [one for one in scored if one.held_out]
        result["held_out"] = {OURS: summary(held, lambda one: one.ranked, kept)}
        result["held_out"] |= {name: summary(held, _peer(name), kept) for name in run.peers}
    result["questions"] = [_question(one) for one in run.answered]
    return result


def summary(answered: Sequence[Answered], ranked: Ranked, kept: Sequence[str]) -> dict[str, Any]:
    """Means of each category, over the categories (macro), and over the questions (micro)."""
    by_category: defaultdict[str, list[Numbers]] = defaultdict(list)
    for one in answered:
        every = numbers(ranked(one), one.evidence)
        by_category[one.category].append({name: every[name] for name in kept})
    categories = {name: _mean(each) for name, each in sorted(by_category.items())}
    everything = [one for each in by_category.values() for one in each]
    return {
        "questions": len(everything),
        "macro": _mean(list(categories.values())),
        "micro": _mean(everything),
        "categories": categories,
    }


def numbers(ranked: Sequence[str], evidence: Sequence[str]) -> Numbers:
    """The measures of one ranking of ids."""
    places = {one: place for place, one in enumerate(dict.fromkeys([*ranked, *evidence]))}
    order, right = [places[one] for one in ranked], {places[one] for one in evidence}
    recalls = {k: metrics.recall(order, right, k) for k in (5, 10)}
    return {
        "ndcg@10": metrics.ndcg(order, right, 10),
        "recall@5": recalls[5],
        "recall@10": recalls[10],
        "recall_all@5": float(recalls[5] == 1),
        "recall_all@10": float(recalls[10] == 1),
    }


def _peer(name: str) -> Ranked:
    return lambda one: one.peers[name]


def _mean(each: Sequence[Numbers]) -> Numbers:
    if not each:
        return {}
    return {name: sum(one[name] for one in each) / len(each) for name in each[0]}


def _question(one: Answered) -> dict[str, Any]:
    return {
        "id": one.id,
        "category": one.category,
        "evidence": one.evidence,
        "ranked": one.ranked,
        "decision": one.decision,
        "confidence": one.confidence,
        "answerable": one.answerable,
        "held_out": one.held_out,
    }
