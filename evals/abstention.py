"""Whether confidence means what it says, and is lower where there is no answer [CNF-04, EVL-08].

A question is answered rightly if it can be answered and one of its evidence turns is among the
first five. LoCoMo's category 5 and LongMemEval's `_abs` questions have no answer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from evals import cli, pages, talks
from evals.cli import SHARED, Data, Json, Limit, Page, Resume
from evals.metrics import auroc, brier, calibration_bins, ece, risk_coverage
from evals.progress import remove
from evals.recall import Answered, Plan, RecallRun, measure

SETS = ("locomo", "longmemeval")
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
        "bins": calibration_bins(sure, hits, BINS),
    }


# --- the command ----------------------------------------------------------------------------------


def abstention(
    data: Data = SHARED,
    limit: Limit = None,
    page: Page = None,
    resume: Resume = None,
    as_json: Json = False,
) -> None:
    """Whether recall knows when it does not know: LoCoMo and LongMemEval."""
    plan = Plan(settings=cli.settings_to_measure(), limit=limit, resume=resume)
    judged = judge([measure(talks.load(name, data), plan, cli.report_progress) for name in SETS])
    cli.write_page(_page(judged), page)
    remove(resume)
    if as_json:
        cli.print_json(judged)
        return
    for part in judged["sets"]:
        _show(part)


def _show(part: Mapping[str, Any]) -> None:
    table = Table("measure", "value", title=f"{part['set']}: {part['questions']} questions")
    for key in ("auroc", "auroc_hit", "ece", "brier"):
        if part[key] is not None:
            table.add_row(key, f"{part[key]:.3f}")
    cli.console.print(table)
    cli.say("coverage  risk")
    for point in part["risk_coverage"]:
        bar = "█" * round(40 * point["risk"])
        cli.say(f"{point['coverage']:7.0%}   {point['risk']:.3f} {bar}")
    cli.say("stated    observed (questions)")
    for bin_ in part["bins"]:
        cli.say(f"{bin_['confidence']:.3f}     {bin_['observed']:.3f} ({bin_['questions']})")


def _page(judged: Mapping[str, Any]) -> str:
    """Risk by coverage, and stated against observed confidence."""
    heads = ("set", "questions", "AUROC", "AUROC right", "ECE", "Brier")
    names = ("auroc", "auroc_hit", "ece", "brier")
    rows = {
        one["set"]: (
            str(one["questions"]),
            *("" if one[name] is None else f"{one[name]:.3f}" for name in names),
        )
        for one in judged["sets"]
    }
    risks = {
        one["set"]: [(100 * point["coverage"], point["risk"]) for point in one["risk_coverage"]]
        for one in judged["sets"]
    }
    parts = [
        pages.Part("In numbers", table=pages.table(heads, rows)),
        pages.Part(
            "Risk by coverage",
            "How many are wrong if only the surest questions are answered.",
            pages.lines("risk by coverage", risks, "share of questions answered", "wrong", " %"),
        ),
        *(
            pages.Part(
                f"Does confidence mean what it says? {one['set']}",
                figure=pages.reliability(f"reliability on {one['set']}", one["bins"]),
                caption="Bigger dots stand for more questions; on the dashed line all is well.",
            )
            for one in judged["sets"]
        ),
    ]
    lead = "A question counts as right if it can be answered and evidence is among the first five."
    return pages.page("Knowing when one does not know", lead, parts, pages.FOOT)
