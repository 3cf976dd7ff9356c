"""`sharpwave eval rerank`: what a second look at the best candidates is worth.

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

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.local_models import CrossEncoder
from sharpwave.embedding.table_embedder import TokenScorer
from sharpwave.errors import InvalidInput, InvalidSettings, NotFound
from sharpwave.evals import embedders, metrics, peers, retrievers
from sharpwave.evals.embedders import SetResult, Told
from sharpwave.evals.metrics import Scores
from sharpwave.evals.retrievers import Retriever, ranking
from sharpwave.evals.sets import Conversation, DataSet, Question
from sharpwave.formulas.neighbours import with_neighbours
from sharpwave.formulas.rank_fusion import reciprocal_rank
from sharpwave.ports import Reranker
from sharpwave.settings.tree import Settings

CANDIDATES = 30
SEED = 3
NONE = "none"
TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Gathered:
    """A question with its candidates, best first."""

    question: Question
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
class Asked:
    """What to compare."""

    embedder: str
    rerankers: Sequence[str]
    teacher: str | None
    """A reranker like the others: a name, or the folder of a cross-encoder."""
    sets: Sequence[str]
    share: float
    """Share of the questions, in (0, 1]."""


def compare(asked: Asked, folder: Path, told: Told = lambda _: None) -> RerankComparison:
    """Measure each reranker on the same candidates."""
    if not 0 < asked.share <= 1:
        raise InvalidInput(f"the share of questions is above 0 and at most 1, not {asked.share}")
    data, notes = embedders.load_sets(asked.sets, folder)
    opened: dict[str, Reranker] = {}
    for name in filter(None, dict.fromkeys([*asked.rerankers, asked.teacher])):
        try:
            opened[name] = open_named(name)
        except (NotFound, InvalidSettings) as error:
            notes.append(f"{name} left out: {error}")
    embedder = retrievers.open_named(asked.embedder).retriever
    teacher = asked.teacher if asked.teacher in opened else None
    compared = []
    for one in data:
        told(f"{one.name}: gathering")
        results = _on_set(one, gather(one, embedder, asked.share), opened, told)
        compared.append(SetComparison(one.name, tuple(results), gain_kept(results, teacher)))
    return RerankComparison(asked.embedder, teacher, asked.share, tuple(compared), tuple(notes))


def open_named(name: str) -> Reranker:
    """A reranker by name, or a cross-encoder by its folder."""
    if name in _RERANKERS:
        return _RERANKERS[name]()
    return CrossEncoder(Path(name), Settings().reranker.max_tokens)


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
    talk: Conversation, questions: Sequence[Question], embedder: Retriever
) -> list[Gathered]:
    searches = [one.index(talk.statements) for one in (retrievers.Keywords(), embedder)]
    rrf_k = Settings().recall.rrf_k
    gathered = []
    for question in questions:
        fused = np.zeros(len(talk.statements))
        for search in searches:
            for rank, position in enumerate(ranking(search(question.text)), start=1):
                fused[position] += reciprocal_rank(rank, rrf_k, weight=1.0)
        best = ranking(fused)[:CANDIDATES]
        texts = [talk.statements[position] for position in best]
        near = {at for place in best for at in (place - 1, place + 1)} - set(best)
        around = {at: talk.statements[at] for at in near if 0 <= at < len(talk.statements)}
        gathered.append(Gathered(question, best, texts, fused[best], around))
    return gathered


def _on_set(
    data: DataSet, gathered: Sequence[Gathered], opened: dict[str, Reranker], told: Told
) -> list[RerankResult]:
    before = embedders.average(data, [_scored(each, each.fused) for each in gathered])
    results = [RerankResult(NONE, before, before, None, 0.0)]
    for name, reranker in opened.items():
        told(f"{data.name}: {name}")
        started = process_time()
        given = [reranker.score(each.question.text, each.texts) for each in gathered]
        cpu_ms = (process_time() - started) * 1000 / len(gathered)
        alone, blended = [], []
        for each, scores in zip(gathered, given, strict=True):
            alone.append(_scored(each, scores))
            blended.append(
                _scored(each, embedders.standard(scores) + embedders.standard(each.fused))
            )
        means = [embedders.average(data, one) for one in (alone, blended)]
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
    share = Settings().reranker.neighbour_share
    return _scored(each, np.array(with_neighbours(scores, each.positions, share)))


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


_RERANKERS: dict[str, Callable[[], Reranker]] = {
    TOKENS: TokenScorer,
    **peers.RERANKERS,
}
