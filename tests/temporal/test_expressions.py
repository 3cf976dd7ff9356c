"""Tables of expressions, each with what it resolves to on Wednesday, 15 May 2024, 10:30."""

from datetime import UTC, datetime

import pytest

from sharpwave import InvalidInput
from sharpwave.temporal.expressions import find
from sharpwave.types.times import Grain, TimeExpression, TimeKind, TimeRelation

AT = datetime(2024, 5, 15, 10, 30, tzinfo=UTC)


def only(text: str) -> TimeExpression:
    found = find(text, AT)
    assert len(found) == 1, [each.text for each in found]
    return found[0]


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


DATES = {
    "today": "2024-05-15",
    "yesterday": "2024-05-14",
    "tomorrow": "2024-05-16",
    "the day before yesterday": "2024-05-13",
    "the day after tomorrow": "2024-05-17",
    "on March 12, 1985": "1985-03-12",
    "on 12 March 1985": "1985-03-12",
    "on the 12th of March, 1985": "1985-03-12",
    "on Mar. 12th 1985": "1985-03-12",
    "1985-03-12": "1985-03-12",
    "12.03.1985": "1985-03-12",
    "3/12/85": "1985-03-12",
    "25/12/2023": "2023-12-25",
    "March twelfth nineteen eighty five": "1985-03-12",
    "We will meet on Friday": "2024-05-17",
    "We met on Friday": "2024-05-10",
    "I started on Monday": "2024-05-13",
    "next Friday": "2024-05-24",
    "next May 12": "2025-05-12",
    "last Friday": "2024-05-10",
    "this Friday": "2024-05-17",
    "this past Tuesday": "2024-05-14",
    "Tuesday of next week": "2024-05-21",
    "next week Tuesday": "2024-05-21",
    "two weeks ago": "2024-05-01",
    "a couple of days ago": "2024-05-13",
    "I'll do it in 3 days": "2024-05-18",
    "a week from Friday": "2024-05-24",
    "Quote dies a week tomorrow so that's me to sign it": "2024-05-23",
    "told her 40 flapjacks for the Saturday after next": "2024-05-25",
    "it's in on the nineteenth": "2024-05-19",
    "scooty insurance finishes on 31st.": "2024-05-31",
    "Mon, first thing, me, w a clipboard": "2024-05-20",
    "five days before Christmas": "2024-12-20",
    "We will come on June 3": "2024-06-03",
    "We went there on June 3": "2023-06-03",
    "We will see on the 27th": "2024-05-27",
    "the first Monday of June 2025": "2025-06-02",
    "the last Friday of October 2023": "2023-10-27",
    "the third of next month": "2024-06-03",
    "last Christmas": "2023-12-25",
    "Easter 2025": "2025-04-20",
    "Thanksgiving 2023": "2023-11-23",
    "good friday 2024": "2024-03-29",
    "Friday the 31st": "2024-05-31",
}

RANGES = {
    "last week": ("2024-05-06", "2024-05-13"),
    "this week": ("2024-05-13", "2024-05-20"),
    "next month": ("2024-06-01", "2024-07-01"),
    "last year": ("2023-01-01", "2024-01-01"),
    "the week before last": ("2024-04-29", "2024-05-06"),
    "next quarter": ("2024-07-01", "2024-10-01"),
    "Q3 of 2023": ("2023-07-01", "2023-10-01"),
    "the second half was H2 2023": ("2023-07-01", "2024-01-01"),
    "last summer": ("2023-06-01", "2023-09-01"),
    "winter 2019": ("2019-12-01", "2020-03-01"),
    "in the nineties": ("1990-01-01", "2000-01-01"),
    "the 1980s": ("1980-01-01", "1990-01-01"),
    "mid-2023": ("2023-05-01", "2023-09-01"),
    "early May 2023": ("2023-05-01", "2023-05-16"),
    "We moved in late 2019": ("2019-09-01", "2020-01-01"),
    "this weekend": ("2024-05-18", "2024-05-20"),
    "We relaxed over the weekend": ("2024-05-11", "2024-05-13"),
    "in 2019": ("2019-01-01", "2020-01-01"),
    "born in '85": ("1985-01-01", "1986-01-01"),
    "in March 2020": ("2020-03-01", "2020-04-01"),
    "03/2020": ("2020-03-01", "2020-04-01"),
    "It happened in November": ("2023-11-01", "2023-12-01"),
    "It will happen in November": ("2024-11-01", "2024-12-01"),
    "from Monday to Friday": ("2024-05-13", "2024-05-18"),
    "from June 3 until July 10, 2022": ("2022-06-03", "2022-07-11"),
    "June 5-7, 2023": ("2023-06-05", "2023-06-08"),
    "between 1999 and 2004": ("1999-01-01", "2005-01-01"),
    "December 2019 to February 2020": ("2019-12-01", "2020-03-01"),
    "the last 3 weeks": ("2024-04-24", "2024-05-15"),
    "the next two days": ("2024-05-16", "2024-05-18"),
    "the first week of 2021": ("2021-01-04", "2021-01-11"),
    "the last two months of 2022": ("2022-11-01", "2023-01-01"),
    "the rest of the week": ("2024-05-15", "2024-05-20"),
    "the 20th century": ("1900-01-01", "2000-01-01"),
}

OPEN = {
    "since March": ("2024-03-01", None, TimeRelation.SINCE),
    "since 2019": ("2019-01-01", None, TimeRelation.SINCE),
    "since last summer": ("2023-06-01", None, TimeRelation.SINCE),
    "until Friday": (None, "2024-05-18", TimeRelation.UNTIL),
    "by Friday": (None, "2024-05-18", TimeRelation.UNTIL),
    "until the end of the month": (None, "2024-06-01", TimeRelation.UNTIL),
    "before 2010": (None, "2010-01-01", TimeRelation.BEFORE),
    "after 2010": ("2011-01-01", None, TimeRelation.AFTER),
    "after June 3, 2023": ("2023-06-04", None, TimeRelation.AFTER),
    "2012 or later": ("2012-01-01", None, TimeRelation.SINCE),
    "He wants to raise the rent to 1450 starting in March": (
        "2025-03-01", None, TimeRelation.SINCE),
    "She has been here, starting in March": ("2024-03-01", None, TimeRelation.SINCE),
}  # fmt: skip

MOMENTS = {
    "tomorrow at 3pm": ("2024-05-16T15:00", "2024-05-16T16:00", TimeKind.DATETIME),
    "Friday at half past seven in the morning": (
        "2024-05-17T07:30", "2024-05-17T07:31", TimeKind.DATETIME),
    "yesterday at 5": ("2024-05-14T17:00", "2024-05-14T18:00", TimeKind.DATETIME),
    "2024-05-16T18:30:00+02:00": ("2024-05-16T16:30", "2024-05-16T16:30:01", TimeKind.DATETIME),
    "an hour ago": ("2024-05-15T09:30", "2024-05-15T09:30:01", TimeKind.DATETIME),
    "last night": ("2024-05-14T20:00", "2024-05-15T00:00", TimeKind.DATETIMERANGE),
    "tomorrow morning": ("2024-05-16T08:00", "2024-05-16T12:00", TimeKind.DATETIMERANGE),
    "Monday from 2 to 4pm": ("2024-05-20T14:00", "2024-05-20T16:00", TimeKind.DATETIMERANGE),
    "the past 30 minutes": ("2024-05-15T10:00", "2024-05-15T10:30", TimeKind.DATETIMERANGE),
    "at 3pm": ("2024-05-15T15:00", "2024-05-15T16:00", TimeKind.TIME),
    "at noon": ("2024-05-15T12:00", "2024-05-15T13:00", TimeKind.TIME),
    "a quarter to 8": ("2024-05-15T07:45", "2024-05-15T07:46", TimeKind.TIME),
    "in the evening": ("2024-05-15T16:00", "2024-05-15T20:00", TimeKind.TIMERANGE),
    "from 8pm to 12": ("2024-05-15T20:00", "2024-05-16T00:00", TimeKind.TIMERANGE),
    "from 9 to 5": ("2024-05-15T09:00", "2024-05-15T17:00", TimeKind.TIMERANGE),
    "after 6pm": ("2024-05-15T18:00", None, TimeKind.TIMERANGE),
}  # fmt: skip

DURATIONS = {
    "for three hours": (10_800, "PT3H"),
    "for two years": (63_072_000, "P2Y"),
    "an hour and a half": (5_400, "PT1.5H"),
    "2 1/2 hours": (9_000, "PT2.5H"),
    "20 min and 30 sec": (1_230, "PT20M30S"),
    "a couple of months": (5_184_000, "P2M"),
    "half an hour": (1_800, "PT0.5H"),
    "a fortnight": (1_209_600, "P2W"),
    "I ran it in 50 minutes": (3_000, "PT50M"),
}

SETS = {
    "every Monday": "XXXX-WXX-1",
    "each day at 7am": "T07",
    "every other week": "P2W",
    "twice a month": "P1M",
    "Tuesdays at 9am": "XXXX-WXX-2T09",
    "Friday mornings": "XXXX-WXX-5TMO",
    "weekly": "P1W",
    "every summer": "SU",
    "the 1st of every month": "XXXX-XX-01",
}

NOTHING = """I have 3 cats and 2 dogs
This may or may not work
You may march on
The sun sat behind the fall
Version 3.12 runs at 127.0.0.1:8080
Call 555-123-4567
It cost $2020
One of 2000 people
In my thirties
A second opinion would help
Happy New Year!
Have a nice one
The price rose 6.45 percent
order 133-03-03-2020
There is no February 30""".splitlines()


@pytest.mark.parametrize("text", DATES)
def test_date(text: str) -> None:
    found = only(text)
    assert (found.kind, found.start) == (TimeKind.DATE, day(DATES[text]))
    assert found.end is not None and found.start is not None
    assert (found.end - found.start).days == 1


@pytest.mark.parametrize("text", RANGES)
def test_range(text: str) -> None:
    found = only(text)
    start, end = (day(each) for each in RANGES[text])
    assert (found.kind, found.start, found.end) == (TimeKind.DATERANGE, start, end)


@pytest.mark.parametrize("text", OPEN)
def test_open(text: str) -> None:
    found = only(text)
    start, end = (each and day(each) for each in OPEN[text][:2])
    assert (found.kind, found.start, found.end) == (TimeKind.DATERANGE, start, end)
    assert found.relation is OPEN[text][2]


@pytest.mark.parametrize("text", MOMENTS)
def test_moment(text: str) -> None:
    found = only(text)
    start, end, kind = MOMENTS[text]
    assert (found.kind, found.start, found.end) == (kind, day(start), end and day(end))


@pytest.mark.parametrize("text", DURATIONS)
def test_duration(text: str) -> None:
    found = only(text)
    assert found.kind is TimeKind.DURATION
    assert (found.seconds, found.timex) == DURATIONS[text]


@pytest.mark.parametrize("text", SETS)
def test_set(text: str) -> None:
    found = only(text)
    assert (found.kind, found.timex) == (TimeKind.SET, SETS[text])


@pytest.mark.parametrize("text", NOTHING)
def test_nothing(text: str) -> None:
    assert find(text, AT) == []


def test_where_it_stands() -> None:
    text = "We met two weeks ago, and we will meet again next Friday at 3pm."
    first, second = find(text, AT)
    assert text[first.span.start : first.span.end] == first.text == "two weeks ago"
    assert text[second.span.start : second.span.end] == second.text == "next Friday at 3pm"


def test_grain_says_how_exact() -> None:
    assert only("two years ago").grain is Grain.YEAR
    assert only("since March").grain is Grain.MONTH
    assert only("at 3pm").grain is Grain.HOUR


def test_bound_is_where_the_named_day_begins() -> None:
    assert only("until Friday").bound == day("2024-05-17")
    assert only("after June 3, 2023").bound == day("2023-06-03")
    assert only("from Monday to Friday").bound == day("2024-05-17")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Gestern war ich im Kino", "2024-05-14"),
        ("vor drei Tagen", "2024-05-12"),
        ("letzte Woche", "2024-05-06"),
        ("nächstes Jahr", "2025-01-01"),
        ("Hier, il faisait beau", "2024-05-14"),
        ("il y a deux semaines", "2024-05-01"),
        ("la semaine dernière", "2024-05-06"),
        ("ayer fui al cine", "2024-05-14"),
        ("hace dos meses", "2024-03-15"),
        ("el año pasado", "2023-01-01"),
        ("Ich muss am Dienstag zum Zahnarzt", "2024-05-21"),
        ("nächsten Freitag", "2024-05-17"),
        ("kommenden Montag", "2024-05-20"),
        ("am Mittwoch", "2024-05-22"),
        ("letzten Mittwoch", "2024-05-08"),
        ("Freitag nächste Woche", "2024-05-24"),
        ("nächste Woche am Freitag", "2024-05-24"),
        ("Am Freitag war ich im Kino", "2024-05-10"),
        ("Freitag 15 Uhr", "2024-05-17"),
        ("vendredi prochain", "2024-05-17"),
        ("vendredi de la semaine dernière", "2024-05-10"),
        ("el viernes pasado", "2024-05-10"),
        ("el próximo lunes", "2024-05-20"),
        ("lunedì scorso", "2024-05-13"),
        ("na próxima sexta-feira", "2024-05-17"),
        ("na quinta", "2024-05-16"),
        ("komende vrijdag", "2024-05-17"),
        ("volgende vrijdag", "2024-05-24"),
    ],
)
def test_other_languages(text: str, start: str) -> None:
    assert only(text).start == day(start)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("by midnight", None, "2024-05-16"),
        ("until midnight on Friday", None, "2024-05-18"),
        ("by midnight tonight", None, "2024-05-16"),
        ("tonight at midnight", "2024-05-16", "2024-05-16T01:00"),
        ("tonight at 1am", "2024-05-16T01:00", "2024-05-16T02:00"),
        ("last night at 1am", "2024-05-15T01:00", "2024-05-15T02:00"),
        ("tonight from 10 to 1", "2024-05-15T22:00", "2024-05-16T01:00"),
        ("since midnight", "2024-05-15", None),
    ],
)
def test_a_night_goes_on_after_midnight(text: str, start: str | None, end: str | None) -> None:
    found = only(text)
    assert (found.start, found.end) == (start and day(start), end and day(end))


@pytest.mark.parametrize(
    "text",
    [
        "jeden Freitag",
        "Freitag, den 7. Juni",
        "le vendredi 7 juin",
        "los viernes",
        "Frau Freitag",
        "Santo Domingo",
        "la segunda parte",
        "a quinta vez",
    ],
)
def test_no_weekday_of_other_languages(text: str) -> None:
    assert find(text, AT) == []


def test_a_moment_needs_a_time_zone() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        find("yesterday", datetime(2024, 5, 15))


def test_units_of_units_are_read_in_no_time() -> None:
    """Each "last weeks of" was read twice, and so was all behind it: an hour for 350 letters."""
    assert find("last weeks of " * 40 + "x 3", AT) is not None


@pytest.mark.parametrize(
    ("text", "timex"),
    [("every decade", "P10Y"), ("every two decades", "P20Y"), ("a decade and a half", "P15Y")],
)
def test_decades_are_counted_in_years(text: str, timex: str) -> None:
    assert only(text).timex == timex


@pytest.mark.parametrize(
    ("at", "text", "start"),
    [
        ("2026-04-15", "There's a month's mind on Friday week and I said I'd bring", "2026-04-24"),
        (
            "2025-10-17",
            "I promised the registrar it would be there a week on Monday.",
            "2025-10-27",
        ),
        ("2025-10-15", "I deliver last Friday of November.", "2025-11-28"),
        ("2025-12-02", "the bones one, DEXA, the tenth, they think the coeliac", "2025-12-10"),
        ("2025-08-05", "I have told him that we shall speak of it at Hogmanay.", "2025-12-31"),
        ("2025-10-23", "keys come 1.11., and landlord Ampuja wants the deposit", "2025-11-01"),
        ("2025-12-04", "doctor 17.12., and lab must have taken it one week before", "2025-12-10"),
        (
            "2026-01-02",
            "operation fixed at Perinthalmanna on 20th February. Leave application must go to Mr. "
            "Fergal three weeks before the operation, he is particular.",
            "2026-01-30",
        ),
        (
            "2026-01-06",
            "Neurologist is Thursday the 22nd, Dr. Amundsen-Roy. Headache diary has to be uploaded "
            "48 hours ahead or they bump you.",
            "2026-01-20",
        ),
        (
            "2025-11-20",
            "The blood must be done before I see the gynaecologist on 11 December. I go the Monday "
            "of that week.",
            "2025-12-08",
        ),
        (
            "2025-10-23",
            "ultrasound is 10 Dec 13:15. I have to book that off before payroll closes on the 5th "
            "of that month",
            "2025-12-05",
        ),
    ],
)
def test_days_as_people_of_the_corpus_say_them(at: str, text: str, start: str) -> None:
    assert find(text, day(at))[-1].start == day(start)
