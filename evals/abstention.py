"""Whether confidence means what it says, and is lower where there is no answer [CNF-04, EVL-08].

A question is answered rightly if it can be answered and one of its evidence turns is among the
first five. LoCoMo's category 5 and LongMemEval's `_abs` questions have no answer.
"""

from collections.abc import Sequence
from typing import Any

from evals.recall import Answered, RecallRun

FIRST = 5
BINS = 10


def judge(runs: Sequence[RecallRun]) -> dict[str, Any]:
    """Every measure, for each set and all together."""
    together = [one for run in runs for one in run.answered if _counts(one)]
    parts = [(run.set, [one for one in run.answered if _counts(one)]) for run in runs]
    parts.append(("all", together))
    return {
        "sets": [_judged(name, answered) for name, answered in parts if answered],
        "questions": [
            {
                "id": one.id,
                "confidence": one.confidence,
                "decision": one.decision,
                "right": right(one),
            }
            for one in together
        ],
    }


def right(one: Answered) -> bool:
    """Whether the first items hold an answer."""
    return one.answerable and not set(one.evidence).isdisjoint(one.ranked[:FIRST])


def _counts(one: Answered) -> bool:
    """Questions whose evidence is not among what is ranked say nothing."""
    return bool(one.evidence) or not one.answerable


def _judged(name: str, answered: Sequence[Answered]) -> dict[str, Any]:
    sure = [one.confidence for one in answered]
    hits = [right(one) for one in answered]
    return {
        "set": name,
        "questions": len(answered),
        "auroc": auroc(sure, [one.answerable for one in answered]),
        "auroc_hit": auroc(sure, hits),
        "ece": ece(sure, hits, BINS),
        "brier": brier(sure, hits),
        "risk_coverage": risk_coverage(sure, hits),
        "bins": _bins(sure, hits, BINS),
    }


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """How often a positive scores above a negative; ties count half. None without both.

    >>> auroc([0.9, 0.4, 0.6, 0.1], [True, True, False, False])
    0.75
    """
    above = [score for score, is_positive in zip(scores, positive, strict=True) if is_positive]
    below = [score for score, is_positive in zip(scores, positive, strict=True) if not is_positive]
    if not above or not below:
        return None
    wins = sum((one > other) + 0.5 * (one == other) for one in above for other in below)
    return wins / (len(above) * len(below))


def brier(stated: Sequence[float], observed: Sequence[bool]) -> float:
    """Mean squared distance of the stated probability from what was so.

    >>> brier([1.0, 0.5], [True, False])
    0.125
    """
    pairs = zip(stated, observed, strict=True)
    return sum((one - was) ** 2 for one, was in pairs) / len(stated)


def ece(stated: Sequence[float], observed: Sequence[bool], bins: int) -> float:
    """Expected calibration error: mean distance of stated and observed, over bins of equal width.

    >>> round(ece([0.9, 0.9, 0.1, 0.1], [True, True, False, False], bins=10), 3)
    0.1
    """
    each = _bins(stated, observed, bins)
    gaps = (abs(one["confidence"] - one["observed"]) * one["questions"] for one in each)
    return float(sum(gaps) / len(stated))


def risk_coverage(stated: Sequence[float], observed: Sequence[bool]) -> list[dict[str, float]]:
    """The share of wrong ones among the surest 10 %, 20 % … of the questions."""
    order = sorted(range(len(stated)), key=lambda place: -stated[place])
    points = []
    for tenth in range(1, 11):
        some = order[: max(1, len(order) * tenth // 10)]
        wrong = sum(not observed[place] for place in some)
        points.append({"coverage": tenth / 10, "risk": wrong / len(some)})
    return points


def _bins(stated: Sequence[float], observed: Sequence[bool], bins: int) -> list[dict[str, Any]]:
    filled: dict[int, list[int]] = {}
    for place, one in enumerate(stated):
        filled.setdefault(min(int(one * bins), bins - 1), []).append(place)
    return [
        {
            "confidence": sum(stated[place] for place in places) / len(places),
            "observed": sum(observed[place] for place in places) / len(places),
            "questions": len(places),
        }
        for _, places in sorted(filled.items())
    ]
