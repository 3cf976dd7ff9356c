"""`sharpwave eval feedback`: what remarks about answers mean, in fifteen languages.

Three sets, all ours, in `data`, told apart: natural remarks no number was chosen on (the test),
figurative ones that are hard on purpose, and the development set, which phrases and numbers were
chosen on. On the test there stand beside our classifier plain centroids with the same embedder, and
our classifier on each language without its own phrases: what a language gets that nobody wrote
phrases for.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from sharpwave.behavior.feedback.classifier import FeedbackClassifier
from sharpwave.behavior.feedback.phrases import Phrases, load_phrases
from sharpwave.behavior.intent import read_context
from sharpwave.ports import Embedder
from sharpwave.types.intent import Classified

NONE = "none"
SETS = {
    "test": "feedback_remarks.toml",
    "figurative": "feedback_figurative.toml",
    "development": "feedback_development.toml",
}
DOCUMENTED_THRESHOLD = 0.6
"""What the documents say a category's centroid must be near [FB-10]."""

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Case:
    """A remark, its language, what it means and the category of that, or none."""

    text: str
    language: str
    sense: str
    category: str


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often the first category was right, by language, and the mean over languages."""

    name: str
    by_language: dict[str, float]
    macro: float


@dataclass(frozen=True, slots=True)
class SetReport:
    """How the remarks of one set were read."""

    cases: int
    accuracy: Accuracy
    unseen: float
    """The mean over languages without the remarks that are also phrases to learn from."""
    confusion: dict[str, dict[str, int]]
    direction: float
    """Of the remarks on tone that were seen as such: those whose style moves the right way."""
    language: float
    """Of all cases: those whose language was named rightly."""


@dataclass(frozen=True, slots=True)
class FeedbackReport:
    """Everything `sharpwave eval feedback` measures."""

    sets: dict[str, SetReport]
    others: tuple[Accuracy, ...]
    intent: dict[str, float]
    sentiment: dict[str, float]
    public: dict[str, float]
    cpu_ms: dict[str, float]
    notes: tuple[str, ...]


def measure(embedder: Embedder, data: Path, leave_out: bool, told: Told) -> FeedbackReport:
    """Measure our classifier and what stands beside it."""
    phrases = load_phrases()
    cases = {name: load_cases(phrases, name) for name in SETS}
    classifier = FeedbackClassifier(embedder, phrases)
    started = process_time()
    classifier.initialize()
    ready_ms = (process_time() - started) * 1000
    started = process_time()
    sets = {name: _read(classifier, phrases, some) for name, some in cases.items()}
    each_ms = (process_time() - started) * 1000 / sum(map(len, cases.values()))
    test = cases["test"]
    others = [_centroids(embedder, phrases, test, ("en",)), _centroids(embedder, phrases, test)]
    if leave_out:
        others.append(_left_out(embedder, phrases, test, told))
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


def load_cases(phrases: Phrases, of: str) -> tuple[Case, ...]:
    """The cases of one of the sets."""
    category = {one.name: one.category or NONE for one in phrases.senses} | {NONE: NONE}
    return tuple(
        Case(remark, language, sense, category[sense])
        for language, senses in tomllib.loads(_bundled(SETS[of])).items()
        for sense, remarks in senses.items()
        for remark in remarks
    )


def is_phrase(cases: Sequence[Case], phrases: Phrases) -> list[bool]:
    """Which of the cases are phrases to learn from, but for case and punctuation."""
    learned = {_plain(one.text) for one in phrases.examples}
    return [_plain(case.text) in learned for case in cases]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _read(classifier: FeedbackClassifier, phrases: Phrases, cases: Sequence[Case]) -> SetReport:
    found = classifier.classify([case.text for case in cases])
    answers = [_first(one) for one in found]
    new = [at for at, known in enumerate(is_phrase(cases, phrases)) if not known]
    return SetReport(
        len(cases),
        _accuracy("sharpwave", cases, answers),
        _accuracy("unseen", [cases[at] for at in new], [answers[at] for at in new]).macro,
        _confusion(cases, found),
        _direction(phrases, cases, found),
        _languages(cases, found),
    )


def _accuracy(name: str, cases: Sequence[Case], answers: Sequence[str]) -> Accuracy:
    right: dict[str, list[bool]] = {}
    for case, answer in zip(cases, answers, strict=True):
        right.setdefault(case.language, []).append(case.category == answer)
    shares = {language: sum(each) / len(each) for language, each in right.items()}
    return Accuracy(name, shares, sum(shares.values()) / len(shares))


def _first(found: Classified) -> str:
    return next(iter(found.categories), NONE)


def _centroids(
    embedder: Embedder, phrases: Phrases, cases: Sequence[Case], of: Sequence[str] = ()
) -> Accuracy:
    """The documents' way: one mean vector a category, the nearest if it is near enough."""
    means = []
    for name in phrases.categories:
        texts = [
            one.text
            for one in phrases.examples
            if phrases.senses[one.sense].category == name and (not of or one.language in of)
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
    embedder: Embedder,
    phrases: Phrases,
    cases: Sequence[Case],
    told: Told,
) -> Accuracy:
    asked: list[Case] = []
    answers: list[str] = []
    for language in phrases.languages:
        told(f"without the phrases of {language}")
        own = [case for case in cases if case.language == language]
        classifier = FeedbackClassifier(embedder, phrases.without(language))
        asked.extend(own)
        answers.extend(_first(one) for one in classifier.classify([case.text for case in own]))
    return _accuracy("sharpwave, without phrases of the language", asked, answers)


def _confusion(cases: Sequence[Case], found: Sequence[Classified]) -> dict[str, dict[str, int]]:
    """For each true category how often each one was named first."""
    table: dict[str, Counter[str]] = {}
    for case, one in zip(cases, found, strict=True):
        table.setdefault(case.category, Counter())[_first(one)] += 1
    return {name: dict(counts) for name, counts in table.items()}


def _direction(phrases: Phrases, cases: Sequence[Case], found: Sequence[Classified]) -> float:
    wanted = {one.name: one.signals for one in phrases.senses}
    right = []
    for case, one in zip(cases, found, strict=True):
        if case.category == _first(one) == "wrong_tone" and wanted[case.sense]:
            dimension, way = max(wanted[case.sense].items(), key=lambda each: abs(each[1]))
            right.append(one.signals.get(dimension, 0.0) * way > 0)
    return sum(right) / len(right) if right else 0.0


def _languages(cases: Sequence[Case], found: Sequence[Classified]) -> float:
    right = [one.language == case.language for one, case in zip(found, cases, strict=True)]
    return sum(right) / len(right)


def _contexts(what: str) -> dict[str, float]:
    content: Mapping[str, Any] = tomllib.loads(_bundled("context_cases.toml"))[what]
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
    shares, notes = {}, []
    examples = data / "cases" / "aico_feedback_multilingual.json"
    replies = data / "feedback" / "hwu64_general_dev.json"
    for path in (examples, replies):
        if not path.is_file():
            notes.append(f"{path.name} left out: it is not in {data}")
    if examples.is_file():
        content = json.loads(examples.read_text("utf-8"))
        found = classifier.classify([one["text"] for one in content["multilingual"]])
        wanted = [one["expect"] for one in content["multilingual"]]
        shares["documented examples, right"] = _right(found, wanted)
    if replies.is_file():
        by_label: dict[str, list[str]] = {}
        for one in json.loads(replies.read_text("utf-8")):
            by_label.setdefault(one["label"], []).append(one["text"])
        for label, texts in by_label.items():
            named = [bool(one.categories) for one in classifier.classify(texts)]
            shares[f"{label}, read as a complaint"] = sum(named) / len(named)
    return shares, tuple(notes)


def _right(found: Sequence[Classified], wanted: Sequence[str]) -> float:
    return sum(_first(one) == each for one, each in zip(found, wanted, strict=True)) / len(wanted)


def _bundled(name: str) -> str:
    return (files("sharpwave") / "data" / name).read_text("utf-8")
