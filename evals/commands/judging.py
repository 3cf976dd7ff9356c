"""`sharpwave eval abstention`, `context`, `update`, `conflict` and `reflective`."""

from typing import Any

import typer
from rich.table import Table

from evals import abstention as silence
from evals import cli, conflict, context, reflective, talks, update
from evals.cli import SHARED, Data, Limit, Out, Page, Set, Sleep
from evals.recall import measure
from evals.reporting import pages
from sharpwave.errors import NotFound
from sharpwave.interfaces.cli import output

SETS = ("locomo", "longmemeval")


def register(app: typer.Typer) -> None:
    """Add the commands of this file to `sharpwave eval`."""
    app.command("abstention")(abstention)
    app.command("context")(context)
    app.command("update")(update)
    app.command("conflict")(conflict)
    app.command("reflective")(reflective)


def abstention(
    data: Data = SHARED, json: Out = None, limit: Limit = None, page: Page = None
) -> None:
    """Whether recall knows when it does not know: LoCoMo and LongMemEval."""
    runs = [
        measure(talks.load(name, data), cli.plan(json, limit, name=name), cli.tell) for name in SETS
    ]
    found = silence.judge(runs)
    cli.publish(pages.abstention(found), page)
    if cli.keep(found, json, SETS):
        return
    for one in found["sets"]:
        _judged(one)


def context(
    data: Data = SHARED,
    json: Out = None,
    limit: Limit = None,
    page: Page = None,
    sleep: Sleep = False,
    set_: Set = "locomo",
) -> None:
    """Whether the evidence is inside the assembled context, beside turns by rank."""
    plan = cli.plan(json, limit, name="context", sleep=sleep)
    found = context.measure(talks.load(set_, data), plan, cli.tell)
    cli.publish(pages.context(found), page)
    if cli.keep(found, json, ("context",)):
        return
    inside = found["inside"]
    title = f"{found['set']}: share of the evidence of {len(found['questions'])} questions inside"
    table = Table("tokens", "used", *inside, "sharpwave, carried", title=title)
    for budget in map(str, found["budgets"]):
        shares = (f"{each[budget]:.3f}" for each in (*inside.values(), found["carried"]))
        table.add_row(budget, f"{found['tokens'][budget]:.0f}", *shares)
    output.console.print(table)


def update(data: Data = SHARED, json: Out = None, limit: Limit = None, page: Page = None) -> None:
    """Which value is given first after it changed, and whether the old one is gone."""
    public = None
    try:
        public = talks.load("longmemeval", data)
    except NotFound as error:
        output.say(f"note: our own conversations only; {error}")
    plan = cli.plan(json, limit, name="update")
    found = update.measure(public, plan, cli.tell)
    cli.publish(pages.update(found), page)
    if cli.keep(found, json, ("update",)):
        return
    for category, views in found["categories"].items():
        table = Table("shown by", *(name.replace("_", " ") for name in update.SHARES))
        table.title = f"{category}: {views['context']['questions']:.0f} questions"
        for view, shares in views.items():
            table.add_row(view, *(f"{shares[name]:.2f}" for name in update.SHARES))
        output.console.print(table)


def conflict(json: Out = None, limit: Limit = None) -> None:
    """What holds when statements contradict each other, and whether one is asked."""
    found = conflict.measure(cli.plan(json, limit, name="conflict").settings, limit)
    if cli.keep(found, json, ("conflict",)):
        return
    table = Table("statements", "conversations", "right", "asked", "right if the last is believed")
    for kind, shares in found["kinds"].items():
        told = (f"{shares[name]:.2f}" for name in ("right", "asked", "last_wins"))
        table.add_row(kind, f"{shares['conversations']:.0f}", *told)
    output.console.print(table)


def reflective(json: Out = None, limit: Limit = None) -> None:
    """Whether the prompt for a task tells how one wanted to be helped, days before."""
    found = reflective.measure(cli.plan(json, limit, name="reflective").settings, limit)
    if cli.keep(found, json, ("reflective",)):
        return
    table = Table("prompt", "tasks for which it tells the rule")
    for name, share in found["shares"].items():
        table.add_row(name, f"{share:.2f}")
    output.console.print(table)


def _judged(one: dict[str, Any]) -> None:
    table = Table("measure", "value", title=f"{one['set']}: {one['questions']} questions")
    for key in ("auroc", "auroc_hit", "ece", "brier"):
        if one[key] is not None:
            table.add_row(key, f"{one[key]:.3f}")
    output.console.print(table)
    output.say("coverage  risk")
    for point in one["risk_coverage"]:
        bar = "█" * round(40 * point["risk"])
        output.say(f"{point['coverage']:7.0%}   {point['risk']:.3f} {bar}")
    output.say("stated    observed (questions)")
    for bin_ in one["bins"]:
        output.say(f"{bin_['confidence']:.3f}     {bin_['observed']:.3f} ({bin_['questions']})")
