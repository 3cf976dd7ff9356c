"""`embedders`: retrieval by vectors alone, and what a vector costs.

Each embedder in turn:

    1 load      its name             -> the embedder, load time, size
    2 cost      20-word sentences    -> CPU a sentence
    3 rank      each question        -> positions of the conversation's own statements, best first
    4 average   by category          -> macro (mean of categories) and micro (mean of questions)
    5 beside    its scores + BM25's  -> the same, ranked by the sum, each standardised

Sets and embedders that are not there are left out, with a note.

`languages`: whether the English meaning of a phrase is the nearest. The phrases are ours, in
`data/phrases.toml`: parallel short sentences, and English sentences that are near to one of them
and mean something else. Both sides are embedded as statements.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from time import process_time
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from evals import cli, metrics, retrievers, sets
from evals.cli import SHARED, Data, Json
from evals.metrics import Scores
from evals.progress import Progress, silent
from evals.retrievers import Opened, ranking
from evals.sets import ADVERSARIAL, DataSet
from sharpwave import Embedder, NotFound

Sets = Annotated[str, typer.Option("--sets", help="Which sets, with commas.")]
Embedders = Annotated[
    str, typer.Option("--embedders", help="Which, with commas; e5, the teacher, is slow.")
]
FAST = ",".join(name for name in retrievers.NAMES if name != retrievers.TEACHER)
ALL = ",".join(sets.NAMES)
VECTORS = ",".join(name for name in retrievers.NAMES if name != "bm25")
TIMED_WORDS = 20
TIMED_SENTENCES = 200
WARM_UP = 5


@dataclass(frozen=True, slots=True)
class SetResult:
    """One embedder on one set."""

    set: str
    questions: int
    skipped: int
    macro: Scores
    """Mean over the categories."""
    micro: Scores
    """Mean over the questions, without the adversarial ones."""
    categories: dict[str, Scores]


@dataclass(frozen=True, slots=True)
class EmbedderResult:
    """One embedder."""

    name: str
    dimension: int | None
    load_ms: float
    file_bytes: int
    cpu_ms: float | None
    """CPU time of one sentence of 20 words, the median; None if that means nothing here."""
    sets: tuple[SetResult, ...]
    beside_bm25: tuple[SetResult, ...]
    """The same sets ranked by the sum with BM25, each standardised; empty for BM25 itself."""


@dataclass(frozen=True, slots=True)
class EmbedderComparison:
    """All embedders that are there, on all sets that are there."""

    results: tuple[EmbedderResult, ...]
    notes: tuple[str, ...]
    """What was left out, and why."""


def compare(
    names: Sequence[str],
    set_names: Sequence[str],
    folder: Path,
    progress: Progress = silent,
) -> EmbedderComparison:
    """Measure the named embedders on the named sets."""
    data, notes = load_sets(set_names, folder)
    sentences = timed_sentences(data)
    results = []
    for opened in retrievers.available(names, notes):
        name, cpu_ms = opened.name, None
        if opened.embedder:
            progress(f"{name}: cost")
            cpu_ms = cpu_ms_a_sentence(opened.embedder, sentences)
        measured, beside = [], []
        for dataset in data:
            progress(f"{name}: {dataset.name}")
            alone, summed = measure(opened, dataset)
            measured.append(alone)
            beside += [summed] if summed else []
        dimension = opened.embedder.space.dimension if opened.embedder else None
        costs = (dimension, opened.load_ms, opened.file_bytes, cpu_ms)
        results.append(EmbedderResult(name, *costs, tuple(measured), tuple(beside)))
    return EmbedderComparison(tuple(results), tuple(notes))


def load_sets(names: Sequence[str], folder: Path) -> tuple[list[DataSet], list[str]]:
    """The sets that are there, and a note for each that is not; NotFound if none is."""
    data, notes = [], []
    for name in names:
        try:
            data.append(sets.load(name, folder, among=len(names) > 1))
        except NotFound as error:
            notes.append(str(error))
    if not data:
        raise NotFound("; ".join(notes))
    return data, notes


def timed_sentences(data: Iterable[DataSet]) -> list[str]:
    """Different sentences of exactly 20 words out of the sets."""
    texts = (text for dataset in data for talk in dataset.conversations for text in talk.statements)
    words = (text.split() for text in texts)
    cut = (" ".join(some[:TIMED_WORDS]) for some in words if len(some) >= TIMED_WORDS)
    return list(islice(dict.fromkeys(cut), WARM_UP + TIMED_SENTENCES))


def cpu_ms_a_sentence(embedder: Embedder, sentences: Sequence[str]) -> float | None:
    """Median CPU time, of all threads together, to embed one sentence alone."""
    embedder.embed(sentences[:WARM_UP])
    spent = []
    for sentence in sentences[WARM_UP:]:
        started = process_time()
        embedder.embed([sentence])
        spent.append(process_time() - started)
    return median(spent) * 1000 if spent else None


def measure(opened: Opened, data: DataSet) -> tuple[SetResult, SetResult | None]:
    """Rank every conversation's statements for every question about it, alone and beside BM25."""
    scored, summed = [], []
    for talk in data.conversations:
        search = opened.retriever.index(talk.statements)
        keywords = retrievers.Keywords().index(talk.statements)
        for question in talk.questions:
            found = search(question.text)
            scored.append((question.category, metrics.scores(ranking(found), question.evidence)))
            if opened.embedder:
                both = standard(found) + standard(keywords(question.text))
                summed.append((question.category, metrics.scores(ranking(both), question.evidence)))
    return average(data, scored), average(data, summed) if summed else None


def standard(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """The same with mean zero and spread one."""
    spread = float(np.std(scores))
    made: NDArray[np.floating] = (scores - np.mean(scores)) / (spread or 1.0)
    return made


def average(data: DataSet, scored: Sequence[tuple[str, Scores]]) -> SetResult:
    """The means of what was scored, each with its category."""
    by_category: defaultdict[str, list[Scores]] = defaultdict(list)
    for category, score in scored:
        by_category[category].append(score)
    categories = {name: metrics.mean(each) for name, each in sorted(by_category.items())}
    answerable = [score for category, score in scored if category != ADVERSARIAL]
    return SetResult(
        set=data.name,
        questions=len(scored),
        skipped=sum(talk.skipped for talk in data.conversations),
        macro=metrics.mean(list(categories.values())),
        micro=metrics.mean(answerable or [score for _, score in scored]),
        categories=categories,
    )


ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class ParallelPhrases:
    """Sentences by language, in the same order in each, and English distractors."""

    by_language: dict[str, tuple[str, ...]]
    distractors: tuple[str, ...]

    @property
    def other_languages(self) -> tuple[str, ...]:
        """All but English."""
        return tuple(language for language in self.by_language if language != ENGLISH)


@dataclass(frozen=True, slots=True)
class LanguageResult:
    """One embedder: share of the phrases whose English meaning came first, by language."""

    name: str
    accuracy: dict[str, float]
    mean: float


@dataclass(frozen=True, slots=True)
class LanguageComparison:
    """All embedders that are there."""

    phrases: int
    candidates: int
    results: tuple[LanguageResult, ...]
    notes: tuple[str, ...]


def compare_languages(names: Sequence[str]) -> LanguageComparison:
    """Measure the named embedders on our phrases."""
    phrases = load_phrases()
    results: list[LanguageResult] = []
    notes: list[str] = []
    for opened in retrievers.available(names, notes):
        if opened.embedder is None:
            notes.append(f"{opened.name} left out: it makes no vectors")
            continue
        accuracy = nearest_meanings(opened.embedder, phrases)
        mean = sum(accuracy.values()) / len(accuracy)
        results.append(LanguageResult(opened.name, accuracy, mean))
    english = phrases.by_language[ENGLISH]
    candidates = len(english) + len(phrases.distractors)
    return LanguageComparison(len(english), candidates, tuple(results), tuple(notes))


def load_phrases() -> ParallelPhrases:
    """Our phrases in all languages."""
    content = sets.own_data("phrases.toml")
    rows = content["phrases"]
    by_language = {language: tuple(row[language] for row in rows) for language in rows[0]}
    return ParallelPhrases(by_language, tuple(content["distractors"]))


def nearest_meanings(embedder: Embedder, phrases: ParallelPhrases) -> dict[str, float]:
    """Share of the phrases of each language that are nearest to their English meaning."""
    meanings = embedder.embed([*phrases.by_language[ENGLISH], *phrases.distractors])
    accuracy = {}
    for language in phrases.other_languages:
        texts = phrases.by_language[language]
        nearest = np.argmax(embedder.embed(texts) @ meanings.T, axis=1)
        accuracy[language] = float(np.mean(nearest == np.arange(len(texts))))
    return accuracy


# --- commands -------------------------------------------------------------------------------------


def embedders(
    data: Data = SHARED,
    names: Sets = ALL,
    which: Embedders = FAST,
    as_json: Json = False,
) -> None:
    """Retrieval by vectors alone: quality on each set, and what a vector costs."""
    compared = compare(cli.split(which), cli.split(names), data, cli.report_progress)
    if as_json:
        cli.print_json(compared)
        return
    cli.say_notes(compared.notes)
    _show_costs(compared.results)
    for name in dict.fromkeys(on.set for result in compared.results for on in result.sets):
        _show_quality(name, compared.results)


def languages(which: Embedders = VECTORS, as_json: Json = False) -> None:
    """How often the English meaning of a phrase in another language is the nearest."""
    compared = compare_languages(cli.split(which))
    if as_json:
        cli.print_json(compared)
        return
    cli.say_notes(compared.notes)
    title = f"% of {compared.phrases} phrases nearest to their meaning among {compared.candidates}"
    table = Table("embedder", "mean", *load_phrases().other_languages, title=title)
    for result in compared.results:
        shares = (f"{share * 100:.0f}" for share in result.accuracy.values())
        table.add_row(result.name, f"{result.mean * 100:.1f}", *shares)
    cli.console.print(table)


def _show_costs(results: Sequence[EmbedderResult]) -> None:
    table = Table("embedder", "dimension", "MB", "load ms", "CPU ms a sentence")
    for result in results:
        cpu = "" if result.cpu_ms is None else f"{result.cpu_ms:.3f}"
        costs = (f"{result.file_bytes / 1e6:.1f}", f"{result.load_ms:.0f}", cpu)
        table.add_row(result.name, str(result.dimension or ""), *costs)
    cli.console.print(table)


def _show_quality(name: str, results: Sequence[EmbedderResult]) -> None:
    """One row an embedder; last the distance to the teacher, if measured, and the sum with BM25."""
    measured = {result.name: on for result in results for on in result.sets if on.set == name}
    first = next(iter(measured.values()))
    categories = list(first.categories) if len(first.categories) <= 5 else []
    title = f"{name}: {first.questions} questions ({first.skipped} without evidence left out)"
    summed = {result.name: on for result in results for on in result.beside_bm25 if on.set == name}
    heads = ("embedder", "macro N@10", "R@5", "R@10", "micro N@10", "R@1", "R@5", "R@10", "MRR")
    teacher = measured.get(retrievers.TEACHER)
    by_category = (f"N@10 of {category}" for category in categories)
    table = Table(*heads, *by_category, "to teacher", "+ bm25", title=title)
    for embedder, on in measured.items():
        macro = (on.macro.ndcg_at_10, on.macro.recall_at_5, on.macro.recall_at_10)
        micro = (on.micro.ndcg_at_10, on.micro.recall_at_1, on.micro.recall_at_5)
        each = (on.categories[category].ndcg_at_10 for category in categories)
        numbers = (*macro, *micro, on.micro.recall_at_10, on.micro.mrr, *each)
        gap = f"{on.micro.ndcg_at_10 - teacher.micro.ndcg_at_10:+.3f}" if teacher else ""
        both = f"{summed[embedder].micro.ndcg_at_10:.3f}" if embedder in summed else ""
        table.add_row(embedder, *(f"{number:.3f}" for number in numbers), gap, both)
    cli.console.print(table)
