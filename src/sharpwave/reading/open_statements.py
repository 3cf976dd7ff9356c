"""What is worth keeping of a text though no slot fits it: statements in the person's own words.

Neighbouring sentences that are worth keeping make one statement. One that cannot be read alone
("she's on nights") takes the sentence beside it along, and a reply the question that it answers.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from sharpwave.knowledge.predicates import NOTED
from sharpwave.reading import task_days, to_do
from sharpwave.reading.candidates import due_day
from sharpwave.reading.passages import WHOLE_WORDS, Passages, Text
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.reading.sentences import sentences
from sharpwave.types.privacy import LABEL_OF
from sharpwave.types.records import USER, Kind, Statement
from sharpwave.types.statements import (
    Candidate,
    Reading,
    ReadMode,
    Span,
    Spoken,
    TaskStatus,
    TimeSpan,
)

VERSION = 1
FACT, TASK, RULE = 0.55, 0.25, 0.5
"""Minimum probability of each; chosen on people the reader never saw."""
LIKELY, RULE_BESIDE = 0.05, 0.38
"""The same where the wording says so too (an obligation with its day, "never …"), or beside a rule.
"""
SURE_RULE = 0.8
"""The same for a rule of two words, which say little, and for "You can try again"."""
LEAST_SURE, MOST_SURE = 0.7, 0.95
"""Range of the confidence in a statement."""
STATEMENT_WORDS = 30
"""Maximum words of sentences joined into one statement; twice that if one needs the other."""
QUESTION_WORDS, QUESTION_CHARS = 12, 300
"""Length of a question that a statement is kept with, and how much of a turn's end is searched."""
TASK_CHARS, RULE_CHARS = 300, 200
"""Longer ones are not kept: with what makes them readable they must not become too long."""
COVERED, NEW_WORDS = 0.6, 3
"""A statement is dropped if facts with a slot say this share of it, or all but so many words."""

MENTIONED = "rules.family"
"""Finds people only mentioned: what a sentence says of "my mother Josette" is the rest."""
LEAST_WORDS = 2
"""Minimum number of content words of a statement."""
REMARK = "remark 1"
REMARK_WORDS, REMARK_CHARS = 40, 300
PART_WORDS, MOST_PARTS = 30, 5
"""Words of each part in which a longer turn is compared, and the maximum number of parts."""
REMARKED = 0.1
"""Minimum probability of a fact or task; of turns below it one in thirty changes something."""

_OF_THE_USER = re.compile(r"the user\b", re.IGNORECASE)
"""No person writes so of themself: it would read as a fact that was learned."""
_WORD = re.compile(r"\w+")
_SHORTEST_STEM, _STEM = 3, 4


def groups(text: Text) -> list[Span]:
    """First and last place of sentences that make one statement each."""
    found: list[Span] = []
    for place, one in enumerate(text.readings):
        if one.fact < FACT:
            if found and found[-1].end == place and one.rule < RULE and one.task < TASK:
                whole = Span(found[-1].start, place + 1)
                if text.goes_on(place) and len(text.said(*whole).split()) <= WHOLE_WORDS:
                    found[-1] = whole
            continue
        if found and found[-1].end == place and not text.parted(place):
            words = len(text.said(found[-1].start, place + 1).split())
            if words <= STATEMENT_WORDS * (2 if text.needs_before(place) else 1):
                found[-1] = Span(found[-1].start, place + 1)
                continue
        found.append(Span(place, place + 1))
    return found


def statements(
    text: str,
    spans: Sequence[Span],
    readings: Sequence[Reading],
    known: Sequence[Candidate],
    spoken: Spoken,
) -> Iterator[Candidate]:
    """Each group of sentences that is worth keeping, unless `known` facts say the same.

    The first one of a reply is kept with the question that it answers: "(And Tolga?) part-time".
    """
    question = _question_before(spoken)
    whole = Text(text, spans, readings)
    named = stems(" ".join(one.text for one in known if one.extractor.startswith(MENTIONED)))
    said = stems(" ".join(one.text for one in known if not one.extractor.startswith(MENTIONED)))
    for first, last in groups(whole):
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
        said_alone = readable(whole, first, last)
        is_first = first - whole.needs_before(first) == 0
        answers = question if is_first and stems(question) - own else ""
        if answers:
            said_alone = f"({answers}) {said_alone}"
        yield Candidate(
            kind=Kind.FACT,
            text=said_alone,
            span=span,
            confidence=_sure(chance, FACT),
            extractor=f"reader {VERSION}",
            statement=Statement(USER, NOTED, said_alone),
            rests_on=(spoken.previous_id,) if answers and spoken.previous_id else (),
        )


def _question_before(spoken: Spoken) -> str:
    """The short question that the turn before ends with, if another asked it and offers nothing."""
    before = (spoken.previous or "").rstrip()
    if spoken.previous_is_own or not before.endswith("?"):
        return ""
    asked = sentences(before[-QUESTION_CHARS:])
    question = before[-QUESTION_CHARS:][slice(*asked[-1])] if asked else ""
    left_out = (
        len(question.split()) > QUESTION_WORDS
        or _OFFERS.search(question)
        or any(label in question for label in LABEL_OF.values())
    )
    return "" if left_out else question


_OFFERS = re.compile(r"\b(?:I|me)\b|\b(?i:any\w+|what) else\b")


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
    others = {*known, *(place for place, one in enumerate(readings) if one.task >= TASK)}
    dated = {place for place, span in enumerate(spans) if any(_within(t, span) for t in times)}
    passages = Passages(Text(text, spans, readings), TASK_CHARS, others, dated, known)
    for place, one in enumerate(readings):
        own = text[slice(*spans[place])]
        heading = items.get(place)
        listed = heading is not None and to_do.is_to_do(text[slice(*spans[heading])])
        unreal = one.mode is ReadMode.UNREAL and to_do.wording(own) is None  # an order is real
        unreal = (unreal or one.mode is ReadMode.QUOTED) and heading is None
        if place in known or passages.has(place):
            continue
        needs_before = passages.text.needs_before(place)
        if place - 1 in known and needs_before and not _OWN.search(own):
            continue  # "They want it by Friday" speaks of the task before
        least = LIKELY if place in dated and _OBLIGES.search(own) else TASK
        if not (listed or (one.task >= least and not unreal)) or len(stems(own)) < LEAST_WORDS:
            continue
        if heading is None:
            passages.add(place)
        else:
            passages.found[place] = Span(place, place + 1)
    for place, (first, last) in passages.found.items():
        own = text[slice(*spans[place])]
        heading = items.get(place)
        taken_along = first < passages.whole(place).start
        asked = None if taken_along else to_do.wording(own)
        beside = None if heading is None or heading in {*known, *items} else spans[heading]
        yield Candidate(
            kind=Kind.TASK,
            text=asked.title if asked else " ".join(passages.text.said(first, last).split()),
            span=spans[place],
            confidence=_sure(max(readings[place].task, TASK), TASK),
            extractor=f"reader {VERSION}",
            status=TaskStatus.ACTIVE,
            due=task_days.day_of(text, spans, place, times, at)
            or to_do.next_of(own, at)
            or (beside and due_day([one for one in times if _within(one, beside)], text, at)),
        )


_OBLIGES = re.compile(r"\b(?:(?:ha(?:s|ve)|needs?) to|must|due)\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:i|i['\u2019]\w+|me|my|we|us)\b", re.IGNORECASE)


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
        if (readings[place].rule < RULE or readings[place].fact >= REMARKED)
        and not own[start:end].rstrip().endswith("?")
    ]
    for said, part in parts(own, spans, told):
        if (
            len(stems(said)) < LEAST_WORDS
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
            effect_only=True,
        )


def parts(
    own: str, spans: Sequence[Span], places: Sequence[int]
) -> Iterator[tuple[str, Sequence[int]]]:
    """These sentences of a text together, or of a long one some at a time; with their places."""
    words = [len(own[slice(*spans[place])].split()) for place in places]
    most = REMARK_WORDS if sum(words) <= REMARK_WORDS else PART_WORDS
    found: list[list[int]] = []
    size = most
    for place, many in zip(places, words, strict=True):
        if size + many > most:
            found.append([])
            size = 0
        found[-1].append(place)
        size += many
    for part in found[:MOST_PARTS]:
        said = " ".join(" ".join(own[slice(*spans[place])] for place in part).split())
        if len(said) <= REMARK_CHARS:
            yield said, part


def _within(time: TimeSpan, span: Span) -> bool:
    return span.start <= time.span.start < span.end


def _sure(chance: float, least: float) -> float:
    """Confidence in a statement: the words are the person's own, so it is never low."""
    return round(LEAST_SURE + (MOST_SURE - LEAST_SURE) * (chance - least) / (1 - least), 2)


def rules(text: str, spans: Sequence[Span], readings: Sequence[Reading]) -> list[tuple[str, float]]:
    """Sentences that say how the assistant should behave from now on, and how sure that is."""
    items = to_do.items(text, spans)
    sure = {place for place, one in enumerate(readings) if one.rule >= RULE}
    others = {
        place
        for place, one in enumerate(readings)
        if one.rule >= (LIKELY if _STANDING.match(text, spans[place].start) else RULE)
        or (one.rule >= RULE_BESIDE and not sure.isdisjoint((place - 1, place + 1)))
    }
    passages = Passages(Text(text, spans, readings), RULE_CHARS, others)
    for place, one in enumerate(readings):
        own = text[slice(*spans[place])]
        heading = items.get(place)
        if passages.has(place) or _asks(own) or (place in items.values() and _RULES.match(own)):
            continue
        listed = heading is not None and _RULES.match(text[slice(*spans[heading])]) is not None
        said = stems(own)
        is_whole = said - _OFTEN and (len(said) >= LEAST_WORDS or _SHORT.match(own))
        doubtful = len(own.split()) <= 2 or _AGAIN.search(own)
        said_so = one.rule >= SURE_RULE if doubtful else place in others
        if not (listed or said_so) or not is_whole:
            continue
        if listed:
            passages.found[place] = Span(place, place + 1)
        else:
            passages.add(place)
    return [
        (
            " ".join(passages.text.said(*found).split()),
            _sure(max(readings[place].rule, RULE), RULE),
        )
        for place, found in passages.found.items()
    ]


_STANDING = re.compile(r"(?:always|never|from now on)\s+\w\w", re.IGNORECASE)
_AGAIN = re.compile(r"\bagain\b", re.IGNORECASE)
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


def readable(text: Text, first: int, last: int) -> str:
    """The statement of some sentences with those beside them that it needs."""
    first -= text.needs_before(first)
    last += text.needs_behind(last - 1)
    return " ".join(text.said(first, last).split())


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
