"""`sharpwave eval embedders`, `languages` and `rerank`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from evals import embedders as by_language
from evals import embedders as by_vector
from evals import rerank as second_look
from evals import retrievers, sets
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson

app = typer.Typer(
    name="eval",
    no_args_is_help=True,
    help="Measure the parts, beside others, on public data.",
    add_completion=False,
    rich_markup_mode=None,
)

FAST = ",".join(name for name in retrievers.NAMES if name != retrievers.TEACHER)
VECTORS = ",".join(name for name in retrievers.NAMES if name != "bm25")
ALL = ",".join(sets.NAMES)
TALKS = "locomo,realtalk"

Data = Annotated[Path, typer.Option("--data", help="The folder with the public sets.")]
Sets = Annotated[str, typer.Option("--sets", help="Which sets, with commas.")]
Embedders = Annotated[
    str, typer.Option("--embedders", help="Which, with commas; e5, the teacher, is slow.")
]
SHARED = Path("../shared/data")


@app.command("embedders")
def embedders(
    data: Data = SHARED,
    which: Sets = ALL,
    names: Embedders = FAST,
    json: AsJson = False,
) -> None:
    """Retrieval by vectors alone: quality on each set, and what a vector costs."""
    found = by_vector.compare(_split(names), _split(which), data, _told(json))
    if json:
        output.as_json(found)
        return
    _say_notes(found.notes)
    _costs(found.results)
    for name in dict.fromkeys(one.set for result in found.results for one in result.sets):
        _quality(name, found.results)


@app.command("languages")
def languages(names: Embedders = VECTORS, json: AsJson = False) -> None:
    """How often the English meaning of a phrase in another language is the nearest."""
    found = by_language.compare_languages(_split(names))
    if json:
        output.as_json(found)
        return
    _say_notes(found.notes)
    title = f"% of {found.phrases} phrases nearest to their meaning among {found.candidates}"
    table = Table("embedder", "mean", *by_language.load_phrases().other_languages, title=title)
    for one in found.results:
        shares = (f"{share * 100:.0f}" for share in one.accuracy.values())
        table.add_row(one.name, f"{one.mean * 100:.1f}", *shares)
    output.console.print(table)


@app.command("rerank")
def rerank(
    data: Data = SHARED,
    which: Sets = TALKS,
    embedder: Annotated[str, typer.Option(help="Gathers candidates, with keywords.")] = "sharpwave",
    rerankers: Annotated[str, typer.Option(help="Which, with commas.")] = second_look.TOKENS,
    teacher: Annotated[
        str | None, typer.Option(help="One more: ms-marco, or a cross-encoder's folder.")
    ] = None,
    share: Annotated[float, typer.Option(help="Share of the questions, seeded.")] = 1.0,
    json: AsJson = False,
) -> None:
    """What a second look at the best 30 candidates is worth."""
    asked = second_look.RerankPlan(embedder, _split(rerankers), teacher, _split(which), share)
    found = second_look.compare(asked, data, _told(json))
    if json:
        output.as_json(found)
        return
    _say_notes(found.notes)
    for one in found.sets:
        _reranked(one, found)


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _told(json: bool) -> by_vector.Progress:
    return lambda text: None if json else typer.echo(f"… {text}", err=True)


def _say_notes(notes: Sequence[str]) -> None:
    for note in notes:
        output.say(f"note: {note}")


def _costs(results: Sequence[by_vector.EmbedderResult]) -> None:
    table = Table("embedder", "dimension", "MB", "load ms", "CPU ms a sentence")
    for one in results:
        cpu = "" if one.cpu_ms is None else f"{one.cpu_ms:.3f}"
        size = f"{one.file_bytes / 1e6:.1f}"
        table.add_row(one.name, str(one.dimension or ""), size, f"{one.load_ms:.0f}", cpu)
    output.console.print(table)


def _quality(name: str, results: Sequence[by_vector.EmbedderResult]) -> None:
    """One row an embedder; last the distance to the teacher, if measured, and the sum with BM25."""
    measured = {one.name: on for one in results for on in one.sets if on.set == name}
    first = next(iter(measured.values()))
    categories = list(first.categories) if len(first.categories) <= 5 else []
    title = f"{name}: {first.questions} questions ({first.skipped} without evidence left out)"
    summed = {one.name: on for one in results for on in one.beside_bm25 if on.set == name}
    heads = ("embedder", "macro N@10", "R@5", "R@10", "micro N@10", "R@1", "R@5", "R@10", "MRR")
    teacher = measured.get(retrievers.TEACHER)
    table = Table(
        *heads, *(f"N@10 of {each}" for each in categories), "to teacher", "+ bm25", title=title
    )
    for embedder, on in measured.items():
        macro = (on.macro.ndcg_at_10, on.macro.recall_at_5, on.macro.recall_at_10)
        micro = (on.micro.ndcg_at_10, on.micro.recall_at_1, on.micro.recall_at_5)
        each = (on.categories[category].ndcg_at_10 for category in categories)
        numbers = (*macro, *micro, on.micro.recall_at_10, on.micro.mrr, *each)
        gap = f"{on.micro.ndcg_at_10 - teacher.micro.ndcg_at_10:+.3f}" if teacher else ""
        both = f"{summed[embedder].micro.ndcg_at_10:.3f}" if embedder in summed else ""
        table.add_row(embedder, *(f"{number:.3f}" for number in numbers), gap, both)
    output.console.print(table)


def _reranked(one: second_look.SetComparison, found: second_look.RerankComparison) -> None:
    questions = one.results[0].alone.questions
    title = f"{one.set}: best 30 of bm25 + {found.embedder}, {questions} questions"
    heads = ("reranker", "N@10", "R@10", "blended N@10", "R@10", "CPU ms a question", "gain kept")
    table = Table(*heads, title=title)
    for each in one.results:
        alone, blended = each.alone.micro, each.blended.micro
        numbers = (alone.ndcg_at_10, alone.recall_at_10, blended.ndcg_at_10, blended.recall_at_10)
        kept = f"{one.gain_kept[each.name]:.0%}" if each.name in one.gain_kept else ""
        name = f"{each.name} (teacher)" if each.name == found.teacher else each.name
        table.add_row(name, *(f"{number:.3f}" for number in numbers), f"{each.cpu_ms:.2f}", kept)
        if each.around:
            name, around = f"{each.name}, around", each.around.micro
            kept = f"{one.gain_kept[name]:.0%}" if name in one.gain_kept else ""
            shown = (f"{around.ndcg_at_10:.3f}", f"{around.recall_at_10:.3f}")
            table.add_row(name, *shown, "", "", "", kept)
    output.console.print(table)
