"""Step 2 of reading: the sentences of a message, as people write them.

Few end with a full stop. A line, a dash, a semicolon or a smiley ends one too; a stretch of
dictation without any mark is cut before the words that go on with something else ("and", "but",
"so"), and a long one at commas. Places are kept, so that a sentence can be found again in its text.
"""

import re
from collections.abc import Collection, Iterator

from sharpwave.reading.segments import FOREIGN
from sharpwave.types.statements import Span

LONG_WORDS = 22
"""A sentence of more words is cut where it goes on with something else."""
PART_WORDS = 7
"""The fewest words of such a part."""

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
_GOES_ON = re.compile(
    r"""
      , \s+
    | (?<!\s) \s++ (?= (?: and | but | so | because | cause | cos | coz | which | though | tho
        | then | plus | anyway | also | und | aber | weil | et | mais | pero | porque | y | e | mas
        | maar | want | ma | perché | ale | ama | çünkü ) \b )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def sentences(text: str) -> list[Span]:
    """Where the sentences of own words stand, in order; blanked words of others are in none.

    >>> text = "sold the kayak lol. dentist tuesday - mum drives"
    >>> [text[start:end] for start, end in sentences(text)]
    ['sold the kayak lol.', 'dentist tuesday', 'mum drives']
    """
    text = itemised(text)
    return [
        part
        for whole in _whole(text)
        if not _INTRODUCES.match(text, whole.end - 1)
        for part in _parts(text, whole)
    ]


def itemised(text: str) -> str:
    """The text with a line break in place of each number or letter of a list; places stay.

    >>> itemised("rules: 1) be brief 2) no tables").splitlines()
    ['rules: ', '  be brief ', '  no tables']
    """
    marks = list(_MARK.finditer(text))
    lines = {one.end() for one in _LINE_START.finditer(text)} if len(marks) > 1 else set()
    run: list[re.Match[str]] = []
    parts, done = [], 0
    for mark in [*marks, None]:
        order = mark and (int(mark[1]) if mark[1].isdigit() else ord(mark[1]) - ord("a") + 1)
        if mark and order == len(run) + 1:
            run.append(mark)
            continue
        for one in run if len(run) > 1 and _are_items(text, run, lines) else ():
            parts += [text[done : one.start()], "\n".ljust(len(one[0]))]
            done = one.end()
        run = [mark] if mark and order == 1 else []
    return "".join([*parts, text[done:]])


def _are_items(text: str, run: list[re.Match[str]], lines: Collection[int]) -> bool:
    """True if each mark begins a line, or words stand before the next, and no moves of chess."""
    ends = [*(one.start() for one in run[1:]), len(text)]
    return all(
        one.start() in lines or _PLAIN.search(text, one.end(), end)
        for one, end in zip(run, ends, strict=True)
    )


_LINE_START = re.compile(r"^[ \t]*", re.MULTILINE)
_PLAIN = re.compile(r"(?<!\S)[^\W\d_]{2,}(?!\S)")
_MARK = re.compile(r"(?<!\S)\(?([1-9]\d?|[a-h])[.)](?=\s)")
_INTRODUCES = re.compile(r"[^.!?\u2026\x00]\s*\x00")
"""What leads to words of others ("On Monday Ana wrote:", "he keeps saying") says nothing alone."""


def whole_sentences(text: str) -> list[Span]:
    """Where the sentences stand, however long they are.

    >>> text = "Hi there! We hiked to the lake, and Rui fell in."
    >>> [text[start:end] for start, end in whole_sentences(text)]
    ['Hi there!', 'We hiked to the lake, and Rui fell in.']
    """
    return list(_whole(itemised(text)))


def is_abbreviated(text: str, end: int) -> bool:
    """True if the full stop before `end` is that of "Dr." or the like."""
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


def _parts(text: str, whole: Span) -> Iterator[Span]:
    after = _words(text, *whole)
    if after <= LONG_WORDS:
        yield whole
        return
    start = counted = whole.start
    before = 0
    for match in _GOES_ON.finditer(text, whole.start, whole.end):
        words = _words(text, counted, match.start())
        before, after, counted = before + words, after - words, match.end()
        if before >= PART_WORDS and after >= PART_WORDS:
            yield from _stripped(text, start, match.end())
            start, before = match.end(), 0
    yield from _stripped(text, start, whole.end)


def _words(text: str, start: int, end: int) -> int:
    return len(text[start:end].split())
