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
    together = [answer for run in runs for answer in run.answered if _counts(answer)]
    parts = [(run.set, [answer for answer in run.answered if _counts(answer)]) for run in runs]
    parts.append(("all", together))
    return {
        "sets": [_judged(name, answered) for name, answered in parts if answered],
        "questions": [
            {
                "id": answer.id,
                "confidence": answer.confidence,
                "decision": answer.decision,
                "right": right(answer),
            }
            for answer in together
        ],
    }


def right(answer: Answered) -> bool:
    """Whether the first items hold an answer."""
    return answer.answerable and not set(answer.evidence).isdisjoint(answer.ranked[:FIRST])


def _counts(answer: Answered) -> bool:
    """Questions whose evidence is not among what is ranked say nothing."""
    return bool(answer.evidence) or not answer.answerable


def _judged(name: str, answered: Sequence[Answered]) -> dict[str, Any]:
    sure = [answer.confidence for answer in answered]
    hits = [right(answer) for answer in answered]
    return {
        "set": name,
        "questions": len(answered),
        "auroc": auroc(sure, [answer.answerable for answer in answered]),
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
        part["set"]: (
            str(part["questions"]),
            *("" if part[name] is None else f"{part[name]:.3f}" for name in names),
        )
        for part in judged["sets"]
    }
    risks = {
        part["set"]: [(100 * point["coverage"], point["risk"]) for point in part["risk_coverage"]]
        for part in judged["sets"]
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
                f"Does confidence mean what it says? {part['set']}",
                figure=pages.reliability(f"reliability on {part['set']}", part["bins"]),
                caption="Bigger dots stand for more questions; on the dashed line all is well.",
            )
            for part in judged["sets"]
        ),
    ]
    lead = "A question counts as right if it can be answered and evidence is among the first five."
    return pages.page("Knowing when one does not know", lead, parts, pages.FOOT)
