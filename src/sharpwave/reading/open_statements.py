"""What is worth keeping of a text though no slot fits it: statements in the person's own words.

Neighbouring sentences that are worth keeping make one statement. One that cannot be read alone
("she's on nights") takes the sentence before it along. Nothing of another turn is in a statement:
it would outlast the turn.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from sharpwave.knowledge.predicates import NOTED
from sharpwave.reading import task_days, to_do
from sharpwave.reading.candidates import due_day
from sharpwave.reading.passages import (
    WHOLE_WORDS,
    Passages,
    Text,
    is_short,
    points_elsewhere,
)
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
TASK_CHARS, RULE_CHARS = 300, 200
"""Longer ones are not kept: with what makes them readable they must not become too long."""
FRAMED_CHARS = 160
"""A rule is kept with the sentences beside it up to this length."""
FEW_WORDS = 3
"""Up to this many words behind a statement belong to it: "two ribs", "Third of May"."""
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
            whole = found[-1] if found and found[-1].end == place else None
            if whole and one.rule < RULE and one.task < TASK:
                if _goes_on(Text(text, spans), whole, place, readings[place - 1].fact >= FACT):
                    found[-1] = Span(whole.start, place + 1)
            continue
        if found and found[-1].end == place and not Text(text, spans).parted(place):
            start, end = spans[found[-1].start].start, spans[place].end
            alone = _is_readable_alone(text[spans[place].start : end])
            if len(text[start:end].split()) <= STATEMENT_WORDS * (1 if alone else 2):
                found[-1] = Span(found[-1].start, place + 1)
                continue
        found.append(Span(place, place + 1))
    return found


def _goes_on(text: Text, whole: Span, place: int, first: bool) -> bool:
    """True for the rest of a sentence, or, if it is the `first` behind it, for a few words.

    As in "Left hip, | operated on the 22nd" and "Orest fell on Sunday. | Two ribs."
    """
    said = text.said(place, place + 1)
    between = text.text[text.spans[place - 1].end : text.spans[place].start]
    if text.parted(place) or "\n" in between or said.endswith("?"):
        return False
    words = len(text.said(whole.start, place + 1).split())
    few = first and len(said.split()) <= FEW_WORDS and bool(stems(said) - _POLITE)
    return words <= WHOLE_WORDS and (few or text.goes_on(place))


_POLITE = frozenset("than chee bye hell plea haha sorr okay idea anyw".split())
"""Stems of thanks, greetings and the like."""


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
    others = {*known, *(place for place, one in enumerate(readings) if one.task >= TASK)}
    dated = {place for place, span in enumerate(spans) if any(_within(t, span) for t in times)}
    passages = Passages(Text(text, spans), TASK_CHARS, others, dated, known)
    for place, one in enumerate(readings):
        own = text[slice(*spans[place])]
        heading = items.get(place)
        listed = heading is not None and to_do.is_to_do(text[slice(*spans[heading])])
        unreal = one.mode is ReadMode.UNREAL and to_do.wording(own) is None  # an order is real
        unreal = (unreal or one.mode is ReadMode.QUOTED) and heading is None
        if place in known or passages.has(place):
            continue
        if place - 1 in known and points_elsewhere(own) and not _OWN.search(own):
            continue  # "They want it by Friday" speaks of the task before
        least = LIKELY if place in dated and _OBLIGES.search(own) else TASK
        if not (listed or (one.task >= least and not unreal)) or len(stems(own)) < LEAST_WORDS:
            continue
        if heading is None:
            passages.add(place, others)
        else:
            passages.found[place] = Span(place, place + 1)
    for place, (first, last) in passages.found.items():
        own = text[slice(*spans[place])]
        heading = items.get(place)
        taken_along = first < passages.whole(place).start and points_elsewhere(own)
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
    kept = {at for at, one in enumerate(readings) if one.fact >= FACT or one.task >= TASK} | others
    passages = Passages(Text(text, spans), RULE_CHARS, others)
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
            passages.add(place, kept)
    kept |= {place for found in passages.found.values() for place in range(*found)}
    kept |= {
        place
        for place, span in enumerate(spans)
        if any(label in text[slice(*span)] for label in LABEL_OF.values())  # a secret stood here
    }
    return [
        (
            " ".join(passages.text.said(*_framed(passages.text, found, kept)).split()),
            _sure(max(readings[place].rule, RULE), RULE),
        )
        for place, found in passages.found.items()
    ]


def _framed(text: Text, rule: Span, kept: Collection[int]) -> Span:
    """A rule with the sentences beside it, which say what is meant, or why; not those `kept`."""
    first, last = rule
    for place in (first - 1, last):
        whole = Span(min(first, place), max(last, place + 1))
        if place in kept or not 0 <= place < len(text.spans) or text.parted(max(place, first)):
            continue
        asks = text.said(place, place + 1).rstrip().endswith("?")
        if not asks and len(text.said(*whole)) <= FRAMED_CHARS:
            first, last = whole
    return Span(first, last)


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


def readable(text: str, spans: Sequence[Span], first: int, last: int) -> str:
    """The statement with the least that makes it readable alone."""
    end = spans[last - 1].end
    own = " ".join(text[spans[first].start : end].split())
    if _is_readable_alone(own) or not first or Text(text, spans).parted(first):
        return own
    return " ".join(text[spans[first - 1].start : end].split())


def _is_readable_alone(own: str) -> bool:
    return not is_short(own) and not _POINTS_BACK.match(own)


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
