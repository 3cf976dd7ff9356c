"""Tasks, notes, names and dates."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.reading.test_cases import AT, say

from sharpwave import Kind, Memory, Task
from sharpwave.reading.extract import extract
from sharpwave.temporal.expressions import find
from sharpwave.testing import FrozenClock
from sharpwave.types.records import USER
from sharpwave.types.statements import (
    Candidate,
    EntityKind,
    Mode,
    Span,
    Spoken,
    TimeSpan,
)


def tasks(text: str) -> list[tuple[str, str]]:
    found = [one for one in say(text) if one.kind is Kind.TASK]
    return [(one.text, str(one.status)) for one in found]


def found_tasks(tmp_path: Path, text: str) -> list[Task]:
    """The tasks that a memory finds in a message."""
    with Memory.open(tmp_path / "m.db", clock=FrozenClock(AT)) as memory:
        memory.remember(text)
        return memory.tasks.list()


@pytest.mark.spec("TSK-03")
@pytest.mark.parametrize(
    ("text", "title", "status"),
    [
        ("I need to renew my passport.", "Renew my passport", "active"),
        ("I have to call the dentist.", "Call the dentist", "active"),
        ("I still need to book flights to Rome.", "Book flights to Rome", "active"),
        ("I've been meaning to fix the sink.", "Fix the sink", "active"),
        ("I need to pay the electricity bill.", "Pay the electricity bill", "active"),
        ("I've got to pick up the kids at 4.", "Pick up the kids", "active"),
        ("I should call my grandmother this week.", "Call my grandmother", "active"),
        ("I must renew my visa by March.", "Renew my visa", "active"),
        ("I need to get my car serviced.", "Get my car serviced", "active"),
        ("Please remind me to water the plants.", "Water the plants", "active"),
        ("Can you remind me to call Ana?", "Call Ana", "active"),
        ("The report is due on Friday.", "The report is due on Friday.", "active"),
        ("My taxes are due April 15.", "My taxes are due April 15.", "active"),
    ],
)
def test_tasks(tmp_path: Path, text: str, title: str, status: str) -> None:
    assert [(one.title, one.status) for one in found_tasks(tmp_path, text)] == [(title, status)]


@pytest.mark.parametrize(
    "text",
    [
        "I have to go now.",
        "I have to admit that you are right.",
        "I need to know more.",
        "Do I need to renew my passport?",
        "If I lose it I have to renew my passport.",
        "I don't need to renew my passport.",
    ],
)
def test_a_manner_of_speaking_is_no_task(tmp_path: Path, text: str) -> None:
    assert found_tasks(tmp_path, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I need to stop for lunch.",
        "I have to go now.",
        "I have to admit that you are right.",
        "I need to know more.",
        "Do I need to renew my passport?",
        "If I lose it I have to renew my passport.",
        "I don't need to renew my passport.",
        "You need to renew your passport.",
        "She has to call the dentist.",
    ],
)
def test_no_tasks(text: str) -> None:
    assert tasks(text) == []


def timed(text: str, words: str, start: datetime, end: datetime, relation: str = "in") -> Candidate:
    at = text.index(words)
    time = TimeSpan(Span(at, at + len(words)), start, end, relation)
    found = extract(text, Spoken(USER, AT), [time]).candidates
    return found[0]


MARCH = datetime(2024, 3, 1, tzinfo=UTC)
APRIL = datetime(2024, 4, 1, tzinfo=UTC)
DAY = (datetime(2024, 3, 8, tzinfo=UTC), datetime(2024, 3, 9, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "title", "due"),
    [
        ("I need to renew my passport by Friday.", "Renew my passport", DAY[0]),
        (
            "I need to renew my passport in March.",
            "Renew my passport",
            datetime(2024, 3, 31, tzinfo=UTC),
        ),
        ("I need to pay Friday.", "Pay Friday", DAY[0]),
        ("I have to vote on Tuesday.", "Vote on Tuesday", datetime(2024, 3, 12, tzinfo=UTC)),
        ("I need to call Ana in April.", "Call Ana", datetime(2024, 4, 30, tzinfo=UTC)),
        ("I need to pay March rent.", "Pay March rent", datetime(2024, 3, 31, tzinfo=UTC)),
    ],
)
def test_a_task_is_due_on_the_last_day_of_its_time(
    tmp_path: Path, text: str, title: str, due: datetime | None
) -> None:
    (one,) = found_tasks(tmp_path, text)
    assert (one.title, one.due, one.status) == (title, due, "active")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("I need to call April.", "Call April"),
        ("I have to email June about the lease.", "Email June about the lease"),
        ("I should thank Autumn tomorrow.", "Thank Autumn"),
    ],
)
def test_a_name_like_a_time_is_part_of_the_title(tmp_path: Path, text: str, title: str) -> None:
    assert [one.title for one in found_tasks(tmp_path, text)] == [title]


def test_since() -> None:
    one = timed("I have lived in Porto since March.", "since March", MARCH, APRIL, "since")
    assert one.statement == ("user", "lives_in", "Porto")
    assert (one.mode, one.valid_from, one.valid_to) == (Mode.HOLDS, MARCH, None)


def test_ended() -> None:
    one = timed("I left my job at Anchor in March.", "in March", MARCH, APRIL)
    assert (one.mode, one.valid_from, one.valid_to) == (Mode.ENDED, None, MARCH)


def test_an_event_is_dated_in_words_that_stay_true() -> None:
    one = timed("Last Friday, I visited Porto.", "Last Friday", *DAY)
    assert (one.text, one.valid_from) == ("The user has been to Porto (8 March 2024)", DAY[0])
    one = timed("I moved to Porto in March.", "March", MARCH, APRIL)
    assert one.statement == ("user", "lives_in", "Porto")
    assert one.valid_from == MARCH


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I visited Lisbon yesterday.", "The user has been to Lisbon (19 May 2024)"),
        ("I visited Lisbon in April.", "The user has been to Lisbon (April 2024)"),
        ("My wedding is on 27 October.", "The user's wedding is on 27 October (27 October 2024)"),
    ],
    ids=["day", "month", "day of 25 hours"],
)
def test_the_date_is_that_of_the_speakers_clock(text: str, told: str) -> None:
    at = datetime(2024, 5, 20, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    (named,) = find(text, at)
    start, end = (moment and moment.astimezone(UTC) for moment in (named.start, named.end))
    times = [TimeSpan(named.span, start, end)]
    assert [one.text for one in extract(text, Spoken(USER, at), times).candidates] == [told]


@pytest.mark.parametrize(
    "text",
    [
        "I'm going to Lisbon in March.",
        "I'm planning to run a marathon on 9 March.",
        "We have a flight to Rome on 27 March.",
    ],
)
def test_a_plan_holds_until_its_time(tmp_path: Path, text: str) -> None:
    clock = FrozenClock(AT)
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember(text)
        assert [one.text for one in memory.facts.list()] == [text]
        clock.advance(days=30)
        assert memory.facts.list() == []


def test_a_birthday_says_nothing_about_since_when_it_holds() -> None:
    one = timed("My birthday is on March 8.", "March 8", *DAY)
    assert one.statement == ("user", "birthday", "March 8")
    assert (one.text, one.valid_from, one.valid_to) == (
        "The user's birthday is March 8",
        None,
        None,
    )


def test_the_day_of_an_event_is_told_in_full() -> None:
    one = timed("My exam is on Friday.", "Friday", *DAY)
    assert one.statement == ("user's exam", "happened_on", "Friday")
    assert one.text == "The user's exam is on Friday (8 March 2024)"
    assert one.valid_to is None


@pytest.mark.parametrize(
    "text",
    [
        "Write 6 bullet points about dogs.",
        "Give me a recipe without jargon.",
        "I want you to act as a teacher.",
        "I'd like you to write a poem.",
        "Never give up!",
        "Use a for loop here.",
        "Show me the code.",
    ],
)
def test_a_request_is_no_note(text: str) -> None:
    assert [one for one in say(text) if one.kind is Kind.NOTE] == []


def test_notes() -> None:
    (one,) = say("I learned that spinners work better than live bait.")
    assert one.kind is Kind.NOTE
    assert one.text == "The user learned that spinners work better than live bait"
    (other,) = say("Lesson learned: book the train early.")
    assert other.text == "Book the train early"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Lesson learned: deploy the shop before noon.", "Deploy the shop before noon"),
        ("The trick is to water them in the morning.", "Water them in the morning"),
        ("I learned that it is full in August.", None),
        ("I learned that ferries are full in August.", "The user learned that ferries are full"),
        ("I work best in the morning.", "The user works best in the morning"),
    ],
)
def test_a_note_keeps_the_time_it_is_about(text: str, note: str | None) -> None:
    found = [one.text for one in say(text) if one.kind is Kind.NOTE]
    assert [one.removesuffix(" in August") for one in found] == ([note] if note else [])
    assert all(one.split()[-1] == text.strip(".").split()[-1] for one in found)


def test_names() -> None:
    text = "My sister Anna works at Anchor in Berlin and has a dog named Rex."
    found = {one.name: one for one in extract(text, Spoken(USER, AT)).mentions}
    assert found["Anna"].kind is EntityKind.PERSON
    assert found["Anchor"].kind is EntityKind.ORGANISATION
    assert found["Berlin"].kind is EntityKind.PLACE
    assert text[slice(*found["Berlin"].span)] == "Berlin"
