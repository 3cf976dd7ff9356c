"""What the parsers of time expressions share: the text as tokens, and points in time."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from sharpwave.temporal import words as w
from sharpwave.temporal.calendar import DAY, Days, midnight
from sharpwave.temporal.tokens import END, WORD, TimeToken, tokens_of
from sharpwave.types.times import Grain, TimeKind, TimeRelation

_BEFORE, _BEHIND = 14, 8
"""Number of words around an expression that may show its tense."""


@dataclass(frozen=True, slots=True)
class Point:
    """A time that is understood: its beginning and end as the wall clock shows them."""

    kind: TimeKind
    begin: datetime | None
    end: datetime | None
    grain: Grain
    nth: Callable[[int], Days | None] | None = None
    """Other times of the same name, if the text leaves open which: -1 is a year or week before."""
    relation: TimeRelation = TimeRelation.IN
    bound: datetime | None = None
    seconds: float | None = None
    timex: str = ""
    edge: bool = False
    """The end of something: as a limit it counts where the thing is over."""

    def moved(self, days: Days) -> "Point":
        """The same at another time."""
        return Point(
            self.kind, days[0], days[1], self.grain, self.nth, self.relation, self.bound,
            self.seconds, self.timex, self.edge,
        )  # fmt: skip

    @property
    def is_day(self) -> bool:
        """One day, which a time of day can be added to."""
        return self.kind is TimeKind.DATE


Parsed = tuple[Point, int] | None
"""What stands at a place, and the place behind it."""


class TimeParser:
    """A part of a text in pieces, and the moment it was said."""

    __slots__ = ("at", "now", "text", "today", "tokens", "word")

    word: Callable[[int], str]
    """The word or sign at a place, in lower case."""

    def __init__(self, text: str, at: datetime, start: int, end: int) -> None:
        self.text = text
        self.at = at
        self.now = at.replace(tzinfo=None)
        self.today = midnight(self.now)
        self.tokens: list[TimeToken] = tokens_of(text, start, end)
        self.word = [token.word for token in self.tokens].__getitem__

    def before(self, i: int) -> str:
        """The word before a place."""
        return self.word(i - 1) if i > 0 else ""

    def skip(self, i: int, *words: str) -> int:
        """The place behind one of these words, if one stands there."""
        return i + 1 if self.word(i) in words else i

    def shift(self, i: int) -> int | None:
        """Where "last", "this", "next" point: -1, 0, 1; "will last" is none of them."""
        if self.tokens[i].word == "last" and self.before(i) in w.VERBS_BEFORE_LAST:
            return None
        return w.SHIFTS.get(self.tokens[i].word)

    def capital(self, i: int) -> bool:
        """Written with a capital letter, and not because a sentence begins."""
        first = i == 0 or self.tokens[i - 1].word in (".", "!", "?", ":", '"')
        return not first and self.text[self.tokens[i].start].isupper()

    def later(self, delta: timedelta) -> datetime:
        """The wall clock after so much time has really passed."""
        moment = (self.at.astimezone(UTC) + delta).astimezone(self.at.tzinfo)
        return moment.replace(tzinfo=None)

    def past(self, i: int) -> bool:
        """Whether the words around are in the past tense; False if none shows a tense."""
        for j in range(i - 1, max(-1, i - 1 - _BEFORE), -1):
            word = self.tokens[j].word
            if word in (".", "!", "?"):
                break
            if (past := _tense(word)) is not None:
                return past
        for j in range(i, i + _BEHIND):
            if j >= len(self.tokens) or self.tokens[j].kind == END:
                break
            if self.tokens[j].kind == WORD and (past := _tense(self.tokens[j].word)) is not None:
                return past
        return False


def _tense(word: str) -> bool | None:
    if word in w.PAST_CUES:
        return True
    if word in w.FUTURE_CUES:
        return False
    return True if len(word) > 4 and word.endswith("ed") else None


def date(begin: datetime) -> Point:
    """One whole day."""
    return Point(TimeKind.DATE, begin, begin + DAY, Grain.DAY)


def days(span: Days, grain: Grain) -> Point:
    """Several days."""
    return Point(TimeKind.DATERANGE, span[0], span[1], grain)


def choose(
    r: TimeParser, i: int, make: Callable[[int], Days | None], point: Point, near: int = 9
) -> Point | None:
    """The time of that name which the tense asks for: the last or the next (or the running) one.

    `make(0)` is the one of this year, month or week, `make(1)` the one after.
    """
    past = r.past(i)
    for step in range(near):
        chosen = -step if past else step
        made = make(chosen)
        if made and (made[0] <= r.now if past else made[1] > r.now):
            nth = partial(_counted_from, make, chosen)
            return Point(point.kind, made[0], made[1], point.grain, nth)
    return None


def _counted_from(make: Callable[[int], Days | None], first: int, n: int) -> Days | None:
    return make(first + n)


def yearly(r: TimeParser, i: int, make: Callable[[int], Days | None], grain: Grain) -> Point | None:
    """A day or days that every year has, of a year not named."""
    kind = TimeKind.DATE if grain is Grain.DAY else TimeKind.DATERANGE
    year = r.now.year
    return choose(r, i, lambda k: make(year + k), Point(kind, None, None, grain))
