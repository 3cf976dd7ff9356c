"""Aliases that a clause states: "Ana, also called Nini"."""

import re
from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import DAYS, MINE, MONTHS, words
from sharpwave.reading.grammar.objects import name_of, relation_at
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import CLEAR, FactMatch
from sharpwave.types.statements import Mode

_SIGN_WORDS = words("also better formerly previously nicknamed aka a.k.a same goes")
"""A clause without any of these states no alias."""
_ALIAS_MARK = re.compile(
    r"(?:also|formerly|previously) called|(?:also|better|formerly|previously) known as"
    r"|nicknamed|a\.k\.a(?: \.)?|aka|goes by"
)
"""Words between two names of the same person or thing."""
_BE_FORMS = words("is are was were am 's ,")
_AFTER_SAME = words("person people place city company thing man woman dog cat one")
_NO_ALIASES = DAYS | MONTHS | words("i back tomorrow tonight today god")
_MAX_NAME_WORDS = 3


def aliases(phrase: Phrase) -> Iterator[FactMatch]:
    """Yield every alias that a clause states."""
    if _SIGN_WORDS.isdisjoint(phrase.low):
        return
    yield from _marked(phrase)
    yield from _same_person(phrase)


def _marked(phrase: Phrase) -> Iterator[FactMatch]:
    for position, word in enumerate(phrase.low):
        if word not in _SIGN_WORDS:
            continue
        mark = _ALIAS_MARK.match(" ".join(phrase.low[position : position + 3]))
        if mark is None:
            continue
        negated = phrase.word(position - 1) == "not"
        before = position - negated
        while phrase.word(before - 1) in _BE_FORMS:
            before -= 1
        name, alias = (
            _name_before(phrase, before),
            _name_at(phrase, position + len(mark[0].split())),
        )
        if name is not None and alias and name != alias:
            yield FactMatch("called", alias, CLEAR, _mode(negated), subject=name)


def _same_person(phrase: Phrase) -> Iterator[FactMatch]:
    """Match "Ana and Nini are the same person", "Ana is not the same person as Nini"."""
    position = phrase.find("the", "same")
    if position < 2 or phrase.word(position + 2) not in _AFTER_SAME:
        return
    negated = phrase.word(position - 1) == "not"
    verb = position - 1 - negated
    if phrase.word(verb) == "are" and "and" in phrase.low[:verb]:
        middle = phrase.low.index("and")
        name, alias = _name_before(phrase, middle), _name_at(phrase, middle + 1)
    elif phrase.word(verb) == "is" and phrase.word(position + 3) == "as":
        name, alias = _name_before(phrase, verb), _name_at(phrase, position + 4)
    else:
        return
    if name and alias and name != alias:
        yield FactMatch("called", alias, CLEAR, _mode(negated), subject=name)


def _name_before(phrase: Phrase, end: int) -> str | None:
    """The name before `end`; for "my sister Ana" the name, for "my sister" the role, for "I" ""."""
    if phrase.word(end - 1) == "i" and phrase.word(end) == "am":
        return ""
    begin = end
    while begin > 0 and end - begin < _MAX_NAME_WORDS and _is_named(phrase, begin - 1):
        begin -= 1
    if begin < end:
        return phrase.cut(begin, end).with_times()
    for position in range(max(0, end - 3), end):
        relative = relation_at(phrase, position) if phrase.word(position) in MINE else None
        if relative is not None and relative.name is None and relative.end == end:
            return f"'s {relative.relation.replace('_', ' ')}"
    return None


def _name_at(phrase: Phrase, position: int) -> str:
    name = name_of(phrase.cut(position), _MAX_NAME_WORDS)
    return "" if phrase.word(position) in _NO_ALIASES else name


def _is_named(phrase: Phrase, position: int) -> bool:
    word = phrase.word(position)
    return phrase.capital(position) and word[:1].isalpha() and word not in _NO_ALIASES | MINE


def _mode(negated: bool) -> Mode:
    return Mode.DENIED if negated else Mode.HOLDS
