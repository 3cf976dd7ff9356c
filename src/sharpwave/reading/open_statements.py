"""Extract statements that fit no slot, in the person's own words.

Neighbouring sentences that are worth keeping make one statement. One that cannot be read alone
("she's on nights") includes the sentence beside it, and a reply the question that it answers.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta

from sharpwave.knowledge.predicates import NOTED
from sharpwave.ports import Reader
from sharpwave.reading import task_days, to_do
from sharpwave.reading.candidates import days_to_come, due_day
from sharpwave.reading.grammar.reported import sentences_in_first_person
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
"""Minimum probability of each; chosen on messages of people outside the training data."""
LIKELY, RULE_BESIDE = 0.05, 0.38
"""The same if the wording agrees (an obligation with its day, "never …"), or beside a rule."""
SURE_RULE = 0.8
"""The same for a rule of at most two words, or with "again", as in "You can try again"."""
LEAST_SURE, MOST_SURE = 0.7, 0.95
"""Range of the confidence in a statement."""
STATEMENT_WORDS = 30
"""Maximum words of sentences joined into one statement; doubled if a sentence needs another."""
QUESTION_WORDS, QUESTION_CHARS = 12, 300
"""Length of a question that a statement is kept with, and how much of a turn's end is searched."""
TASK_CHARS, RULE_CHARS = 300, 200
"""Maximum length of a task or rule, with the sentences that make it readable."""
COVERED, NEW_WORDS = 0.6, 3
"""A statement is dropped if slots cover this share of its stems, or all but fewer than this."""

MENTIONED = "rules.family"
"""Extractor of people who are only mentioned: the rest of "my mother Josette is ill" is new."""
LEAST_WORDS, SURE_FACT = 2, 0.9
"""Minimum number of content words of a statement, and the probability at which one is enough."""
REMARK = "remark 1"
REMARK_WORDS, REMARK_CHARS = 40, 300
PART_WORDS, MOST_PARTS = 30, 5
"""Words per part of a longer turn, which is compared in parts, and the maximum number of parts."""
REMARKED = 0.1
"""Minimum probability of a fact or task; one turn in thirty below it changes a known fact."""

_ABOUT_THE_USER = re.compile(r"the user\b", re.IGNORECASE)
"""Nobody writes this about themselves; a statement that begins so would read as a learned fact."""
_WORD = re.compile(r"\w+")
_SHORTEST_STEM, _STEM = 3, 4


def groups(text: Text) -> list[Span]:
    """Group the sentences that make one statement each: first index and end."""
    spans: list[Span] = []
    for index, reading in enumerate(text.readings):
        if not is_fact(reading, text.sentences(index, index + 1)):
            if spans and spans[-1].end == index and reading.rule < RULE and reading.task < TASK:
                group = Span(spans[-1].start, index + 1)
                if text.continues(index) and len(text.sentences(*group).split()) <= WHOLE_WORDS:
                    spans[-1] = group
            continue
        if spans and spans[-1].end == index and not text.is_separated(index):
            words = len(text.sentences(spans[-1].start, index + 1).split())
            if words <= STATEMENT_WORDS * (2 if text.needs_before(index) else 1):
                spans[-1] = Span(spans[-1].start, index + 1)
                continue
        spans.append(Span(index, index + 1))
    return spans


def is_fact(reading: Reading, text: str) -> bool:
    """True for a sentence that is worth keeping; the reader hardly knows the plainest tastes."""
    is_taste = reading.rule < RULE_BESIDE and _TASTE.fullmatch(text) is not None
    return reading.fact >= FACT or is_taste


_TASTE = re.compile(
    r"\W*I (?:\w+ )?(?:prefer|like|love|hate|dislike|enjoy) "
    r"(?!(?:the|this|that|these|those|it|them|him|her|how|what|when|to|your?)\b)"
    r"[\w'-]+(?: (?!you\b)[\w'-]+){0,5}[.!]?\W*",
    re.IGNORECASE,
)


def statements(
    text: str,
    spans: Sequence[Span],
    readings: Sequence[Reading],
    known: Sequence[Candidate],
    spoken: Spoken,
    times: Sequence[TimeSpan],
) -> Iterator[Candidate]:
    """Yield a fact for each group of sentences worth keeping, unless `known` facts cover it.

    The first group of a reply includes the question that it answers: "(And Tolga?) part-time".
    """
    question_before = _question_before(spoken)
    passage = Text(text, spans, readings)
    mentioned_stems = stems(
        " ".join(fact.text for fact in known if fact.extractor.startswith(MENTIONED))
    )
    slot_stems = stems(
        " ".join(fact.text for fact in known if not fact.extractor.startswith(MENTIONED))
    )
    for first, last in groups(passage):
        span = Span(spans[first].start, spans[last - 1].end)
        own_stems = stems(text[span.start : span.end])
        new_stems = own_stems - mentioned_stems - slot_stems
        probability = max(reading.fact for reading in readings[first:last])
        sure_alone = probability >= SURE_FACT and own_stems.isdisjoint(mentioned_stems)
        if (
            len(own_stems - mentioned_stems) < (1 if sure_alone else LEAST_WORDS)
            or _ABOUT_THE_USER.match(text, span.start)
            or len(own_stems) - len(new_stems) >= COVERED * len(own_stems)
            or (own_stems & slot_stems and len(new_stems) < NEW_WORDS)
        ):
            continue
        statement = readable(passage, first, last)
        is_first = first - passage.needs_before(first) == 0
        question = question_before if is_first and stems(question_before) - own_stems else ""
        if question:
            statement = f"({question}) {statement}"
        yield Candidate(
            kind=Kind.FACT,
            text=statement,
            span=span,
            confidence=_sure(max(probability, FACT), FACT),
            extractor=f"reader {VERSION}",
            statement=Statement(USER, NOTED, statement),
            valid_to=_end_of_plan(
                text,
                readings[first:last],
                [time for time in times if _within(time, span)],
                spoken.at,
            ),
            rests_on=(spoken.previous_id,) if question and spoken.previous_id else (),
        )


def _end_of_plan(
    text: str, readings: Sequence[Reading], times: Sequence[TimeSpan], at: datetime
) -> datetime | None:
    """The end of the last day to come that a plan names; None for other statements."""
    if any(reading.mode is not ReadMode.PLANNED for reading in readings):
        return None
    days = [day for _, day in days_to_come(times, text, at)]
    return max(days) + timedelta(days=1) if days else None


def reported(
    text: str,
    known: Sequence[Candidate],
    spoken: Spoken,
    times: Sequence[TimeSpan],
    reader: Reader,
) -> Iterator[Candidate]:
    """Yield the facts that a report states about the user, unless `known`, and the tasks.

    The reader is trained on the first person, so each sentence is put into it before reading.
    """
    spans = sentences(own_words(text))
    slot_stems = stems(" ".join(fact.text for fact in known))
    forms = sentences_in_first_person(text, spoken.user_names or frozenset(), spans)
    for span, form in zip(spans, forms, strict=True):
        if not form or not (readings := reader.read(form, [Span(0, len(form))])):
            continue
        statement = text[span.start : span.end].strip()
        is_task = readings[0].task >= TASK
        new_stems = stems(statement) - slot_stems - stems("user")
        if not is_task and (not is_fact(readings[0], form) or len(new_stems) < LEAST_WORDS):
            continue
        probability, minimum = (readings[0].task, TASK) if is_task else (readings[0].fact, FACT)
        yield Candidate(
            kind=Kind.TASK if is_task else Kind.FACT,
            text=statement,
            span=span,
            confidence=_sure(max(probability, minimum), minimum),
            extractor=f"reader {VERSION}",
            statement=None if is_task else Statement(USER, NOTED, statement),
            status=TaskStatus.ACTIVE if is_task else None,
            due=due_day([time for time in times if _within(time, span)], text, spoken.at)
            if is_task
            else None,
        )


def _question_before(spoken: Spoken) -> str:
    """The short question at the end of the other speaker's last turn, unless it is an offer."""
    before = (spoken.previous or "").rstrip()
    if spoken.previous_is_own or not before.endswith("?"):
        return ""
    questions = sentences(before[-QUESTION_CHARS:])
    question = before[-QUESTION_CHARS:][slice(*questions[-1])] if questions else ""
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
    """Yield tasks that no pattern found; `known` are the indexes of sentences with one found."""
    items = to_do.items(text, spans)
    with_task = {*known, *(index for index, reading in enumerate(readings) if reading.task >= TASK)}
    dated = {
        index for index, span in enumerate(spans) if any(_within(time, span) for time in times)
    }
    worded = {index for index, span in enumerate(spans) if to_do.wording(text[slice(*span)])}
    passages = Passages(Text(text, spans, readings), TASK_CHARS, with_task, dated | worded, known)
    for index, reading in enumerate(readings):
        sentence = text[slice(*spans[index])]
        heading = items.get(index)
        listed = heading is not None and to_do.is_to_do(text[slice(*spans[heading])])
        # an order is real
        unreal = reading.mode is ReadMode.UNREAL and to_do.wording(sentence) is None
        unreal = (unreal or reading.mode is ReadMode.QUOTED) and heading is None
        if index in known or passages.has(index):
            continue
        needs_before = passages.text.needs_before(index)
        if index - 1 in {*known, *worded} and needs_before and not _FIRST_PERSON.search(sentence):
            continue  # "They want it by Friday" is about the task before
        minimum = LIKELY if index in dated and _OBLIGATION.search(sentence) else TASK
        if (
            not (listed or (reading.task >= minimum and not unreal))
            or len(stems(sentence)) < LEAST_WORDS
        ):
            continue
        if heading is None:
            passages.add(index)
        else:
            passages.found[index] = Span(index, index + 1)
    for index, (first, last) in passages.found.items():
        sentence = text[slice(*spans[index])]
        heading = items.get(index)
        taken_along = first < passages.whole(index).start
        within = [time for time in times if _within(time, spans[index])]
        named = [Span(*(end - spans[index].start for end in time.span)) for time in within]
        request = None if taken_along else to_do.wording(sentence, named)
        beside = None if heading is None or heading in {*known, *items} else spans[heading]
        yield Candidate(
            kind=Kind.TASK,
            text=request.title
            if request
            else " ".join(passages.text.sentences(first, last).split()),
            span=spans[index],
            confidence=_sure(max(readings[index].task, TASK), TASK),
            extractor=f"reader {VERSION}",
            status=TaskStatus.ACTIVE,
            due=task_days.day_of(text, spans, index, times, at)
            or to_do.next_of(sentence, at)
            or (beside and due_day([time for time in times if _within(time, beside)], text, at))
            or to_do.overdue_day(within, text, at),
        )


_OBLIGATION = re.compile(r"\b(?:(?:ha(?:s|ve)|needs?|ought) to|must|should|due)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i['\u2019]\w+|me|my|we|us)\b", re.IGNORECASE)


def remarks(
    text: str,
    spans: Sequence[Span],
    readings: Sequence[Reading],
    times: Sequence[TimeSpan],
    at: datetime,
) -> Iterator[Candidate]:
    """Yield the text of a turn, in parts if long, only to find known facts that it changes."""
    own = own_words(text).replace(FOREIGN, " ")
    indexes = [
        index
        for index, (start, end) in enumerate(spans)
        if (readings[index].rule < RULE or readings[index].fact >= REMARKED)
        and not own[start:end].rstrip().endswith("?")
    ]
    for part_text, part in parts(own, spans, indexes):
        if (
            len(stems(part_text)) < LEAST_WORDS
            or _ABOUT_THE_USER.match(part_text)
            or any(label in part_text for label in LABEL_OF.values())
            or max(max(readings[index].fact, readings[index].task) for index in part) < REMARKED
        ):
            continue
        span = Span(spans[part[0]].start, spans[part[-1]].end)
        yield Candidate(
            kind=Kind.FACT,
            text=part_text,
            span=span,
            confidence=1.0,
            extractor=REMARK,
            statement=Statement(USER, NOTED, part_text),
            due=due_day([time for time in times if _within(time, span)], text, at),
            effect_only=True,
        )


def parts(
    own: str, spans: Sequence[Span], indexes: Sequence[int]
) -> Iterator[tuple[str, Sequence[int]]]:
    """Join these sentences of a text, in parts if they are long; yield each with its indexes."""
    words = [len(own[slice(*spans[index])].split()) for index in indexes]
    limit = REMARK_WORDS if sum(words) <= REMARK_WORDS else PART_WORDS
    groups: list[list[int]] = []
    words_so_far = limit
    for index, count in zip(indexes, words, strict=True):
        if words_so_far + count > limit:
            groups.append([])
            words_so_far = 0
        groups[-1].append(index)
        words_so_far += count
    for part in groups[:MOST_PARTS]:
        part_text = " ".join(" ".join(own[slice(*spans[index])] for index in part).split())
        if len(part_text) <= REMARK_CHARS:
            yield part_text, part


def _within(time: TimeSpan, span: Span) -> bool:
    return span.start <= time.span.start < span.end


def _sure(probability: float, minimum: float) -> float:
    """Confidence in a statement: never low, since the words are the person's own."""
    return round(LEAST_SURE + (MOST_SURE - LEAST_SURE) * (probability - minimum) / (1 - minimum), 2)


def rules(text: str, spans: Sequence[Span], readings: Sequence[Reading]) -> list[tuple[str, float]]:
    """Return standing instructions to the assistant, each with its confidence."""
    items = to_do.items(text, spans)
    sure_indexes = {index for index, reading in enumerate(readings) if reading.rule >= RULE}
    candidates = {
        index
        for index, reading in enumerate(readings)
        if reading.rule >= (LIKELY if _STANDING.match(text, spans[index].start) else RULE)
        or (reading.rule >= RULE_BESIDE and not sure_indexes.isdisjoint((index - 1, index + 1)))
    }
    passages = Passages(Text(text, spans, readings), RULE_CHARS, candidates)
    for index, reading in enumerate(readings):
        sentence = text[slice(*spans[index])]
        heading = items.get(index)
        if (
            passages.has(index)
            or _is_reason_or_question(sentence)
            or (index in items.values() and _RULES.match(sentence))
        ):
            continue
        listed = heading is not None and _RULES.match(text[slice(*spans[heading])]) is not None
        sentence_stems = stems(sentence)
        is_whole = sentence_stems - _EMPTY_OF_RULES and (
            len(sentence_stems) >= LEAST_WORDS or _SHORT.match(sentence)
        )
        doubtful = len(sentence.split()) <= 2 or _AGAIN.search(sentence)
        is_rule = reading.rule >= SURE_RULE if doubtful else index in candidates
        if not (listed or is_rule) or not is_whole:
            continue
        if listed:
            passages.found[index] = Span(index, index + 1)
        else:
            passages.add(index)
    return [
        (
            " ".join(passages.text.sentences(*found).split()),
            _sure(max(readings[index].rule, RULE), RULE),
        )
        for index, found in passages.found.items()
    ]


_STANDING = re.compile(r"(?:always|never|from now on)\s+\w\w", re.IGNORECASE)
_AGAIN = re.compile(r"\bagain\b", re.IGNORECASE)
_EMPTY_OF_RULES = frozenset({"alwa", "ever", "neve", "plea", "time"})
"""Stems that only say that a rule holds."""
_SHORT = re.compile(r"(?:no|never|always)\s+\w\w", re.IGNORECASE)
_REASON = re.compile(r"\W*(?:because|why|how)\b", re.IGNORECASE)
_REQUEST = re.compile(r"\b(?:can|could|would|will|please)\b", re.IGNORECASE)
_TAG = re.compile(r",(?: \w+){1,2}\?\W*$")


def _is_reason_or_question(sentence: str) -> bool:
    """True for a reason, or for a question that is no request and has no tag like "…, okay?"."""
    if _REASON.match(sentence):
        return True
    end = sentence.rstrip()[-_TAG_CHARS:]
    return end.endswith("?") and not (_REQUEST.search(sentence) or _TAG.search(end))


_TAG_CHARS = 40
_RULES = re.compile(r"\W*(?:\w+\s+){0,3}rules?\b(?:\s+\w+){0,4}:?\s*$", re.IGNORECASE)
"""A heading of rules."""


def readable(text: Text, first: int, last: int) -> str:
    """Join sentences with the neighbours that they need into one statement."""
    first -= text.needs_before(first)
    last += text.needs_behind(last - 1)
    return " ".join(text.sentences(first, last).split())


def stems(text: str) -> frozenset[str]:
    """Return the stems of content words, to compare what two texts say."""
    words = _WORD.findall(text.lower())
    return frozenset(
        word[:_STEM] for word in words if len(word) >= _SHORTEST_STEM and word not in _EMPTY_WORDS
    )


_EMPTY_WORDS = frozenset(
    """the and but for you your she her his him they them their its our are was were has have had
    with that this from not who what when where how all any can did does got get just now too very
    been being will would could should user since think guess""".split()
)
