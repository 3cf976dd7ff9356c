"""Other names that a clause gives: "Ana, also called Nini"."""

import re
from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import DAYS, MINE, MONTHS, words
from sharpwave.reading.grammar.objects import name_of, relation_at
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import CLEAR, FactMatch
from sharpwave.types.statements import Mode

_SIGNS = words("also better formerly previously nicknamed aka a.k.a same goes")
"""A clause without any of these gives no other name."""
_MARKS = re.compile(
    r"(?:also|formerly|previously) called|(?:also|better|formerly|previously) known as"
    r"|nicknamed|a\.k\.a(?: \.)?|aka|goes by"
)
"""Between two names of one person or thing."""
_IS = words("is are was were am 's ,")
_SAME = words("person people place city company thing man woman dog cat one")
_NO_ALIASES = DAYS | MONTHS | words("i back tomorrow tonight today god")
_LONGEST = 3


def aliases(phrase: Phrase) -> Iterator[FactMatch]:
    """Every other name that a clause gives."""
    if _SIGNS.isdisjoint(phrase.low):
        return
    yield from _marked(phrase)
    yield from _same(phrase)


def _marked(phrase: Phrase) -> Iterator[FactMatch]:
    for place, word in enumerate(phrase.low):
        if word not in _SIGNS:
            continue
        mark = _MARKS.match(" ".join(phrase.low[place : place + 3]))
        if mark is None:
            continue
        negated = phrase.word(place - 1) == "not"
        before = place - negated
        while phrase.word(before - 1) in _IS:
            before -= 1
        one, other = _before(phrase, before), _name(phrase, place + len(mark[0].split()))
        if one is not None and other and one != other:
            yield FactMatch("called", other, CLEAR, _mode(negated), subject=one)


def _same(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "Ana and Nini are the same person", "Ana is not the same person as Nini"."""
    at = phrase.find("the", "same")
    if at < 2 or phrase.word(at + 2) not in _SAME:
        return
    negated = phrase.word(at - 1) == "not"
    verb = at - 1 - negated
    if phrase.word(verb) == "are" and "and" in phrase.low[:verb]:
        middle = phrase.low.index("and")
        one, other = _before(phrase, middle), _name(phrase, middle + 1)
    elif phrase.word(verb) == "is" and phrase.word(at + 3) == "as":
        one, other = _before(phrase, verb), _name(phrase, at + 4)
    else:
        return
    if one and other and one != other:
        yield FactMatch("called", other, CLEAR, _mode(negated), subject=one)


def _before(phrase: Phrase, end: int) -> str | None:
    """The name that ends there; of "my sister Ana" the name, of "my sister" the role, of "I" ""."""
    if phrase.word(end - 1) == "i" and phrase.word(end) == "am":
        return ""
    begin = end
    while begin > 0 and end - begin < _LONGEST and _is_named(phrase, begin - 1):
        begin -= 1
    if begin < end:
        return phrase.cut(begin, end).with_times()
    for place in range(max(0, end - 3), end):
        related = relation_at(phrase, place) if phrase.word(place) in MINE else None
        if related is not None and related.name is None and related.end == end:
            return f"'s {related.relation.replace('_', ' ')}"
    return None


def _name(phrase: Phrase, place: int) -> str:
    name = name_of(phrase.cut(place), _LONGEST)
    return "" if phrase.word(place) in _NO_ALIASES else name


def _is_named(phrase: Phrase, place: int) -> bool:
    word = phrase.word(place)
    return phrase.capital(place) and word[:1].isalpha() and word not in _NO_ALIASES | MINE


def _mode(negated: bool) -> Mode:
    return Mode.DENIED if negated else Mode.HOLDS
