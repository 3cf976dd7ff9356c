"""What a corrected text has that the original had not: the preference behind a correction [UPR-04].

Pure. Only differences that would be the same next time count: a word for another, how words are
written, how long and in which form it is. New content teaches nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORD = re.compile(r"[^\W_]+(?:[_'.-][^\W_]+)*|[^\w\s]|\n|\t| {2,}")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
_SHORTER, _LONGER = 0.6, 1.7
"""A corrected text this much shorter or longer was too long or too short."""
_FEW_WORDS = 12
"""Shorter texts say nothing about length."""
_LONGEST_CHANGE = 3
"""Words of one replacement that still is a choice of words."""
_SMALL = frozenset(
    "a an the and or of to in is am are was were it this that i you he she we they".split()
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One preference that a correction shows."""

    category: str
    key: str
    value: object
    rule: str
    """The same as an instruction."""


def differences(original: str, corrected: str) -> list[Difference]:
    """What the correction shows, the surest first; nothing if the text is simply another."""
    if original.strip() == corrected.strip() or not corrected.strip():
        return []
    return [*_of_form(original, corrected), *_of_words(original, corrected)]


def _of_form(original: str, corrected: str) -> Iterator[Difference]:
    for name, pattern, there, gone in _FORMS:
        before, after = len(pattern.findall(original)), len(pattern.findall(corrected))
        if not before and after > 1:
            yield Difference("format", name, True, there)
        elif before > 1 and not after:
            yield Difference("format", name, False, gone)
    if _EMOJI.search(original) and not _EMOJI.search(corrected):
        yield Difference("format", "emojis", False, "Do not use emojis")
    if original.casefold() == corrected.casefold() and len(original.split()) > 1:
        yield from _of_case(corrected)
    before, after = len(original.split()), len(corrected.split())
    if before >= _FEW_WORDS and after < before * _SHORTER and _kept(original, corrected):
        yield Difference("style", "length", "short", "Be more concise")
    elif before >= _FEW_WORDS and after > before * _LONGER:
        yield Difference("style", "length", "long", "Give more detail")


_FORMS = (
    ("bullets", _BULLET, "Use bullet points", "Do not use bullet points"),
    ("headings", _HEADING, "Use headings", "Do not use headings"),
)


def _of_case(corrected: str) -> Iterator[Difference]:
    if corrected.islower():
        yield Difference("format", "case", "lower", "Write in lower case")
    elif corrected.isupper():
        yield Difference("format", "case", "upper", "Write in upper case")
    elif corrected.istitle():
        yield Difference("format", "case", "title", "Write in title case")


def _kept(original: str, corrected: str) -> bool:
    """Most words of the shorter text were there before: it was cut, not replaced."""
    before, after = (set(_WORD.findall(text.casefold())) for text in (original, corrected))
    return len(before & after) * 2 >= len(after)


def _of_words(original: str, corrected: str) -> Iterator[Difference]:
    """A word for another, everywhere or in a text that is otherwise the same."""
    before, after = _WORD.findall(original), _WORD.findall(corrected)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < 0.5 and len(before) > 2:
        return
    seen: set[tuple[str, str]] = set()
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "replace":
            continue
        old, new = _joined(before[first:last]), _joined(after[start:end])
        few = max(last - first, end - start) <= _LONGEST_CHANGE
        if not few or (old, new) in seen or not _is_choice(old, new):
            continue
        seen.add((old, new))
        yield Difference(
            "wording", old.casefold(), new, f"Use {_shown(new)} instead of {_shown(old)}"
        )


_NAMED = {"\t": "tabs", "  ": "spaces", "'": "single quotes", '"': "double quotes"}


def _joined(words: list[str]) -> str:
    if all(word in _NAMED or word.isspace() for word in words):
        return words[0][:2]
    return " ".join(words).strip()


def _shown(words: str) -> str:
    if words.isspace():
        return "tabs" if "\t" in words else "spaces"
    return _NAMED.get(words, f'"{words}"')


def _is_choice(old: str, new: str) -> bool:
    """Two ways to say it; a number for a number, or small words, is other content."""
    if not old or not new or old.strip("\n") == "" or new.strip("\n") == "":
        return False
    if any(one.replace(".", "").isdigit() for one in (old, new)):
        return False
    return not any(set(one.casefold().split()) <= _SMALL for one in (old, new))
