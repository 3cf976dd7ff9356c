"""Step 2 of reading: split a message into sentences, as people write them.

Few end with a full stop. A line, a dash, a semicolon or a smiley ends a sentence too. A long
sentence is cut at commas and before conjunctions ("and", "but", "so"), as dictation has no marks.
Sentences are spans of the text.
"""

import re
from collections.abc import Collection, Iterator

from sharpwave.reading.segments import FOREIGN
from sharpwave.types.statements import Span

LONG_WORDS = 22
"""Maximum words of a sentence; a longer one is cut into parts."""
PART_WORDS = 7
"""Minimum words of such a part."""

_END = re.compile(
    r"""
      (?P<item> ^[^\S\n]*+ (?: [-*\u2022\u2013\u2014] | \d{1,2}[.)] ) (?=[^\S\n]) )
    | (?<![.!?\u2026]) [.!?\u2026]++ ["'\u201d\u2019\u00bb)\]*]*+ (?=\s)
    | \n
    | ; (?=\s)
    | (?<!\S) [-\u2013\u2014]++ (?=\s) | \u2014
    | [\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u200d]+
    | \x00+
    """,
    re.VERBOSE | re.MULTILINE,
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|jr|sr|no|nr|approx|ca|bzw|z\.b|sra?|dott|mme)"
    r"|\b[^\W\d_]|^\s*\d{1,2})\.\Z",
    re.IGNORECASE | re.MULTILINE,
)
_CONTINUATION = re.compile(
    r"""
      , \s+
    | (?<!\s) \s++ (?= (?: and | but | so | because | cause | cos | coz | which | though | tho
        | then | plus | anyway | also | und | aber | weil | et | mais | pero | porque | y | e | mas
        | maar | want | ma | perché | ale | ama | çünkü ) \b )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def sentences(text: str) -> list[Span]:
    """Spans of the sentences of own words, in order, without the blanked words of others.

    >>> text = "sold the kayak lol. dentist tuesday - mum drives"
    >>> [text[start:end] for start, end in sentences(text)]
    ['sold the kayak lol.', 'dentist tuesday', 'mum drives']
    """
    text = itemised(text)
    return [
        part
        for sentence in _whole(text)
        if not _INTRODUCES.match(text, sentence.end - 1)
        for part in _parts(text, sentence)
    ]


def itemised(text: str) -> str:
    """The text with each number or letter of a list replaced by a line break of the same length.

    >>> itemised("rules: 1) be brief 2) no tables").splitlines()
    ['rules: ', '  be brief ', '  no tables']
    """
    marks = list(_MARK.finditer(text))
    lines = {item.end() for item in _LINE_START.finditer(text)} if len(marks) > 1 else set()
    run: list[re.Match[str]] = []
    parts, done = [], 0
    for mark in [*marks, None]:
        order = mark and (int(mark[1]) if mark[1].isdigit() else ord(mark[1]) - ord("a") + 1)
        if mark and order == len(run) + 1:
            run.append(mark)
            continue
        for item in run if len(run) > 1 and _are_items(text, run, lines) else ():
            parts += [text[done : item.start()], "\n".ljust(len(item[0]))]
            done = item.end()
        run = [mark] if mark and order == 1 else []
    return "".join([*parts, text[done:]])


def _are_items(text: str, run: list[re.Match[str]], lines: Collection[int]) -> bool:
    """True if each mark begins a line, or has words before the next, unlike moves of chess."""
    ends = [*(item.start() for item in run[1:]), len(text)]
    return all(
        item.start() in lines or _PLAIN_WORD.search(text, item.end(), end)
        for item, end in zip(run, ends, strict=True)
    )


_LINE_START = re.compile(r"^[ \t]*", re.MULTILINE)
_PLAIN_WORD = re.compile(r"(?<!\S)[^\W\d_]{2,}(?!\S)")
_MARK = re.compile(r"(?<!\S)\(?([1-9]\d?|[a-h])[.)](?=\s)")
_INTRODUCES = re.compile(r"[^.!?\u2026\x00]\s*\x00")
"""A lead to words of others ("On Monday Ana wrote:", "he keeps saying"), left out of sentences."""


def whole_sentences(text: str) -> list[Span]:
    """Spans of the sentences, of any length.

    >>> text = "Hi there! We hiked to the lake, and Rui fell in."
    >>> [text[start:end] for start, end in whole_sentences(text)]
    ['Hi there!', 'We hiked to the lake, and Rui fell in.']
    """
    return list(_whole(itemised(text)))


def is_abbreviated(text: str, end: int) -> bool:
    """True if the full stop before `end` belongs to an abbreviation such as "Dr."."""
    return _ABBREVIATED.search(text, max(0, end - 12), end) is not None


def _whole(text: str) -> Iterator[Span]:
    start = 0
    for match in _END.finditer(text):
        if match[0] == "." and is_abbreviated(text, match.end()):
            continue
        is_word = match["item"] is not None or match[0][0] not in ".!?\u2026"
        yield from _stripped(text, start, match.start() if is_word else match.end())
        start = match.end()
    yield from _stripped(text, start, len(text))


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and (text[start].isspace() or text[start] == FOREIGN):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] == FOREIGN):
        end -= 1
    if any(character.isalnum() for character in text[start:end]):
        yield Span(start, end)


def _parts(text: str, sentence: Span) -> Iterator[Span]:
    after = _words(text, *sentence)
    if after <= LONG_WORDS:
        yield sentence
        return
    start = counted = sentence.start
    before = 0
    for match in _CONTINUATION.finditer(text, sentence.start, sentence.end):
        words = _words(text, counted, match.start())
        before, after, counted = before + words, after - words, match.end()
        if before >= PART_WORDS and after >= PART_WORDS:
            yield from _stripped(text, start, match.end())
            start, before = match.end(), 0
    yield from _stripped(text, start, sentence.end)


def _words(text: str, start: int, end: int) -> int:
    return len(text[start:end].split())
