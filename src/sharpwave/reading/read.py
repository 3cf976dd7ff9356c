"""Read a text: what it says that is worth keeping, each thing once.

    1 segments     whose words are these                  -> own words
    2 sentences    own words                              -> sentences, with their places
    3 reader       each sentence in its text, by a model  -> fact, task, rule or nothing
    4 patterns     clauses                                -> facts with a slot, tasks, names
    5 statements   worth keeping, without a slot          -> kept in the person's own words

The reader decides whether a sentence is worth keeping and as what; patterns fill slots. Without a
reader, and for words that are not the user's, patterns decide alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.ports import Reader
from sharpwave.reading import open_statements, task_days
from sharpwave.reading.extract import extract
from sharpwave.reading.passages import Text
from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import sentences
from sharpwave.types.records import USER, Kind
from sharpwave.types.statements import (
    Candidate,
    Extraction,
    Mode,
    Reading,
    Span,
    Spoken,
    TaskStatus,
    TimeSpan,
)

LOOSE = {"rules.plans": 0.2}
"""Patterns that take too much, and the chance that their sentence must have. What the others find
is kept: of people the reader never saw, it is right as often where the reader doubts it."""

TASTES = frozenset({"likes", "prefers", "dislikes"})
"""Of how the user wants to be helped, too: "I prefer bullet points"."""


def read(text: str, spoken: Spoken, times: Sequence[TimeSpan], reader: Reader | None) -> Extraction:
    """All that a text says, as its speaker would agree that it does."""
    by_patterns = extract(text, spoken, times)
    if reader is None or spoken.speaker != USER or spoken.user_names is not None:
        return by_patterns
    spans, readings = readings_of(text, reader)
    kept = [
        one if _is_worth(one, spans, readings) else replace(one, effect_only=True)
        for one in by_patterns.candidates
        if not (_is_rule(one, spans, readings) or _is_vague(one, text, spans, readings))
    ]
    kept = [_with_due(one, text, spans, times, spoken.at) for one in kept]
    facts = [one for one in kept if one.kind is Kind.FACT and not one.effect_only]
    tasks = [place for one in kept if one.kind is Kind.TASK for place in _places(one.span, spans)]
    kept += open_statements.tasks(text, spans, readings, times, spoken.at, frozenset(tasks))
    kept += open_statements.statements(text, spans, readings, facts, spoken)
    kept += open_statements.remarks(text, spans, readings, times, spoken.at)
    return by_patterns._replace(candidates=tuple(kept))


def readings_of(text: str, reader: Reader) -> tuple[list[Span], list[Reading]]:
    """The sentences of a text's own words, and what each says, as far as it can be read."""
    spans = sentences(own_words(text))
    readings = reader.read(text, spans)
    return spans[: len(readings)], readings


def _is_rule(one: Candidate, spans: Sequence[Span], readings: Sequence[Reading]) -> bool:
    """True for what is kept as a rule: a note on how to help, and a taste that tells only that."""
    said = [readings[at] for at in _places(one.span, spans)]
    if _is_taste(one):
        said = [each for each in said if each.fact < open_statements.FACT]
    elif one.kind is not Kind.NOTE:
        return False
    return any(each.rule >= open_statements.RULE for each in said)


def _is_taste(one: Candidate) -> bool:
    of = one.statement.predicate if one.kind is Kind.FACT and one.statement else ""
    return of in TASTES and one.mode is Mode.HOLDS


def _is_vague(
    one: Candidate, text: str, spans: Sequence[Span], readings: Sequence[Reading]
) -> bool:
    """True for a task that says little without the sentence before: the reader takes it along."""
    place = next(iter(_places(one.span, spans)), 0)
    if one.kind is not Kind.TASK or one.status is not TaskStatus.ACTIVE or not place:
        return False
    seen = readings[place].task >= open_statements.TASK > readings[place - 1].task
    whole = Text(text, spans, readings)
    return seen and whole.needs_before(place) and not whole.goes_on(place)


def _is_worth(one: Candidate, spans: Sequence[Span], readings: Sequence[Reading]) -> bool:
    wanted = LOOSE.get(one.extractor.split()[0])
    some = [readings[place] for place in _places(one.span, spans)]
    return wanted is None or not some or max(reading.fact for reading in some) >= wanted


def _with_due(
    one: Candidate, text: str, spans: Sequence[Span], times: Sequence[TimeSpan], at: datetime
) -> Candidate:
    """A task with its day of all that the text names, not only of those in its clause."""
    places = _places(one.span, spans)
    if one.kind is not Kind.TASK or one.status is not TaskStatus.ACTIVE or not places:
        return one
    return replace(one, due=task_days.day_of(text, spans, places[0], times, at) or one.due)


def _places(span: Span, spans: Sequence[Span]) -> list[int]:
    """The sentences that a stretch of the text lies in."""
    return [place for place, sentence in enumerate(spans) if sentence.overlaps(span)]
