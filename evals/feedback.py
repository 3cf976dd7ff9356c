"""`feedback`: what remarks about answers mean, in fifteen languages.

Three sets, all ours, in `data`, told apart: natural remarks no number was chosen on (the test),
figurative ones that are hard on purpose, and the development set, which phrases and numbers were
chosen on. On the test there stand beside our classifier plain centroids with the same embedder, and
our classifier on each language without its own phrases: what a language gets without phrases of
its own.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from evals import cli
from evals.cli import SHARED, Data, Json
from evals.parts import (
    FeedbackClassifier,
    FeedbackPhrases,
    feedback_classifier,
    feedback_phrases,
    read_context,
)
from evals.progress import Progress
from evals.retrievers import open_named
from evals.sets import own_data, read_json
from sharpwave import Embedder, NotFound
from sharpwave.types.intent import Classified

NONE = "none"
SETS = {
    "test": "feedback_remarks.toml",
    "figurative": "feedback_figurative.toml",
    "development": "feedback_development.toml",
}
DOCUMENTED_THRESHOLD = 0.6
"""What the documents say a category's centroid must be near [FB-10]."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark, its language, what it means and the category of that, or none."""

    text: str
    language: str
    sense: str
    category: str


@dataclass(frozen=True, slots=True)
class LanguageAccuracy:
    """How often the first category was right, by language, and the mean over languages."""

    name: str
    by_language: dict[str, float]
    macro: float


@dataclass(frozen=True, slots=True)
class SetReport:
    """How the remarks of one set were read."""

    cases: int
    accuracy: LanguageAccuracy
    unseen: float
    """The mean over languages without the remarks that are also phrases to learn from."""
    confusion: dict[str, dict[str, int]]
    direction: float
    """Of the remarks on tone that were seen as such: those whose style moves the right way."""
    language: float
    """Of all cases: those whose language was named rightly."""


@dataclass(frozen=True, slots=True)
class FeedbackReport:
    """Everything that `feedback` measures."""

    sets: dict[str, SetReport]
    others: tuple[LanguageAccuracy, ...]
    intent: dict[str, float]
    sentiment: dict[str, float]
    public: dict[str, float]
    cpu_ms: dict[str, float]
    notes: tuple[str, ...]


def measure(embedder: Embedder, data: Path, leave_out: bool, progress: Progress) -> FeedbackReport:
    """Measure our classifier and what stands beside it."""
    phrases = feedback_phrases()
    cases = {name: load_cases(phrases, name) for name in SETS}
    classifier = feedback_classifier(embedder, phrases)
    started = process_time()
    classifier.initialize()
    ready_ms = (process_time() - started) * 1000
    started = process_time()
    sets = {name: _read(classifier, phrases, some) for name, some in cases.items()}
    each_ms = (process_time() - started) * 1000 / sum(map(len, cases.values()))
    test = cases["test"]
    others = [_centroids(embedder, phrases, test, ("en",)), _centroids(embedder, phrases, test)]
    if leave_out:
        others.append(_left_out(embedder, phrases, test, progress))
    public, notes = _public(classifier, data)
    return FeedbackReport(
        sets,
        tuple(others),
        _contexts("intent"),
        _contexts("sentiment"),
        public,
        {"getting ready": ready_ms, "a remark": each_ms},
        notes,
    )


def load_cases(phrases: FeedbackPhrases, of: str) -> tuple[Remark, ...]:
    """The cases of one of the sets."""
    category = {sense.name: sense.category or NONE for sense in phrases.senses} | {NONE: NONE}
    return tuple(
        Remark(remark, language, sense, category[sense])
        for language, senses in own_data(SETS[of]).items()
        for sense, remarks in senses.items()
        for remark in remarks
    )


def is_phrase(cases: Sequence[Remark], phrases: FeedbackPhrases) -> list[bool]:
    """Which of the cases are phrases to learn from, but for case and punctuation."""
    learned = {_plain(example.text) for example in phrases.examples}
    return [_plain(case.text) in learned for case in cases]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _read(
    classifier: FeedbackClassifier, phrases: FeedbackPhrases, cases: Sequence[Remark]
) -> SetReport:
    found = classifier.classify([case.text for case in cases])
    answers = [_first(read) for read in found]
    new = [at for at, known in enumerate(is_phrase(cases, phrases)) if not known]
    return SetReport(
        len(cases),
        _accuracy("sharpwave", cases, answers),
        _accuracy("unseen", [cases[at] for at in new], [answers[at] for at in new]).macro,
        _confusion(cases, found),
        _direction(phrases, cases, found),
        _languages(cases, found),
    )


def _accuracy(name: str, cases: Sequence[Remark], answers: Sequence[str]) -> LanguageAccuracy:
    right: dict[str, list[bool]] = {}
    for case, answer in zip(cases, answers, strict=True):
        right.setdefault(case.language, []).append(case.category == answer)
    shares = {language: sum(each) / len(each) for language, each in right.items()}
    return LanguageAccuracy(name, shares, sum(shares.values()) / len(shares))


def _first(found: Classified) -> str:
    return next(iter(found.categories), NONE)


def _centroids(
    embedder: Embedder, phrases: FeedbackPhrases, cases: Sequence[Remark], of: Sequence[str] = ()
) -> LanguageAccuracy:
    """The documents' way: one mean vector a category, the nearest if it is near enough."""
    means = []
    for name in phrases.categories:
        texts = [
            example.text
            for example in phrases.examples
            if phrases.senses[example.sense].category == name and (not of or example.language in of)
        ]
        mean = embedder.embed(texts).mean(axis=0)
        means.append(mean / np.linalg.norm(mean))
    near = embedder.embed([case.text for case in cases]) @ np.array(means).T
    answers = [
        phrases.categories[int(row.argmax())] if row.max() >= DOCUMENTED_THRESHOLD else NONE
        for row in near
    ]
    learned = "English" if of else "all"
    return _accuracy(f"centroids of {learned} phrases, {DOCUMENTED_THRESHOLD}", cases, answers)


def _left_out(
    embedder: Embedder, phrases: FeedbackPhrases, cases: Sequence[Remark], progress: Progress
) -> LanguageAccuracy:
    asked: list[Remark] = []
    answers: list[str] = []
    for language in phrases.languages:
        progress(f"without the phrases of {language}")
        own = [case for case in cases if case.language == language]
        others = tuple(one for one in phrases.examples if one.language != language)
        classifier = feedback_classifier(embedder, replace(phrases, examples=others))
        asked.extend(own)
        answers.extend(_first(read) for read in classifier.classify([case.text for case in own]))
    return _accuracy("sharpwave, without phrases of the language", asked, answers)


def _confusion(cases: Sequence[Remark], found: Sequence[Classified]) -> dict[str, dict[str, int]]:
    """For each true category how often each one was named first."""
    table: dict[str, Counter[str]] = {}
    for case, read in zip(cases, found, strict=True):
        table.setdefault(case.category, Counter())[_first(read)] += 1
    return {name: dict(counts) for name, counts in table.items()}


def _direction(
    phrases: FeedbackPhrases, cases: Sequence[Remark], found: Sequence[Classified]
) -> float:
    wanted = {sense.name: sense.signals for sense in phrases.senses}
    right = []
    for case, read in zip(cases, found, strict=True):
        if case.category == _first(read) == "wrong_tone" and wanted[case.sense]:
            dimension, way = max(wanted[case.sense].items(), key=lambda each: abs(each[1]))
            right.append(read.signals.get(dimension, 0.0) * way > 0)
    return sum(right) / len(right) if right else 0.0


def _languages(cases: Sequence[Remark], found: Sequence[Classified]) -> float:
    right = [read.language == case.language for read, case in zip(found, cases, strict=True)]
    return sum(right) / len(right)


def _contexts(what: str) -> dict[str, float]:
    content: Mapping[str, Any] = own_data("context_cases.toml")[what]
    at = datetime(2026, 1, 5, 12, tzinfo=UTC)
    shares = {}
    for language, labels in content.items():
        right = [
            getattr(read_context(text, at, None), what) == label
            for label, texts in labels.items()
            for text in texts
        ]
        shares[language] = sum(right) / len(right)
    return shares


def _public(classifier: FeedbackClassifier, data: Path) -> tuple[dict[str, float], tuple[str, ...]]:
    """Public sets, where they are: the documents' examples, and everyday replies of users."""
    shares: dict[str, float] = {}
    notes: list[str] = []
    try:
        (content,) = read_json("cases", data, "aico_feedback_multilingual.json", among=True)
    except NotFound as error:
        notes.append(f"left out: {error}")
    else:
        found = classifier.classify([case["text"] for case in content["multilingual"]])
        wanted = [case["expect"] for case in content["multilingual"]]
        shares["documented examples, right"] = _right(found, wanted)
    try:
        (replies,) = read_json("feedback", data, "hwu64_general_dev.json", among=True)
    except NotFound as error:
        notes.append(f"left out: {error}")
    else:
        by_label: dict[str, list[str]] = {}
        for reply in replies:
            by_label.setdefault(reply["label"], []).append(reply["text"])
        for label, texts in by_label.items():
            named = [bool(read.categories) for read in classifier.classify(texts)]
            shares[f"{label}, read as a complaint"] = sum(named) / len(named)
    return shares, tuple(notes)


def _right(found: Sequence[Classified], wanted: Sequence[str]) -> float:
    return sum(_first(read) == each for read, each in zip(found, wanted, strict=True)) / len(wanted)


# --- the command ----------------------------------------------------------------------------------


def feedback(
    data: Data = SHARED,
    embedder: Annotated[str, typer.Option(help="Whose vectors, by name.")] = "sharpwave",
    leave_out: Annotated[
        bool, typer.Option(help="Also each language without its own phrases; some minutes.")
    ] = True,
    as_json: Json = False,
) -> None:
    """What feedback in fifteen languages means: how often the category is right."""
    vectors = open_named(embedder).embedder
    if vectors is None:
        raise typer.BadParameter(f"{embedder} makes no vectors")
    report = measure(vectors, data, leave_out, cli.report_progress)
    if as_json:
        cli.print_json(report)
        return
    cli.say_notes(report.notes)
    _show_accuracies(report)
    for name, result in report.sets.items():
        _show_confusion(name, result)
        cli.say(f"without remarks that are phrases to learn from: {result.unseen:.1%}")
        cli.say(f"direction of the style right where the tone was: {result.direction:.1%}")
        cli.say(f"language named rightly: {result.language:.1%}")
    for what, share in report.public.items():
        cli.say(f"{what}: {share:.1%}")
    for what, shares in (("intent", report.intent), ("sentiment", report.sentiment)):
        each = "  ".join(f"{language} {share:.0%}" for language, share in shares.items())
        cli.say(f"{what}: {sum(shares.values()) / len(shares):.1%}  ({each})")
    for what, cost in report.cpu_ms.items():
        cli.say(f"CPU of {what}: {cost:.2f} ms")


def _show_accuracies(report: FeedbackReport) -> None:
    test = report.sets["test"].accuracy
    sets = [(f"{name} ({result.cases})", result.accuracy) for name, result in report.sets.items()]
    columns = [*sets, *((f"test: {accuracy.name}", accuracy) for accuracy in report.others)]
    table = Table("", *(name for name, _ in columns), title="% of remarks read rightly")
    table.add_row("mean", *(f"{accuracy.macro * 100:.1f}" for _, accuracy in columns))
    for language in test.by_language:
        table.add_row(
            language, *(f"{accuracy.by_language[language] * 100:.0f}" for _, accuracy in columns)
        )
    cli.console.print(table)


def _show_confusion(name: str, report: SetReport) -> None:
    names = list(report.confusion)
    table = Table("is \\ read as", *names, title=f"{name}, all languages")
    for category, counts in report.confusion.items():
        table.add_row(category, *(str(counts.get(other, 0)) for other in names))
    cli.console.print(table)
