"""The pages of the evaluations of recall, made from their JSON."""

from collections.abc import Mapping
from typing import Any

from evals import pages, recall, update
from evals.pages import Part, page, table
from sharpwave import __version__

FOOT = f"Sharpwave {__version__}; all of it measured in the same run."
WORTH = {
    "new_first": "the value that holds comes first",
    "old_shown": "an old value is shown as if it held",
}


def recall(result: Mapping[str, Any]) -> str:
    """LoCoMo, REALTALK or LongMemEval: bars by category, tables."""
    name = result["set"]
    rows = {recall.OURS: result, **result["peers"]}
    measured = recall.measures(name)
    parts = [_compared(name, "All questions", rows, measured[0])]
    if held := result.get("held_out"):
        parts.append(_compared(name, "Questions nothing of ours was trained on", held, measured[0]))
    answered = sum(1 for one in result["questions"] if one["evidence"])
    lead = f"{answered} questions, each about one conversation; evidence turns are ranked."
    notes = " ".join(result["notes"])
    return page(f"Recall on {name}", f"{lead} {notes}", parts, FOOT)


def abstention(found: Mapping[str, Any]) -> str:
    """Risk by coverage, and stated against observed confidence."""
    heads = ("set", "questions", "AUROC", "AUROC right", "ECE", "Brier")
    names = ("auroc", "auroc_hit", "ece", "brier")
    rows = {
        one["set"]: (
            str(one["questions"]),
            *("" if one[name] is None else f"{one[name]:.3f}" for name in names),
        )
        for one in found["sets"]
    }
    risks = {
        one["set"]: [(100 * point["coverage"], point["risk"]) for point in one["risk_coverage"]]
        for one in found["sets"]
    }
    parts = [
        Part("In numbers", table=table(heads, rows)),
        Part(
            "Risk by coverage",
            "How many are wrong if only the surest questions are answered.",
            pages.lines("risk by coverage", risks, "share of questions answered", "wrong", " %"),
        ),
        *(
            Part(
                f"Does confidence mean what it says? {one['set']}",
                figure=pages.reliability(f"reliability on {one['set']}", one["bins"]),
                caption="Bigger dots stand for more questions; on the dashed line all is well.",
            )
            for one in found["sets"]
        ),
    ]
    lead = "A question counts as right if it can be answered and evidence is among the first five."
    return page("Knowing when one does not know", lead, parts, FOOT)


def context(found: Mapping[str, Any]) -> str:
    """Share of the evidence that is inside, by budget."""
    inside = found["inside"]
    series = {
        name: [(float(budget), share) for budget, share in shares.items()]
        for name, shares in inside.items()
    }
    budgets = [f"{budget} tokens" for budget in found["budgets"]]
    rows = {name: list(shares.values()) for name, shares in inside.items()}
    part = Part(
        "Evidence by budget",
        figure=pages.lines("evidence by budget", series, "tokens of the context", "inside"),
        caption="The peers show whole turns in their order until the budget is used.",
        table=table(("", *budgets), rows),
    )
    lead = f"{len(found['questions'])} answerable questions of {found['set']}."
    return page("Is the evidence in the context?", lead, [part], FOOT)


def update(found: Mapping[str, Any]) -> str:
    """By category: which value comes first, and whether an old one is shown as if it held."""
    categories = found["categories"]
    views = list(dict.fromkeys(view for each in categories.values() for view in each))
    parts = [
        Part(
            told.capitalize(),
            figure=pages.bars(
                told,
                list(categories),
                {
                    view: [each.get(view, {}).get(name, 0.0) for each in categories.values()]
                    for view in views
                },
            ),
            caption="Higher is better." if name == "new_first" else "Lower is better.",
        )
        for name, told in WORTH.items()
    ]
    heads = ("", *(name.replace("_", " ") for name in update.SHARES))
    parts += [
        Part(
            category,
            table=table(
                heads, {v: [f"{each[n]:.2f}" for n in update.SHARES] for v, each in of.items()}
            ),
        )
        for category, of in categories.items()
    ]
    lead = f"{len(found['questions'])} questions about something that changed."
    return page("What holds now", lead, parts, FOOT)


def _compared(name: str, heading: str, rows: Mapping[str, Any], shown: str) -> Part:
    """Bars of one measure by category, and a table of all measures."""
    categories = list(rows[recall.OURS]["categories"])
    series = {
        who: [one["categories"][category][shown] for category in categories]
        for who, one in rows.items()
    }
    groups = [recall.category(name, category) for category in categories]
    measured = recall.measures(name)
    numbers = {who: [float(one["macro"][each]) for each in measured] for who, one in rows.items()}
    return Part(
        heading,
        figure=pages.bars(f"{shown} by category", groups, series),
        caption=f"{shown} by category; the numbers above the bars are ours.",
        table=table(("mean over the categories", *measured), numbers),
    )
