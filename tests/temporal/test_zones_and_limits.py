"""Time zones, summer time, any input at all, and cost that grows with the text and no faster."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cpu import seconds

from sharpwave.temporal.expressions import find
from sharpwave.types.times import TimeExpression, TimeKind

BERLIN = ZoneInfo("Europe/Berlin")
SPRING = datetime(2024, 3, 31, 12, tzinfo=BERLIN)
"""The day on which 2:00 becomes 3:00."""


def only(text: str, at: datetime) -> TimeExpression:
    (found,) = find(text, at)
    return found


def test_the_day_is_that_of_the_speaker() -> None:
    late = datetime(2024, 5, 15, 23, 30, tzinfo=UTC)
    assert only("today", late).start == datetime(2024, 5, 15, tzinfo=UTC)
    tokyo = late.astimezone(ZoneInfo("Asia/Tokyo"))
    found = only("today", tokyo)
    assert found.start == datetime(2024, 5, 16, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert found.start is not None and found.start.tzinfo is tokyo.tzinfo


def test_a_day_is_from_midnight_to_midnight_when_the_clocks_change() -> None:
    found = only("today", SPRING)
    assert found.start is not None and found.end is not None
    assert found.start.utcoffset() == timedelta(hours=1)
    assert found.end.utcoffset() == timedelta(hours=2)
    assert found.end.timestamp() - found.start.timestamp() == 23 * 3600


def test_hours_are_counted_as_they_pass() -> None:
    found = only("12 hours ago", SPRING)
    assert found.start is not None
    assert found.start.isoformat() == "2024-03-30T23:00:00+01:00"


def test_an_hour_that_does_not_exist_is_the_one_after_it() -> None:
    found = only("today at 2:30 am", SPRING)
    assert found.start is not None and found.end is not None
    assert found.start.isoformat() == "2024-03-31T03:30:00+02:00"
    assert found.start.timestamp() <= found.end.timestamp()


def test_an_hour_that_comes_twice() -> None:
    autumn = datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=1)
    found = only("an hour ago", autumn)
    assert found.start is not None
    assert (found.start.hour, found.start.utcoffset()) == (2, timedelta(hours=2))


WORDS = st.sampled_from(
    """the a in on at by of to from between since until before after and or - , . ' / : last next
    this every first second third twenty five 3 12 1990 2024-05-15 5/12 10:30 7pm 9999 99999999
    0 31 May march Monday sun week month year years century decades ago later early mid end noon
    tonight yesterday morning quarter q1 h2 Christmas Easter half couple few hours days weekend
    summer 1990s 85 gestern vor il y hace dos semanas pasado \u2013 \u2019 $ % 2 1/2 february 30 29
    """.split()
)
MOMENTS = st.datetimes(
    min_value=datetime(1, 1, 2),
    max_value=datetime(9999, 12, 30),
    timezones=st.sampled_from([UTC, BERLIN, timezone(timedelta(hours=-9, minutes=-30))]),
)


@given(st.text(max_size=200) | st.lists(WORDS, max_size=14).map(" ".join), MOMENTS)
def test_any_text_at_any_moment(text: str, at: datetime) -> None:
    behind = 0
    for found in find(text, at):
        assert behind <= found.span.start < found.span.end <= len(text)
        assert found.text == text[found.span.start : found.span.end]
        behind = found.span.end
        if found.start and found.end:
            assert found.start.timestamp() <= found.end.timestamp()
            assert found.start.tzinfo == found.end.tzinfo == at.tzinfo
        assert (found.seconds is not None) == (found.kind is TimeKind.DURATION)


@given(st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)), st.integers(-9999, 9999))
def test_days_move_with_the_moment(moment: datetime, days: int) -> None:
    at = moment.replace(tzinfo=UTC)
    for text in ("yesterday", "today", "tomorrow", "3 days ago", "in 10 days", "two weeks ago"):
        here, there = only(text, at), only(text, at + timedelta(days=days))
        assert here.start is not None and there.start is not None
        assert there.start - here.start == timedelta(days=days)


PATTERNS = """between 3 and |monday |3 days and |twenty |may |last |1-|9|from |in the |x1y2_|'|
5/5/2020-|2 hours 3 minutes |every |1990 - |the first |week of |quarter of |before |a |1:|to |
early mid late |10/10-|12am-|first monday of |from 3 to """.replace("\n", "").split("|")


@pytest.mark.parametrize("piece", PATTERNS)
def test_twice_the_text_costs_about_twice(piece: str) -> None:
    at = datetime(2024, 5, 15, tzinfo=UTC)
    short, long = (piece * (size // len(piece)) for size in (20_000, 80_000))
    limit = 4 * seconds(lambda: find(short, at)) * 2 + 0.05
    assert seconds(lambda: find(long, at), limit) < limit


def test_a_megabyte_of_prose() -> None:
    at = datetime(2024, 5, 15, tzinfo=UTC)
    prose = "We walked along the river and talked about the house, the dog and the neighbours. "
    plain = prose * (1_000_000 // len(prose))
    assert seconds(lambda: find(plain, at), 1.0) < 1.0
    told = prose * 6 + "Then we met again two weeks ago in Porto. "
    text = told * (1_000_000 // len(told))
    assert seconds(lambda: find(text, at), 5.0) < 5.0
    assert len(find(told, at)) == 1
    assert [one.text for one in find(prose * 500 + "We met yesterday.", at)] == ["yesterday"]


def test_a_turn_without_a_word_of_time_costs_next_to_nothing() -> None:
    at = datetime(2024, 5, 15, tzinfo=UTC)
    turn = "I love the new garden that my brother built for us, and all of the flowers in it. " * 4
    limit = 200 * 0.000_2  # 0.02 ms where it was written; ten times that is a fault
    assert seconds(lambda: [find(turn, at) for _ in range(200)], limit) < limit


@pytest.mark.parametrize("text", ["0001-01-01", "1/1/0000", "01.01.0001"])
def test_a_date_before_the_year_1000_is_none_of_this_century(text: str) -> None:
    assert find(text, SPRING) == []


@pytest.mark.parametrize("words", ["the day after ", "the Friday after ", "a week after "])
def test_days_counted_from_each_other_without_end(words: str) -> None:
    assert seconds(lambda: find(words * 1400 + "tomorrow", SPRING), 5.0) < 5.0
