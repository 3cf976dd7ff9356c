"""`rerank`: what a second look at the best candidates is worth.

    1 gather    keywords + embedder, fused by rank   -> the best 30 statements
    2 rerank    each reranker                        -> the same 30, in its order
    3 blend     its scores + those of the fusion     -> the same 30, in the order of the sum
    4 around    its scores + a part of a neighbour's -> the same 30, in the order of the sum
    5 average   and compare                          -> share of the teacher's gain that is kept

All rerankers, and none, are compared on the same questions: a seeded share of them, because the
teacher takes seconds a question.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from evals import cli, embedders, metrics, models, retrievers
from evals.cli import SHARED, Data, Json
from evals.embedders import SetResult, Sets
from evals.metrics import Scores
from evals.parts import TokenScorer, cross_encoder, with_neighbours
from evals.progress import Progress, silent
from evals.retrievers import Retriever, ranking
from evals.sets import Conversation, DataSet, SetQuestion
from sharpwave import InvalidInput, InvalidSettings, NotFound, Reranker

CANDIDATES = 30
RRF_K = 60.0
SEED = 3
NONE = "none"
TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Gathered:
    """A question with its candidates, best first."""

    question: SetQuestion
    positions: list[int]
    texts: list[str]
    fused: NDArray[np.floating]
    around: dict[int, str]
    """The turns before and after the candidates that are not candidates themselves."""


@dataclass(frozen=True, slots=True)
class RerankResult:
    """One reranker on one set."""

    name: str
    alone: SetResult
    blended: SetResult
    """Its scores and those of the first stage, each standardised, added."""
    around: SetResult | None
    """Its scores and a share of the better neighbour's; None for a transformer, and for none."""
    cpu_ms: float
    """CPU time a question of 30 candidates, the mean."""


@dataclass(frozen=True, slots=True)
class SetComparison:
    """Every reranker that is there on one set; `none` is the order of the first stage."""

    set: str
    results: tuple[RerankResult, ...]
    gain_kept: dict[str, float]
    """Share of the teacher's gain in NDCG@10 that each keeps, alone; empty if there is none."""


@dataclass(frozen=True, slots=True)
class RerankComparison:
    """Every reranker that is there on every set that is there."""

    embedder: str
    teacher: str | None
    share: float
    sets: tuple[SetComparison, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RerankPlan:
    """What to compare."""

    embedder: str
    rerankers: Sequence[str]
    teacher: str | None
    """A reranker like the others: a name, or the folder of a cross-encoder."""
    sets: Sequence[str]
    share: float
    """Share of the questions, in (0, 1]."""


def compare(plan: RerankPlan, folder: Path, progress: Progress = silent) -> RerankComparison:
    """Measure each reranker on the same candidates."""
    if not 0 < plan.share <= 1:
        raise InvalidInput(f"the share of questions is above 0 and at most 1, not {plan.share}")
    data, notes = embedders.load_sets(plan.sets, folder)
    opened: dict[str, Reranker] = {}
    for name in filter(None, dict.fromkeys([*plan.rerankers, plan.teacher])):
        try:
            opened[name] = open_named(name)
        except (NotFound, InvalidSettings) as error:
            notes.append(f"{name} left out: {error}")
    embedder = retrievers.open_named(plan.embedder).retriever
    teacher = plan.teacher if plan.teacher in opened else None
    compared = []
    for dataset in data:
        progress(f"{dataset.name}: gathering")
        results = _on_set(dataset, gather(dataset, embedder, plan.share), opened, progress)
        compared.append(SetComparison(dataset.name, tuple(results), gain_kept(results, teacher)))
    return RerankComparison(plan.embedder, teacher, plan.share, tuple(compared), tuple(notes))


def open_named(name: str) -> Reranker:
    """A reranker by name, or a cross-encoder by its folder."""
    if name in RERANKERS:
        return RERANKERS[name]()
    return cross_encoder(Path(name))


def gather(data: DataSet, embedder: Retriever, share: float) -> list[Gathered]:
    """The best candidates by keywords and vectors, for a share of the questions."""
    drawn = Random(SEED)
    gathered = []
    for talk in data.conversations:
        count = max(1, round(len(talk.questions) * share))
        chosen = sorted(drawn.sample(range(len(talk.questions)), count))
        gathered += _gather_talk(talk, [talk.questions[each] for each in chosen], embedder)
    return gathered


def _gather_talk(
    talk: Conversation, questions: Sequence[SetQuestion], embedder: Retriever
) -> list[Gathered]:
    searches = [retriever.index(talk.statements) for retriever in (retrievers.Keywords(), embedder)]
    gathered = []
    for question in questions:
        fused = np.zeros(len(talk.statements))
        for search in searches:
            for rank, position in enumerate(ranking(search(question.text)), start=1):
                fused[position] += 1 / (RRF_K + rank)
        best = ranking(fused)[:CANDIDATES]
        texts = [talk.statements[position] for position in best]
        near = {at for place in best for at in (place - 1, place + 1)} - set(best)
        around = {at: talk.statements[at] for at in near if 0 <= at < len(talk.statements)}
        gathered.append(Gathered(question, best, texts, fused[best], around))
    return gathered


def _on_set(
    data: DataSet, gathered: Sequence[Gathered], opened: dict[str, Reranker], progress: Progress
) -> list[RerankResult]:
    before = embedders.average(data, [_scored(each, each.fused) for each in gathered])
    results = [RerankResult(NONE, before, before, None, 0.0)]
    for name, reranker in opened.items():
        progress(f"{data.name}: {name}")
        started = process_time()
        given = [reranker.score(each.question.text, each.texts) for each in gathered]
        cpu_ms = (process_time() - started) * 1000 / len(gathered)
        alone, blended = [], []
        for each, scores in zip(gathered, given, strict=True):
            alone.append(_scored(each, scores))
            blended.append(
                _scored(each, embedders.standard(scores) + embedders.standard(each.fused))
            )
        means = [embedders.average(data, scored) for scored in (alone, blended)]
        around = None
        if isinstance(reranker, TokenScorer):  # a transformer would take three times as long
            around = embedders.average(
                data, [_with_neighbours(each, reranker) for each in gathered]
            )
        results.append(RerankResult(name, means[0], means[1], around, cpu_ms))
    return results


def _with_neighbours(each: Gathered, reranker: Reranker) -> tuple[str, Scores]:
    places = [*each.positions, *each.around]
    given = reranker.score(each.question.text, [*each.texts, *each.around.values()])
    scores = dict(zip(places, given.tolist(), strict=True))
    return _scored(each, np.array(with_neighbours(scores, each.positions)))


def gain_kept(results: Sequence[RerankResult], teacher: str | None) -> dict[str, float]:
    """Share of the teacher's gain over no reranking that each other reranker keeps.

        gain_kept = (ndcg - ndcg of none) / (ndcg of the teacher - ndcg of none)

    A name with `, around` stands for the one with neighbours. Nothing if there is no teacher, or if
    it gains nothing.
    """
    ndcg = {each.name: each.alone.micro.ndcg_at_10 for each in results}
    ndcg |= {f"{e.name}, around": e.around.micro.ndcg_at_10 for e in results if e.around}
    gain = ndcg[teacher] - ndcg[NONE] if teacher else 0.0
    if gain <= 0:
        return {}
    return {
        name: (own - ndcg[NONE]) / gain for name, own in ndcg.items() if name not in (NONE, teacher)
    }


def _scored(each: Gathered, scores: NDArray[np.floating]) -> tuple[str, Scores]:
    ranked = [each.positions[place] for place in ranking(scores)]
    return each.question.category, metrics.scores(ranked, each.question.evidence)


RERANKERS: dict[str, Callable[[], Reranker]] = {
    TOKENS: TokenScorer,
    **models.RERANKERS,
}


# --- the command ----------------------------------------------------------------------------------


def rerank(
    data: Data = SHARED,
    names: Sets = "locomo,realtalk",
    embedder: Annotated[str, typer.Option(help="Gathers candidates, with keywords.")] = "sharpwave",
    rerankers: Annotated[str, typer.Option(help="Which, with commas.")] = TOKENS,
    teacher: Annotated[
        str | None, typer.Option(help="One more: ms-marco, or a cross-encoder's folder.")
    ] = None,
    share: Annotated[float, typer.Option(help="Share of the questions, seeded.")] = 1.0,
    as_json: Json = False,
) -> None:
    """What a second look at the best 30 candidates is worth."""
    plan = RerankPlan(embedder, cli.split(rerankers), teacher, cli.split(names), share)
    compared = compare(plan, data, cli.report_progress)
    if as_json:
        cli.print_json(compared)
        return
    cli.say_notes(compared.notes)
    for on in compared.sets:
        _show(on, compared)


def _show(on: SetComparison, compared: RerankComparison) -> None:
    questions = on.results[0].alone.questions
    title = f"{on.set}: best 30 of bm25 + {compared.embedder}, {questions} questions"
    heads = ("reranker", "N@10", "R@10", "blended N@10", "R@10", "CPU ms a question", "gain kept")
    table = Table(*heads, title=title)
    for each in on.results:
        alone, blended = each.alone.micro, each.blended.micro
        numbers = (alone.ndcg_at_10, alone.recall_at_10, blended.ndcg_at_10, blended.recall_at_10)
        kept = f"{on.gain_kept[each.name]:.0%}" if each.name in on.gain_kept else ""
        name = f"{each.name} (teacher)" if each.name == compared.teacher else each.name
        table.add_row(name, *(f"{number:.3f}" for number in numbers), f"{each.cpu_ms:.2f}", kept)
        if each.around:
            name, around = f"{each.name}, around", each.around.micro
            kept = f"{on.gain_kept[name]:.0%}" if name in on.gain_kept else ""
            shown = (f"{around.ndcg_at_10:.3f}", f"{around.recall_at_10:.3f}")
            table.add_row(name, *shown, "", "", "", kept)
    cli.console.print(table)
