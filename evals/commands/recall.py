"""`sharpwave eval locomo`, `realtalk` and `longmemeval`."""

from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from evals import cli, recall, stores, talks
from evals.cli import SHARED, Data, Database, Limit, Out, Page, Peers, Sleep
from evals.recall import Plan, measure
from evals.reporting import pages
from sharpwave.interfaces.cli import output


def register(app: typer.Typer) -> None:
    """Add the commands of this file to `sharpwave eval`."""
    app.command("locomo")(locomo)
    app.command("realtalk")(realtalk)
    app.command("longmemeval")(longmemeval)


def locomo(
    data: Data = SHARED,
    json: Out = None,
    peer: Peers = None,
    limit: Limit = None,
    page: Page = None,
    sleep: Sleep = False,
    database: Database = None,
) -> None:
    """LoCoMo: which turns answer a question, among those of the conversation."""
    plan = cli.plan(json, limit, stores.named(peer), "locomo", sleep, database)
    _measured("locomo", data, json, page, plan)


def realtalk(
    data: Data = SHARED,
    json: Out = None,
    peer: Peers = None,
    limit: Limit = None,
    page: Page = None,
    sleep: Sleep = False,
    database: Database = None,
) -> None:
    """REALTALK: the same for chats of real people over 21 days."""
    plan = cli.plan(json, limit, stores.named(peer), "realtalk", sleep, database)
    _measured("realtalk", data, json, page, plan)


def longmemeval(
    data: Data = SHARED,
    json: Out = None,
    peer: Peers = None,
    limit: Limit = None,
    page: Page = None,
    sleep: Sleep = False,
    database: Database = None,
) -> None:
    """LongMemEval_S: all turns of the user that an answer needs, among some 240 of them."""
    plan = cli.plan(json, limit, stores.named(peer), "longmemeval", sleep, database)
    _measured("longmemeval", data, json, page, plan)


def _measured(
    name: str,
    data: Path,
    out: Path | None,
    page: Path | None,
    plan: Plan,
) -> None:
    run = measure(talks.load(name, data), plan, cli.tell)
    result = recall.as_json(run)
    cli.publish(pages.recall(result), page)
    if cli.keep(result, out, (name,)):
        return
    for note in run.notes:
        output.say(f"note: {note}")
    _tables(name, result)


def _tables(name: str, result: dict[str, Any]) -> None:
    rows = {recall.OURS: result, **result["peers"]}
    questions = sum(1 for one in result["questions"] if one["evidence"])
    _table(f"{name}: {questions} questions", rows, name)
    if held := result.get("held_out"):
        title = f"{name}: the {held[recall.OURS]['questions']} nothing of ours was trained on"
        _table(title, held, name)


def _table(title: str, rows: dict[str, Any], name: str) -> None:
    """One column a retriever, one row a measure: it fits any terminal."""
    shown = recall.measures(name)
    table = Table("", *rows, title=title)
    for mean in ("macro", "micro"):
        for each in shown:
            table.add_row(f"{mean} {each}", *(f"{one[mean][each]:.3f}" for one in rows.values()))
    table.add_row(f"{shown[0]} by category", *("" for _ in rows))
    for category in next(iter(rows.values()))["categories"]:
        scores = (one["categories"][category][shown[0]] for one in rows.values())
        row = (f"{number:.3f}" for number in scores)
        table.add_row(f"  {recall.category(name, category)}", *row)
    output.console.print(table)
