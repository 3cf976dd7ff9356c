"""Times are composed: what the parts mean alone decides what they mean together.

All said on Wednesday, 15 May 2024, 10:30. Every day meets every clock, in every order.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from pathlib import Path

import pytest

from evals.temporal import compare
from sharpwave.temporal.expressions import find
from sharpwave.types.times import TimeExpression, TimeKind

AT = datetime(2024, 5, 15, 10, 30, tzinfo=UTC)
OWN = Path(__file__).parents[2] / "evals" / "data" / "time_expressions"
DAYS = {
    "tomorrow": "2024-05-16",
    "Friday": "2024-05-17",
    "next Tuesday": "2024-05-21",
    "the 22nd": "2024-05-22",
    "Thursday the 23rd": "2024-05-23",
    "Sunday week": "2024-05-26",
    "the first Monday in June": "2024-06-03",
    "6/4/2024": "2024-06-04",
    "Wed, 5 June 2024": "2024-06-05",
    "June 6th": "2024-06-06",
    "the seventh of June": "2024-06-07",
    "the 8th of next month": "2024-06-08",
    "five days before Christmas": "2024-12-20",
    "New Year's Day": "2025-01-01",
}
CLOCKS = {
    "6.15am": "06:15",
    "twenty to seven in the morning": "06:40",
    "eight am": "08:00",
    "noon": "12:00",
    "2 p.m.": "14:00",
    "half past three in the afternoon": "15:30",
    "quarter to five pm": "16:45",
    "17:42": "17:42",
    "six thirty in the evening": "18:30",
    "10 at night": "22:00",
}
PARTS = {"morning": (8, 12), "afternoon": (12, 16), "evening": (16, 20), "night": (20, 24)}
WRITTEN = (
    "June 3 | 3 June | June the 3rd | third of June | Jun. 3 | 3 Jun 2024 | Monday, June 3rd"
    " | 3rd June '24 | 03-Jun-24 | Jun-3-2024 | 2024/Jun/3 | 2024-06-03 | 3.6.2024 | 6/3/24"
    " | Monday (June 3) | June 3rd of this year | June third, 2024 | 3rd day of June"
).split(" | ")


def at(day: str, clock: str = "00:00") -> datetime:
    return datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC)


def only(text: str) -> TimeExpression:
    found = find(text, AT)
    assert len(found) == 1, (text, [each.text for each in found])
    return found[0]


def days_and_clocks() -> Iterator[tuple[str, datetime]]:
    for (day, date), (clock, time) in product(DAYS.items(), CLOCKS.items()):
        yield f"It is on {day} at {clock}.", at(date, time)
        yield f"It is at {clock} on {day}.", at(date, time)
        if clock[0].isdigit():
            yield f"It is on {day}, {clock}.", at(date, time)


def test_a_day_and_a_clock_in_any_order() -> None:
    for text, moment in days_and_clocks():
        found = only(text)
        assert (found.kind, found.start) == (TimeKind.DATETIME, moment), text


def test_a_day_and_a_part_of_it() -> None:
    for (day, date), (part, hours) in product(DAYS.items(), PARTS.items()):
        for text in (f"It is on {day} {part}.", f"It is on the {part} of {day}."):
            found = only(text)
            expected = tuple(at(date) + timedelta(hours=hour) for hour in hours)
            assert (found.start, found.end) == expected, text


def test_a_clock_on_a_day_and_a_part_of_it() -> None:
    for (day, date), (part, hour) in product(DAYS.items(), (("morning", 7), ("evening", 19))):
        for text in (
            f"at 7 on {day} {part}",
            f"on {day} {part} at 7",
            f"on {day} at 7 in the {part}",
        ):
            found = only(f"It is {text}.")
            assert found.start == at(date) + timedelta(hours=hour), text
            assert found.text.endswith(text[-4:]), text


def test_from_any_clock_to_any_later_one_on_any_day() -> None:
    for (one, first), (two, last) in combinations(CLOCKS.items(), 2):
        for text in (f"from {one} to {two}", f"between {one} and {two}", f"{one} - {two}"):
            found = only(f"It is open {text}.")
            assert found.kind is TimeKind.TIMERANGE, text
            assert (found.start, found.end) == (at("2024-05-15", first), at("2024-05-15", last))
            found = only(f"It is open {text} on June 3rd.")
            assert (found.start, found.end) == (at("2024-06-03", first), at("2024-06-03", last))


def test_from_any_day_to_any_later_one() -> None:
    for (one, first), (two, last) in combinations(DAYS.items(), 2):
        for text in (f"from {one} to {two}", f"between {one} and {two}", f"from {one} until {two}"):
            found = only(f"We are away {text}.")
            ends = (at(first), at(last) + timedelta(days=1))
            assert (found.kind, found.start, found.end) == (TimeKind.DATERANGE, *ends), text


def test_before_and_after_any_day() -> None:
    for day, date in DAYS.items():
        assert only(f"It is two weeks after {day}.").start == at(date) + timedelta(days=14), day
        assert only(f"It is the day before {day}.").start == at(date) - timedelta(days=1), day
        assert only(f"Do it by {day}.").bound == at(date), day


@pytest.mark.parametrize("date", WRITTEN)
def test_a_date_in_every_writing(date: str) -> None:
    for text in (f"We leave {date}.", f"(due {date})", f"See you on {date}, ok?"):
        assert (only(text).kind, only(text).start) == (TimeKind.DATE, at("2024-06-03")), text
    assert only(f"It is on {date} at 5pm").start == at("2024-06-03", "17:00")


@pytest.mark.parametrize(
    ("text", "timex"),
    [
        ("every Wednesday evening", "XXXX-WXX-3TEV"),
        ("every Wednesday evening at 8", "XXXX-WXX-3T20"),
        ("at half past seven every morning", "T07:30"),
        ("at 5pm on Tuesdays", "XXXX-WXX-2T17"),
        ("each day at noon", "T12"),
        ("every couple of weeks", "P2W"),
    ],
)
def test_repetitions_take_parts_and_clocks(text: str, timex: str) -> None:
    assert only(f"We meet {text}.").timex == timex


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("We land on June 3 and talk the next day.", "2024-06-04"),
        ("Flight on June 14; check in the day before.", "2024-06-13"),
        ("He died on 3 March 2019 and she followed two days later.", "2019-03-05"),
        ("The deadline is May 24, the party the Friday after that.", "2024-05-31"),
        ("We left on Monday, and that Friday she called.", "2024-05-17"),
        ("We were there on May 3 and left that evening.", "2024-05-03T16:00"),
        ("The call is at 3pm tomorrow, the follow-up two hours later.", "2024-05-16T17:00"),
        ("The trip is next week, the invoice comes the week after.", "2024-05-27"),
        ("Memphis is October the 23rd and St. Louis the 24th.", "2024-10-24"),
    ],
)
def test_counted_from_the_time_named_before(text: str, start: str) -> None:
    moment = datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert find(text, AT)[-1].start == moment


@pytest.mark.parametrize(
    "text",
    [
        "There were two afternoon slots.",
        "Have a good day!",
        "She wants to read it first. May I ask why?",
        "Be at one with nature.",
        "The first one was better than the second one.",
        "We won 13-4 against them.",
    ],
)
def test_what_only_looks_like_a_time(text: str) -> None:
    assert not find(text, AT)


def test_the_cases_of_our_own_to_develop_on() -> None:
    assert compare(OWN / "seen").results[0].overall.share >= 0.97
