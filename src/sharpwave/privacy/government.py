"""Numbers that governments give to people: social security, personal, passport, licence."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sharpwave.privacy import checksums
from sharpwave.privacy.numbers import Run, after, before, stands_alone
from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

_SSN_WORDS = re.compile(r"\b(?:ssn|social security|social|itin|tin|taxpayer)\b")
_NEVER_ISSUED = {"078051120", "219099999", "123456789"}
"""Numbers of advertisements, which thousands wrote down as their own, and the usual example."""


class _Rule(NamedTuple):
    """A personal number of a country: how many digits, its words, its check."""

    length: int
    check: Callable[[str], bool]
    words: re.Pattern[str] | None
    """Needed nearby; None where the check and the way of writing are enough."""
    grouping: tuple[int, ...] = ()


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{text})\b")


_NATIONAL = (
    _Rule(11, checksums.cpf, None, (3, 3, 3, 2)),
    _Rule(11, checksums.cpf, _words("cpf")),
    _Rule(12, checksums.verhoeff, _words("aadhaar|aadhar|uidai")),
    _Rule(9, checksums.luhn, _words("sin|social insurance")),
    _Rule(11, checksums.pesel, _words("pesel")),
    _Rule(9, checksums.dutch, _words("bsn|burgerservicenummer|sofi")),
    _Rule(11, checksums.german_tax, _words("steuer[a-z-]*|tax id|tax number|idnr")),
    _Rule(15, checksums.french, None),
)
_NIR = re.compile(r"[1278][0-9]{2}(?:0[1-9]|1[0-2]|[2-9][0-9])[0-9]{10}")

_NINO = re.compile(
    r"(?<![A-Za-z0-9])(?![DFIQUV])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-Z][A-CEGHJ-NPR-TW-Z]"
    r"(?: ?[0-9]{2}){3} ?[A-D](?![A-Za-z0-9])"
)
_SPANISH = re.compile(r"(?<![A-Za-z0-9])(?:[0-9]{8}|[XYZ][0-9]{7})-?[A-Z](?![A-Za-z0-9])")
_PASSPORT = re.compile(
    r"\bpassport(?: (?:number|num|no\.?|nr\.?|#))?\s{0,2}(?:is|was|:|=|#)?\s{0,2}"
    r"([A-Z]{0,2}[0-9]{6,9})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_LICENCE = re.compile(
    r"\b(?:driver'?s?|driving)[ -]?(?:licen[cs]e|permit)(?: (?:number|num|no\.?|nr\.?|#|id))?"
    r"(?:\s{0,2}(?:is|was|:|=|#|-))?\s{0,2}((?=[A-Z0-9-]{0,8}[0-9])[A-Z0-9-]{6,18})(?![A-Za-z0-9])",
    re.IGNORECASE,
)


def personal_numbers(run: Run) -> Iterator[Finding]:
    """Social security and other personal numbers in a run of digits."""
    found = list(_ssns(run))
    yield from found
    if found:
        return
    digits = run.digits()
    if len(digits) not in {9, 11, 12, 15} or not stands_alone(run.text, run.span):
        return
    lengths = tuple(end - start for start, end in run.groups)
    around = before(run.text, run.span.start) + " | " + after(run.text, run.span.end)
    for rule in _NATIONAL:
        fits = len(digits) == rule.length and rule.grouping in ((), lengths)
        if fits and rule.check(digits) and _said(rule, around, digits):
            span = Span(run.groups[0].start, run.groups[-1].end)
            yield Finding(Sensitive.NATIONAL_ID, span, 0.9)
            return


def _said(rule: _Rule, around: str, digits: str) -> bool:
    if rule.words is not None:
        return bool(rule.words.search(around))
    return rule.length != 15 or bool(_NIR.fullmatch(digits))


def _ssns(run: Run) -> Iterator[Finding]:
    """Nine digits as 3-2-4, or with the words for it; areas that were never used are not."""
    lengths = [end - start for start, end in run.groups]
    for first in range(len(lengths) - 2):
        if lengths[first : first + 3] == [3, 2, 4] and (found := _written_ssn(run, first)):
            yield found
    if lengths == [9] and _is_ssn(run.digits()):
        if _SSN_WORDS.search(before(run.text, run.span.start)):
            yield Finding(Sensitive.SSN, run.groups[0], 0.9)


def _written_ssn(run: Run, first: int) -> Finding | None:
    span = Span(run.groups[first].start, run.groups[first + 2].end)
    between = set(run.between(first, first + 3))
    if between not in ({"-"}, {" "}, {"\u2011"}, {"."}) or not stands_alone(run.text, span):
        return None
    named = bool(_SSN_WORDS.search(before(run.text, span.start)))
    if not _is_ssn(run.digits(first, first + 3)) or (between == {"."} and not named):
        return None
    return Finding(Sensitive.SSN, span, 0.95 if named else 0.8)


def _is_ssn(digits: str) -> bool:
    area, group, serial = digits[:3], int(digits[3:5]), digits[5:]
    if group == 0 or serial == "0000" or area in {"000", "666"} or digits in _NEVER_ISSUED:
        return False
    return area < "900" or 50 <= group <= 99  # above 900 are taxpayer numbers


def other_ids(text: str, small: str) -> Iterator[Finding]:
    """Those with letters, and those that only their words give away."""
    for found in _NINO.finditer(text):
        yield Finding(Sensitive.NATIONAL_ID, Span(*found.span()), 0.8)
    for found in _SPANISH.finditer(text):
        if checksums.spanish(found[0].replace("-", "")):
            yield Finding(Sensitive.NATIONAL_ID, Span(*found.span()), 0.9)
    if "passport" in small:
        for found in _PASSPORT.finditer(text):
            yield Finding(Sensitive.PASSPORT, Span(*found.span(1)), 0.8)
    if "driv" in small:
        for found in _LICENCE.finditer(text):
            yield Finding(Sensitive.LICENCE, Span(*found.span(1)), 0.8)
