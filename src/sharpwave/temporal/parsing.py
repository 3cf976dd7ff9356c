"""What the parsers of time expressions share: the text as tokens, and points in time."""

from collections.abc import Callable
from dataclasses import dataclass, replace
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
    """A resolved time: its beginning and end as the wall clock shows them."""

    kind: TimeKind
    begin: datetime | None
    end: datetime | None
    grain: Grain
    nth: Callable[[int], Days | None] | None = None
    """Other times of the same name, if the text is ambiguous: -1 is a year or week before."""
    relation: TimeRelation = TimeRelation.IN
    bound: datetime | None = None
    seconds: float | None = None
    timex: str = ""
    edge: bool = False
    """True for the end of something: as a limit, its end counts."""

    def moved(self, days: Days) -> "Point":
        """The same at another time."""
        return replace(self, begin=days[0], end=days[1])

    def mapped(self, make: Callable[[Days], Days | None], grain: Grain) -> "Point | None":
        """This time and the others of its name, each passed through `make`: a day or several."""
        if self.begin is None or self.end is None or not (made := make((self.begin, self.end))):
            return None
        nth = self.nth

        def nth_mapped(k: int) -> Days | None:
            span = nth(k) if nth else None
            return make(span) if span else None

        return days(made, grain, nth_mapped if nth else None)

    def of_kind(self, kind: TimeKind) -> "Point":
        """The same time, as another kind of it."""
        return replace(self, kind=kind)

    @property
    def is_day(self) -> bool:
        """One day, which a time of day can be added to."""
        return self.kind is TimeKind.DATE


Parsed = tuple[Point, int] | None
"""What stands at a place, and the place behind it."""


class TimeParser:
    """A text as tokens, and the moment it was said."""

    __slots__ = (
        "anchor", "at", "aways", "comes", "lengths", "now", "text", "today", "tokens", "word",
    )  # fmt: skip

    anchor: Days | None
    """The time named last, which "the next day" and "two hours later" count from."""

    comes: datetime | None
    """The day to come that was named last: "20th February" said in March is next year's."""
    lengths: dict[int, tuple[list[tuple[float, Grain]], int] | None]
    aways: "dict[int, Parsed]"
    """Durations, and times counted from a duration, read so far: several parsers look them up."""
    word: Callable[[int], str]
    """The word or sign at a place, in lower case."""

    def __init__(self, text: str, at: datetime) -> None:
        self.text = text
        self.at = at
        self.anchor = self.comes = None
        self.lengths = {}
        self.aways = {}
        self.now = at.replace(tzinfo=None)
        self.today = midnight(self.now)
        self.tokens: list[TimeToken] = tokens_of(text)
        self.word = [token.word for token in self.tokens].__getitem__

    def before(self, i: int) -> str:
        """The word before a place."""
        return self.word(i - 1) if i > 0 else ""

    def skip(self, i: int, *words: str) -> int:
        """The place behind one of these words, if one is there."""
        return i + 1 if self.word(i) in words else i

    def says(self, i: int, *words: str) -> bool:
        """Whether these words are there, in this order."""
        return all(self.word(i + n) == word for n, word in enumerate(words))

    def skip_all(self, i: int, words: frozenset[str]) -> int:
        """The place behind all of these words that are there in a row."""
        while self.word(i) in words:
            i += 1
        return i

    def shift(self, i: int) -> int | None:
        """Where "last", "this", "next" point: -1, 0, 1; "will last" is none of them."""
        if self.tokens[i].word == "last" and self.before(i) in w.VERBS_BEFORE_LAST:
            return None
        return w.SHIFTS.get(self.tokens[i].word)

    def remember(self, point: "Point") -> None:
        """Count the following expressions from this time."""
        if point.begin is not None:
            self.anchor = point.begin, point.end or point.begin
            following = point.nth(1) if point.nth and point.begin < self.today else None
            coming = following[0] if following else point.begin
            self.comes = coming if coming > self.today + DAY else self.comes
            self.aways = {}

    def base(self, i: int) -> datetime:
        """The day that "the next", "the following", "the same" and "that" count from."""
        word = self.tokens[i].word
        back = word in ("following", "preceding", "same", "that")
        back = back or (word in ("next", "previous") and self.before(i) == "the")
        return midnight(self.anchor[0]) if self.anchor and back else self.today

    def anchor_day(self) -> "Point":
        """The day of the time named last."""
        return date(midnight(self.anchor[0] if self.anchor else self.now))

    def capital(self, i: int) -> bool:
        """Written with a capital letter, and not because a sentence begins."""
        first = i == 0 or self.tokens[i - 1].word in (".", "!", "?", ":", '"')
        return not first and self.text[self.tokens[i].start].isupper()

    def clock_after(self, delta: timedelta) -> datetime:
        """The wall clock after this much time has elapsed."""
        moment = (self.at.astimezone(UTC) + delta).astimezone(self.at.tzinfo)
        return moment.replace(tzinfo=None)

    def past(self, i: int) -> bool:
        """Whether the words around are in the past tense; False if none shows a tense."""
        aimed_at = i > 0 and self.tokens[i - 1].word in _AIMED
        for j in range(i - 1, max(-1, i - 1 - _BEFORE), -1):
            word = self.tokens[j].word
            if word in (".", "!", "?"):
                break
            if aimed_at and word in w.SETS_A_DATE:
                return False
            if (past := _tense(word)) is not None:
                passive = past and word.endswith("ed") and self._is_near(j)
                return past and not passive
        for j in range(i, i + _BEHIND):
            if j >= len(self.tokens) or self.tokens[j].kind == END:
                break
            if self.tokens[j].kind == WORD and (past := _tense(self.tokens[j].word)) is not None:
                return past
        return False

    def _is_near(self, j: int) -> bool:
        """Whether a participle is of the present: "it is planned for June"."""
        return not _PRESENT.isdisjoint(token.word for token in self.tokens[max(j - 2, 0) : j])


_PRESENT = frozenset(
    """is are am be being isn't aren't it's that's i'm we're you're they're he's she's get gets
    getting""".split()
)
_AIMED = frozenset({"for", "to"})
"""Between a verb that sets a date and the date: "we moved the wedding to 20 June"."""


def _tense(word: str) -> bool | None:
    if word in w.PAST_CUES:
        return True
    if word in w.FUTURE_CUES:
        return False
    return True if len(word) > 4 and word.endswith("ed") and word not in w.NOT_PAST else None


def date(begin: datetime) -> Point:
    """One whole day."""
    return Point(TimeKind.DATE, begin, begin + DAY, Grain.DAY)


def days(span: Days, grain: Grain, nth: Callable[[int], Days | None] | None = None) -> Point:
    """One whole day if the grain is a day, else several."""
    kind = TimeKind.DATE if grain is Grain.DAY else TimeKind.DATERANGE
    return Point(kind, *span, grain, nth)


def choose(
    r: TimeParser, i: int, make: Callable[[int], Days | None], grain: Grain, near: int = 9
) -> Point | None:
    """The time of that name that the tense selects: the last or the next (or the current) one.

    `make(0)` is that of this year, month or week, `make(1)` of the following.
    """
    past = r.past(i)
    for step in range(near):
        chosen = -step if past else step
        made = make(chosen)
        if made and (made[0] <= r.now if past else made[1] > r.now):
            return days(made, grain, partial(_counted_from, make, chosen))
    return None


def _counted_from(make: Callable[[int], Days | None], first: int, n: int) -> Days | None:
    return make(first + n)


def yearly(r: TimeParser, i: int, make: Callable[[int], Days | None], grain: Grain) -> Point | None:
    """A day or days that every year has, of a year not named."""
    return choose(r, i, lambda k: make(r.now.year + k), grain)


Phrases = dict[str, list[tuple[tuple[str, ...], TimeRelation]]]


def _by_first_word(table: tuple[tuple[tuple[str, ...], str], ...]) -> Phrases:
    phrases: Phrases = {}
    for words, relation in table:
        phrases.setdefault(words[0], []).append((words, TimeRelation(relation)))
    return phrases


_RELATIONS = _by_first_word(w.RELATIONS)
_TRAILING = _by_first_word(w.TRAILING)


def relation_at(r: TimeParser, i: int) -> tuple[TimeRelation, int] | None:
    """Reads "since", "no later than", "before" … at a place, and the place behind it."""
    return _phrase(r, i, _RELATIONS)


def trailing_relation(r: TimeParser, i: int) -> tuple[TimeRelation, int] | None:
    """Reads "… or later", "… and before"."""
    found = _phrase(r, i, _TRAILING)
    if not found:
        return None
    relation, j = found
    joins = r.word(j) in ("on", "is", "but", "or", "and") or r.word(j) in w.TIME_WORDS
    return (relation, j) if joins or r.tokens[j].kind != WORD else None


def _phrase(r: TimeParser, i: int, table: Phrases) -> tuple[TimeRelation, int] | None:
    for words, relation in table.get(r.word(i), ()):
        if r.says(i, *words):
            return relation, i + len(words)
    return None
