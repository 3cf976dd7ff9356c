"""`pii`: how well sensitive content is found, beside others in the same run.

A finding is right if a marked span of the same type covers the same characters, punctuation and
blanks at the ends aside; each span counts once. "Overlap" is kinder: it asks for the same type
and any shared character. The micro average is over all types of the structured classes (secret,
financial, government id, contact, network): a wrong finding of any of them counts against it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Annotated

import typer
from rich.table import Table

from evals import cli, sensitive
from evals.cli import SHARED, Data, Json
from evals.parts import is_injection, redact
from evals.progress import Progress
from evals.sensitive import MarkedText
from sharpwave import NotFound
from sharpwave.types.privacy import CLASS_OF, Finding, Sensitive, SensitiveClass
from sharpwave.types.statements import Span

STRUCTURED = frozenset(
    {
        SensitiveClass.SECRET,
        SensitiveClass.FINANCIAL,
        SensitiveClass.GOVERNMENT_ID,
        SensitiveClass.CONTACT,
        SensitiveClass.NETWORK,
    }
)
_SEED = 20260
_SLOW_SAMPLE = 2000
"""Everyday turns for finders that take milliseconds each."""
_TIMED_WORDS = range(50, 71)
_TIMED_TURNS = 1000
_EXAMPLE_CHARS = 40


@dataclass(frozen=True, slots=True)
class Quality:
    """Of `gold` marked spans and `found` findings, how many agree."""

    gold: int
    found: int
    right: int
    overlapping: int

    @property
    def precision(self) -> float:
        """Share of the findings that are right; 1 without any."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Share of the marked spans that were found; 1 without any."""
        return self.right / self.gold if self.gold else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two: 2 right / (gold + found)."""
        return _f1(self.right, self.gold, self.found)

    @property
    def overlap_f1(self) -> float:
        """The same, for any shared character."""
        return _f1(self.overlapping, self.gold, self.found)


@dataclass(frozen=True, slots=True)
class Scored:
    """One finder on one set of texts."""

    finder: str
    texts: int
    micro: Quality
    types: dict[Sensitive, Quality]


@dataclass(frozen=True, slots=True)
class EverydayFindings:
    """What a finder reports in ordinary turns, where nearly nothing should be reported."""

    finder: str
    set: str
    turns: int
    per_thousand: dict[Sensitive, float]
    """Findings of each type per 1,000 turns."""
    examples: dict[Sensitive, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Flagged:
    """How many texts the detector of injections flags."""

    set: str
    texts: int
    flagged: int


@dataclass(frozen=True, slots=True)
class PrivacyReport:
    """All measurements of one run."""

    whole: tuple[Scored, ...]
    held: tuple[Scored, ...]
    """On the half that the rules were not developed on."""
    secrets: tuple[Scored, ...]
    secrets_left: dict[str, int]
    """How many of our own secrets are still in the text after redaction, of how many."""
    everyday: tuple[EverydayFindings, ...]
    injections: tuple[Flagged, ...]
    cpu_ms: float | None
    """CPU of one redaction of a turn of about 60 words, the median; None without such turns."""
    notes: tuple[str, ...]


def compare(names: Sequence[str], folder: Path, examples: int, progress: Progress) -> PrivacyReport:
    """Measure the named finders."""
    opened, notes = _opened(names)
    marked = sensitive.load_marked(folder)
    _, held = sensitive.halves(marked)
    made = sensitive.make_secrets(_SEED)
    everyday, missing = sensitive.load_everyday(folder)
    found = []
    for name, find in opened.items():
        for set_name, turns in everyday.items():
            progress(f"{name}: {len(turns)} turns of {set_name}")
            found.append(_everyday(name, find, set_name, turns, examples))
    every_turn = [turn for turns in everyday.values() for turn in turns]
    return PrivacyReport(
        whole=tuple(score(name, find, marked) for name, find in opened.items()),
        held=tuple(score(name, find, held) for name, find in opened.items()),
        secrets=tuple(score(name, find, made) for name, find in opened.items()),
        secrets_left=_left(made),
        everyday=tuple(found),
        injections=_injections(folder, everyday),
        cpu_ms=_cpu_ms(every_turn),
        notes=(*notes, *missing),
    )


def score(name: str, find: sensitive.Find, marked: Sequence[MarkedText]) -> Scored:
    """Compare what a finder says with what is marked."""
    gold: Counter[Sensitive] = Counter()
    found: Counter[Sensitive] = Counter()
    right: Counter[Sensitive] = Counter()
    overlapping: Counter[Sensitive] = Counter()
    for text in marked:
        findings = find(text.text)
        gold.update(kind for kind, _ in text.spans)
        found.update(each.kind for each in findings)
        right.update(_agreeing(text, findings, _same))
        overlapping.update(_agreeing(text, findings, _touching))
    types = {
        kind: Quality(gold[kind], found[kind], right[kind], overlapping[kind])
        for kind in Sensitive
        if gold[kind] or found[kind]
    }
    return Scored(name, len(marked), _total(types), types)


def _total(types: dict[Sensitive, Quality]) -> Quality:
    each = [quality for kind, quality in types.items() if CLASS_OF[kind] in STRUCTURED]
    return Quality(
        gold=sum(quality.gold for quality in each),
        found=sum(quality.found for quality in each),
        right=sum(quality.right for quality in each),
        overlapping=sum(quality.overlapping for quality in each),
    )


def _agreeing(
    marked: MarkedText, findings: Iterable[Finding], agree: Callable[[str, Span, Span], bool]
) -> Iterable[Sensitive]:
    """The type of each finding that agrees with a span not taken before."""
    free = list(marked.spans)
    for finding in findings:
        for kind, span in free:
            if kind == finding.kind and agree(marked.text, span, finding.span):
                free.remove((kind, span))
                yield kind
                break


def _same(text: str, first: Span, other: Span) -> bool:
    return _core(text, first) == _core(text, other)


def _touching(text: str, first: Span, other: Span) -> bool:
    return first.start < other.end and other.start < first.end


def _core(text: str, span: Span) -> Span:
    """Without punctuation and blanks at the ends."""
    start, end = span
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return Span(start, end)


def _f1(right: int, gold: int, found: int) -> float:
    return 2 * right / (gold + found) if gold + found else 1.0


def _opened(names: Sequence[str]) -> tuple[dict[str, sensitive.Find], list[str]]:
    opened, notes = {}, []
    for name in names:
        try:
            opened[name] = sensitive.open_named(name)
        except NotFound as error:
            notes.append(str(error))
    return opened, notes


def _left(made: Sequence[MarkedText]) -> dict[str, int]:
    """Secrets whose text survives redaction by the default policy."""
    values = [
        (text.text[span.start : span.end], redact(text.text))
        for text in made
        for _, span in text.spans
    ]
    return {"left": sum(value in text for value, text in values), "of": len(values)}


def _everyday(
    name: str, find: sensitive.Find, set_name: str, turns: Sequence[str], examples: int
) -> EverydayFindings:
    if name == sensitive.PRESIDIO and len(turns) > _SLOW_SAMPLE:
        turns = Random(_SEED).sample(turns, _SLOW_SAMPLE)
    counts: Counter[Sensitive] = Counter()
    shown: dict[Sensitive, list[str]] = {}
    for turn in turns:
        for finding in find(turn):
            counts[finding.kind] += 1
            if len(shown.setdefault(finding.kind, [])) < examples:
                shown[finding.kind].append(_excerpt(turn, finding.span))
    rates = {kind: counts[kind] * 1000 / len(turns) for kind in Sensitive if counts[kind]}
    return EverydayFindings(
        name, set_name, len(turns), rates, {kind: tuple(each) for kind, each in shown.items()}
    )


def _excerpt(text: str, span: Span) -> str:
    before = text[max(0, span.start - _EXAMPLE_CHARS) : span.start]
    after = text[span.end : span.end + _EXAMPLE_CHARS]
    return " ".join(f"{before}«{text[span.start : span.end]}»{after}".split())


def _injections(folder: Path, everyday: dict[str, list[str]]) -> tuple[Flagged, ...]:
    sets = {**sensitive.load_injections(folder), **everyday}
    return tuple(
        Flagged(name, len(texts), sum(map(is_injection, texts))) for name, texts in sets.items()
    )


def _cpu_ms(turns: Sequence[str]) -> float | None:
    timed = [turn for turn in turns if len(turn.split()) in _TIMED_WORDS][:_TIMED_TURNS]
    spent = []
    for turn in timed:
        started = process_time()
        redact(turn)
        spent.append((process_time() - started) * 1000)
    return median(spent) if spent else None


# --- the command ----------------------------------------------------------------------------------


def pii(
    data: Data = SHARED,
    finders: Annotated[str, typer.Option(help="Which, with commas.")] = "sharpwave,SEC-10,presidio",
    examples: Annotated[
        int, typer.Option(help="Show this many everyday findings of each type.", min=0)
    ] = 0,
    as_json: Json = False,
) -> None:
    """Sensitive content: what is found, missed and taken for it; injections that are flagged."""
    report = compare(cli.split(finders), data, examples, cli.report_progress)
    if as_json:
        cli.print_json(report)
        return
    cli.say_notes(report.notes)
    _show_scores("the half, by template, that the rules were not developed on", report.held)
    _show_scores("whole set", report.whole)
    _show_scores("keys, passwords and PINs of our own making", report.secrets)
    left = report.secrets_left
    cli.say(f"after redaction {left['left']} of {left['of']} of these secrets are still there")
    _show_everyday(report.everyday)
    _show_flagged(report.injections)
    if report.cpu_ms is not None:
        cli.say(f"redaction of a turn of about 60 words: {report.cpu_ms:.3f} ms CPU, median")


def _show_scores(title: str, scored: Sequence[Scored]) -> None:
    """A row for each type and finder; exact spans, and F1 for any overlap.

    Names and places are left out for finders that do not look for them.
    """
    table = Table(
        "finder", "type", "marked", "found", "precision", "recall", "F1", "overlap F1", title=title
    )
    for result in scored:
        looked_for = {
            kind: quality
            for kind, quality in result.types.items()
            if quality.found or CLASS_OF[kind] in STRUCTURED
        }
        for kind, quality in (("micro", result.micro), *looked_for.items()):
            numbers = (quality.precision, quality.recall, quality.f1, quality.overlap_f1)
            counts = (str(quality.gold), str(quality.found))
            table.add_row(result.finder, str(kind), *counts, *(f"{each:.3f}" for each in numbers))
    cli.console.print(table)


def _show_everyday(results: Sequence[EverydayFindings]) -> None:
    kinds = sorted({kind for result in results for kind in result.per_thousand})
    title = "findings per 1,000 everyday turns"
    table = Table(
        "type",
        *(f"{result.finder}, {result.set} ({result.turns})" for result in results),
        title=title,
    )
    for kind in kinds:
        table.add_row(
            kind.value, *(f"{result.per_thousand.get(kind, 0):.2f}" for result in results)
        )
    cli.console.print(table)
    for result in results:
        for kind, shown in result.examples.items():
            for text in shown:
                cli.say(f"{result.finder}, {result.set}, {kind.value}: {text}")


def _show_flagged(results: Sequence[Flagged]) -> None:
    table = Table("texts", "number", "flagged", "share", title="flagged as orders to the assistant")
    for result in results:
        share = result.flagged / result.texts if result.texts else 0.0
        table.add_row(result.set, str(result.texts), str(result.flagged), f"{share:.1%}")
    cli.console.print(table)
