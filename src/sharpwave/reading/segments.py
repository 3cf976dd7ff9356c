"""Step 1 of reading: whose words are these? A message cut into the user's own words and all others.

    1 delimiters   fences, tags, quotation marks           -> code, attached, quoted
    2 lines        quote marks, time stamps, speakers      -> quoted, log, chat
    3 paragraphs   code, tables and data; indented blocks  -> code
    4 leads        what introduces a text that follows     -> forwarded, quoted, pasted

Only own words are read; the rest is kept as quoted data. This is a wall against injected text, so
what is in doubt is not own: word lists name what introduces *own* words, or widen the wall.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from sharpwave.reading.introductions import Lead, is_letter, is_name, is_sure, lead_kind, requests, speaker

FOREIGN = "\x00"
"""Stands for each character that is not the user's own."""
READ_CHARS = 20_000
"""Characters of a message that are looked at; what follows is not own."""
OWN_CHARS = 3_000
"""More own words than that are pasted: 99 % of messages to assistants are half as long."""


class Origin(StrEnum):
    """Where words of a message come from."""

    OWN = "own"
    QUOTED = "quoted"
    PASTED = "pasted"
    FORWARDED = "forwarded"
    ATTACHED = "attached"
    CODE = "code"
    LOG = "log"
    CHAT = "chat"


class Segment(NamedTuple):
    """A stretch of a message, and where its words come from."""

    start: int
    end: int
    origin: Origin


def segments(text: str) -> list[Segment]:
    """The whole message in order, in stretches of one origin each."""
    cut: list[Segment] = []
    at = 0
    for one in sorted(_foreign(text)):
        if one.start > at:
            cut.append(Segment(at, one.start, Origin.OWN))
        if one.end > at:
            cut.append(Segment(max(at, one.start), one.end, one.origin))
            at = one.end
    if at < len(text):
        cut.append(Segment(at, len(text), Origin.OWN))
    return cut


def own_words(text: str) -> str:
    r"""The message with every character of others blanked, so that places stay the same.

    >>> own_words("I live in Porto.\n> I live in Oslo.").rstrip(FOREIGN)
    'I live in Porto.\n'
    """
    if len(text) <= OWN_CHARS and _SIGN.search(text) is None:
        return text
    return _blanked(text, [one for one in segments(text) if one.origin is not Origin.OWN])


_SIGN = re.compile(
    r"[\n:\"`~<>\[\\{}\u00ab\u00bb\u2018-\u201f\u2039\u203a\u2014\u2015\u2669-\u266c"
    r"\u3008-\u300f\u301d\uff02\uff1a\x00]|(?<!\w)'"
)
"""Without one of these, a short message holds no words of others."""


def _blanked(text: str, foreign: list[Segment]) -> str:
    parts, at = [], 0
    for one in sorted(foreign):
        start = max(at, one.start)
        if one.end > start:
            parts += [text[at:start], FOREIGN * (one.end - start)]
            at = one.end
    return "".join([*parts, text[at:]])


def _foreign(text: str) -> list[Segment]:
    whole, text = len(text), text[:READ_CHARS].replace(FOREIGN, " ")
    found: list[Segment] = []
    for step in (_delimited, _by_paragraph, _quotations, _by_line):
        found += step(_blanked(text, found))
    found += _introduced(_blanked(text, found), text)
    left = _blanked(text, found)
    if len(left) - left.count(FOREIGN) > OWN_CHARS:
        return [Segment(0, whole, Origin.PASTED)]
    return [*found, Segment(READ_CHARS, whole, Origin.PASTED)] if whole > READ_CHARS else found


# --- 1 delimiters ---------------------------------------------------------------------------------

_OPENING = re.compile(
    r"""
      ^[ \t]{0,3}(?P<fence>`{3,}|~{3,}|<{3,}|\"{3,}|'{3,})
    | (?P<inline>```|\"\"\"|''')
    | <!--(?P<comment>)
    | <(?P<tag>[a-zA-Z][\w:.-]{0,60})(?:\s[^<>]{0,500})?>
    | \[(?P<forum>[a-zA-Z]{1,20})(?:=[^\]\n]{0,100})?\]
    | \\begin\{(?P<latex>\w{1,30})\*?\}
    | ^-{0,10}BEGIN[ :](?P<begin>[^\n]{0,80})$
    | ^\[(?P<label>[^\]\n]{0,60}:[^\]\n]{0,200})\][ \t]*$
    | `(?P<code>[^`\n]{1,300})`
    """,
    re.VERBOSE | re.MULTILINE,
)
_CLOSING = re.compile(
    r"</(?P<tag>[a-zA-Z][\w:.-]{0,60})\s*>|\[/(?P<forum>[a-zA-Z]{1,20})\]"
    r"|\\end\{(?P<latex>\w{1,30})\*?\}|(?P<comment>-->)"
    r"|^-{0,10}END[ :][^\n]{0,80}$(?P<begin>)|^\[(?:/|end\b)[^\]\n]{0,80}\](?P<label>)",
    re.MULTILINE | re.IGNORECASE,
)
_CLOSED_BY_NAME = {"tag", "forum", "latex"}


def _delimited(text: str) -> Iterator[Segment]:
    """Fences and tags of every kind, each with what it encloses; without an end, all that follows.

    An opening tag amid a line without an end is a mere word: "press <Tab>".
    """
    ends: dict[tuple[str, str], list[int]] = {}
    for match in _CLOSING.finditer(text):
        kind = match.lastgroup or ""
        name = match[kind].lower() if kind in _CLOSED_BY_NAME else ""
        ends.setdefault((kind, name), []).append(match.end())
    at = 0
    while opening := _OPENING.search(text, at):
        kind, start = opening.lastgroup or "", opening.start()
        at = opening.end()
        if kind == "code":
            if not is_name(opening["code"]):
                yield Segment(start, at, Origin.CODE)
            continue
        if kind in {"fence", "inline"}:
            end: int | None = _fence_end(text, opening[kind], at)
        else:
            name = opening[kind].lower() if kind in _CLOSED_BY_NAME else ""
            places = ends.get((kind, name), [])
            place = bisect_left(places, at)
            end = places[place] if place < len(places) else None
            end = end or (len(text) if _stands_alone(text, start, at) else None)
        if end is not None:
            yield Segment(start, end, Origin.ATTACHED if kind in _ATTACHING else Origin.CODE)
            at = end


_ATTACHING = {"tag", "forum", "latex", "begin", "label"}


def _fence_end(text: str, fence: str, at: int) -> int:
    closing = ">" * len(fence) if fence[0] == "<" else fence
    end = text.find(closing, at)
    if end < 0:
        return len(text)
    line = text.find("\n", end)
    while end + len(closing) < len(text) and text[end + len(closing)] == fence[0]:
        end += 1
    return end + len(closing) if line else len(text)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing else stands in its line."""
    before, after = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return not (text[before:start] + text[end : len(text) if after < 0 else after]).strip()


_CLOSERS = {
    '"': '"', "\u201c": "\u201d", "\u201e": "\u201c\u201d\"", "\u201d": "\u201d", "\u201f": "\u201d",
    "\u2018": "\u2019", "\u201a": "\u2018\u2019'", "'": "'", "\u00ab": "\u00bb", "\u00bb": "\u00ab",
    "\u2039": "\u203a", "\u203a": "\u2039", "\u300c": "\u300d", "\u300e": "\u300f",
    "\u300a": "\u300b", "\u3008": "\u3009", "\u301d": "\u301e\u301f", "\uff02": "\uff02",
}  # fmt: skip
"""Every quotation mark with what may close it."""
_SAME = frozenset("\"'\u201d\u2018\u00bb\u203a\uff02")
"""Marks that open only before a word and after none: they may also close, or stand for inches."""
_MARK = re.compile(f"[{''.join(_CLOSERS)}]")
_ELIDED = re.compile(r"(?:\d|(?:cause|til|tis|twas|em|n|bout|round|cuz|s|t)\b)", re.IGNORECASE)
"""What an apostrophe before a word leaves out: 'cause, the '90s."""


def _quotations(text: str) -> Iterator[Segment]:
    """Speech in quotation marks, over any number of lines; a name or a title in them is own."""
    at = 0
    while mark := _MARK.search(text, at):
        start, at = mark.start(), mark.end()
        if mark[0] in _SAME and not _opens(text, start):
            continue
        if mark[0] in "'\u2018" and _ELIDED.match(text, at):
            continue
        end = _closing(text, at, _CLOSERS[mark[0]])
        if end is None and mark[0] in "'\u2018\u00bb\u203a\u201d":
            continue  # an apostrophe, or a closing mark
        inner = text[at : end or len(text)]
        at = len(text) if end is None else end + 1
        if not is_name(inner):
            yield Segment(start, at, Origin.QUOTED)


def _opens(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return not (before.isalnum() or before in {*".!?,;"}) and bool(after) and not after.isspace()


def _closing(text: str, at: int, marks: str) -> int | None:
    """Where a mark closes what was opened: after a word or a stop, and before none."""
    apart = not _SAME.isdisjoint(marks) or "\u2019" in marks
    for place in range(at, len(text)):
        if text[place] in marks:
            before, after = text[place - 1], text[place + 1 : place + 2]
            if not apart or not (before.isspace() or after.isalnum()):
                return place
    return None


# --- 2 lines --------------------------------------------------------------------------------------

_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|[A-Z][a-z]{2} {1,2}\d{1,2})"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[AaPp]\.?[Mm]\.?)?"
_LINE_KINDS = (
    (re.compile(r"\s{0,8}>|\s{0,8}[\u2014\u2015]|\s{0,3}\[\d{1,3}\]\s"), Origin.QUOTED),
    (re.compile("\\s{0,3}//|\\s{0,3}[\u2669-\u266c\U0001f3b5\U0001f3b6]"), Origin.CODE),
    (re.compile(rf"[\[(]?{_DATE}[,T ]+{_CLOCK}|[\[(]{_CLOCK}[\])]|[\[(]?\d{{4}}-\d\d-\d\d\b"),
     Origin.LOG),
    (re.compile(rf"{_CLOCK} -->"), Origin.LOG),
)  # fmt: skip
"""Lines that are not own, by how they begin."""
_MESSAGE_HEAD = re.compile(
    rf"[\w.@'\- ]{{1,40}}(?:\s{{2,}}|\s?[\u2014\u2013\u2022\u00b7|,]\s?)(?:\w+ (?:at )?)?{_CLOCK}\s*$"
)
"""The head of a message in a copied chat: "Tara Singh  9:41 AM"."""
_RULER = re.compile(r"\s{0,3}([-=_*#~+.])(?:\s?\1){2,}\s*$")
_TITLED_RULER = re.compile(r"\s{0,3}([-=_*#~+])\1{1,}[ ]?[^\W\d_][^\n]{1,100}?\s?\1{2,}\s*$")
"""As in "---- Forwarded message ----": what follows comes from elsewhere."""
_SIGNATURE = re.compile(r"-- ?$")
_MAIL_FIELD = re.compile(
    r"\s{0,3}\*{0,2}(?:from|to|cc|subject|sent|re|fwd|von|an|betreff|gesendet|de|\u00e0|objet|envoy\u00e9|para|asunto"
    r"|enviado|assunto|da|a|oggetto|van|aan|onderwerp|od|do|temat|fr\u00e5n|till|\u00e4mne)\*{0,2} ?: ?\*{0,2} ?\S",
    re.IGNORECASE,
)  # fmt: skip
_STAGE = re.compile(r"(?=[^\n]{0,40}[A-Z]{3})[^a-z\n.!?,]{3,40}$")
"""The name of who speaks, in capitals, as in a screenplay."""


def _lines(text: str) -> list[tuple[int, int]]:
    """Where each line begins and ends."""
    cut, at = [], 0
    for line in text.split("\n"):
        cut.append((at, at + len(line)))
        at += len(line) + 1
    return cut


def _by_line(text: str) -> Iterator[Segment]:
    lines = _lines(text)
    labels = [speaker(text[start:end]) for start, end in lines]
    several = len(labels) - labels.count(None) > 1
    ruler: int | None = None
    for number, (start, end) in enumerate(lines):
        line, label = text[start:end], labels[number]
        if not line.strip(FOREIGN + " \t"):
            continue
        following = text[end + 1 : lines[number + 1][1]] if number + 1 < len(lines) else ""
        if _begins_mail(line):
            yield Segment(start, len(text), Origin.FORWARDED)
            return
        if (label and (several or is_sure(label))) or _begins_chat(line, following):
            yield Segment(start, len(text), Origin.CHAT)
            return
        if _RULER.match(line):
            if ruler is not None:
                yield Segment(ruler, end, Origin.PASTED)
            ruler = start if ruler is None else None
        for pattern, origin in _LINE_KINDS:
            if pattern.match(line):
                yield Segment(start, end, origin)
                break


def _begins_mail(line: str) -> bool:
    patterns = (_SIGNATURE, _TITLED_RULER, _MAIL_FIELD)
    return is_letter(line) or any(pattern.match(line) for pattern in patterns)


def _begins_chat(line: str, following: str) -> bool:
    if not following.strip():
        return False
    stage = _STAGE.match(line) is not None and not following.isupper()
    return stage or _MESSAGE_HEAD.match(line) is not None


# --- 3 paragraphs ---------------------------------------------------------------------------------

_CODE_LINE = re.compile(
    r"""
      .*[;{}]\s*$ | .*\)\s*:\s*$ | \s*[{}\])]
    | \s*(?:\$|>>>|%)\s | (?:diff|index|commit)\s[\w-]+\s?.*[\da-f/]{4} | @@\s | [+]{3}\s | ---\s\S+/
    | \s*(?:def|class|function|fn|func)\s\w+\s?[(:{] | \s*(?:const|let|var|export)\s\w+\s?=
    | \s*(?:import\s[\w.]+|from\s[\w.]+\simport\s.*|\#include.*|\#!.*|Traceback\s.*)$
    | \s*[\w.\[\]]+\s?[:+-]?=\s?\S | \s*"[^"]*"\s?: | \s+File\s" | \s*</
    | \s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\s
    | (?:ERROR|WARN(?:ING)?|INFO|DEBUG|HINT|FATAL|TRACE|NOTICE|DETAIL|\w*Error|\w*Exception):\s
    """,
    re.VERBOSE,
)
_ROW = re.compile(r"\s*\|.*\||(?:[^,\n]*,(?=\S)){2}|[A-Z][A-Z-]+[:;]\S|\s*-?\s?[a-z_]{2,30}:(?:\s|$)")
"""A row of a table or of data; two of them are needed."""
_INDENTED = re.compile(r"(?: {4}|\t)\s*\S")


def _by_paragraph(text: str) -> Iterator[Segment]:
    for first, last in _paragraphs(text):
        lines = text[first:last].split("\n")
        code = any(_CODE_LINE.match(line) for line in lines)
        rows = sum(_ROW.match(line) is not None for line in lines)
        if code or rows > 1 or all(_INDENTED.match(line) for line in lines):
            yield Segment(first, last, Origin.CODE)


_GAP = re.compile(r"\n[ \t\r]*\n\s*?(?=[ \t]*\S)")


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Stretches between empty lines that hold something not yet known to be foreign."""
    cut, at = [], 0
    for gap in [*_GAP.finditer(text), None]:
        end = len(text) if gap is None else gap.start()
        if text[at:end].strip(FOREIGN + " \t\r\n"):
            cut.append((at, end))
        at = end if gap is None else gap.end()
    return cut


# --- 4 leads --------------------------------------------------------------------------------------

_COLON = re.compile(r"(?:(?<=[.!?]\s)|^)(?P<lead>[^\n\x00]{1,200}?)\s?[:\uff1a](?=[\s\x00]|$)"
                    r"|^(?P<mail>[^\n\x00]{1,120}\n[^\n\x00]{1,80}(?:wrote|schrieb[^\n]{0,60}|\u00e9crit) ?):",
                    re.MULTILINE)  # fmt: skip


def _introduced(text: str, written: str) -> Iterator[Segment]:
    """What follows "X wrote:", "Summarize this:", or a request for a text that stands beside it."""
    at = 0
    while match := _COLON.search(text, at):
        at = match.end()
        after = text[at:]
        kind = lead_kind(match["lead"] or match["mail"], ends_line=after[:1] in {"\n", ""})
        if kind is Lead.OWN or _is_bounded(after, written[at:]):
            continue
        line = -1 if kind is Lead.REST or after.startswith("\n") else text.find("\n\n", at)
        end = len(text) if line < 0 else line
        yield Segment(at, end, Origin.FORWARDED if kind is Lead.REST else Origin.QUOTED)
        at = end
    yield from _requested(text)


def _is_bounded(after: str, written: str) -> bool:
    """Whether a fence, a tag or quotation marks say where it ends; marks only in the same line."""
    place = len(after) - len(after.lstrip())
    if after[place : place + 1] != FOREIGN:
        return place == len(after)
    return "\n" not in after[:place] or _MARK.match(written, place) is None


def _requested(text: str) -> Iterator[Segment]:
    """The text that a request in a paragraph of its own is about: below it, or above."""
    paragraphs = _paragraphs(text)
    for place, (first, last) in enumerate(paragraphs):
        before, after = requests(text[first:last])
        below = paragraphs[place + 1 :]
        if after and below and text[last : below[0][0]].strip() == "":
            yield Segment(below[0][0], len(text), Origin.PASTED)
        if before and place and place == len(paragraphs) - 1:
            yield Segment(0, first, Origin.PASTED)
