"""Secrets that only the words around them give away: "password: x", "my PIN is 1234"."""

import re
from collections.abc import Iterator

from sharpwave.formulas.text import bits_per_char
from sharpwave.privacy.keys import UUID, changes_case
from sharpwave.privacy.numbers import before
from sharpwave.types.privacy import LABEL_OF, Finding, Sensitive
from sharpwave.types.statements import Span

# Without one of these, in small letters, there is nothing to look for.
_PASSWORD_MARKS = ("pass", "pwd", "pw", "contraseña", "kennwort", "mot de", "senha")
_PIN_MARKS = ("pin", "code", "otp", "one-time", "one time")
_KEY_MARKS = ("key", "token", "secret", "credential", "bearer", "basic")

_FOR = r"(?: (?:for|to|of|on) (?:the |my |our )?[\w.'-]{1,30}(?: [\w.'-]{1,20})?)?"
_NOW = r"(?: now)?:?\s{1,3}"
_PASSWORD = re.compile(
    r"(?<![A-Za-z])(?:pass(?:word|wd|phrase|code|wort)|pwd|pw|contraseña|kennwort|mot de passe|"
    rf"senha){_FOR}[\"'`]?"
    rf"(?P<link>\s{{0,3}}(?:[:=]|=>|->)\s{{0,3}}|\s{{1,3}}(?:is|was|ist|es|est|é|to){_NOW})"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{3,128})(?P=quote)|(?P<value>[^\s\"'`<>]{3,128}))",
    re.IGNORECASE,
)
_PIN = re.compile(
    r"(?<![A-Za-z])(?:pin|pincode|passcode|otp|one[- ]time (?:code|password|pin)|"
    r"(?:security|access|door|gate|alarm|entry|unlock|garage|lock|verification|auth|2fa) code)"
    rf"(?: (?:number|code|no))?{_FOR}(?:\s{{0,3}}[:=]\s{{0,3}}|\s{{1,3}}(?:is|was|to){_NOW}|\s)"
    r"[\"'`#*]?(?P<value>[0-9]{3,8})(?![0-9A-Za-z]|[.,:/-][0-9]|%)",
    re.IGNORECASE,
)
_KEY = re.compile(
    rf"(?P<word>key|token|secret|credentials?|bearer|basic)(?:_?id)?{_FOR}[\"'`]?"
    rf"(?:\s{{0,3}}(?:[:=]|=>|->)\s{{0,3}}|\s{{1,3}}(?:is|was|to){_NOW}|\s{{1,3}})"
    r"[\"'`(<]?(?P<value>[\w+/=.~!@$%^&*-]{8,512})",
    re.IGNORECASE,
)
_IN_URL = re.compile(r"://[^\s/:@]{0,64}:(?P<value>[^\s/@]{1,128})@")
_LABELS = frozenset(LABEL_OF.values())
_SAID = re.compile(r"(?:[:=>]|\b(?:is|was|to|now))\s{0,3}[\"'`(<]?\Z")
_STRONG = re.compile(r"(?:api|secret|client|access|auth)[ _-]?$")

# "my password is wrong" says nothing; these and participles are not passwords after "is".
_PLAIN = frozenset(
    """the a an not no so too very also just only still now never always required correct
    incorrect wrong right valid invalid weak strong good bad safe secure insecure secret
    same different new old empty blank long short null none true false yes undefined
    optional in on at for to my your his her their our it this that what which something
    anything everything here there case sensitive unique hidden public private fine okay
    ok gone easy hard simple complex known unknown like you i we they one being about
    really probably maybe important protected string str text input output field manager
    managers reset resets change changes management protection security policy policies
    stolen lost broken forgotten taken written given shown sent set kept""".split()
)
# Code, variables and stars stand for a password without being one.
_PLACEHOLDER = re.compile(
    r"[\w.]+[(\[]|\$\{|\$[A-Z_]+$|[{<%]|[*•x.]+$|(?:self|os|config|settings)\."
)
_PARTICIPLE = re.compile(r"[a-z]+(?:ed|ing|able|ible)")
_COMMON_SHAPE = re.compile(r"[a-z]+(?:[-'][a-z]+)*", re.IGNORECASE)
FEWEST_KEY_CHARS = 16
_KEY_BITS = 3.0


def passwords(text: str, small: str) -> Iterator[Finding]:
    """Passwords and PINs after their words; `small` is the text in small letters."""
    if any(map(small.__contains__, _PASSWORD_MARKS)):
        for found in _PASSWORD.finditer(text):
            if finding := _password(found):
                yield finding
    if any(map(small.__contains__, _PIN_MARKS)):
        for found in _PIN.finditer(text):
            yield Finding(Sensitive.PIN, Span(*found.span("value")), 0.85)


def named_keys(text: str, small: str) -> Iterator[Finding]:
    """Random-looking words after "key", "token", "secret" and the like."""
    if any(map(small.__contains__, _KEY_MARKS)):
        for found in _KEY.finditer(text):
            span = _trimmed(text, found.start("value"), found.end("value"))
            if _is_key(text[span.start : span.end], found):
                yield Finding(Sensitive.API_KEY, span, 0.8)


def in_urls(text: str) -> Iterator[Finding]:
    """The password of `https://ana:password@host`."""
    for found in _IN_URL.finditer(text):
        if not _has_label(found["value"]):
            yield Finding(Sensitive.PASSWORD, Span(*found.span("value")), 0.95)


def _password(found: re.Match[str]) -> Finding | None:
    if found["quoted"] is not None:
        if _has_label(found["quoted"]):
            return None
        return Finding(Sensitive.PASSWORD, Span(*found.span("quoted")), 0.9)
    span = _trimmed(found.string, found.start("value"), found.end("value"))
    value = found.string[span.start : span.end]
    if len(value) < 3 or _PLACEHOLDER.match(value) or _has_label(found["value"]):
        return None
    assigned = not found["link"].strip().isalpha()
    if _COMMON_SHAPE.fullmatch(value) and not _odd_word(value, found, span, assigned):
        return None
    if not assigned and value.startswith(("(", "[", "{")):
        return None
    return Finding(Sensitive.PASSWORD, span, 0.9 if assigned else 0.75)


def _has_label(value: str) -> bool:
    return "[" in value and any(label in value for label in _LABELS)


def _odd_word(value: str, found: re.Match[str], span: Span, assigned: bool) -> bool:
    """A plain word is a password if nothing of the sentence follows, and it says nothing itself."""
    small = value.lower()
    if small in _PLAIN or (_PARTICIPLE.fullmatch(small) and not assigned):
        return False
    if found["link"].strip().lower() == "to" and not assigned:
        return False
    rest = found.string[span.end : span.end + 2]
    return not rest.strip() or rest[0] in ".,;!\n\r)" or (assigned and rest[0] == " ")


def _is_key(value: str, found: re.Match[str]) -> bool:
    if len(value) < FEWEST_KEY_CHARS:
        return False
    said = bool(_SAID.search(found.string, found.start(), found.start("value")))
    if UUID.fullmatch(value):
        return said and bool(_STRONG.search(before(found.string, found.start(), 8)))
    has_digit = any(map(str.isdigit, value))
    has_letter = any(map(str.isalpha, value))
    if not (has_digit and has_letter) and not changes_case(value):
        return False
    if bits_per_char(value) < _KEY_BITS or "://" in value or value.count("/") > 3:
        return False
    bearer = found["word"].lower() in ("bearer", "basic")
    return said or bearer or len(value) >= 2 * FEWEST_KEY_CHARS


def _trimmed(text: str, start: int, end: int) -> Span:
    """Without the punctuation of the sentence: a password may end in "!", but not in "." or ","."""
    while end > start and text[end - 1] in ".,;:)]}>":
        end -= 1
    return Span(start, end)
