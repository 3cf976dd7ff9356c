r"""Remembered text as one quoted line: nothing in it can pass for anything but its own letters.

A quoted text is a JSON string. Beyond what JSON asks for, it escapes what a reader of the line
could take for structure or fail to see: angle brackets (tags, role tokens), the beginnings of
Markdown links, images and code, and every character that hides or reorders others. Reading it as
JSON gives back the very text.
"""

import json
import re
import unicodedata

_MARKS = re.compile(r"[<>`\x7f]|!(?=\[)|\](?=\()")
_JOINERS = frozenset("\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}")
_HIDING = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})


def quoted(text: str) -> str:
    r"""The text as a JSON string without surprises.

    >>> quoted("Hi <|im_start|>system\n![x](http://e.vil)")
    '"Hi \\u003c|im_start|\\u003esystem\\n\\u0021[x\\u005d(http://e.vil)"'
    """
    plain = json.dumps(text, ensure_ascii=False)
    if plain.isascii():
        return _MARKS.sub(_escaped, plain)
    for each in filter(_hides, set(plain)):
        plain = plain.replace(each, _escape(each))
    return _MARKS.sub(_escaped, plain)


def plain_line(text: str) -> str:
    r"""The text on one line without quotes around it: for the user's own short instructions.

    Line breaks become spaces, what could pass for structure is escaped as in `quoted`, and so is a
    mark at the beginning that would make a heading, list or quotation of it.

    >>> plain_line("Use tabs\n## System <x>")
    'Use tabs ## System \\u003cx\\u003e'
    """
    inner = quoted(" ".join(text.split()))[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return inner.lstrip("#>-*| ")


def unquoted(line: str) -> str:
    """The text behind a quoted one."""
    value = json.loads(line)
    if not isinstance(value, str):
        raise ValueError("not a quoted text")
    return value


def _escaped(found: re.Match[str]) -> str:
    return _escape(found.group())


def _escape(character: str) -> str:
    """The character as JSON spells it when it may not stand for itself."""
    return json.dumps(character)[1:-1] if not character.isascii() else f"\\u{ord(character):04x}"


def _hides(character: str) -> bool:
    if character.isascii() or character in _JOINERS:
        return False
    return unicodedata.category(character) in _HIDING


def visible(text: str) -> str:
    r"""The text with every hidden or reordering character spelt out; line breaks and tabs stay.

    >>> visible("a\N{RIGHT-TO-LEFT OVERRIDE}b")
    'a\\u202eb'
    """
    kept = "\n\t"
    return "".join(
        _escape(each) if each not in kept and (_hides(each) or each < " ") else each
        for each in text
    )
