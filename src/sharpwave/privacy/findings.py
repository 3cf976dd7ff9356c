"""Find the sensitive content of a text.

Texts without a digit, an @ or a mark word take microseconds. Otherwise one scan for runs of digits
serves all number rules, and each other rule runs only if its mark is in the text.
"""

import re
from collections.abc import Collection, Iterator

from sharpwave.privacy import credentials, id_numbers, passwords, personal, state_numbers
from sharpwave.privacy.folding import folded
from sharpwave.privacy.numbers import DigitRun, runs
from sharpwave.types.privacy import CLASS_OF, Finding, SensitiveClass

EVERY_CLASS = frozenset(SensitiveClass)
_DIGIT = re.compile("[0-9]")
_HOST_MARK = re.compile(r"\.[A-Za-z]|://")
_WRAPPED = re.compile(r"[0-9]{4}\n[0-9]{4}(?![0-9])")
_FEWEST_DIGITS = 6
"""Minimum digits of a card, account or phone number."""


def candidates(text: str, classes: Collection[SensitiveClass] = EVERY_CLASS) -> list[Finding]:
    """All findings of the given classes; they may overlap."""
    found = [*_structured(text), *_in_words(text, classes)]
    if (plain := folded(text)) is not None:
        seen = _structured(plain.text)
        found += [finding._replace(span=plain.original(finding.span)) for finding in seen]
    return [finding for finding in found if CLASS_OF[finding.kind] in classes]


def _structured(text: str) -> Iterator[Finding]:
    small = text.lower()
    if _DIGIT.search(text):
        yield from _numbers(text, small)
    if "@" in text:
        yield from personal.emails(text)
        if "://" in text:
            yield from credentials.in_urls(text)
    if _HOST_MARK.search(text):
        yield from personal.urls(text, small)
    yield from credentials.passwords(text, small)
    yield from passwords.passwords(text, small)
    yield from passwords.pins(text, small)
    yield from passwords.typed(text, small)
    yield from passwords.recovery(text, small)
    longest = max(map(len, text.split()), default=0)
    yield from credentials.keys(text, longest)
    if longest >= credentials.FEWEST_KEY_CHARS:
        yield from credentials.named_keys(text, small)


def _numbers(text: str, small: str) -> Iterator[Finding]:
    yield from personal.ips(text)
    yield from id_numbers.named_numbers(text, small)
    yield from state_numbers.state_numbers(text)
    if sum(map(text.count, "0123456789")) < _FEWEST_DIGITS:
        return
    for run in runs(text, personal.FEWEST_PHONE_DIGITS):
        yield from _in_run(run)
    if _WRAPPED.search(text):
        for run in runs(text.replace("\n", " "), id_numbers.FEWEST_CARD_DIGITS):
            yield from id_numbers.cards(run)
    yield from id_numbers.ibans(text)
    yield from id_numbers.other_ids(text, small)


def _in_run(run: DigitRun) -> Iterator[Finding]:
    """Cards first, then personal numbers; the remaining groups may be phone numbers."""
    left = [run]
    for rule in (id_numbers.cards, id_numbers.personal_numbers, personal.phones):
        remaining: list[DigitRun] = []
        for piece in left:
            found = list(rule(piece))
            yield from found
            remaining += piece.without([finding.span for finding in found]) if found else [piece]
        left = remaining


def _in_words(text: str, classes: Collection[SensitiveClass]) -> Iterator[Finding]:
    if SensitiveClass.PERSON in classes:
        yield from personal.people(text)
    if SensitiveClass.PLACE in classes:
        if _DIGIT.search(text):
            yield from personal.addresses(text)
        yield from personal.places(text)
    if SensitiveClass.HEALTH in classes:
        yield from personal.health(text)
