"""What is made of each operation that a language model answers with."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from tests.storage.contract import example

from sharpwave import Kind, Role
from sharpwave.conversation.operations import EXTRACTOR, Checked, check, telling_words
from sharpwave.conversation.stretch import ConversationStretch
from sharpwave.llm.prompts.conversation import MemoryOperation
from sharpwave.llm.prompts.transcript import TranscriptLine
from sharpwave.types.records import Record, Statement
from sharpwave.types.statements import Candidate, Mode, Span, TaskStatus

WHEN = datetime(2026, 3, 2, 12, tzinfo=UTC)
SAID = [
    "I moved from Lisbon to Porto in May.",
    "I have to file my taxes by Friday. Keep it short, please.",
]


def turns() -> list[Record]:
    made = []
    for number, text in enumerate(SAID, 1):
        plain = example(number)
        made.append(replace(plain, text=text, role=Role.USER, speaker="Ana", valid_from=WHEN))
    return made


def read(*operations: MemoryOperation, at: datetime = WHEN, own: str = "ana") -> Checked:
    lines = [TranscriptLine(Role.USER, text, at, "Ana") for text in SAID]
    stretch = ConversationStretch(turns(), [], {}, frozenset({own}))
    return check(operations, stretch, lines, {})


def fact(**changes: Any) -> MemoryOperation:
    given = {
        "op": "new",
        "turn": 1,
        "quote": "moved from Lisbon to Porto",
        "subject": "user",
        "predicate": "lives_in",
        "object": "Porto",
        "text": "The user lives in Porto.",
        "confidence": 0.9,
    }
    return MemoryOperation.model_validate(given | changes)


def only(checked: Checked) -> Candidate:
    assert checked.dropped == []
    (one,) = checked.extracted
    return one.candidate


def test_facts_tasks_and_rules_belong_to_the_turn_they_quote() -> None:
    task = {"op": "new", "kind": "task", "turn": 2, "quote": "file my taxes by Friday"}
    rule = {"op": "new", "kind": "rule", "turn": 2, "quote": "Keep it short", "text": "be brief."}
    found = read(
        fact(since="2025-05"),
        MemoryOperation.model_validate({**task, "text": "File the taxes.", "due": "2026-03-06"}),
        MemoryOperation.model_validate(rule),
    )
    assert [one.turn.id for one in found.extracted] == [turn.id for turn in turns()]
    assert [one.candidate for one in found.extracted] == [
        Candidate(
            Kind.FACT,
            "The user lives in Porto.",
            Span(2, 28),
            0.9,
            EXTRACTOR,
            statement=Statement("user", "lives_in", "Porto"),
            mode=Mode.HOLDS,
            valid_from=datetime(2025, 5, 1, tzinfo=UTC),
        ),
        Candidate(
            Kind.TASK,
            "File the taxes.",
            Span(10, 33),
            0.8,
            EXTRACTOR,
            status=TaskStatus.ACTIVE,
            due=datetime(2026, 3, 6, tzinfo=UTC),
        ),
    ]
    (made,) = found.rules
    assert (made.signal.rule, made.turn, made.relation) == ("Be brief", turns()[1].id, None)
    assert found.dropped == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"quote": "moved to Madrid"}, "the quote is not in turn 1"),
        ({"quote": ""}, "the quote is not in turn 1"),
        ({"quote": " ... "}, "the quote is not in turn 1"),
        ({"quote": "file my taxes"}, "the quote is not in turn 1"),
        ({"turn": 3}, "there is no new turn 3"),
        ({"turn": 0}, "there is no new turn 0"),
        ({"turn": -1}, "there is no new turn -1"),
        ({"op": "update", "id": "F1"}, "there is no known item 'F1'"),
        ({"op": "same"}, "there is no known item ''"),
        ({"text": " "}, "it has no text"),
        ({"object": "x" * 201}, "more than 200 characters: no name and no value"),
        ({"until": "Friday"}, "until is no date: 'Friday'"),
        ({"since": "2026-13"}, "since is no date: '2026-13'"),
        ({"since": "0000"}, "since is no date: '0000'"),
        ({"until": "9999"}, "until is no date: '9999'"),
        ({"since": "2026-03", "until": "2025"}, "it ends before it begins"),
    ],
)
def test_what_is_of_no_use_is_dropped_with_a_reason(changes: dict[str, Any], reason: str) -> None:
    found = read(fact(**changes), fact())
    assert [one.reason for one in found.dropped] == [reason]
    assert len(found.extracted) == 1


@pytest.mark.parametrize(
    ("given", "clipped"),
    [(0.5, 0.5), (-1, 0), (1.5, 1), (95, 1), (math.inf, 1), (-math.inf, 0), (math.nan, 0)],
)
def test_confidence_is_clipped(given: float, clipped: float) -> None:
    assert only(read(fact(confidence=given))).confidence == clipped


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("lives_in", Statement("user", "lives_in", "Porto")),
        ("Lives In", Statement("user", "lives_in", "Porto")),
        ("livesIn", Statement("user", "lives_in", "Porto")),
        ("resides_near_to", Statement("user", "noted", "The user lives in Porto.")),
        ("", Statement("user", "noted", "The user lives in Porto.")),
    ],
)
def test_what_fits_no_slot_is_kept_as_its_sentence(given: str, kept: Statement) -> None:
    assert only(read(fact(predicate=given))).statement == kept


@pytest.mark.parametrize("said", ["User", "the user", "I", "me", ""])
def test_the_user_has_one_name(said: str) -> None:
    statement = only(read(fact(subject=said))).statement
    assert statement is not None and statement.subject == "user"


def test_another_speaker_speaks_of_themself() -> None:
    statement = only(read(fact(), own="ben")).statement
    assert statement == Statement("Ana", "lives_in", "Porto")
    task = {"op": "new", "kind": "task", "turn": 2, "quote": "file my taxes", "text": "File taxes"}
    statement = only(read(MemoryOperation.model_validate(task), own="ben")).statement
    assert statement == Statement("Ana", "task", "File taxes")


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
    there = WHEN.astimezone(timezone(timedelta(hours=-5)))
    since = only(read(fact(since=date), at=there)).valid_from
    until = only(read(fact(until=date), at=there)).valid_to
    expected = [each and datetime.fromisoformat(f"{each}+00:00") for each in (begin, end)]
    assert [since, until] == expected


@pytest.mark.parametrize(
    ("text", "rests"),
    [
        ("The user files the taxes in Porto.", True),
        ("The user has to file the taxes by Friday.", False),
        ("The user is to file taxes, briefly and on paper.", False),
    ],
)
def test_words_of_another_turn_make_it_rest_on_that_turn(text: str, rests: bool) -> None:
    made = only(read(fact(turn=2, quote="file my taxes", predicate="", text=text)))
    assert made.rests_on == ((turns()[0].id,) if rests else ())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jo is the accountant", "ask Jo"),
        ("账单给李医生", "李医生的税"),
        ("it was 4500", "4500 in all"),
    ],
)
def test_short_names_numbers_and_ideographs_tell(one: str, other: str) -> None:
    assert telling_words(one) & telling_words(other)
    assert not telling_words(one) & telling_words("she is on to it")


@pytest.mark.parametrize(
    ("text", "kind", "kept"),
    [
        ("Fri: the plumber Zoltan comes at four", "fact", True),
        ("Mail to Malin: the roof is from 1987, tell her", "fact", True),
        ("Mail to Malin: the roof is from 1987, tell her", "rule", False),
        ("She wrote 'the roof is from 1987' and that was all", "fact", False),
        ("> the roof is from 1987\nwhat does he mean", "fact", False),
        ("`make lint`, the roof is from 1987 and `x y z` it stays", "rule", True),
    ],
)
def test_a_model_decides_only_where_whose_words_they_are_is_in_doubt(
    text: str, kind: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "SAID", [text])
    quote = "the plumber Zoltan" if "Zoltan" in text else "the roof is from 1987"
    said = {"op": "new", "kind": kind, "turn": 1, "quote": quote, "text": "So it is."}
    found = read(MemoryOperation.model_validate(said))
    assert bool(found.extracted or found.rules) is kept
