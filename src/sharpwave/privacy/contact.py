"""E-mail addresses and phone numbers."""

import re
from collections.abc import Iterator

from sharpwave.privacy.numbers import Run, after, before, stands_alone
from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

FEWEST_PHONE_DIGITS = 7
_MOST_PHONE_DIGITS = 15
_MOST_GROUPS = 7
_HOST = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w@])")
_LOCAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+'&-")
_LONGEST_LOCAL = 64
_IN_URL = re.compile(r"://[^\s/@]{0,80}\Z")

_EXTENSION = re.compile(r" ?(?:x|ext\.? ?|#)[0-9]{1,6}(?![0-9A-Za-z])")
_PHONE_WORDS = re.compile(
    r"\b(?:phone|telephone|tel|mobile|cell|cellphone|fax|desk|landline|hotline|call|calling|ring|"
    r"dial|text|sms|whatsapp|signal|telegram|reach|contact|handy|móvil|telefon|teléfono|téléphone|"
    r"telefono|telefone|portable|line|voicemail|pager)\b"
)
_PHONE_AFTER = re.compile(r"[ ,;:(/-]{0,3}(?:office|fax|mobile|cell|home|work|phone|tel)\b")
_NOT_PHONE = re.compile(
    r"(?:\b(?:order|invoice|tracking|reference|ref|ticket|case|serial|isbn|issn|version|model|part|"
    r"item|sku|account|acct|policy|customer|member|id|dates?|born|between|years?|no|nr|number|pin|"
    r"code|zip|postal|postcode|population|score|total|pages?|pp|doi|rfc|section|chapter|vin|upc|"
    r"ean|flight|confirmation|receipt|transaction|card|iban|ssn|usd|eur)\b[ .:#]*"
    r"(?:(?:is|was|of)\b)?[ :#]*|[#$€£¥])$"
)
_UNIT = re.compile(
    r"[ \u00a0]?(?:%|€|£|\$|°|usd|eur|km|kg|kb|mb|gb|miles|dollars|euros|people|ms\b)"
)
_DATE = re.compile(
    r"(?:(?:19|20)[0-9]{2}[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12][0-9]|3[01])"
    r"|(?:0?[1-9]|[12][0-9]|3[01])[-./ ](?:0?[1-9]|[12][0-9]|3[01])[-./ ](?:19|20)?[0-9]{2})"
    r"(?:[ -][0-9]{1,2})?"
)
_YEARS = re.compile(r"(?:1[5-9]|20)[0-9]{2}[ /-]{1,3}(?:(?:1[5-9]|20)[0-9]{2})")


def emails(text: str) -> Iterator[Finding]:
    """Addresses around each @; the local part is read backwards from it."""
    at = text.find("@")
    while at >= 0:
        start = at
        while start > 0 and at - start <= _LONGEST_LOCAL and _in_local(text[start - 1]):
            start -= 1
        while start < at and text[start] in ".'-&%":
            start += 1
        host = _HOST.match(text, at + 1)
        named = 0 < at - start <= _LONGEST_LOCAL and text[at - 1] != "."
        if host and named and not _IN_URL.search(text, max(0, start - _LONGEST_LOCAL), start):
            yield Finding(Sensitive.EMAIL, Span(start, host.end()), 0.98)
        at = text.find("@", at + 1)


def _in_local(character: str) -> bool:
    return character in _LOCAL or (character > "\x7f" and character.isalnum())


def phones(run: Run) -> Iterator[Finding]:
    """Phone numbers in a run of digits: international, a usual national way, or named as such."""
    if _NOT_PHONE.search(before(run.text, run.span.start)) and run.text[run.span.start] != "+":
        return
    lengths = [end - start for start, end in run.groups[:3]]
    if len(run.groups) > 2 * _MOST_GROUPS and lengths != [3, 3, 4]:  # a table of numbers
        return
    first = 0
    while first < len(run.groups):
        piece = run.piece(first, first + _MOST_GROUPS)
        last, found = _first_phone(piece)
        if found is None:
            return
        yield found
        first += last


def _first_phone(run: Run) -> tuple[int, Finding | None]:
    """The longest phone number that begins the run, and how many groups it takes."""
    named = _named(run)
    for last in range(len(run.groups), 0, -1):
        confidence = _phone(run, last, named)
        if confidence:
            end = run.groups[last - 1].end
            extension = _EXTENSION.match(run.text, end)
            span = Span(run.span.start, extension.end() if extension else end)
            return last, Finding(Sensitive.PHONE, span, confidence)
    return 0, None


def _named(run: Run) -> bool:
    return bool(
        _PHONE_WORDS.search(before(run.text, run.span.start))
        or _PHONE_AFTER.match(after(run.text, run.span.end))
    )


def _phone(run: Run, last: int, named: bool) -> float:
    """How sure we are that these first groups are a phone number; 0: they are not."""
    digits = run.digits(0, last)
    span = Span(run.span.start, run.groups[last - 1].end)
    if not FEWEST_PHONE_DIGITS <= len(digits) <= _MOST_PHONE_DIGITS:
        return 0.0
    written = run.text[span.start : span.end]
    if _EXTENSION.match(run.text, span.end):
        named = True
    elif not stands_alone(run.text, span) or _UNIT.match(after(run.text, span.end)):
        return 0.0
    if _DATE.fullmatch(written) or _YEARS.fullmatch(written) or len(set(digits)) == 1:
        return 0.0
    return _by_shape(run, last, digits, named)


def _by_shape(run: Run, last: int, digits: str, named: bool) -> float:
    opening = run.text[run.span.start]
    lengths = tuple(end - start for start, end in run.groups[:last])
    between = run.between(0, last)
    if opening == "+":
        return 0.95 if len(digits) >= 8 else 0.0
    if opening == "(":
        area = 2 <= lengths[0] <= 4 and bool(between) and ")" in between[0]
        return 0.85 if area and len(digits) >= 8 else 0.0
    if any(")" in each or "(" in each for each in between) and not named:
        return 0.0
    if "." in between and (len(set(between)) > 1 or len(between) < 2):  # decimals
        return 0.0
    if lengths[-3:] == (3, 3, 4) and sum(lengths[:-3]) <= 3:
        return 0.9 if digits[-10] in "23456789" or named else 0.7
    grouped = 2 <= last and all(2 <= length <= 8 for length in lengths[1:])
    if (
        digits[0] == "0"
        and digits[:3] != "000"
        and grouped
        and 9 <= len(digits) <= 14
        and lengths[0] > 1
    ):
        return 0.85
    # What is left looks like any number: it must be called a phone number.
    plausible = all(length >= 2 for length in lengths[1:]) and len(digits) <= 13
    return 0.75 if named and plausible else 0.0
