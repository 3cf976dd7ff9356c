"""`sharpwave eval embedders`: retrieval by vectors alone, and what a vector costs.

Each embedder in turn:

    1 load      its name             -> the embedder, load time, size
    2 cost      20-word sentences    -> CPU a sentence
    3 rank      each question        -> positions of the conversation's own statements, best first
    4 average   by category          -> macro (mean of categories) and micro (mean of questions)
    5 beside    its scores + BM25's  -> the same, ranked by the sum, each standardised

Sets and embedders that are not there are left out, with a note.
"""

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
from numpy.typing import NDArray

from evals import metrics, retrievers, sets
from evals.metrics import Scores
from evals.retrievers import Opened, ranking
from evals.sets import ADVERSARIAL, DataSet
from sharpwave.errors import InvalidSettings, NotFound
from sharpwave.ports import Embedder

TIMED_WORDS = 20
TIMED_SENTENCES = 200
WARM_UP = 5

Progress = Callable[[str], None]
"""Called with what is being done now."""


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
    names: Sequence[str], set_names: Sequence[str], folder: Path, told: Progress = lambda _: None
) -> EmbedderComparison:
    """Measure the named embedders on the named sets."""
    data, notes = load_sets(set_names, folder)
    sentences = timed_sentences(data)
    results = []
    for name in names:
        try:
            opened = retrievers.open_named(name)
        except (NotFound, InvalidSettings) as error:
            notes.append(f"{name} left out: {error}")
            continue
        cpu_ms = None
        if opened.embedder:
            told(f"{name}: cost")
            cpu_ms = cpu_ms_a_sentence(opened.embedder, sentences)
        measured, beside = [], []
        for one in data:
            told(f"{name}: {one.name}")
            alone, summed = measure(opened, one)
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
            data.append(sets.load(name, folder))
        except NotFound as error:
            notes.append(str(error))
    if not data:
        raise NotFound("; ".join(notes))
    return data, notes


def timed_sentences(data: Iterable[DataSet]) -> list[str]:
    """Different sentences of exactly 20 words out of the sets."""
    texts = (text for one in data for talk in one.conversations for text in talk.statements)
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
    for category, one in scored:
        by_category[category].append(one)
    categories = {name: metrics.mean(each) for name, each in sorted(by_category.items())}
    answerable = [one for category, one in scored if category != ADVERSARIAL]
    return SetResult(
        set=data.name,
        questions=len(scored),
        skipped=sum(talk.skipped for talk in data.conversations),
        macro=metrics.mean(list(categories.values())),
        micro=metrics.mean(answerable or [one for _, one in scored]),
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
    results, notes = [], []
    for name in names:
        try:
            opened = retrievers.open_named(name)
        except (NotFound, InvalidSettings) as error:
            notes.append(f"{name} left out: {error}")
            continue
        if opened.embedder is None:
            notes.append(f"{name} left out: it makes no vectors")
            continue
        accuracy = nearest_meanings(opened.embedder, phrases)
        results.append(LanguageResult(name, accuracy, sum(accuracy.values()) / len(accuracy)))
    english = phrases.by_language[ENGLISH]
    candidates = len(english) + len(phrases.distractors)
    return LanguageComparison(len(english), candidates, tuple(results), tuple(notes))


def load_phrases() -> ParallelPhrases:
    """The phrases that came with the package."""
    text = (files("evals") / "data" / "phrases.toml").read_text("utf-8")
    content = tomllib.loads(text)
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
