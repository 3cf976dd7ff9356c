"""Sentences that ask for a reminder or give a promise, and lists of things to do.

Each becomes a task in the person's own words, without the words that only ask for it: "remind me
on Monday to call Ana" is "Call Ana". A date of its own is its due date; one without is due on the
day that the heading of its list names, if it names one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sharpwave.reading.candidates import VERSION, due_day, overdue
from sharpwave.reading.grammar.lexicon import lemma, word_list, words
from sharpwave.reading.grammar.objects import retold
from sharpwave.reading.patterns.match import CLEAR
from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import sentences
from sharpwave.reading.tasks import NOT_TASKS, capital
from sharpwave.temporal.words import MANY_WEEKDAYS, WEEKDAYS
from sharpwave.types.records import Kind
from sharpwave.types.statements import Candidate, Span, Spoken, TaskStatus, TimeSpan

_LEAD = (
    r"(?:(?:please|pls|kindly|hey|hi|ok|okay|so|and|also|but|oh|just|can|could|would|will|you"
    r"|i'?d (?:be (?:glad|grateful|happy)|appreciate it) if"
    r"|it would be (?:good|great|nice) if)\b[,\s]*)*"
)
_TIMES = (
    r"(?:(?:every|each|on|at|in|by|before|from|next|this|the|of|other|tomorrow|tonight|today"
    r"|again|later|daily|weekly|monthly|yearly|morning|noon|afternoon|evening|night|day|week"
    r"|weekend|month|year|first|second|last|\d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?::\d\d)? ?[ap]m"
    r"|\d{1,2}:\d\d|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b[,\s]*)*"
)
_CALL = r"(?:remind me|(?:don'?t|do not) let me forget)\b[,\s]*"
_REMINDER = re.compile(
    rf"\W*{_LEAD}(?P<before>{_TIMES}){_LEAD}{_CALL}(?P<after>{_TIMES}){_LEAD}"
    r"(?P<link>to|that|about|of)\s+(?P<what>.+)",
    re.IGNORECASE | re.DOTALL,
)
_SAID_BEFORE = re.compile(
    rf"(?P<what>.*?)[,;\s-]*\b{_LEAD}{_CALL}(?:(?:about|of) (?:it|that|this)\b)?{_TIMES}{_LEAD}\W*",
    re.IGNORECASE | re.DOTALL,
)
"""As in "The plumber comes on Monday, please remind me"; not "What was on Monday, remind me"."""
_NOT_TO_FORGET = re.compile(
    rf"\W*{_LEAD}(?:(?:don'?t|do not) forget|remember) to\s+(?P<what>.+)", re.IGNORECASE | re.DOTALL
)
"""Something to do, or how to answer: the form alone does not tell."""
_PROMISE = re.compile(
    r"\W*(?:(?:and|but|so|also|oh|well)\b[,\s]*)*(?:(?:i|we)(?:'ve| have)?\s+)?"
    r"(?P<verb>promised|agreed|offered|swore|gave my word|told|said)\b"
    r"(?P<whom>(?:\s+(?!that\b|to\b(?! [A-Z])|(?:i|we)\b)[\w.'-]+){0,4}?)(?:\s+that)?\s+"
    r"(?:(?:i|we)(?:'d| would|'ll| will)|(?P<to>to))\s+(?P<what>(?!not\b|never\b).+)",
    re.IGNORECASE | re.DOTALL,
)
_PROMISED_THING = re.compile(
    r"\W*(?:(?:i|we)(?:'ve| have)?\s+)?(?P<verb>promised)\s+"
    r"(?P<whom>(?:(?:my|our|the)\s+)?[\w.'-]+)\s+(?P<what>(?:an?|some|the|\d+)\s.+)",
    re.IGNORECASE | re.DOTALL,
)
_QUESTIONS = word_list("questions")
_WISHES = words("rather like love prefer hate")
"""As in "I told her I'd rather stay"."""
_KEPT = re.compile(
    r"\b(?:and|which|but) (?:i|we) (?:already )?(?:did|have|didn'?t)\b", re.IGNORECASE
)
_NOTED = re.compile(
    r"\W*(?:(?:my|our)\s+)?(?:to[- ]?dos?(?:\s+list)?|note to self)\s*:\s*(?P<what>.+)",
    re.IGNORECASE | re.DOTALL,
)
_HEADING = re.compile(
    r"\W*(?:(?:my|our|the|a|more|some)\s+)*(?:to[- ]?dos?|tasks|errands"
    r"|(?:things |stuff )?(?:i|we) (?:still )?(?:have|need|want) to(?: do)?"
    r"|(?:don'?t|do not) (?:let me )?forget|remind me(?: to| of| about)?)\b[^:\n]{0,40}:?\W*",
    re.IGNORECASE,
)
_TO_LIST = re.compile(
    rf"\W*{_LEAD}(?P<what>(?:add|put) .{{2,80}} (?:to|on) my .{{0,20}}list\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_MARK = re.compile(
    r"(?:^|\n)[ \t]*(?:[-\u2013\u2014*\u2022]|\(?\w{1,2}[.)])[ \t]*$|\(?\w{1,2}[.)]\s*$"
)
"""What stands before an item of a list."""
_OFTEN = re.compile(
    r"(?:on the \w+ of )?\b(?:(?:every|each)\b[^,]*|daily|weekly|monthly|yearly)", re.IGNORECASE
)
_AT_END = re.compile(
    r"(?:\b(?:in|on|at|by|until|from|for|before|around|this|am|bis|el|le|il|na|op)\s+)*$",
    re.IGNORECASE,
)
_WEEKDAYS = WEEKDAYS | MANY_WEEKDAYS
_EVERY = re.compile(rf"\b(?:every|each|on)\s+({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)


_WORDING_CHARS = 1000
"""A longer sentence is no request: the forms would take too long to look through it."""


class Wording(NamedTuple):
    """What is to be done."""

    title: str
    sure: bool = True
    """It is a task by its form alone."""


def wording(sentence: str, times: Sequence[Span] = ()) -> Wording | None:
    """The task that a sentence asks to be reminded of, promises or notes down.

    `times` are those that the sentence names: a title leaves them out.

    >>> wording("Could you remind me every Monday to put the bins out?")
    Wording(title='Put the bins out every Monday', sure=True)
    >>> wording("I promised Jonas I would fix his bike.")
    Wording(title='Fix his bike (promised Jonas)', sure=True)
    """
    if len(sentence) > _WORDING_CHARS:
        return None
    plain = sentence.replace("\u2019", "'")
    if found := _REMINDER.fullmatch(plain):
        often = next(iter(_OFTEN.findall(f"{found['before']} {found['after']}")), "").strip(" ,")
        what = _without(times, plain, found) if found["link"] == "to" else found["what"]
        often = often[:1].lower() + often[1:]
        return _worded(f"{_bare(what)} {often}", sure=found["link"] in {"to", "that"})
    if found := _SAID_BEFORE.fullmatch(plain):
        asked = "?" in plain or found["what"].lower().split(" ", 1)[0] in _QUESTIONS
        return _worded(found["what"], sure=bool(times) and not asked)
    if found := _NOT_TO_FORGET.fullmatch(plain):
        return _worded(_without(times, plain, found), sure=False)
    if _KEPT.search(plain):
        return None
    if (found := _PROMISE.fullmatch(plain)) or (found := _PROMISED_THING.fullmatch(plain)):
        return _promised(found, _without(times, plain, found))
    for form in (_NOTED, _TO_LIST):
        if found := form.fullmatch(plain):
            return _worded(_without(times, plain, found))
    return None


def _promised(found: re.Match[str], what: str) -> Wording | None:
    """A promise, with the person it was given to; "I told him I would think about it" is none."""
    is_told, first = found["verb"].lower() in {"told", "said"}, found["what"].split()[0].lower()
    if is_told and (found["to"] or lemma(first) in NOT_TASKS | _WISHES):
        return None
    whom = " ".join(found["whom"].split())
    return _worded(f"{_bare(what)} (promised{' ' * bool(whom)}{whom})")


def _without(times: Sequence[Span], sentence: str, found: re.Match[str]) -> str:
    """What a sentence says is to be done, without times and the prepositions before them."""
    kept = sentence
    for start, end in times:
        if start < found.start("what"):
            continue
        start = found.start("what") + len(_AT_END.sub("", sentence[found.start("what") : start]))
        kept = kept[:start] + " " * (end - start) + kept[end:]
    return kept[found.start("what") : found.end("what")]


def _bare(title: str) -> str:
    return " ".join(title.split()).strip(" ,;:-.!?")


def _worded(title: str, sure: bool = True) -> Wording | None:
    title = _bare(title)
    return Wording(capital(title), sure) if " " in title else None


def with_asked(
    text: str, spoken: Spoken, times: Sequence[TimeSpan], read: Iterable[Candidate]
) -> list[Candidate]:
    """What was read, with the tasks that sentences ask for in place of tasks read in the same."""
    asked = list(_asked(text, spoken, times))
    taken = {place for one in asked for place in range(*one.span)}
    return asked + [one for one in read if one.kind is not Kind.TASK or one.span.start not in taken]


def _asked(text: str, spoken: Spoken, times: Sequence[TimeSpan]) -> Iterator[Candidate]:
    """The tasks that sentences name by their form alone."""
    own = own_words(text)
    for span in sentences(own):
        within = [one for one in times if span.start <= one.span.start < span.end]
        spans = [Span(*(place - span.start for place in one.span)) for one in within]
        said = own[span.start : span.end]
        if (found := wording(said, spans)) is not None and found.sure:
            yield Candidate(
                kind=Kind.TASK,
                text=capital(retold(found.title, spoken)),
                span=span,
                confidence=CLEAR,
                extractor=f"rules.to_do {VERSION}",
                status=TaskStatus.ACTIVE,
                due=_due(within, text, said, spoken.at),
            )


def _due(times: Sequence[TimeSpan], text: str, said: str, at: datetime) -> datetime | None:
    past = (overdue(one, text[slice(*one.span)].split(), at) for one in times)
    return due_day(times, text, at) or next_of(said, at) or next(past, None)


def items(text: str, spans: Sequence[Span]) -> dict[int, int]:
    """The sentences that are items of a list, each with the place of its heading, or first item."""
    found: dict[int, int] = {}
    heading: int | None = None
    for place in range(len(spans)):
        between = text[spans[place - 1].end if place else 0 : spans[place].start]
        first = max(place - 1, 0) if heading is None else heading
        if _MARK.search(between) or (";" in between and is_to_do(text[slice(*spans[first])])):
            heading = found[place] = first
        else:
            heading = None
    return found


def is_to_do(heading: str) -> bool:
    """True for the heading of a list of things to do, also with the first of them."""
    plain = heading.replace("\u2019", "'")
    return any(form.fullmatch(plain) for form in (_HEADING, _NOTED))


def next_of(sentence: str, at: datetime) -> datetime | None:
    """The next day of something that recurs each week."""
    if (found := _EVERY.search(sentence)) is None:
        return None
    days = (_WEEKDAYS[found[1].lower()] - at.weekday()) % 7 or 7
    return at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=days)
