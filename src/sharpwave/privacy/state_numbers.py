"""Numbers that states issue to people, by their names in the language of the country.

A number counts if its name stands before it and its check digits are right, by `python-stdnum`.
Passports and a few others have no check digits: there the name and the form are enough.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from sharpwave.privacy.numbers import is_valid
from sharpwave.privacy.passwords import secret_words
from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

_NUMBER = re.compile(
    r"(?<![^\W_])[A-Za-z]{0,4}[0-9](?:[ ./-]{0,2}[A-Za-z0-9]){5,24}|[A-Z]{4,6}[0-9][A-Z0-9]{5,16}"
)
_LETTERS = re.compile(r"[^\W\d_]{2}")
_ENOUGH = re.compile(r"(?:[0-9][ ./A-Za-z-]{0,3}){3}[0-9]")
_AFTER = 60
_FISCAL = re.compile(
    r"(?i)(?<![A-Za-z0-9])[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z](?![A-Za-z0-9])"
)
_DOCUMENT_NUMBER = (
    r"(?:-?(?:nummer|nr\.?|numara\w{0,2}))?[^\n.!?0-9]{0,25}?[:\uff1a#]?\s{0,2}(?P<value>"
    r"(?=[A-Z0-9]{0,9}[0-9])[A-Z0-9]{7,12}|[0-9]{2} ?[0-9]{2} ?[0-9]{6})(?![A-Za-z0-9])"
)
_PENSION = re.compile(
    r"(?i)(?:sozialversicherungs|rentenversicherungs|sv-?)(?:nummer|nr\.?)[^\n0-9]{0,20}"
    r"(?P<value>[0-9]{2} ?[0-9]{6} ?[A-Z] ?[0-9]{3})(?![A-Za-z0-9])"
)


class _Names(NamedTuple):
    """The tables of `data/secret_words.toml`, compiled."""

    document: re.Pattern[str]
    numbers: tuple[tuple[re.Pattern[str], list[str]], ...]
    any_number: re.Pattern[str]


@cache
def _names() -> _Names:
    table = secret_words()
    numbers = table["numbers"]
    documents = "|".join(table["document"]["words"])
    return _Names(
        re.compile(rf"(?:{documents}){_DOCUMENT_NUMBER}", re.IGNORECASE),
        tuple((re.compile(name, re.IGNORECASE), modules) for name, modules in numbers.items()),
        re.compile(rf"(?<![^\W\d_])(?:{'|'.join(numbers)})(?![a-z])", re.IGNORECASE),
    )


def state_numbers(text: str) -> Iterator[Finding]:
    """Personal numbers after their names, with right check digits where there are any."""
    if not (_LETTERS.search(text) and _ENOUGH.search(text)):
        return
    names = _names()
    for found in _FISCAL.finditer(text):
        if is_valid("it.codicefiscale", found[0]):
            yield Finding(Sensitive.NATIONAL_ID, Span(*found.span()))
    for pattern, kind in ((names.document, Sensitive.PASSPORT), (_PENSION, Sensitive.NATIONAL_ID)):
        for found in pattern.finditer(text):
            yield Finding(kind, Span(*found.span("value")))
    for named in names.any_number.finditer(text):
        modules = [m for name, group in names.numbers if name.fullmatch(named[0]) for m in group]
        yield from _checked(text, named.end(), modules)


def _checked(text: str, start: int, modules: list[str]) -> Iterator[Finding]:
    """The first number after a name that one of the modules accepts, at its greatest length."""
    for found in _NUMBER.finditer(text, start, start + _AFTER):
        if "\n" in text[start : found.start()]:
            return
        for end in _ends(found):
            if any(is_valid(module, text[found.start() : end]) for module in modules):
                yield Finding(Sensitive.NATIONAL_ID, Span(found.start(), end))
                return


def _ends(found: re.Match[str]) -> Iterator[int]:
    """Possible ends of a number: after its last part, or before one of the last parts."""
    yield found.end()
    position = found.end()
    while (
        position := max(found[0].rfind(sign, 0, position - found.start()) for sign in " ./-")
    ) > 0:
        position += found.start()
        yield position
