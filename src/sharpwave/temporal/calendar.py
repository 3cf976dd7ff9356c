"""Days, weeks, months and feasts: arithmetic on dates without a zone."""

from datetime import datetime, timedelta

Days = tuple[datetime, datetime]
"""From a moment up to, not including, another."""
DAY = timedelta(days=1)
WEEK = timedelta(days=7)


def midnight(moment: datetime) -> datetime:
    """The beginning of a day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def add_months(day: datetime, months: int) -> datetime:
    """The same day some months on, or the last of a shorter month.

    >>> add_months(datetime(2024, 1, 31), 1)
    datetime.datetime(2024, 2, 29, 0, 0)
    """
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return day.replace(year=year, month=month, day=min(day.day, days_in_month(year, month)))


def days_in_month(year: int, month: int) -> int:
    """How many days a month has."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def day(year: int, month: int, number: int) -> Days | None:
    """A day, if there is such a one: there is no 30 February."""
    if not (1 <= month <= 12 and 1 <= number <= days_in_month(year, month)):
        return None
    begin = datetime(year, month, number)
    return begin, begin + DAY


def months(year: int, month: int, count: int = 1) -> Days:
    """Some months, from the first of one."""
    begin = datetime(year, month, 1)
    return begin, add_months(begin, count)


def years(year: int, count: int = 1) -> Days:
    """Some years."""
    return datetime(year, 1, 1), datetime(year + count, 1, 1)


def week(moment: datetime) -> Days:
    """The week a day is in, from its Monday."""
    begin = midnight(moment) - timedelta(days=moment.weekday())
    return begin, begin + WEEK


def week_of_year(year: int, number: int) -> Days:
    """A week by its ISO number: the first is the one with 4 January."""
    begin = week(datetime(year, 1, 4))[0] + WEEK * (number - 1)
    return begin, begin + WEEK


def nth_weekday(begin: datetime, end: datetime, weekday: int, nth: int) -> datetime | None:
    """The nth such weekday of a period; -1 is the last."""
    if nth < 0:
        last = end - DAY
        found = last - timedelta(days=(last.weekday() - weekday) % 7)
    else:
        found = begin + timedelta(days=(weekday - begin.weekday()) % 7 + 7 * (nth - 1))
    return found if begin <= found < end else None


def business_days(moment: datetime, count: int) -> Days:
    """The next or, below zero, the previous working days, without today."""
    step = DAY if count > 0 else -DAY
    today = midnight(moment)
    current = today
    for _ in range(min(abs(count), 3000)):
        current += step
        while current.weekday() > 4:
            current += step
    return (today + DAY, current + DAY) if count > 0 else (current, today)


def easter(year: int) -> datetime:
    """Easter Sunday, Gregorian.

    >>> easter(2024)
    datetime.datetime(2024, 3, 31, 0, 0)
    """
    century = year // 100
    moon = (19 * (year % 19) + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    moon -= (moon // 28) * (1 - (29 // (moon + 1)) * ((21 - year % 19) // 11))
    sunday = moon - (year + year // 4 + moon + 2 - century + century // 4) % 7
    month = 3 + (sunday + 40) // 44
    return datetime(year, month, sunday + 28 - 31 * (month // 4))
