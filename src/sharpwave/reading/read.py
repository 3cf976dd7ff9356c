"""Read a text: the facts, tasks and notes that are worth keeping, without duplicates.

    1 segments     the text                               -> the author's own words
    2 sentences    own words                              -> sentences, with their positions
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
    Reading,
    Span,
    Spoken,
    TaskStatus,
    TimeSpan,
)


def read(text: str, spoken: Spoken, times: Sequence[TimeSpan], reader: Reader | None) -> Extraction:
    """Extract all that the speaker of a text states, denies, asks for or plans."""
    by_patterns = extract(text, spoken, times)
    if reader is not None and spoken.user_names is not None:
        slots = [candidate for candidate in by_patterns.candidates if candidate.kind is Kind.FACT]
        reported = open_statements.reported(text, slots, spoken, times, reader)
        return by_patterns._replace(candidates=(*by_patterns.candidates, *reported))
    if reader is None or spoken.speaker != USER:
        return by_patterns
    spans, readings = readings_of(text, reader)
    kept = [
        candidate
        for candidate in by_patterns.candidates
        if not (_is_rule(candidate, spans, readings) or _is_vague(candidate, text, spans, readings))
    ]
    kept = [_with_due(candidate, text, spans, times, spoken.at) for candidate in kept]
    facts = [
        candidate for candidate in kept if candidate.kind is Kind.FACT and not candidate.effect_only
    ]
    tasks = [
        index
        for candidate in kept
        if candidate.kind is Kind.TASK
        for index in _sentence_indexes(candidate.span, spans)
    ]
    kept += open_statements.tasks(text, spans, readings, times, spoken.at, frozenset(tasks))
    kept += open_statements.statements(text, spans, readings, facts, spoken, times)
    kept += open_statements.remarks(text, spans, readings, times, spoken.at)
    return by_patterns._replace(candidates=tuple(kept))


def readings_of(text: str, reader: Reader) -> tuple[list[Span], list[Reading]]:
    """Return the sentences of a text's own words and their readings, as far as the model reads."""
    spans = sentences(own_words(text))
    readings = reader.read(text, spans)
    return spans[: len(readings)], readings


def _is_rule(candidate: Candidate, spans: Sequence[Span], readings: Sequence[Reading]) -> bool:
    """Return True for a note on how to help, which is kept as a rule instead."""
    sentences_read = [readings[index] for index in _sentence_indexes(candidate.span, spans)]
    is_note = candidate.kind is Kind.NOTE
    return is_note and any(reading.rule >= open_statements.RULE for reading in sentences_read)


def _is_vague(
    candidate: Candidate, text: str, spans: Sequence[Span], readings: Sequence[Reading]
) -> bool:
    """Return True for a task that needs the sentence before: `open_statements` keeps both."""
    index = next(iter(_sentence_indexes(candidate.span, spans)), 0)
    if candidate.kind is not Kind.TASK or candidate.status is not TaskStatus.ACTIVE or not index:
        return False
    seen = readings[index].task >= open_statements.TASK > readings[index - 1].task
    whole = Text(text, spans, readings)
    return seen and whole.needs_before(index) and not whole.continues(index)


def _with_due(
    candidate: Candidate, text: str, spans: Sequence[Span], times: Sequence[TimeSpan], at: datetime
) -> Candidate:
    """Return a task with a due day found in the whole text, not only in its clause."""
    indexes = _sentence_indexes(candidate.span, spans)
    if candidate.kind is not Kind.TASK or candidate.status is not TaskStatus.ACTIVE or not indexes:
        return candidate
    return replace(
        candidate, due=task_days.day_of(text, spans, indexes[0], times, at) or candidate.due
    )


def _sentence_indexes(span: Span, spans: Sequence[Span]) -> list[int]:
    """Return the indexes of the sentences that a span overlaps."""
    return [index for index, sentence in enumerate(spans) if sentence.overlaps(span)]
