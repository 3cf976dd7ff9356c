"""What is worth keeping of a text though no slot fits it: statements in the person's own words.

Neighbouring sentences that are worth keeping make one statement. One that cannot be read alone
("she's on nights") takes the sentence before it along. Nothing of another turn is in a statement:
it would outlast the turn.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from sharpwave.knowledge.predicates import NOTED
from sharpwave.reading import to_do
from sharpwave.reading.candidates import DEADLINES, due_day
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.types.privacy import LABEL_OF
from sharpwave.types.records import USER, Kind, Statement
from sharpwave.types.statements import (
    Candidate,
    Reading,
    ReadMode,
    Span,
    TaskStatus,
    TimeSpan,
)

VERSION = 1
FACT, TASK, RULE = 0.62, 0.25, 0.5
"""From these chances on a sentence is kept as such: found on people the reader never saw."""
SHORT_RULE = 0.8
"""The same for a rule of two words, which say little."""
LEAST_SURE, MOST_SURE = 0.7, 0.95
"""Confidence in what is hardly and what is surely worth keeping."""
STATEMENT_WORDS = 30
"""Sentences are put together up to so many words, and twice as many if one needs the other."""
REST_WORDS = 12
"""The rest of a long sentence, cut at a comma, is kept with it up to so many words."""
ALONE_WORDS = 10
"""A statement of fewer words needs what stands before it."""
COVERED, NEW_WORDS = 0.6, 3
"""A statement is not kept if facts with a slot say so much of it, or all but so few words."""

MENTIONED = "rules.family"
"""Finds people only mentioned: what a sentence says of "my mother Josette" is the rest."""
LEAST_WORDS = 2
"""Words of meaning that a statement has at least."""
REMARK = "remark 1"
REMARK_WORDS, REMARK_CHARS = 40, 300
PART_WORDS, MOST_PARTS = 30, 5
"""A longer turn is compared in parts of so many words, the first few."""
REMARKED = 0.1
"""Below this chance of a fact or task a turn asks or chats: one in thirty changes something."""

_OF_THE_USER = re.compile(r"the user\b", re.IGNORECASE)
"""No person writes so of themself: it would read as a fact that was learned."""
_POINTS_BACK = re.compile(
    r"\W*(?:(?:and|but|so|oh|yes|yeah|yep|no|nope|also|well|then|now|anyway)\b\W*)*"
    r"(?:he|she|they|it|his|her|their|its|him|them|that|this|those|these|both)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_SHORTEST_STEM, _STEM = 3, 4


def groups(readings: Sequence[Reading], text: str, spans: Sequence[Span]) -> list[Span]:
    """First and last place of sentences that make one statement each."""
    found: list[Span] = []
    for place, one in enumerate(readings):
        if one.fact < FACT or one.rule >= RULE:
            if found and found[-1].end == place and _goes_on(text, spans, place):
                found[-1] = Span(found[-1].start, place + 1)
            continue
        if found and found[-1].end == place and not _parted(text, spans, place):
            start, end = spans[found[-1].start].start, spans[place].end
            alone = _is_readable_alone(text[spans[place].start : end])
            if len(text[start:end].split()) <= STATEMENT_WORDS * (1 if alone else 2):
                found[-1] = Span(found[-1].start, place + 1)
                continue
        found.append(Span(place, place + 1))
    return found


def _goes_on(text: str, spans: Sequence[Span], place: int) -> bool:
    """True for the rest of a sentence that was cut at a comma: "…Metformin, | one tablet a day"."""
    start, end = spans[place]
    return text[spans[place - 1].end - 1] == "," and len(text[start:end].split()) <= REST_WORDS


def _parted(text: str, spans: Sequence[Span], place: int) -> bool:
    """True if words of others, or the mark of an item in a list, stand before a sentence."""
    return _BETWEEN.search(text, spans[place - 1].end, spans[place].start) is not None


_BETWEEN = re.compile(r"[^\W_]|\n[^\S\n]*[-*\u2022\u2013\u2014][^\S\n]")


def statements(
    text: str,
    spans: Sequence[Span],
    readings: Sequence[Reading],
    known: Sequence[Candidate],
) -> Iterator[Candidate]:
    """Each group of sentences that is worth keeping, unless `known` facts say the same."""
    named = stems(" ".join(one.text for one in known if one.extractor.startswith(MENTIONED)))
    said = stems(" ".join(one.text for one in known if not one.extractor.startswith(MENTIONED)))
    for first, last in groups(readings, text, spans):
        span = Span(spans[first].start, spans[last - 1].end)
        own = stems(text[span.start : span.end])
        new = own - named - said
        if (
            len(own - named) < LEAST_WORDS
            or _OF_THE_USER.match(text, span.start)
            or len(own) - len(new) >= COVERED * len(own)
            or (own & said and len(new) < NEW_WORDS)
        ):
            continue
        chance = max(one.fact for one in readings[first:last])
        said_alone = readable(text, spans, first, last)
        yield Candidate(
            kind=Kind.FACT,
            text=said_alone,
            span=span,
            confidence=_sure(chance, FACT),
            extractor=f"reader {VERSION}",
            statement=Statement(USER, NOTED, said_alone),
        )


def tasks(
    text: str,
    spans: Sequence[Span],
    readings: Sequence[Reading],
    times: Sequence[TimeSpan],
    at: datetime,
    known: Collection[int],
) -> Iterator[Candidate]:
    """What the person has to do, where no pattern saw it: `known` are places of those that did."""
    items = to_do.items(text, spans)
    for place, one in enumerate(readings):
        span = spans[place]
        own = text[span.start : span.end]
        heading = items.get(place)
        listed = heading is not None and to_do.is_to_do(text[slice(*spans[heading])])
        said = to_do.wording(own)
        unreal = one.mode is ReadMode.UNREAL and said is None  # a command is no fact, but real
        unreal = (unreal or one.mode is ReadMode.QUOTED) and heading is None
        if place in known or not (listed or (one.task >= TASK and not unreal)):
            continue
        if len(stems(own)) < LEAST_WORDS:
            continue
        alone = own if heading is not None else readable(text, spans, place, place + 1)
        beside = None if heading in {*known, *items} else heading
        if len(alone) > len(own):  # the sentence before belongs to it
            beside = place - 1
        dues = (
            due_day([one for one in times if _within(one, each)], text, at)
            for each in _dated(text, spans, place, beside)
        )
        yield Candidate(
            kind=Kind.TASK,
            text=said.title if said else " ".join(alone.split()),
            span=span,
            confidence=_sure(max(one.task, TASK), TASK),
            extractor=f"reader {VERSION}",
            status=TaskStatus.ACTIVE,
            due=next(filter(None, dues), None)
            or to_do.next_of(own, at)
            or due_behind(text, spans, place, times, at),
        )


def due_behind(
    text: str, spans: Sequence[Span], place: int, times: Sequence[TimeSpan], at: datetime
) -> datetime | None:
    """The day that the sentence behind a task names for it: "They want it by Friday"."""
    behind = spans[place + 1 : place + 2]
    if not behind or "\n" in text[spans[place].end : behind[0].start]:
        return None
    within = [one for one in times if _within(one, behind[0])]
    said = text[slice(*behind[0])]
    rest = said
    for one in within:
        rest = rest.replace(text[slice(*one.span)], "")
    deadline = any(one.relation in DEADLINES for one in within)
    if _PAST.search(said) or not (deadline or _OF_IT.search(rest) or _ONLY_A_DAY.fullmatch(rest)):
        return None
    return due_day(within, text, at)


_PAST = re.compile(r"\b(?:was|were|had|did|been|\w+ed)\b", re.IGNORECASE)
_OF_IT = re.compile(r"\b(?:it|them|both|those)\b", re.IGNORECASE)
_ONLY_A_DAY = re.compile(r"(?:\W|\b(?:at|the|on|by|latest|outside|please)\b)*", re.IGNORECASE)


def remarks(
    text: str,
    spans: Sequence[Span],
    readings: Sequence[Reading],
    times: Sequence[TimeSpan],
    at: datetime,
) -> Iterator[Candidate]:
    """What a turn tells, only for what it may do to something known; a long one in parts."""
    own = own_words(text).replace(FOREIGN, " ")
    told = [
        place
        for place, (start, end) in enumerate(spans)
        if readings[place].rule < RULE and not own[start:end].rstrip().endswith("?")
    ]
    words = [len(own[slice(*spans[place])].split()) for place in told]
    most = REMARK_WORDS if sum(words) <= REMARK_WORDS else PART_WORDS
    parts: list[list[int]] = []
    size = most
    for place, many in zip(told, words, strict=True):
        if size + many > most:
            parts.append([])
            size = 0
        parts[-1].append(place)
        size += many
    for part in parts[:MOST_PARTS]:
        said = " ".join(" ".join(own[slice(*spans[place])] for place in part).split())
        if (
            len(said) > REMARK_CHARS
            or len(stems(said)) < LEAST_WORDS
            or _OF_THE_USER.match(said)
            or any(label in said for label in LABEL_OF.values())
            or max(max(readings[place].fact, readings[place].task) for place in part) < REMARKED
        ):
            continue
        span = Span(spans[part[0]].start, spans[part[-1]].end)
        yield Candidate(
            kind=Kind.FACT,
            text=said,
            span=span,
            confidence=1.0,
            extractor=REMARK,
            statement=Statement(USER, NOTED, said),
            due=due_day([one for one in times if _within(one, span)], text, at),
            only_deed=True,
        )


def _dated(text: str, spans: Sequence[Span], place: int, beside: int | None) -> Iterator[Span]:
    """Where the date of a task may stand: in it, in the rest of its sentence, beside it."""
    yield spans[place]
    first, last = place, place + 1
    while first and _GOES_ON.fullmatch(text, spans[first - 1].end - 1, spans[first].start):
        first -= 1
    while last < len(spans) and _GOES_ON.fullmatch(
        text, spans[last - 1].end - 1, spans[last].start
    ):
        last += 1
    yield Span(spans[first].start, spans[last - 1].end)
    if last < len(spans) and to_do.only_reminds(text[slice(*spans[last])]):
        yield spans[last]
    if beside is not None:
        yield spans[beside]


_GOES_ON = re.compile(r"[^.!?\u2026\n] *")
"""What stands between two parts of one sentence."""


def _within(time: TimeSpan, span: Span) -> bool:
    return span.start <= time.span.start < span.end


def _sure(chance: float, least: float) -> float:
    """Confidence in a statement: the words are the person's own, so it is never low."""
    return round(LEAST_SURE + (MOST_SURE - LEAST_SURE) * (chance - least) / (1 - least), 2)


def rules(text: str, spans: Sequence[Span], readings: Sequence[Reading]) -> list[tuple[str, float]]:
    """Sentences that say how the assistant should behave from now on, and how sure that is."""
    items = to_do.items(text, spans)
    found = []
    for place, one in enumerate(readings):
        own = text[slice(*spans[place])]
        heading = items.get(place)
        if (place in items.values() and _RULES.match(own)) or _asks(own):
            continue
        listed = heading is not None and _RULES.match(text[slice(*spans[heading])]) is not None
        said = stems(own)
        is_whole = said - _OFTEN and (len(said) >= LEAST_WORDS or _SHORT.match(own))
        least = RULE if len(own.split()) > 2 else SHORT_RULE
        if not (listed or one.rule >= least) or not is_whole:
            continue
        before = readings[place - 1] if place else one
        is_kept = before.fact >= FACT or before.task >= TASK or before.rule >= RULE
        words = own if is_kept or listed else readable(text, spans, place, place + 1)
        found.append((" ".join(words.split()), _sure(max(one.rule, RULE), RULE)))
    return found


_OFTEN = frozenset({"alwa", "ever", "neve", "plea", "time"})
"""Stems that say no more than that a rule holds."""
_SHORT = re.compile(r"(?:no|never|always)\s+\w\w", re.IGNORECASE)
_REASON = re.compile(r"\W*(?:because|why|how)\b", re.IGNORECASE)
_REQUEST = re.compile(r"\b(?:can|could|would|will|please)\b", re.IGNORECASE)
_TAG = re.compile(r",(?: \w+){1,2}\?\W*$")


def _asks(own: str) -> bool:
    """True for a reason, or a question that is no request and does not only end so: "…, okay?"."""
    if _REASON.match(own):
        return True
    end = own.rstrip()[-_TAG_CHARS:]
    return end.endswith("?") and not (_REQUEST.search(own) or _TAG.search(end))


_TAG_CHARS = 40
_RULES = re.compile(r"\W*(?:\w+\s+){0,3}rules?\b(?:\s+\w+){0,4}:?\s*$", re.IGNORECASE)
"""A heading of rules."""


def readable(text: str, spans: Sequence[Span], first: int, last: int) -> str:
    """The statement with the least that makes it readable alone."""
    end = spans[last - 1].end
    own = " ".join(text[spans[first].start : end].split())
    if _is_readable_alone(own) or not first or _parted(text, spans, first):
        return own
    return " ".join(text[spans[first - 1].start : end].split())


def _is_readable_alone(own: str) -> bool:
    return len(own.split()) >= ALONE_WORDS and not _POINTS_BACK.match(own)


def stems(text: str) -> frozenset[str]:
    """The beginnings of words that mean something, to see whether two texts say the same."""
    words = _WORD.findall(text.lower())
    return frozenset(
        word[:_STEM] for word in words if len(word) >= _SHORTEST_STEM and word not in _EMPTY
    )


_EMPTY = frozenset(
    """the and but for you your she her his him they them their its our are was were has have had
    with that this from not who what when where how all any can did does got get just now too very
    been being will would could should user since think guess""".split()
)
