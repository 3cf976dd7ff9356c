"""Addresses, postal codes and well-known places, by modest rules: a report, not a promise."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

_WORD = r"[^\W\d_][\w.'-]{0,30}"
_CAPITAL = r"[^\W\d_a-zà-ÿ][\w.'-]{0,30}"
_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Square|Sq|Place|Pl|"
    r"Terrace|Way|Parkway|Pkwy|Highway|Hwy|Crescent|Close|Row|Alley|Plaza)\b\.?"
)
_UNIT = r"(?:,? (?:Apt|Suite|Ste|Unit|Floor|Fl|Room)\b\.? ?#?\w{1,6})?"
_NUMBERED = re.compile(
    rf"(?<![\w.,$])[0-9]{{1,5}}[A-Za-z]?,? (?:{_CAPITAL} ){{1,4}}{_STREET}{_UNIT}"
)
_EUROPEAN = re.compile(
    rf"\b(?:(?:Rua|Rue|Via|Viale|Calle|Avenida|Avenue|Piazza|Plaza|Place|Ulica|ul\.|Carrer|Strada)"
    rf"(?: {_WORD}){{1,4}},? [0-9]{{1,4}}\b"
    rf"|[^\W\d_]{{2,30}}(?:straße|strasse|str\.|gasse|weg|platz|allee|gatan|vägen|gade|vej|veien|gata|"
    rf"straat|laan|katu|tie|utca|u\.|tér) [0-9]{{1,4}}[a-zA-Z]?\b)"
)
_BOX = re.compile(r"\b(?:P\.? ?O\.? Box|PSC|Unit) [0-9]{1,6}(?:,? Box [0-9]{1,6})?", re.IGNORECASE)
_APARTMENT = re.compile(r"\b(?:Apt\.|Suite) [0-9]{1,5}\b")
_ZIP = re.compile(
    r"\b(?:zip(?: ?code)?|postal code|post ?code|plz)\b[^\w\n]{0,3}(?:is |was )?[^\w\n]{0,2}"
    r"([A-Z0-9][A-Z0-9 -]{1,8}[A-Z0-9])\b",
    re.IGNORECASE,
)
_STATE_ZIP = re.compile(r"\b[A-Z]{2} ([0-9]{5}(?:-[0-9]{4})?)\b")
_BRITISH = re.compile(r"\b[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][ABD-HJLNP-UW-Z]{2}\b")
_CANADIAN = re.compile(r"\b[ABCEGHJ-NPRSTVXY][0-9][A-Z] ?[0-9][A-Z][0-9]\b")
_NAMES = re.compile(rf"{_CAPITAL}(?: (?:of |and )?{_CAPITAL}){{0,3}}")
_NAME_WORD = re.compile(r"[\w.'-]+")
_LONGEST_NAME = 4


def addresses(text: str) -> Iterator[Finding]:
    """Street addresses and postal codes in the usual ways of writing."""
    for pattern, sure in ((_NUMBERED, 0.8), (_EUROPEAN, 0.6), (_BOX, 0.7), (_APARTMENT, 0.5)):
        for found in pattern.finditer(text):
            yield Finding(Sensitive.ADDRESS, Span(*found.span()), sure)
    for pattern in (_ZIP, _STATE_ZIP):
        for found in pattern.finditer(text):
            if any(map(str.isdigit, found[1])):
                yield Finding(Sensitive.ZIP, Span(*found.span(1)), 0.7)
    for pattern in (_BRITISH, _CANADIAN):
        for found in pattern.finditer(text):
            yield Finding(Sensitive.ZIP, Span(*found.span()), 0.7)


def places(text: str) -> Iterator[Finding]:
    """Countries and large cities of a short list."""
    known = place_names()
    for found in _NAMES.finditer(text):
        words = [each.span() for each in _NAME_WORD.finditer(text, *found.span())]
        first = 0
        while first < len(words):
            last = _longest(text, words, first, known)
            if last:
                span = Span(words[first][0], words[last - 1][1])
                yield Finding(Sensitive.PLACE, span, 0.7)
            first = last or first + 1


def _longest(
    text: str, words: list[tuple[int, int]], first: int, known: frozenset[str]
) -> int | None:
    for last in range(min(first + _LONGEST_NAME, len(words)), first, -1):
        name = text[words[first][0] : words[last - 1][1]].removesuffix("'s").rstrip(".")
        if name.lower() in known:
            return last
    return None


@cache
def place_names() -> frozenset[str]:
    """The list that comes with the package, in small letters."""
    return frozenset(name.lower() for name in lexicon()["places"])


@cache
def lexicon() -> dict[str, list[str]]:
    """Short lists of names that we wrote."""
    text = (files("sharpwave") / "data" / "names.toml").read_text("utf-8")
    return {
        name: words.split() for name, words in tomllib.loads(text).items() if name != "places"
    } | {"places": [place.strip() for place in tomllib.loads(text)["places"].split(",")]}
