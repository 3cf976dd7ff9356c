"""Find names in a text, and the kind of entity that each stands for."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    FAITHS,
    NATIONALITIES,
    NUMBERS,
    PRONOUNS,
    STOP,
    is_common,
    is_participle,
    well_known_names,
    word_list,
    words,
)
from sharpwave.reading.grammar.subjects import may_be_verb
from sharpwave.reading.grammar.tokens import MASKED, Token
from sharpwave.reading.introductions import is_name
from sharpwave.temporal.words import MONTHS, WEEKDAYS
from sharpwave.types.statements import EntityKind, Mention, Span

_ORGANISATIONS = word_list("organisations")
_PLACES = word_list("places")
_EVENTS = words("festival marathon parade conference workshop cup championship")
_PLACE_PREPOSITIONS = words("in near around through across outside past towards toward via beyond")
_DIRECTION_PREPOSITIONS = words("to from for at of")
_TRAVEL_WORDS = word_list("going")
_SENDING = words("message letter note mail email text call heard hear got over gift word news")
_WORK_WORDS = word_list("working")
_BEFORE_PEOPLE = words(
    "with meet met told tell tells ask asked hey hi thanks dear cheers thank says said invite"
)
_SHORT_TITLES = words("mr mrs ms dr prof st")
_TITLES = _SHORT_TITLES | words(
    "signor señor uncle aunt auntie grandma grandpa mama papa nurse coach judge reverend"
)
_NO_SUBJECTS = words("is was are were has had have does did will would can could be 's and or")
_TIMES = (WEEKDAYS | MONTHS).keys() | words(
    "easter christmas halloween thanksgiving ramadan valentine lent advent pentecost am pm"
)
_NO_NAMES = (
    STOP - {"new"}
    | _TIMES
    | PRONOUNS
    | ADVERBS
    | NATIONALITIES
    | FAITHS
    | words(
        """hey hi hello thanks thank wow yeah yes yep no nope ok okay sure sorry please oh ah haha
        lol btw congrats what when where who why how which tv pc usa diy pdf faq api i'm mom mum dad
        grandma grandpa mama papa mummy daddy granddad god lord im ive mr mrs ms dr st"""
    )
)
_JOINING = words("of the de la & van von der du da")
_MAX_NAME_WORDS = 3
_LISTING = frozenset({",", "and", "&", "or"})
_MAX_CAPITALS = 4
"""Maximum letters of a name in capitals; a longer word in capitals is stressed."""


def mentions(
    text: str, tokens: Sequence[Token], known: Mapping[str, EntityKind]
) -> tuple[Mention, ...]:
    """Return every name once, at its first position; `known` are kinds that the rules found."""
    found: dict[str, Mention] = {}
    last_end, last_kind = -2, EntityKind.THING
    for first, end in _name_spans(text, tokens):
        first -= _titled(tokens, first)
        name = " ".join(text[tokens[first].start : tokens[end - 1].end].split()).strip('"“”')
        kind = known.get(name) or _kind(tokens, first, end)
        if kind is EntityKind.PERSON and name.isupper() and name not in known:
            kind = EntityKind.THING
        if kind is EntityKind.THING and is_common(name.lower()):
            continue  # "the Ball", "on Day two"
        if kind is EntityKind.THING and first - last_end == 1 and tokens[last_end].low in _LISTING:
            kind = last_kind  # names in one list are of one kind
        last_end, last_kind = end, kind
        known_mention = found.get(name)
        if known_mention is None or known_mention.kind is EntityKind.THING:
            span = (
                known_mention.span
                if known_mention
                else Span(tokens[first].start, tokens[end - 1].end)
            )
            found[name] = Mention(name, kind, span)
    return tuple(found.values())


def small_words(text: str) -> list[str]:
    """Words that may be names in a text written in lower case; each once."""
    if not text[:1].islower() or len(text) > _MAX_CHARS:
        return []
    return [word for word in dict.fromkeys(_LOWER_CASE_WORD.findall(text)) if not is_common(word)][
        :_MAX_WORDS
    ]


_LOWER_CASE_WORD = re.compile(r"(?<![\w'/.@-])[a-z]{3,20}(?![\w/@])")
_MAX_CHARS, _MAX_WORDS = 1_000, 16


def _name_spans(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the first token and the end of each name: capitalised words in a row."""
    position, size = 0, len(tokens)
    is_foreign = _is_foreign(tokens)
    while position < size:
        if not _begins(text, tokens, position, is_foreign):
            position += 1
            continue
        end = position + 1
        while end < size and end - position < 6 and _continues(text, tokens, end):
            end += 1
        yield position, end
        position = end


def _begins(text: str, tokens: Sequence[Token], position: int, is_foreign: bool) -> bool:
    token = tokens[position]
    if not token.capital or token.low == MASKED or not _may_name(text, token):
        return False
    if is_foreign:  # where nouns may have capitals, only what is known
        return token.low in well_known_names("given") or token.low in well_known_names("places")
    if _opens_sentence(tokens, position) and not (
        token.low in _TITLES and _is_capital(tokens, position + 1)
    ):
        return not is_common(token.low) and _is_name_at_start(tokens, position)
    return True


def _is_capital(tokens: Sequence[Token], position: int) -> bool:
    return position < len(tokens) and tokens[position].capital


def _may_name(text: str, token: Token) -> bool:
    """False for a weekday, a number, a stressed word or a quoted word that is no title."""
    low = token.low
    if low[0] in "\"'\u201c\u2018":
        inner = low.strip("\"'\u201c\u201d\u2018\u2019")
        title = text[token.start + 1 : token.end - 1]
        return " " in inner and is_name(title) and title[:1].isupper() and title[-1].isalnum()
    if "-" in low and all(map(is_common, low.split("-"))):
        return False
    if low in _NO_NAMES or low.removesuffix("s") in _TIMES or len(low) < 2:
        return False
    if any(letter.isdigit() for letter in low):
        return False
    all_capitals = text[token.start : token.end].isupper()
    return not all_capitals or not (is_common(low) or len(low) > _MAX_CAPITALS)


def _is_foreign(tokens: Sequence[Token]) -> bool:
    """True if less than 70 % of the lower-case words of a text are English."""
    lower_case = [token.low for token in tokens if token.low.isalpha() and not token.capital]
    return len(lower_case) > 5 and sum(map(is_common, lower_case)) < _ENGLISH_SHARE * len(
        lower_case
    )


_ENGLISH_SHARE = 0.7


def _opens_sentence(tokens: Sequence[Token], position: int) -> bool:
    before = tokens[position - 1].low if position else "\n"
    return (
        before[0] in '.!?\n:"\u201c(\u2026*-\u2013\u2014|>#'
        or before == MASKED
        or before[0] > "\u2600"
    )


def _continues(text: str, tokens: Sequence[Token], position: int) -> bool:
    token = tokens[position]
    if token.capital:
        return _may_name(text, token) and token.low[0].isalpha()
    return token.low in _JOINING and _is_capital(tokens, position + 1)


def _is_name_at_start(tokens: Sequence[Token], position: int) -> bool:
    """Match "Anna lives", "Anna, my sister", "Porto.": a verb, a mark or another name follows."""
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    if after is None or after.low in {".", "!", "?"}:
        return tokens[position].low in well_known_names("given") | well_known_names("places")
    if after.capital or not after.low[0].isalpha():
        return True
    return may_be_verb(after.low) or after.low in {"and", "or", "now"}


def _kind(tokens: Sequence[Token], first: int, last: int) -> EntityKind:
    low = [token.low for token in tokens[first:last]]
    if low[0][0] in "\"'\u201c":
        return EntityKind.THING
    if low[0] in _TITLES:
        return EntityKind.PLACE if low[0] == "st" else EntityKind.PERSON
    for kind, nouns in _BY_NOUN:
        if any(word in nouns for word in low[1:]):
            return kind
    given = low[0] in well_known_names("given") and last - first <= _MAX_NAME_WORDS
    in_place = _is_in_place(tokens, first)
    if " ".join(low) in well_known_names("places") and (in_place or not given):
        return EntityKind.PLACE
    if given or in_place:
        return EntityKind.PERSON if given else EntityKind.PLACE
    return _by_words_around(tokens, first, last)


def _by_words_around(tokens: Sequence[Token], first: int, last: int) -> EntityKind:
    before = tokens[first - 1].low if first else ""
    if last - first > _MAX_NAME_WORDS or before == "the":
        return EntityKind.THING
    if before == "joined" or _works_for(tokens, first):
        return EntityKind.ORGANISATION
    if before == "at":
        return EntityKind.PLACE
    person = (
        before in _BEFORE_PEOPLE
        or _has_verb_after(tokens, last)
        or _is_he_or_she(tokens, first, last)
    )
    return EntityKind.PERSON if person else EntityKind.THING


def _is_in_place(tokens: Sequence[Token], first: int) -> bool:
    """Match "we moved to Porto", and not "a note to Dolores"."""
    before = [token.low for token in tokens[max(0, first - 6) : first]]
    if before[-1:] == ["the"]:
        before.pop()
    last = before.pop() if before else ""
    return (
        last in _PLACE_PREPOSITIONS
        or (last == "from" and _SENDING.isdisjoint(before))
        or (last in _DIRECTION_PREPOSITIONS and not _TRAVEL_WORDS.isdisjoint(before))
    )


_BY_NOUN = (
    (EntityKind.ORGANISATION, _ORGANISATIONS),
    (EntityKind.EVENT, _EVENTS),
    (EntityKind.PLACE, _PLACES),
)


def _titled(tokens: Sequence[Token], first: int) -> int:
    """Number of tokens before a name that are its title: "Dr." has two."""
    size = 2 if first > 1 and tokens[first - 1].low == "." else 1
    titles = _SHORT_TITLES if size == 2 else _TITLES
    return size if first >= size and tokens[first - size].low in titles else 0


def _has_verb_after(tokens: Sequence[Token], last: int) -> bool:
    """Whether a verb follows: "(Naomi) ran", "(Dolores) retires"."""
    after, second = ([token.low for token in tokens[last : last + 2]] + ["", ""])[:2]
    if after in {"has", "had"}:
        return is_participle(second)
    return after not in _NO_SUBJECTS and after.isalpha() and may_be_verb(after)


def _is_he_or_she(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether an age follows, or "he" or "she" after a subject, before another name does."""
    after, second = ([token.low for token in tokens[last : last + 2]] + ["", ""])[:2]
    if second in {"he", "she"} and not after.isalpha():
        return True
    if after == "," and (second in NUMBERS or second.isdigit() or second in {"born", "aged"}):
        return True
    subject = _opens_sentence(tokens, first) or tokens[first - 1].low in _BEFORE_SUBJECTS
    for token in tokens[last : last + _NEAR] if subject else ():
        if token.low in {"he", "she"}:
            return True
        if token.capital and not is_common(token.low) and token.low not in _NO_NAMES:
            return False
    return False


_BEFORE_SUBJECTS = words(", and but that because when so while if or named called")
_NEAR = 12


def _works_for(tokens: Sequence[Token], first: int) -> bool:
    """Match "work for Acme", and not "the vet for Pixel"."""
    return (
        first > 1
        and tokens[first - 1].low in {"for", "at"}
        and any(token.low in _WORK_WORDS for token in tokens[max(0, first - 6) : first - 1])
    )
