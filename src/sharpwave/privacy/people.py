"""Names of people and statements about health, by modest rules: a report, not a promise."""

import re
from collections.abc import Iterator
from functools import cache

from sharpwave.privacy.places import lexicon, place_names
from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

_CAPITAL = r"[^\W\d_a-zß-ÿ][\w'-]{1,30}"
_NAME = rf"{_CAPITAL}(?: (?:[A-Z]\.? |van |von |de |der |da |dos |del |bin |al-)?{_CAPITAL}){{0,3}}"
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Madam|Herr|Frau|Señor|Señora|Mme|ms|mr|mrs|dr)\.? "
    rf"({_NAME})"
)
_INTRODUCED = re.compile(
    r"(?:\b[Nn]ame is |\b[Nn]ame: |\b[Nn]amed (?:him |her |them )?|\b[Cc]all(?:s|ed)? me |"
    r"\b[Nn]ame\? (?:User: )?|\bmy (?:wife|husband|son|daughter|friend|boss|brother|sister|"
    rf"partner|mother|father|uncle|aunt|cousin|neighbou?r|colleague),? )({_NAME})"
)
_CAPITALS = re.compile(_NAME)
_FIRST_WORD = re.compile(r"[\w'-]+")
_HEALTH = re.compile(
    r"\b(?:diagnosed with|suffer(?:s|ing)? from|allergic to|being treated for|on medication for|"
    r"prescribed(?: me)?|tested positive for|recovering from)\s+((?:a |an |the )?[\w-]{3,30}"
    r"(?: (?!and|but|so|because|in|at|last|since|when|for)[\w-]{1,30}){0,2})",
    re.IGNORECASE,
)


def people(text: str) -> Iterator[Finding]:
    """After a title or an introduction, or beginning with a well-known given name."""
    for pattern, sure in ((_TITLED, 0.85), (_INTRODUCED, 0.75)):
        for found in pattern.finditer(text):
            span = _without_possessive(text, found.start(1), found.end(1))
            if text[span.start : span.end].lower() not in place_names():
                yield Finding(Sensitive.PERSON, span, sure)
    known = given_names()
    for found in _CAPITALS.finditer(text):
        words = list(_FIRST_WORD.finditer(text, *found.span()))
        for word in words:
            if word[0].removesuffix("'s") in known:
                span = _without_possessive(text, word.start(), found.end())
                yield Finding(Sensitive.PERSON, span, 0.6)
                break


def health(text: str) -> Iterator[Finding]:
    """What somebody suffers from or takes, as far as it is said outright."""
    for found in _HEALTH.finditer(text):
        yield Finding(Sensitive.HEALTH, Span(*found.span(1)), 0.6)


def _without_possessive(text: str, start: int, end: int) -> Span:
    return Span(start, end - 2 if text[start:end].endswith("'s") else end)


@cache
def given_names() -> frozenset[str]:
    """The list that comes with the package."""
    return frozenset(lexicon()["given"])
