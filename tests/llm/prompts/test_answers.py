import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave import Kind, Role
from sharpwave.llm.prompts import facts
from sharpwave.llm.prompts.facts import EXTRACTOR, Converted, Dropped, convert
from sharpwave.llm.prompts.transcript import TranscriptLine, find_quote, visible
from sharpwave.types.records import Statement
from sharpwave.types.statements import (
    Candidate,
    Extraction,
    Mode,
    Span,
    TaskStatus,
)

WHEN = datetime(2026, 3, 2, 12, tzinfo=UTC)
TURNS = [
    TranscriptLine(Role.USER, "I moved from Lisbon to Porto in May.", WHEN, "Ana"),
    TranscriptLine(
        Role.USER, "I have to file my taxes by Friday. Keep it short, please.", WHEN, "Ana"
    ),
]


def fact(**changes: Any) -> facts.ExtractedFact:
    given = {
        "turn": 1,
        "quote": "moved from Lisbon to Porto",
        "subject": "user",
        "predicate": "lives_in",
        "object": "Porto",
        "text": "The user lives in Porto.",
        "confidence": 0.9,
    }
    return facts.ExtractedFact.model_validate(given | changes)


def only(answer: Converted) -> Candidate:
    assert answer.dropped == ()
    (candidate,) = [each for found in answer.extractions for each in found.candidates]
    return candidate


def test_facts_tasks_and_notes_become_candidates_of_their_turn() -> None:
    answer = facts.FactsOutput(
        facts=[fact(instead_of=" Lisbon ", valid_from="2025-05", mode="holds")],
        tasks=[
            facts.ExtractedTask(
                turn=2,
                quote="file my taxes by Friday",
                text="File the taxes.",
                status=TaskStatus.ACTIVE,
                due="2026-03-06",
                confidence=0.8,
            )
        ],
        notes=[
            facts.ExtractedNote(turn=2, quote="Keep it short", text="Be brief.", confidence=0.7)
        ],
    )

    assert convert(answer, TURNS) == Converted(
        (
            Extraction(
                (
                    Candidate(
                        Kind.FACT,
                        "The user lives in Porto.",
                        Span(2, 28),
                        0.9,
                        "prompts.facts 1",
                        statement=Statement("user", "lives_in", "Porto"),
                        mode=Mode.HOLDS,
                        instead_of="Lisbon",
                        valid_from=datetime(2025, 5, 1, tzinfo=UTC),
                    ),
                )
            ),
            Extraction(
                (
                    Candidate(
                        Kind.TASK,
                        "File the taxes.",
                        Span(10, 33),
                        0.8,
                        EXTRACTOR,
                        status=TaskStatus.ACTIVE,
                        due=datetime(2026, 3, 6, tzinfo=UTC),
                    ),
                    Candidate(Kind.NOTE, "Be brief.", Span(35, 48), 0.7, EXTRACTOR),
                )
            ),
        ),
        (),
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"quote": "moved to Madrid"}, "the quote is not in turn 1"),
        ({"quote": ""}, "the quote is not in turn 1"),
        ({"quote": " ... "}, "the quote is not in turn 1"),
        ({"quote": "file my taxes"}, "the quote is not in turn 1"),
        ({"turn": 3}, "there is no turn 3"),
        ({"turn": 0}, "there is no turn 0"),
        ({"turn": -1}, "there is no turn -1"),
        ({"subject": " "}, "subject is empty"),
        ({"predicate": "?!"}, "predicate is empty"),
        ({"object": "\n"}, "object is empty"),
        ({"object": "x" * 201}, "object has 201 characters; at most 200 are a statement"),
        ({"text": "x" * 1001}, "text has 1001 characters; at most 1000 are a statement"),
        ({"valid_to": "Friday"}, "valid_to is no date: 'Friday'"),
        ({"valid_from": "2026-13"}, "valid_from is no date: '2026-13'"),
        ({"valid_from": "0000"}, "valid_from is no date: '0000'"),
        ({"valid_to": "9999"}, "valid_to is no date: '9999'"),
        ({"valid_from": "2026-03", "valid_to": "2025"}, "it ends before it begins"),
    ],
)
def test_what_is_of_no_use_is_dropped_with_a_reason(changes: dict[str, Any], reason: str) -> None:
    useless = fact(**changes)

    answer = convert(facts.FactsOutput(facts=[useless, fact()]), TURNS)

    assert answer.dropped == (Dropped(Kind.FACT, useless.text[:1000], reason),)
    assert [len(found.candidates) for found in answer.extractions] == [1, 0]


@pytest.mark.parametrize(
    ("given", "clipped"),
    [(0.5, 0.5), (-1, 0), (1.5, 1), (95, 1), (math.inf, 1), (-math.inf, 0), (math.nan, 0)],
)
def test_confidence_is_clipped(given: float, clipped: float) -> None:
    answer = convert(facts.FactsOutput(facts=[fact(confidence=given)]), TURNS)
    assert only(answer).confidence == clipped


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("lives_in", "lives_in"),
        ("Favourite Colour", "favourite_colour"),
        ("hasPet", "has_pet"),
        ("is-member-of ", "is_member_of"),
        ("größe", "größe"),
    ],
)
def test_an_unknown_predicate_is_kept_in_snake_case(given: str, kept: str) -> None:
    candidate = only(convert(facts.FactsOutput(facts=[fact(predicate=given)]), TURNS))
    assert candidate.statement == Statement("user", kept, "Porto")


@pytest.mark.parametrize("said", ["User", "the user", "I", "me"])
def test_the_user_has_one_name(said: str) -> None:
    statement = only(convert(facts.FactsOutput(facts=[fact(subject=said)]), TURNS)).statement
    assert statement is not None and statement.subject == "user"


@pytest.mark.parametrize(
    ("date", "begin", "end"),
    [
        ("2025", "2025-01-01T05:00", "2026-01-01T05:00"),
        ("2025-12", "2025-12-01T05:00", "2026-01-01T05:00"),
        ("2024-02-29", "2024-02-29T05:00", "2024-03-01T05:00"),
        ("2025-06-01T10:30", "2025-06-01T15:30", "2025-06-01T15:30"),
        ("2025-06-01T10:30+02:00", "2025-06-01T08:30", "2025-06-01T08:30"),
        (" ", None, None),
    ],
)
def test_a_date_is_a_period_where_it_was_said(
    date: str, begin: str | None, end: str | None
) -> None:
    turns = [
        TranscriptLine(Role.USER, TURNS[0].text, WHEN.astimezone(timezone(timedelta(hours=-5))))
    ]
    since = only(convert(facts.FactsOutput(facts=[fact(valid_from=date)]), turns)).valid_from
    until = only(convert(facts.FactsOutput(facts=[fact(valid_to=date)]), turns)).valid_to
    expected = [each and datetime.fromisoformat(f"{each}+00:00") for each in (begin, end)]
    assert [since, until] == expected


# --- quotes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("Porto", "in Porto", "Porto"),
        ("in  porto", "I live IN\n Porto.", "IN\n Porto"),
        ('"Don\'t"', "I said “don\u2019t” twice", "don\u2019t"),
        ("São Joao...", "at São João, today", "São João"),
        ("well-known", "a well\u2011known man", "well\u2011known"),
        ("a family", "👨\u200d👩 a fa\u00admily", "a fa\u00admily"),
        ("Straße", "in der STRASSE", "STRASSE"),
        ("fine", "ﬁne", "ﬁne"),
        ("Lisbon", "in Porto", None),
        ("", "in Porto", None),
        ("...", "in Porto...", "..."),
    ],
)
def test_find_quote(quote: str, text: str, found: str | None) -> None:
    span = find_quote(quote, text)
    assert (text[slice(*span)] if span else None) == found


@given(st.text(max_size=60), st.integers(0, 60), st.integers(1, 60))
def test_what_a_prompt_shows_can_be_quoted(text: str, start: int, length: int) -> None:
    """A span lies in the text, and an exact quote is always found."""
    quote = text[start : start + length]
    span = find_quote(quote, text)
    assert (span is None) == (not quote.strip())
    if span:
        assert text[slice(*span)] == quote
    shown = find_quote(visible(quote), text)
    assert shown is None or 0 <= shown.start < shown.end <= len(text)
