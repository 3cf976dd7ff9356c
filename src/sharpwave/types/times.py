"""Time expressions in a text, resolved."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import StrEnum

from sharpwave.types.statements import Span


class TimeKind(StrEnum):
    """The type of a time expression."""

    DATE = "date"
    """A day: "yesterday", "May 3"."""
    DATERANGE = "daterange"
    """Days: "last week", "since March", "from Monday to Friday"."""
    DATETIME = "datetime"
    """A moment of a day: "tomorrow at 3pm", "in five minutes"."""
    DATETIMERANGE = "datetimerange"
    """A part of a day: "last night", "Monday from 2 to 4pm"."""
    TIME = "time"
    """A time of day without a date: "at 3pm"; its date is that of the text."""
    TIMERANGE = "timerange"
    """A part of a day without a date: "in the morning"; its date is that of the text."""
    DURATION = "duration"
    """A duration: "three hours"."""
    SET = "set"
    """A frequency: "every Monday", "weekly"."""


class TimeRelation(StrEnum):
    """Relation of a statement to the time it names."""

    IN = "in"
    SINCE = "since"
    UNTIL = "until"
    BEFORE = "before"
    AFTER = "after"


class Grain(StrEnum):
    """The smallest unit an expression names."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time expression, its place in the text, and the time it denotes.

    `start` and `end` are in the time zone of the moment the text was said, and half-open: a day
    is from its midnight to the next one, "from Monday to Friday" ends when Friday is over.
    """

    span: Span
    text: str
    kind: TimeKind
    grain: Grain
    start: datetime | None = None
    """None for durations and sets, and if it is open: "until Friday"."""
    end: datetime | None = None
    """None for durations and sets, and if it is open: "since March"."""
    relation: TimeRelation = TimeRelation.IN
    bound: datetime | None = None
    """Start of the day, month or year that bounds a range, if the range includes or passes it:
    Friday 00:00 for "until Friday", 1 May for "after May 1"."""
    seconds: float | None = None
    """Length of a duration in seconds; a month has 30 days, a year 365."""
    timex: str = ""
    """ISO 8601 / TIMEX3 notation of durations, sets and seasons: `P3D`, `XXXX-WXX-1`, `2016-SU`."""


_AT_MOST = timedelta(hours=1)


def due_in(start: datetime | None, end: datetime | None) -> datetime | None:
    """When a task for this interval is due: on its last day, or at the moment it names.

    A day is returned as its midnight. The moments must be in the speaker's time zone.

    >>> due_in(None, datetime(2026, 5, 9)).isoformat()
    '2026-05-08T00:00:00'
    >>> due_in(datetime(2026, 5, 8, 17), datetime(2026, 5, 8, 18)).isoformat()
    '2026-05-08T17:00:00'
    """
    if end is None or (start is not None and end - start <= _AT_MOST):
        return start
    return end - timedelta(days=1) if end.time() == time() else end


_DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", re.ASCII)


def period_of(date: str, zone: tzinfo | None) -> tuple[datetime, datetime]:
    """Start and end of an ISO date, month or year, in UTC; a time of day is one moment.

    `zone` is used if the text names none. Raises ValueError if it is not a date.

    >>> [moment.isoformat() for moment in period_of("2026-05", UTC)]
    ['2026-05-01T00:00:00+00:00', '2026-06-01T00:00:00+00:00']
    """
    named = _DATE.fullmatch(date.strip())
    try:
        if named is None:
            begin = end = _local(datetime.fromisoformat(date.strip()), zone)
        else:
            year, month, day = (int(part) if part else None for part in named.groups())
            first = datetime(year or 0, month or 1, day or 1)
            begin, end = (_local(moment, zone) for moment in (first, _next(first, month, day)))
        return begin.astimezone(UTC), end.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"no date: {date[:40]!r}") from None


def _local(moment: datetime, zone: tzinfo | None) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=zone or UTC)


def _next(first: datetime, month: int | None, day: int | None) -> datetime:
    if day:
        return first + timedelta(days=1)
    if month and month < 12:
        return first.replace(month=month + 1)
    return first.replace(year=first.year + 1, month=1)
