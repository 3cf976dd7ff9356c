"""Other names that a clause gives: "Ana, also called Nini"."""

from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import DAYS, MINE, MONTHS, words
from sharpwave.reading.grammar.objects import name_of, relation_at
from sharpwave.reading.grammar.subjects import People
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import CLEAR, LIKELY, FactMatch
from sharpwave.types.statements import Mode

_SIGNS = words(
    "also better formerly previously nicknamed aka a.k.a nickname short same call calls goes"
)
"""Words without one of which nothing here is meant."""
_MARKS = (
    ("also", "called"),
    ("also", "known", "as"),
    ("better", "known", "as"),
    ("formerly", "called"),
    ("formerly", "known", "as"),
    ("previously", "called"),
    ("previously", "known", "as"),
    ("nicknamed",),
    ("a.k.a", "."),
    ("a.k.a",),
    ("aka",),
    ("goes", "by"),
)
"""What stands between two names of one."""
_IS = words("is are was were am 's 'm ,")
_SAME = words("person people place city company thing man woman dog cat one")
_CALLERS = words("we they i everyone everybody people friends family parents kids colleagues")
_NO_ALIASES = DAYS | MONTHS | words("i back tomorrow tonight today god")
_LONGEST = 3


def aliases(phrase: Phrase, people: People) -> Iterator[FactMatch]:
    """Every other name that a clause gives."""
    if _SIGNS.isdisjoint(phrase.low):
        return
    yield from _marked(phrase)
    yield from _nickname(phrase)
    yield from _same(phrase)
    yield from _call(phrase, people)


def _marked(phrase: Phrase) -> Iterator[FactMatch]:
    for place, word in enumerate(phrase.low):
        if word not in _SIGNS:
            continue
        mark = next((m for m in _MARKS if phrase.low[place : place + len(m)] == list(m)), None)
        if mark is None:
            continue
        before = place
        negated = phrase.word(before - 1) == "not"
        before -= negated
        while phrase.word(before - 1) in _IS:
            before -= 1
        one, other = _before(phrase, before), _name(phrase, place + len(mark))
        if one is not None and other and one != other:
            yield FactMatch("called", other, CLEAR, _mode(negated), subject=one)


def _nickname(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "Ana's nickname is Nini", "Nini is short for Ana", "Nini is a nickname for Ana"."""
    at = phrase.find("'s", "nickname", "is")
    if at > 0 and (name := _name(phrase, at + 3)) and (one := _before(phrase, at)):
        yield FactMatch("called", name, CLEAR, subject=one)
    for sign in (("short", "for"), ("nickname", "for"), ("nickname", "of")):
        at = phrase.find(*sign)
        verb = phrase.low[:at].index("is") if at > 0 and "is" in phrase.low[:at] else -1
        if verb > 0 and (one := _before(phrase, verb)) and (name := _name(phrase, at + 2)):
            yield FactMatch("called", one, CLEAR, subject=name)


def _same(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "Ana and Nini are the same person", "Ana is not the same person as Nini"."""
    at = phrase.find("the", "same")
    if at < 2 or phrase.word(at + 2) not in _SAME:
        return
    negated = phrase.word(at - 1) in {"not", "n't"}
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


def _call(phrase: Phrase, people: People) -> Iterator[FactMatch]:
    """As in "everyone calls my sister Nini", "we call her Nini"."""
    for place, word in enumerate(phrase.low[:6]):
        if word not in {"call", "calls"} or phrase.word(place - 1) not in _CALLERS:
            continue
        who, at = None, place + 1
        if phrase.word(at) in MINE and (related := relation_at(phrase, at)):
            if related.name and related.end == len(phrase):
                who = f"'s {related.relation.replace('_', ' ')}"
                yield FactMatch("called", related.name, LIKELY, subject=who)
            return
        who = {"her": people.she, "him": people.he}.get(phrase.word(at))
        if who and (name := _name(phrase, at + 1)):
            yield FactMatch("called", name, LIKELY, subject=who)
        return


def _before(phrase: Phrase, end: int) -> str | None:
    """The name that ends there; of "my sister Ana" the name, of "my sister" the role, of "I" ""."""
    if phrase.word(end - 1) == "i" and phrase.word(end) in {"am", "'m"}:
        return ""
    begin = end
    while begin > 0 and end - begin < _LONGEST and _is_named(phrase, begin - 1):
        begin -= 1
    if begin < end:
        return str(phrase.cut(begin, end))
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
