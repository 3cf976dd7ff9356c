"""Read tasks from requests for a reminder, promises and to-do lists.

Each becomes a task in the person's own words, without the words of the request: "remind me on
Monday to call Ana" is "Call Ana". It is due on the date that it names, else on the day that the
heading of its list names, if any.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sharpwave.reading.candidates import VERSION, due_day, overdue
from sharpwave.reading.grammar.lexicon import lemma, word_list, words
from sharpwave.reading.grammar.objects import in_third_person
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
_TRAILING_REMINDER = re.compile(
    rf"(?P<what>.*?)[,;\s-]*\b{_LEAD}{_CALL}(?:(?:about|of) (?:it|that|this)\b)?{_TIMES}{_LEAD}\W*",
    re.IGNORECASE | re.DOTALL,
)
"""Match "The plumber comes on Monday, please remind me"; not "What was on Monday, remind me"."""
_NOT_TO_FORGET = re.compile(
    rf"\W*{_LEAD}(?:(?:don'?t|do not) forget|remember) to\s+(?P<what>.+)", re.IGNORECASE | re.DOTALL
)
"""A task or an instruction on how to answer: the form alone does not decide."""
_DUTY = re.compile(
    rf"\W*{_LEAD}(?:{_TIMES})(?:i|we)\b(?:'ve|'ll|'m| am| still| also| really| just| will)*"
    r" (?:(?:need|have|got|meant|(?:been )?meaning|ought|supposed) to|must|should)"
    r"\s+(?P<what>.+)",
    re.IGNORECASE | re.DOTALL,
)
"""A task or a manner of speaking ("I have to say"): the form alone does not decide."""
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
"""Verbs of no promise: "I told her I'd rather stay"."""
_DONE_ALREADY = re.compile(
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
_LIST_MARK = re.compile(
    r"(?:^|\n)[ \t]*(?:[-\u2013\u2014*\u2022]|\(?\w{1,2}[.)])[ \t]*$|\(?\w{1,2}[.)]\s*$"
)
"""The mark before an item of a list."""
_REPEAT = re.compile(
    r"(?:on the \w+ of )?\b(?:(?:every|each)\b[^,]*|daily|weekly|monthly|yearly)", re.IGNORECASE
)
_TRAILING_PREPOSITIONS = re.compile(
    r"(?:\b(?:in|on|at|by|until|from|for|before|around|this|am|bis|el|le|il|na|op)\s+)*$",
    re.IGNORECASE,
)
_WEEKDAYS = WEEKDAYS | MANY_WEEKDAYS
_EVERY_WEEKDAY = re.compile(rf"\b(?:every|each|on)\s+({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)


_WORDING_CHARS = 1000
"""Maximum length of a request: matching the forms in a longer sentence takes too long."""


class Wording(NamedTuple):
    """The title of a task."""

    title: str
    sure: bool = True
    """True if its form alone makes it a task."""


def wording(sentence: str, times: Sequence[Span] = ()) -> Wording | None:
    """The task in a request for a reminder, a promise or a note to self.

    `times` are the spans of times in the sentence, which the title omits.

    >>> wording("Could you remind me every Monday to put the bins out?")
    Wording(title='Put the bins out every Monday', sure=True)
    >>> wording("I promised Jonas I would fix his bike.")
    Wording(title='Fix his bike (promised Jonas)', sure=True)
    >>> wording("I still need to renew my passport.")
    Wording(title='Renew my passport', sure=False)
    """
    if len(sentence) > _WORDING_CHARS:
        return None
    plain = sentence.replace("\u2019", "'")
    if found := _REMINDER.fullmatch(plain):
        repeat = next(iter(_REPEAT.findall(f"{found['before']} {found['after']}")), "").strip(" ,")
        title = _without(times, plain, found) if found["link"] == "to" else found["what"]
        repeat = repeat[:1].lower() + repeat[1:]
        return _titled(f"{_bare(title)} {repeat}", sure=found["link"] in {"to", "that"})
    if found := _TRAILING_REMINDER.fullmatch(plain):
        is_question = "?" in plain or found["what"].lower().split(" ", 1)[0] in _QUESTIONS
        return _titled(found["what"], sure=bool(times) and not is_question)
    if found := _NOT_TO_FORGET.fullmatch(plain):
        return _titled(_without(times, plain, found), sure=False)
    if _DONE_ALREADY.search(plain):
        return None
    if found := _DUTY.fullmatch(plain):
        dates = [time for time in times if _is_date(plain, time)]
        undated = _titled(_without(dates, plain, found), sure=False)
        return undated or _titled(found["what"], sure=False)
    if (found := _PROMISE.fullmatch(plain)) or (found := _PROMISED_THING.fullmatch(plain)):
        return _promised(found, _without(times, plain, found))
    for form in (_NOTED, _TO_LIST):
        if found := form.fullmatch(plain):
            return _titled(_without(times, plain, found))
    return None


def _is_date(sentence: str, time: Span) -> bool:
    """False for what may be a name: "email June", "call April", but not "by Friday"."""
    named = sentence[slice(*time)]
    before = _TRAILING_PREPOSITIONS.search(sentence, 0, time.start)
    return named[:1].islower() or bool(before and before[0])


def _promised(found: re.Match[str], title: str) -> Wording | None:
    """A promise, with its recipient; "I told him I would think about it" is none."""
    announced, first = found["verb"].lower() in {"told", "said"}, found["what"].split()[0].lower()
    if announced and (found["to"] or lemma(first) in NOT_TASKS | _WISHES):
        return None
    recipient = " ".join(found["whom"].split())
    return _titled(f"{_bare(title)} (promised{' ' * bool(recipient)}{recipient})")


def _without(times: Sequence[Span], sentence: str, found: re.Match[str]) -> str:
    """The task in a match, without times and the prepositions before them."""
    kept = sentence
    for start, end in times:
        if start < found.start("what"):
            continue
        start = found.start("what") + len(
            _TRAILING_PREPOSITIONS.sub("", sentence[found.start("what") : start])
        )
        kept = kept[:start] + " " * (end - start) + kept[end:]
    return kept[found.start("what") : found.end("what")]


def _bare(title: str) -> str:
    return " ".join(title.split()).strip(" ,;:-.!?")


def _titled(title: str, sure: bool = True) -> Wording | None:
    title = _bare(title)
    return Wording(capital(title), sure) if " " in title else None


def with_requested(
    text: str, spoken: Spoken, times: Sequence[TimeSpan], candidates: Iterable[Candidate]
) -> list[Candidate]:
    """Replace tasks read by patterns with the requested tasks of the same sentences."""
    requested = list(_requested(text, spoken, times))
    positions = {position for candidate in requested for position in range(*candidate.span)}
    return requested + [
        candidate
        for candidate in candidates
        if candidate.kind is not Kind.TASK or candidate.span.start not in positions
    ]


def _requested(text: str, spoken: Spoken, times: Sequence[TimeSpan]) -> Iterator[Candidate]:
    """The sentences that are tasks by their form alone."""
    own = own_words(text)
    for span in sentences(own):
        within = [time for time in times if span.start <= time.span.start < span.end]
        spans = [Span(*(position - span.start for position in time.span)) for time in within]
        sentence = own[span.start : span.end]
        if (found := wording(sentence, spans)) is not None and found.sure:
            yield Candidate(
                kind=Kind.TASK,
                text=capital(in_third_person(found.title, spoken)),
                span=span,
                confidence=CLEAR,
                extractor=f"rules.to_do {VERSION}",
                status=TaskStatus.ACTIVE,
                due=_due(within, text, sentence, spoken.at),
            )


def _due(times: Sequence[TimeSpan], text: str, sentence: str, at: datetime) -> datetime | None:
    return due_day(times, text, at) or next_of(sentence, at) or overdue_day(times, text, at)


def overdue_day(times: Sequence[TimeSpan], text: str, at: datetime) -> datetime | None:
    """The day of the first time that is over, unless long ago."""
    days = (overdue(time, text[slice(*time.span)].split(), at) for time in times)
    return next(filter(None, days), None)


def items(text: str, spans: Sequence[Span]) -> dict[int, int]:
    """Map the index of each list item to the index of its heading, or of the first item."""
    found: dict[int, int] = {}
    heading: int | None = None
    for index in range(len(spans)):
        between = text[spans[index - 1].end if index else 0 : spans[index].start]
        first = max(index - 1, 0) if heading is None else heading
        if _LIST_MARK.search(between) or (";" in between and is_to_do(text[slice(*spans[first])])):
            heading = found[index] = first
        else:
            heading = None
    return found


def is_to_do(heading: str) -> bool:
    """True for the heading of a to-do list, with or without its first item."""
    plain = heading.replace("\u2019", "'")
    return any(form.fullmatch(plain) for form in (_HEADING, _NOTED))


def next_of(sentence: str, at: datetime) -> datetime | None:
    """The next day of something that recurs each week."""
    if (found := _EVERY_WEEKDAY.search(sentence)) is None:
        return None
    days = (_WEEKDAYS[found[1].lower()] - at.weekday()) % 7 or 7
    return at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=days)
