"""Cards, IBANs and bank accounts; social security, passport, licence and other personal numbers."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from sharpwave.privacy.numbers import DigitRun, after, before, in_a_word, is_valid, stands_alone
from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

FEWEST_CARD_DIGITS = 12

# Prefixes of issuers and the lengths of their numbers. Prefixes are compared as ranges.
_ISSUERS: tuple[tuple[str, str, frozenset[int]], ...] = (
    ("4", "4", frozenset({13, 16, 19})),  # Visa
    ("51", "55", frozenset({16})),  # Mastercard
    ("2200", "2204", frozenset({16, 17, 18, 19})),  # Mir
    ("2221", "2720", frozenset({16})),  # Mastercard
    ("34", "34", frozenset({15})),  # American Express
    ("37", "37", frozenset({15})),
    ("300", "305", frozenset({14, 16})),  # Diners Club
    ("3095", "3095", frozenset({14, 16})),
    ("36", "36", frozenset({14, 16})),
    ("38", "39", frozenset({14, 16})),
    ("1800", "1800", frozenset({15})),  # JCB
    ("2131", "2131", frozenset({15})),
    ("35", "35", frozenset({16, 17, 18, 19})),
    ("6011", "6011", frozenset({16, 19})),  # Discover
    ("644", "649", frozenset({16, 19})),
    ("65", "65", frozenset({16, 19})),
    ("62", "62", frozenset({16, 17, 18, 19})),  # UnionPay
    ("60", "60", frozenset({16})),  # RuPay
    ("81", "82", frozenset({16})),
)
_MAESTRO = re.compile(r"50(?:18|20|38)|5[678]|6")
_UNUSUAL = frozenset({12, 13})
_GROUPINGS = {
    (4, 4, 4, 4),
    (4, 6, 5),
    (4, 6, 4),
    (4, 4, 4, 4, 3),
    (4, 4, 4, 1),
    (4, 4, 4, 3),
    (4, 5, 6),
}
_SPACES = frozenset({" ", "\u00a0", "\u2009", "\u202f", "-", "\u2010", "\u2011"})
_SIGNS = frozenset({".", "/", "_", "  ", " - "})
_MOST_GROUPS = 5
_FIRST_GROUP = 4
_CARD_WORDS = re.compile(
    r"\b(?:card|credit|debit|visa|mastercard|maestro|amex|american express|diners|discover|jcb|"
    r"(?<!\[)cc|karte|kreditkarte|tarjeta|carte|carta|cartão|kort)(?:\b|s\b|no\b|number)"
)
"""Words beside a card number; the label `[CC]` of another card does not count."""

# Length of an IBAN by country.
_IBAN_LENGTHS = dict(
    pair.split(":")
    for pair in """AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22
    CY:28 CZ:24 DE:22 DK:18 DO:28 EE:20 EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27
    GT:28 HR:21 HU:28 IE:22 IL:23 IQ:23 IS:26 IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20
    LV:21 LY:25 MC:27 MD:24 ME:22 MK:19 MR:27 MT:31 MU:30 NL:18 NO:15 PK:24 PL:28 PS:29 PT:25 QA:29
    RO:24 RS:22 SA:24 SC:31 SE:24 SI:19 SK:24 SM:27 ST:25 SV:28 TL:23 TN:24 TR:26 UA:29 VA:22 VG:24
    XK:20""".split()
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?:[ -]?[A-Za-z0-9]){11,30}")
_CVV = re.compile(
    r"(?i)\b(?:cvv2?|cvc2?|csc|card (?:security|verification) code)\b[^0-9\n\]]{0,24}([0-9]{3,4})"
    r"(?![0-9])"
)
_ACCOUNT = re.compile(
    r"(?i)\b(routing|account|acct|a/c)(?: (?:number|num|no\.?|nr\.?|#))?\s{0,2}(?:is|was|:|=|#)?"
    r"\s{0,2}([0-9](?:[ -]?[0-9]){5,16})(?![0-9])"
)


def cards(run: DigitRun) -> Iterator[Finding]:
    """Card numbers in a run of digits: issuer, length and Luhn agree."""
    first = 0 if any(end - start >= _FIRST_GROUP for start, end in run.groups) else len(run.groups)
    while first < len(run.groups):
        last = _card_from(run, first)
        if last is None:
            first += 1
            continue
        span = Span(run.groups[first].start, run.groups[last - 1].end)
        yield Finding(Sensitive.CARD, span)
        first = last


def _card_from(run: DigitRun, first: int) -> int | None:
    """The end group of the longest card that begins with this group; None without a card."""
    start, end = run.groups[first]
    if end - start != _FIRST_GROUP and end - start < FEWEST_CARD_DIGITS:
        return None
    for last in range(min(first + _MOST_GROUPS, len(run.groups)), first, -1):
        lengths = tuple(end - start for start, end in run.groups[first:last])
        if not FEWEST_CARD_DIGITS <= sum(lengths) <= 19:
            continue
        if len(lengths) > 1 and (
            lengths not in _GROUPINGS or not _same_separator(run, first, last)
        ):
            continue
        span = Span(run.groups[first].start, run.groups[last - 1].end)
        if _is_card(run.digits(first, last), run.text, span):
            return last
    return None


def _same_separator(run: DigitRun, first: int, last: int) -> bool:
    """Whether all groups have the same separator, or only spaces and hyphens."""
    between = set(run.between(first, last))
    return between <= _SPACES or (len(between) == 1 and between <= _SIGNS)


def _is_card(digits: str, text: str, span: Span) -> bool:
    if len(set(digits)) < 2 or not luhn.is_valid(digits) or in_a_word(text, span):
        return False
    usual = any(
        low <= digits[: len(low)] <= high and len(digits) in lengths
        for low, high, lengths in _ISSUERS
    )
    if usual and len(digits) not in _UNUSUAL:
        return True
    named = _CARD_WORDS.search(before(text, span.start)) or _CARD_WORDS.search(
        after(text, span.end)
    )
    return bool(named) and (usual or bool(_MAESTRO.match(digits)))


def ibans(text: str) -> Iterator[Finding]:
    """IBANs: the country's length and the remainder mod 97 agree."""
    for found in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(found[0][:2].upper())
        end = _end_of(text, found.start(), int(length)) if length else None
        if end is None or text[end : end + 1].isalnum():
            continue
        code = re.sub(r"[ -]", "", text[found.start() : end]).upper()
        if mod_97_10.is_valid(code[4:] + code[:4]):
            yield Finding(Sensitive.IBAN, Span(found.start(), end))


def _end_of(text: str, start: int, length: int) -> int | None:
    """Where `length` letters and digits end, passing over single separators."""
    index, count = start, 0
    while count < length and index < len(text):
        if text[index].isascii() and text[index].isalnum():
            count += 1
        elif text[index] not in " -":
            return None
        index += 1
    return index if count == length else None


def named_numbers(text: str, small: str) -> Iterator[Finding]:
    """Numbers after their names: "CVV 123", "routing number 021000021"."""
    if any(map(small.__contains__, ("cv", "csc", " code"))):
        for found in _CVV.finditer(text):
            yield Finding(Sensitive.CVV, Span(*found.span(1)))
    if not any(map(small.__contains__, ("routing", "account", "acct", "a/c"))):
        return
    for found in _ACCOUNT.finditer(text):
        digits = re.sub(r"[ -]", "", found[2])
        is_routing = len(digits) == 9 and is_valid("us.rtn", digits)
        if is_routing if found[1].lower() == "routing" else len(digits) >= 7:
            yield Finding(Sensitive.BANK_ACCOUNT, Span(*found.span(2)))


_SSN_WORDS = re.compile(r"\b(?:ssn|social security|social|itin|tin|taxpayer)\b")
_NEVER_ISSUED = {"078051120", "219099999", "123456789"}
"""Numbers from advertisements that thousands used as their own, and the usual example."""


class _Rule(NamedTuple):
    """A personal number of a country: how many digits, its words, its check."""

    length: int
    check: Callable[[str], bool]
    words: re.Pattern[str] | None
    """Words that must be nearby; None if check and grouping are enough."""
    grouping: tuple[int, ...] = ()


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{text})\b")


def _cpf(digits: str) -> bool:
    """Brazil; numbers of one repeated digit are not issued."""
    return len(set(digits)) > 1 and is_valid("br.cpf", digits)


_NATIONAL = (
    _Rule(11, _cpf, None, (3, 3, 3, 2)),
    _Rule(11, _cpf, _words("cpf")),
    _Rule(9, luhn.is_valid, _words("sin|social insurance")),
    _Rule(15, partial(is_valid, "fr.nir"), None),
)
_MOST_ID_DIGITS = 15
_NIR = re.compile(r"[1278][0-9]{2}(?:0[1-9]|1[0-2]|[2-9][0-9])[0-9]{10}")

_NINO = re.compile(
    r"(?<![A-Za-z0-9])(?![DFIQUV])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-Z][A-CEGHJ-NPR-TW-Z]"
    r"(?: ?[0-9]{2}){3} ?[A-D](?![A-Za-z0-9])"
)
_SPANISH = re.compile(r"(?<![A-Za-z0-9])(?:[0-9]{8}|[XYZ][0-9]{7})-?[A-Z](?![A-Za-z0-9])")
_PASSPORT = re.compile(
    r"(?i)\bpassport(?: (?:number|num|no\.?|nr\.?|#))?\s{0,2}(?:is|was|:|=|#)?\s{0,2}"
    r"([A-Z]{0,2}[0-9]{6,9})(?![A-Za-z0-9])"
)
_LICENCE = re.compile(
    r"(?i)\b(?:driver'?s?|driving)[ -]?(?:licen[cs]e|permit)(?: (?:number|num|no\.?|nr\.?|#|id))?"
    r"(?:\s{0,2}(?:is|was|:|=|#|-))?\s{0,2}((?=[A-Z0-9-]{0,8}[0-9])[A-Z0-9-]{6,18})(?![A-Za-z0-9])"
)


def personal_numbers(run: DigitRun) -> Iterator[Finding]:
    """Social security and other personal numbers in a run of digits."""
    found = list(_ssns(run))
    yield from found
    if found or len(run.groups) > _MOST_ID_DIGITS:
        return
    digits = run.digits()
    if len(digits) not in {9, 11, _MOST_ID_DIGITS} or not stands_alone(run.text, run.span):
        return
    lengths = tuple(end - start for start, end in run.groups)
    around = before(run.text, run.span.start) + " | " + after(run.text, run.span.end)
    for rule in _NATIONAL:
        fits = len(digits) == rule.length and rule.grouping in ((), lengths)
        if fits and rule.check(digits) and _has_context(rule, around, digits):
            span = Span(run.groups[0].start, run.groups[-1].end)
            yield Finding(Sensitive.NATIONAL_ID, span)
            return


def _has_context(rule: _Rule, around: str, digits: str) -> bool:
    if rule.words is not None:
        return bool(rule.words.search(around))
    return rule.length != 15 or bool(_NIR.fullmatch(digits))


def _ssns(run: DigitRun) -> Iterator[Finding]:
    """Nine digits as 3-2-4, or with words that name them; without areas that were never used."""
    lengths = [end - start for start, end in run.groups]
    for first in range(len(lengths) - 2 if 3 in lengths else 0):
        if lengths[first : first + 3] == [3, 2, 4] and (found := _written_ssn(run, first)):
            yield found
    if lengths == [9] and _is_ssn(run.digits()):
        if _SSN_WORDS.search(before(run.text, run.span.start)):
            yield Finding(Sensitive.SSN, run.groups[0])


def _written_ssn(run: DigitRun, first: int) -> Finding | None:
    span = Span(run.groups[first].start, run.groups[first + 2].end)
    between = set(run.between(first, first + 3))
    if between not in ({"-"}, {" "}, {"\u2011"}, {"."}) or not stands_alone(run.text, span):
        return None
    named = between != {"."} or _SSN_WORDS.search(before(run.text, span.start))
    if not _is_ssn(run.digits(first, first + 3)) or not named:
        return None
    return Finding(Sensitive.SSN, span)


def _is_ssn(digits: str) -> bool:
    area, group, serial = digits[:3], int(digits[3:5]), digits[5:]
    if group == 0 or serial == "0000" or area in {"000", "666"} or digits in _NEVER_ISSUED:
        return False
    return area < "900" or 50 <= group <= 99  # above 900 are taxpayer numbers


def other_ids(text: str, small: str) -> Iterator[Finding]:
    """Ids with letters, and ids that are recognised only by their names."""
    for found in _NINO.finditer(text):
        yield Finding(Sensitive.NATIONAL_ID, Span(*found.span()))
    for found in _SPANISH.finditer(text):
        code = found[0].replace("-", "")
        if is_valid("es.nie" if code[0] in "XYZ" else "es.dni", code):
            yield Finding(Sensitive.NATIONAL_ID, Span(*found.span()))
    if "passport" in small:
        for found in _PASSPORT.finditer(text):
            yield Finding(Sensitive.PASSPORT, Span(*found.span(1)))
    if "driv" in small:
        for found in _LICENCE.finditer(text):
            yield Finding(Sensitive.LICENCE, Span(*found.span(1)))
