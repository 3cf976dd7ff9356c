"""Names in a text, and what sort of thing each stands for."""

from collections.abc import Iterator, Mapping, Sequence

from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    DAYS,
    FAITHS,
    MONTHS,
    NATIONALITIES,
    PRONOUNS,
    STOP,
    words,
)
from sharpwave.reading.grammar.tokens import MASKED, Token
from sharpwave.types.statements import EntityKind, Mention, Span

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
