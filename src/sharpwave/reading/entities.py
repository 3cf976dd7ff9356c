"""Names in a text, the kind of thing each stands for, and aliases ("Ana, also called Nini")."""

from collections.abc import Iterator, Mapping, Sequence

from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    DAYS,
    FAITHS,
    MINE,
    MONTHS,
    NATIONALITIES,
    PRONOUNS,
    STOP,
    words,
)
from sharpwave.reading.grammar.objects import name_of, relation_at
from sharpwave.reading.grammar.subjects import People
from sharpwave.reading.grammar.tokens import MASKED, Phrase, Token
from sharpwave.reading.patterns.match import CLEAR, LIKELY, FactMatch
from sharpwave.types.statements import EntityKind, Mention, Mode, Span

_ORGANISATIONS = words(
    """university college school hospital inc ltd llc corp corporation company institute bank church
    foundation association agency club committee museum airlines group academy"""
)
_PLACES = words(
    """park lake river mountain mountains beach island islands street avenue road city county
    national bay canyon falls valley museum square bridge garden gardens forest coast desert"""
)
_EVENTS = words(
    "festival marathon parade conference workshop christmas thanksgiving cup championship"
)
_TO_PLACES = words("in to from near around through visit visited visiting across")
_AT = words("at joined by")
_WORKS = words("work works worked working job consult consults consulted intern interned")
_TO_PEOPLE = words(
    "with and meet met see told tell call called ask hey hi thanks dear cheers mr mrs dr"
)
_NO_NAMES = (
    STOP - {"new"}
    | DAYS
    | MONTHS
    | PRONOUNS
    | ADVERBS
    | NATIONALITIES
    | FAITHS
    | words(
        """hey hi hello thanks thank wow yeah yes yep no nope ok okay sure sorry please oh ah haha
        lol btw sounds looks glad congrats congratulations good great nice can could would will
        should what when where who why how which let keep take care speaking anyway well
        definitely exactly totally absolutely tv pc usa diy pdf faq api i'm mom dad grandma grandpa
        cool awesome amazing love loving im ive happy hope any got been gonna just
        """
    )
)
_JOINING = words("of the de la & van von der du da")


def mentions(
    text: str, tokens: Sequence[Token], known: Mapping[str, EntityKind]
) -> tuple[Mention, ...]:
    """Every name once, where it first stands; `known` are kinds that the rules found out."""
    found: dict[str, Mention] = {}
    for first, last in _runs(tokens):
        name = " ".join(text[tokens[first].start : tokens[last - 1].end].split()).strip('"“”')
        if len(name) < 2 or name in found:
            continue
        kind = known.get(name) or _kind(tokens, first, last)
        if kind is not None:
            found[name] = Mention(name, kind, Span(tokens[first].start, tokens[last - 1].end))
    return tuple(found.values())


def _runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Words with capitals in a row, of which some is not merely the first of a sentence."""
    place, size = 0, len(tokens)
    while place < size:
        token = tokens[place]
        if not token.capital or token.low in _NO_NAMES or token.low == MASKED:
            place += 1
            continue
        end = place + 1
        while end < size and end - place < 6 and _continues(tokens, end):
            end += 1
        opens = place == 0 or tokens[place - 1].low in ".!?\n" or tokens[place - 1].low[0] == "\n"
        if not opens or end - place > 1 or _is_name_at_start(tokens, place):
            yield place, end
        place = end


def _continues(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.capital:
        return token.low not in _NO_NAMES - _JOINING
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    return token.low in _JOINING and after is not None and after.capital


def _is_name_at_start(tokens: Sequence[Token], place: int) -> bool:
    """As in "Anna lives", "Anna, my sister", "Porto is": a verb or a mark follows."""
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    return after in {"is", "was", "has", "lives", "works", "loves", "'s", "and"} or (
        after.endswith("ed") and len(after) > 4
    )


def _kind(tokens: Sequence[Token], first: int, last: int) -> EntityKind | None:
    low = [token.low for token in tokens[first:last]]
    before = tokens[first - 1].low if first else ""
    if before == "the" and first > 1:
        before = tokens[first - 2].low
    if low[0][0] in '"“':
        return EntityKind.THING
    if any(word in _ORGANISATIONS for word in low):
        return EntityKind.ORGANISATION
    if any(word in _EVENTS for word in low):
        return EntityKind.EVENT
    if any(word in _PLACES for word in low) or before in _TO_PLACES:
        return EntityKind.PLACE
    if before in _TO_PEOPLE and last - first <= 2:
        return EntityKind.PERSON
    if (before in _AT or _works_for(tokens, first)) and last - first <= 3:
        return EntityKind.ORGANISATION
    return EntityKind.THING


def _works_for(tokens: Sequence[Token], first: int) -> bool:
    """As in "work for Acme", and not as in "the vet for Pixel"."""
    return (
        first > 1
        and tokens[first - 1].low == "for"
        and any(token.low in _WORKS for token in tokens[max(0, first - 6) : first - 1])
    )


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


def calls(phrase: Phrase, place: int) -> bool:
    """True if "my" at that place begins a person with another name."""
    caller = phrase.word(place - 2)
    return phrase.word(place - 1) in {"call", "calls"} and caller in _CALLERS | {"always", "all"}


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
    while begin > 0 and end - begin < _LONGEST and _may_name(phrase, begin - 1):
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


def _may_name(phrase: Phrase, place: int) -> bool:
    word = phrase.word(place)
    return phrase.capital(place) and word[:1].isalpha() and word not in _NO_ALIASES | MINE


def _mode(negated: bool) -> Mode:
    return Mode.DENIED if negated else Mode.HOLDS
