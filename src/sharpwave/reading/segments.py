"""Step 1 of reading: separate the user's own words of a message from all other text.

    1 delimiters   fences, tags
    2 paragraphs   code, tables and data; indented blocks
    3 quotations   speech in any quotation marks, or with its speaker named
    4 lines        quote marks, mail, speakers, time stamps
    5 leads        phrases that introduce a text next to them

Only own words are read; the rest is kept as quoted data. This is a defence against injected text:
doubtful text is not own, and a block without an end reaches to the end of the message.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from sharpwave.reading.introductions import (
    announces,
    introduces,
    is_label,
    is_letter,
    is_name,
    is_person,
    is_sure,
    requests_above,
    requests_below,
    speaker,
)
from sharpwave.types.statements import Span

FOREIGN = "\x00"
"""Stands for each character that is not the user's own."""
READ_CHARS = 20_000
"""Maximum number of characters read; the rest of a message is not own."""
OWN_CHARS = 3_000
"""Maximum characters of own words; more are pasted: 99 % of messages are half as long."""

OWN_LINES = 300
"""Maximum lines of own words."""
LATEST = 16
"""Size of the cache: `remember` needs the own words of one text ten times."""


@lru_cache(LATEST)
def own_words(text: str, *, doubtful: bool = False) -> str:
    r"""The message with every character of others blanked, so that positions stay the same.

    With `doubtful`, text set apart only by a lead such as "Mail to Ana:" or a single label is left:
    a reader that understands the message can tell who wrote it.

    >>> own_words("I live in Porto.\n> I live in Oslo.").rstrip(FOREIGN)
    'I live in Porto.\n'
    """
    if len(text) <= OWN_CHARS and _SIGN.search(text) is None:
        return text
    return _blanked(text, _foreign(text, doubtful))


_SIGN = re.compile(
    r"[\n:\"`~<>|\[\\{}\u00ab\u00bb\u2018-\u201f\u2039\u203a\u2014\u2015\u2669-\u266c"
    r"\u3008-\u300f\u301d\uff02\uff1a\U0001f3b5\U0001f3b6\x00]"
    r"|(?<!\w)'|&lt;|//|, (?:said|says|wrote|replied|answered) "
)
"""Without one of these, a short message holds no words of others."""


def _foreign(text: str, doubtful: bool = False) -> list[Span]:
    whole, text = len(text), text[:READ_CHARS].replace(FOREIGN, " ").replace("\r", " ")
    found = list(_delimited(text))
    if _blanked(text, found).count("\n") > OWN_LINES:
        return [Span(0, whole)]
    for step in (_by_paragraph, _quotations, _reported):
        found += step(_blanked(text, found))
    found += _by_line(_blanked(text, found), doubtful)
    if not doubtful:
        found += _introduced(_blanked(text, found), text)
    left = _blanked(text, found)
    if len(left) - left.count(FOREIGN) > OWN_CHARS:
        return [Span(0, whole)]
    return [*found, Span(READ_CHARS, whole)] if whole > READ_CHARS else found


def _blanked(text: str, foreign: list[Span]) -> str:
    parts, at = [], 0
    for one in sorted(foreign):
        start = max(at, one.start)
        if one.end > start:
            parts += [text[at:start], FOREIGN * (one.end - start)]
            at = one.end
    return "".join([*parts, text[at:]])


def _lines(text: str) -> list[tuple[int, int]]:
    """Start and end of each line."""
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append((at, at + len(line)))
        at += len(line) + 1
    return lines


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Start and end of each paragraph that has text not yet known to be foreign."""
    paragraphs: list[tuple[int, int]] = []
    after_filled = False
    for start, end in _lines(text):
        filled = bool(text[start:end].strip())
        if filled and after_filled:
            paragraphs[-1] = (paragraphs[-1][0], end)
        elif filled:
            paragraphs.append((start, end))
        after_filled = filled
    return [(start, end) for start, end in paragraphs if text[start:end].strip(FOREIGN + " \t\r\n")]


# --- 1 delimiters ---------------------------------------------------------------------------------

_OPENING = re.compile(
    r"""
      (?P<fence> `{3,} | ^[ \t]{0,3}~{3,} | ^[ \t]{0,3}<{3,} | "{3,} | '{3,} )
    | <!--(?P<comment>)
    | (?:<|&lt;)(?P<tag>[a-zA-Z][\w:.-]{0,60})(?:\s[^<>]{0,500}?)?(?:>|&gt;)
    | \[(?P<forum>[a-zA-Z][\w -]{0,30})(?:=[^\]\n]{0,100})?\]
    | \\begin\{(?P<latex>\w{1,30})\*?\}
    | ^-{0,10}BEGIN[ :](?P<begin>[^\n]{0,80})$
    | ^\[(?P<label>[^\]\n]{0,60}:[^\]\n]{0,200})\](?=[ \t]*$)
    | `(?P<code>[^`\n]{1,300})`
    """,
    re.VERBOSE | re.MULTILINE,
)
_CLOSING = re.compile(
    r"(?:<|&lt;)/(?P<tag>[a-zA-Z][\w:.-]{0,60})\s*(?:>|&gt;)|\[/(?P<forum>[a-zA-Z][\w -]{0,30})\]"
    r"|\\end\{(?P<latex>\w{1,30})\*?\}|(?P<comment>-->)"
    r"|^-{0,10}END[ :][^\n]{0,80}$(?P<begin>)|^\[(?:/|end\b)[^\]\n]{0,80}\](?P<label>)",
    re.MULTILINE | re.IGNORECASE,
)
_EMPHASIS = frozenset("b i u s em strong sub sup kbd br hr".split())
"""Tags around single own words."""


def _delimited(text: str) -> Iterator[Span]:
    """Fences and tags of every kind, each with what it encloses; without an end, all that follows.

    A tag reaches to its last closing tag, since the first may belong to the text inside. An opening
    tag amid a line without an end is a mere word: "press <Tab>".
    """
    last = {_name(match): match.end() for match in _CLOSING.finditer(text)}
    at = 0
    while opening := _OPENING.search(text, at):
        kind, start = opening.lastgroup or "", opening.start()
        at = opening.end()
        end: int | None = None
        if kind == "code":
            end = None if is_name(opening["code"]) else at
        elif kind == "fence":
            end = _fence_end(text, opening["fence"].strip(), at)
        elif opening[kind].lower() not in _EMPHASIS:
            end = last.get(_name(opening), 0)
            if end < at:
                end = len(text) if _stands_alone(text, start, at) else None
        if end is not None:
            yield Span(start, end)
            at = end


def _name(tag: re.Match[str]) -> str:
    kind = tag.lastgroup or ""
    return f"{kind} {tag[kind].lower()}" if kind in {"tag", "forum", "latex"} else kind


def _fence_end(text: str, fence: str, at: int) -> int:
    """The end of a fence; if one is left over, it is unclear which of them closes."""
    closing = fence.replace("<", ">")
    unclear = text.count(closing, at) % 2 == 0
    return len(text) if unclear else text.index(closing, at) + len(closing)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the line holds nothing else."""
    before, after = text[:start].rpartition("\n")[2], text[end:].partition("\n")[0]
    return not (before + after).strip(" \t")


# --- 2 paragraphs ---------------------------------------------------------------------------------

_CODE_LINE = re.compile(
    r"""
      .*[;{}]\s*$ | .*\)\s*:\s*$ | \s*[{}\])]
    | \s*(?:\$|>>>|%|[\w.-]{1,40}@[\w.-]{1,40}[:\s]\S{0,80}\s?[$\#%]|[A-Z]:\\[^>\n]{0,200}>)\s
    | (?:diff|index|commit)\s[\w-]+\s?.*[\da-f/]{4} | @@\s | [+]{3}\s | ---\s\S+/
    | \s*(?:def|class|function|fn|func)\s\w+\s?[(:{] | \s*(?:const|let|var|export)\s\w+\s?=
    | \s*(?:import\s[\w.]+|from\s[\w.]+\simport\s.*|\#include.*|\#!.*|Traceback\s.*)$
    | \s*[\w.\[\]]{1,80}\s?[:+-]?=\s?\S | \s*"[^"]*"\s?: | \s+File\s" | \s*</
    | \s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\s
    | (?:ERROR|WARN(?:ING)?|INFO|DEBUG|HINT|FATAL|TRACE|NOTICE|DETAIL|\w*Error|\w*Exception):\s
    """,
    re.VERBOSE,
)
_ROW = re.compile(
    r"\s*\|.*\||(?:[^,\n]*,(?=\S)){2}|[^\t\n]+\t[^\t\n]|[A-Z][A-Z-]+[:;]\S|\s*-?\s?[a-z_]{2,30}:(?:\s|$)"
)
"""A row of a table or of data; two of them are needed."""
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")


def _by_paragraph(text: str) -> Iterator[Span]:
    """Code, data and logs; one line that is surely code makes the paragraph code."""
    paragraphs = _paragraphs(text)
    code = []
    for first, last in paragraphs:
        lines = text[first:last].split("\n")
        rows = sum(_ROW.match(line) is not None for line in lines)
        indented = all(_INDENTED.match(line) for line in lines)
        code.append(rows > 1 or indented or any(_CODE_LINE.match(line) for line in lines))
        if len(lines) > 1 and (any(map(_AUTHOR_LINE.match, lines)) or _is_author(*lines[-2:])):
            yield Span(first, last)
    for index, (first, last) in enumerate(paragraphs):
        between = code[index - 1 : index] + code[index + 1 : index + 2] == [True, True]
        if code[index] or between:
            yield Span(first, last)


_AUTHOR_LINE = re.compile(
    r"\s{0,3}(?:@\w{2,30}\b[^.!?\n]{0,30}|you|me|user|assistant)\s*$", re.IGNORECASE
)
"""A line that names the author of those around it: a handle, or one side of a chat."""


def _is_author(above: str, line: str) -> bool:
    """True for the author of the line above: "— Odysseus"; false for an item of a list."""
    name = line.strip()
    return (
        name[-1:].isalnum()
        and name.startswith(_DASHES)
        and is_person(name.lstrip("".join(_DASHES)).split())
        and not above.strip().startswith(_DASHES)
        and not above.rstrip().endswith(":")
    )


_DASHES = ("-", "\u2013", "\u2014", "\u2015")


# --- 3 quotations ---------------------------------------------------------------------------------

_CLOSERS = {
    '"': '"', "\u201c": "\u201d", "\u201e": '\u201c\u201d"', "\u201d": "\u201d",
    "\u201f": "\u201d", "\u2018": "\u2019", "\u201a": "\u2018\u2019'", "'": "'",
    "\u00ab": "\u00bb", "\u00bb": "\u00ab",
    "\u2039": "\u203a", "\u203a": "\u2039", "\u300c": "\u300d", "\u300e": "\u300f",
    "\u300a": "\u300b", "\u3008": "\u3009", "\u301d": "\u301e\u301f", "\uff02": "\uff02",
}  # fmt: skip
"""Every quotation mark with what may close it."""
_SAME = frozenset("\"'\u201d\u2018\u00bb\u203a\uff02")
"""Marks that open only before a word and after none: they may also close, or stand for inches."""
_MARK = re.compile(f"[{''.join(_CLOSERS)}]")
_ELIDED = re.compile(r"(?:\d|(?:cause|til|tis|twas|em|n|bout|round|cuz|s|t)\b)", re.IGNORECASE)
"""What an apostrophe before a word leaves out: 'cause, the '90s."""
_NEVER_UNCLOSED = frozenset("'\u2018\u00bb\u203a\u201d")
"""Without a closing mark these are apostrophes, or close something themselves."""


def _quotations(text: str) -> Iterator[Span]:
    """Speech in quotation marks, over any number of lines; a quoted name or title is own."""
    at = 0
    unclosed: set[str] = set()
    while opening := _MARK.search(text, at):
        mark, start, at = opening[0], opening.start(), opening.end()
        if mark in unclosed or (mark in _SAME and not _opens(text, start)):
            continue
        if mark in "'\u2018" and _ELIDED.match(text, at):
            continue
        end = _closing(text, at, mark)
        if end is None and mark in _NEVER_UNCLOSED:
            unclosed.add(mark)
            continue
        inner = text[at : end or len(text)]
        at = len(text) if end is None else end + 1
        if not is_name(inner):
            yield Span(start, at)


_REPORTED = re.compile(
    r", (?:said|says|wrote|replied|answered) (?:the|an?|his|her|their|[A-Z]\w+)\b"
)


def _reported(text: str) -> Iterator[Span]:
    """Speech without marks, with its speaker after it: "I live in Rome, said the waiter"."""
    for attribution in _REPORTED.finditer(text):
        start = max(map(text[: attribution.start()].rfind, ".!?\n")) + 1
        yield Span(start, attribution.end())


def _opens(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return not (before.isalnum() or before in {*".!?,;"}) and bool(after) and not after.isspace()


def _closing(text: str, at: int, mark: str) -> int | None:
    """Position of the closing mark: after a word or a stop, and not before a word.

    Nested quotations are counted, so that their end is not taken for the end of the whole.
    """
    closers, depth = _CLOSERS[mark], 1
    apart = mark in _SAME or "'" in closers
    for mark_found in re.compile(f"[{mark}{closers}]").finditer(text, at):
        position = mark_found.start()
        if mark not in "'\u2018" and mark_found[0] == mark and _opens(text, position):
            depth += 1
        elif mark_found[0] in closers:
            before, after = text[position - 1], text[position + 1 : position + 2]
            depth -= not (apart and (before.isspace() or after.isalnum()))
        if not depth:
            return position
    return None


# --- 4 lines --------------------------------------------------------------------------------------

_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|[A-Z][a-z]{2} {1,2}\d{1,2})"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[AaPp]\.?[Mm]\.?)?"
_NOT_OWN = re.compile(
    r"\s{0,8}(?:>|\||[\u2014\u2015]|\[\d{1,3}\]\s)"
    r"|\s{0,3}(?://|[\u2669-\u266c\U0001f3b5\U0001f3b6])"
)
"""Beginnings of lines that are quoted, comments or lyrics."""
_STAMP = re.compile(
    rf"[\[(]?{_DATE}[,T ]+{_CLOCK}|[\[(]{_CLOCK}[\])]|{_CLOCK}(?: -->|\s*$)"
    r"|[\[(]?\d{4}-\d\d-\d\d\b"
)
"""The time at the head of a record in a log, of a message or of a subtitle."""
_WHEN = re.compile(
    rf"{_DATE}|{_CLOCK}|\b(?:mon|tue|wed|thu|fri|sat|sun|today|yesterday|at)[a-z]*\b|[^\w\s.'@-]",
    re.IGNORECASE,
)
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_HEAD_CHARS = 60
_SET_OFF = re.compile(r"\s\s|[\u2014\u2013\u2022\u00b7|\[,]")
_TIMED_LABEL = re.compile(rf"[^\n]{{0,40}}?{_CLOCK}[^\w\n]{{0,2}}[:\-\u2013](?=\s+\S)")
_STAGE = re.compile(r"(?=[^\n]{0,40}[A-Z]{3})[^a-z\n.!?,]{3,40}$")
"""The name of a speaker in capitals, as in a screenplay."""
_RULER = re.compile(r"\s{0,3}([-=_*#~+.])(?:\s?\1){2,}\s*$")
_MAIL = (
    re.compile(r"--\s*$"),
    re.compile(r"\s{0,3}([-=_*#~+])\1{1,}[ ]?[^\W\d_][^\n]{1,100}?\s?\1{2,}\s*$"),
    re.compile(
        r"\s{0,3}\*{0,2}(?:from|to|cc|subject|sent|re|fwd|von|an|betreff|gesendet|de|\u00e0|objet"
        r"|envoy\u00e9|para|asunto|enviado|assunto|da|a|oggetto|van|aan|onderwerp|od|do|temat"
        r"|fr\u00e5n|till|\u00e4mne)\*{0,2} ?: ?\*{0,2} ?\S",
        re.IGNORECASE,
    ),
)
"""A signature, a ruler with a title ("---- Forwarded message ----"), a field of a mail."""


def _by_line(text: str, doubtful: bool) -> Iterator[Span]:
    """Quoted and stamped lines; from the head of a mail or the first speaker on, all the rest."""
    places = _lines(text)
    lines = [text[start:end] for start, end in places]
    labels = [speaker(line) for line in lines]
    several = len(labels) - labels.count(None) > 1
    ruler: int | None = None
    every = zip(places, lines, [*lines[1:], ""], labels, strict=True)
    for (start, end), line, after, label in every:
        if not line.strip(FOREIGN + " \t"):
            continue
        alone = not doubtful and label is not None and is_sure(label)
        begins = (label and (several or alone)) or _begins(line, after)
        if begins or (not doubtful and announces(line) and text[end:].strip()):
            yield Span(start, len(text))
            return
        if _RULER.match(line):
            if ruler is not None:
                yield Span(ruler, end)
            ruler = start
        if _STAMP.match(line):
            gap = _EMPTY_LINE.search(text, end)
            yield Span(start, gap.start() if gap else len(text))
        if _NOT_OWN.match(line):
            yield Span(start, end)


def _begins(line: str, following: str) -> bool:
    """Whether a line begins a mail or a chat, which includes all that follows."""
    if is_letter(line) or any(pattern.match(line) for pattern in _MAIL):
        return True
    stamp, label = _STAMP.match(line), _TIMED_LABEL.match(line)
    if (stamp and speaker(line[stamp.end() :].lstrip(" -]:)"))) or (
        label and _is_message_head(label[0])
    ):
        return True
    stage = _STAGE.match(line) is not None and not following.isupper() and not is_label(line)
    return bool(following.strip()) and (stage or _is_message_head(line))


def _is_message_head(line: str) -> bool:
    """True for a name and a time of day: "Tara Singh  9:41 AM", "[Mon 9:14] Zane Moss"."""
    timed = len(line) <= _HEAD_CHARS and re.search(_CLOCK, line) is not None
    name = _WHEN.sub(" ", line).split()
    named = len(name) > 1 or _SET_OFF.search(line.strip()) is not None
    return timed and named and is_person(name)


# --- 5 leads --------------------------------------------------------------------------------------

_COLON = re.compile(r"[:\uff1a](?=[\s\x00]|$)")


def _introduced(text: str, written: str) -> Iterator[Span]:
    """The text after "X wrote:" or "Summarize this:", or next to a request about it."""
    at = 0
    for colon in _COLON.finditer(text):
        lead = text[at : colon.start()].rpartition("\n")[2].rpartition(FOREIGN)[2]
        at = colon.end()
        following = text[at:].lstrip(" \t")
        if introduces(lead, following) and following.strip() and not _is_bounded(text, written, at):
            yield Span(at, len(text))
            return
    yield from _requested(text)


def _is_bounded(text: str, written: str, at: int) -> bool:
    """Whether a fence, a tag or quotation marks delimit it; marks only in the same line."""
    position = len(text) - len(text[at:].lstrip())
    inline = "\n" not in text[at:position]
    return text[position] == FOREIGN and (inline or _MARK.match(written, position) is None)


def _requested(text: str) -> Iterator[Span]:
    """The text above or below a request that stands in a line or paragraph of its own."""
    paragraphs = _paragraphs(text)
    lines = [
        (start, end) for start, end in _lines(text) if text[start:end].strip(" \t\r" + FOREIGN)
    ]
    for units in (paragraphs, lines):
        if len(units) > 1 and requests_above(text[slice(*units[-1])]):
            yield Span(0, units[-1][0])
        for (first, last), (following, _) in pairwise(units):
            request = text[first:last]
            if not text[last:following].strip() and requests_below(request, units is paragraphs):
                yield Span(following, len(text))
                break
