"""`sharpwave eval locomo`, `realtalk`, `longmemeval`, `abstention` and `context`."""

import json as json_form
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from sharpwave import load_settings
from sharpwave.evals.recall import abstention as silence
from sharpwave.evals.recall import contexts, report, rivals, talks
from sharpwave.evals.recall.measure import Plan, Run, measure
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson
from sharpwave.settings import Settings

SHARED = Path("../shared/data")

Data = Annotated[Path, typer.Option("--data", help="A file of the set, or a folder with it.")]
Out = Annotated[
    Path | None, typer.Option("--json", help="Write everything here, question by question.")
]
Peers = Annotated[
    list[str] | None, typer.Option("--peer", help=f"Beside us: {', '.join(rivals.NAMES)} or all.")
]
Limit = Annotated[int | None, typer.Option(help="The first conversations only.", min=1)]


def register(app: typer.Typer) -> None:
    """Add the commands of this file to `sharpwave eval`."""
    app.command("locomo")(locomo)
    app.command("realtalk")(realtalk)
    app.command("longmemeval")(longmemeval)
    app.command("abstention")(abstention)
    app.command("context")(context)


def locomo(data: Data = SHARED, json: Out = None, peer: Peers = None, limit: Limit = None) -> None:
    """LoCoMo: which turns answer a question, among those of the conversation."""
    _measured("locomo", data, json, peer, limit, report.SHOWN)


def realtalk(
    data: Data = SHARED, json: Out = None, peer: Peers = None, limit: Limit = None
) -> None:
    """REALTALK: the same for chats of real people over 21 days."""
    _measured("realtalk", data, json, peer, limit, report.SHOWN)


def longmemeval(
    data: Data = SHARED, json: Out = None, peer: Peers = None, limit: Limit = None
) -> None:
    """LongMemEval_S: all turns of the user that an answer needs, among some 240 of them."""
    _measured("longmemeval", data, json, peer, limit, (*report.WHOLE, "ndcg@10"))


def abstention(data: Data = SHARED, json: Out = None, limit: Limit = None) -> None:
    """Whether recall knows when it does not know: LoCoMo and LongMemEval."""
    runs = []
    for name in ("locomo", "longmemeval"):
        progress = json and json.with_name(f"{json.name}.{name}.progress")
        runs.append(_run(name, data, (), limit, progress))
    found = silence.judge(runs)
    for one in found["sets"]:
        table = Table("measure", "value", title=f"{one['set']}: {one['questions']} questions")
        for key in ("auroc", "auroc_hit", "ece", "brier"):
            if one[key] is not None:
                table.add_row(key, f"{one[key]:.3f}")
        output.console.print(table)
        output.say("coverage  risk")
        for point in one["risk_coverage"]:
            bar = "#" * round(40 * point["risk"])
            output.say(f"{point['coverage']:7.0%}   {point['risk']:.3f} {bar}")
        output.say("stated    observed (questions)")
        for bin_ in one["bins"]:
            output.say(f"{bin_['confidence']:.3f}     {bin_['observed']:.3f} ({bin_['questions']})")
    _written(json, found, ("locomo", "longmemeval"))


def context(data: Data = SHARED, limit: Limit = None, json: AsJson = False) -> None:
    """Whether the evidence is inside the assembled context, beside BM25: LoCoMo."""
    found = contexts.measure(talks.load("locomo", data), load_settings(), limit, _tell)
    if json:
        output.as_json(found)
        return
    title = f"{found.set}: share of the evidence of {found.questions} questions inside"
    table = Table("tokens", "sharpwave", "tokens used", "bm25", title=title)
    for budget, share in found.ours.items():
        used = f"{found.ours_tokens[budget]:.0f}"
        table.add_row(str(budget), f"{share:.3f}", used, f"{found.bm25[budget]:.3f}")
    output.console.print(table)


def _tell(text: str) -> None:
    typer.echo(f"… {text}", err=True)


def _measured(
    name: str,
    data: Path,
    out: Path | None,
    peers: list[str] | None,
    limit: int | None,
    shown: tuple[str, ...],
) -> None:
    progress = out and out.with_name(f"{out.name}.{name}.progress")
    run = _run(name, data, rivals.named(peers), limit, progress)
    result = report.as_json(run)
    for note in run.notes:
        output.say(f"note: {note}")
    _tables(name, result, shown)
    _written(out, result, (name,))


def _run(
    name: str, data: Path, peers: tuple[str, ...], limit: int | None, progress: Path | None
) -> Run:
    chosen = load_settings()
    # The file lives for one conversation: nothing is lost if the power goes.
    store = chosen.store.model_copy(update={"synchronous": "OFF"})
    settings = Settings.model_validate(chosen.model_copy(update={"store": store}).model_dump())
    plan = Plan(peers, settings, limit, progress)
    return measure(talks.load(name, data), plan, lambda text: typer.echo(f"… {text}", err=True))


def _tables(name: str, result: dict[str, Any], shown: tuple[str, ...]) -> None:
    rows = {"sharpwave": result, **result["peers"]}
    questions = sum(1 for one in result["questions"] if one["evidence"])
    _table(f"{name}: {questions} questions", rows, shown)
    if held := result.get("held_out"):
        title = f"{name}: the {held['sharpwave']['questions']} nothing of ours was trained on"
        _table(title, held, shown)


def _table(title: str, rows: dict[str, Any], shown: tuple[str, ...]) -> None:
    """One column a retriever, one row a measure: it fits any terminal."""
    table = Table("", *rows, title=title)
    for mean in ("macro", "micro"):
        for each in shown:
            table.add_row(f"{mean} {each}", *(f"{one[mean][each]:.3f}" for one in rows.values()))
    for category in next(iter(rows.values()))["categories"]:
        scores = (one["categories"][category][shown[0]] for one in rows.values())
        table.add_row(f"{shown[0]} of {category}", *(f"{number:.3f}" for number in scores))
    output.console.print(table)


def _written(out: Path | None, result: dict[str, Any], names: tuple[str, ...]) -> None:
    if out is None:
        return
    out.write_text(json_form.dumps(result, indent=1), "utf-8")
    for name in names:
        out.with_name(f"{out.name}.{name}.progress").unlink(missing_ok=True)
    output.say(f"written to {out}")
