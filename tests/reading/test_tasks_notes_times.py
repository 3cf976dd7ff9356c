"""Tasks, notes, names and dates."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from tests.reading.test_cases import AT, say

from sharpwave import Kind
from sharpwave.reading.extract import extract
from sharpwave.temporal.expressions import find
from sharpwave.types.records import USER
from sharpwave.types.statements import (
    Candidate,
    EntityKind,
    Mode,
    Span,
    Spoken,
    TaskStatus,
    TimeSpan,
)


def tasks(text: str) -> list[tuple[str, str]]:
    found = [one for one in say(text) if one.kind is Kind.TASK]
    return [(one.text, str(one.status)) for one in found]


@pytest.mark.spec("TSK-03")
@pytest.mark.parametrize(
    ("text", "title", "status"),
    [
        ("I need to renew my passport.", "Renew their passport", "active"),
        ("I have to call the dentist.", "Call the dentist", "active"),
        ("I still need to book flights to Rome.", "Book flights to Rome", "active"),
        ("I've been meaning to fix the sink.", "Fix the sink", "active"),
        ("Please remind me to water the plants.", "Water the plants", "active"),
        ("Can you remind me to call Ana?", "Call Ana", "active"),
        ("The report is due on Friday.", "Finish The report", "active"),
    ],
)
def test_tasks(text: str, title: str, status: str) -> None:
    assert tasks(text) == [(title, status)]


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


def test_a_task_is_due_on_the_last_day_of_its_time() -> None:
    one = timed("I need to renew my passport by Friday.", "by Friday", *DAY, "by")
    assert (one.text, one.due, one.status) == ("Renew their passport", DAY[0], TaskStatus.ACTIVE)
    one = timed("I need to renew my passport in March.", "in March", MARCH, APRIL)
    assert one.due == datetime(2024, 3, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "title", "due"),
    [
        ("I need to call April.", "Call April", None),
        ("I must visit Summer in the hospital.", "Visit Summer in the hospital", None),
        ("I have to email June about the lease.", "Email June about the lease", None),
        ("I should thank Autumn tomorrow.", "Thank Autumn tomorrow", None),
        ("I need to pay March rent.", "Pay March rent", None),
        ("I need to pay Friday.", "Pay", datetime(2024, 3, 8, tzinfo=UTC)),
        ("I have to vote on Tuesday.", "Vote", datetime(2024, 3, 12, tzinfo=UTC)),
        ("I need to call Ana in April.", "Call Ana", datetime(2024, 4, 30, tzinfo=UTC)),
    ],
)
def test_a_name_like_a_time_is_part_of_the_title(
    text: str, title: str, due: datetime | None
) -> None:
    times = [TimeSpan(one.span, one.start, one.end) for one in find(text, AT)]
    (one,) = extract(text, Spoken(USER, AT), times).candidates
    assert (one.kind, one.text, one.due) == (Kind.TASK, title, due)


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
        ("I am going to Lisbon in June.", "The user plans to go to Lisbon (June 2024)"),
        (
            "We have a flight to Rome on 27 October.",
            "The user has a flight to Rome (27 October 2024)",
        ),
    ],
    ids=["day", "month", "day of 25 hours"],
)
def test_the_date_is_that_of_the_speakers_clock(text: str, told: str) -> None:
    at = datetime(2024, 5, 20, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    (named,) = find(text, at)
    start, end = (moment and moment.astimezone(UTC) for moment in (named.start, named.end))
    times = [TimeSpan(named.span, start, end)]
    assert [one.text for one in extract(text, Spoken(USER, at), times).candidates] == [told]


def test_a_plan_holds_until_its_time() -> None:
    one = timed("I'm going to Lisbon in March.", "in March", MARCH, APRIL)
    assert one.text == "The user plans to go to Lisbon (March 2024)"
    assert one.valid_to == APRIL


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
