"""Read "my … is …": name, birthday, favorites, and details that the speaker names freely."""

import re
from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    ANIMALS,
    BE,
    DAYS,
    MINE,
    MONTHS,
    PRONOUNS,
    word_list,
    words,
)
from sharpwave.reading.grammar.objects import (
    ENDS,
    name_end,
    place_name,
    relation_at,
    thing,
    trimmed,
)
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import CLEAR, LIKELY, FactMatch, When
from sharpwave.types.statements import Mode

KNOWN = {
    "name": "name", "first name": "name", "full name": "name", "last name": "detail_last_name",
    "surname": "detail_last_name", "nickname": "called", "birthday": "birthday",
    "date of birth": "birthday", "email": "email", "email address": "email", "phone": "phone",
    "phone number": "phone", "number": "phone", "time zone": "timezone", "timezone": "timezone",
    "pronouns": "pronouns", "job": "works_as", "occupation": "works_as", "profession": "works_as",
    "job title": "works_as", "major": "studies", "hometown": "comes_from", "budget": "budget",
    "home town": "comes_from", "native language": "native_language",
    "mother tongue": "native_language", "first language": "native_language",
    "blood type": "blood_type", "height": "height", "weight": "weight", "age": "age",
    "goal": "goal", "dream": "goal", "main goal": "goal", "employer": "works_at",
    "diet": "diet", "religion": "religion", "nationality": "nationality", "ultimate goal": "goal",
    "biggest dream": "goal", "big dream": "goal", "bday": "birthday", "birth date": "birthday",
    "e-mail": "email", "mail": "email", "e-mail address": "email", "mobile": "phone",
    "mobile number": "phone", "cell number": "phone", "cell": "phone", "anniversary": "anniversary",
    "wedding anniversary": "anniversary", "company": "works_at", "workplace": "works_at",
    "university": "studies_at", "college": "studies_at", "home": "lives_in", "city": "lives_in",
    "native tongue": "native_language",
}  # fmt: skip
_PLACE_PREDICATES = {"comes_from", "lives_in"}
_NAME_PREDICATES = {"works_at", "studies_at", "name", "called"}
_DATE_PREDICATES = {"birthday", "anniversary"}
_THING_PREDICATES = words("goal works_as")
_BEFORE_VALUE = ADVERBS | words("not called named spelled")
_APPROXIMATE = words("around about roughly approximately on in at")
_VERBS = words("is was are used")
_FORMER = words("old previous former maiden original")
_JUDGING = word_list("judging_words")
_TOPICS = words(
    """question questions problem issue concern point idea thought thoughts plan understanding
    guess answer opinion main other only character avatar hero protagonist persona family friends
    kids heart life day week work mind"""
)


def attribute(phrase: Phrase) -> Iterator[FactMatch]:
    """Read "my favorite color is green", "my dog's name is Max" where "my" begins the phrase."""
    if phrase.word(0) not in MINE:
        yield from _reversed(phrase)
        return
    verb = next((at for at, word in enumerate(phrase.low[:9]) if word in _VERBS), -1)
    if verb < 2 or (phrase.word(verb) == "used" and phrase.word(verb + 2) != "be"):
        return
    value = phrase.cut(verb + (3 if phrase.word(verb) == "used" else 1))
    negated = value.word(0) == "not"
    past = phrase.word(verb) in {"was", "used"}
    while value.word(0) in _BEFORE_VALUE:
        value = value.cut(1)
    noun = phrase.cut(1, verb)
    while noun and noun.low[-1] in ADVERBS:
        noun = noun.cut(0, len(noun) - 1)
    former = noun.word(0) in _FORMER
    if noun.word(0) in _FORMER | {"new", "current", "own", "personal"} and len(noun) > 1:
        if noun.low[:2] != ["personal", "best"]:
            noun = noun.cut(1)
    mode = Mode.DENIED if negated else Mode.ENDED if former or past else Mode.HOLDS
    if "'s" in noun.low:
        yield from _of_relative(phrase, verb, value)
    elif noun and value:
        yield from _of_speaker(noun, value, mode)


def _of_relative(phrase: Phrase, verb: int, value: Phrase) -> Iterator[FactMatch]:
    """Match "my sister's birthday is…", "my dog's birthday is…"."""
    relative = relation_at(phrase, 0)
    mark = phrase.find("'s")
    predicate = KNOWN.get(" ".join(phrase.low[mark + 1 : verb]))
    if relative is not None and relative.end == mark and predicate != "name":
        subject = relative.name or f"'s {relative.relation.replace('_', ' ')}"
        yield from _facts(predicate, value, LIKELY, subject=subject)


def of_a_name(phrase: Phrase) -> Iterator[FactMatch]:
    """Match "Ana's birthday is May 4", for attributes that only people have.

    Only for notes that are written to be remembered; in a chat it may be "Messi's birthday".
    """
    mark = name_end(phrase, 0)
    verb = next((at for at in range(mark + 2, mark + 5) if phrase.word(at) in {"is", "are"}), 0)
    predicate = KNOWN.get(" ".join(phrase.low[mark + 1 : verb]))
    if mark and phrase.word(mark) == "'s" and predicate in _PERSONAL_PREDICATES:
        subject = phrase.cut(0, mark).with_times()
        yield from _facts(predicate, phrase.cut(verb + 1), LIKELY, subject=subject)


_PERSONAL_PREDICATES = words("birthday email phone pronouns works_as age nationality timezone")


def _facts(
    predicate: str | None,
    value: Phrase,
    confidence: float,
    mode: Mode = Mode.HOLDS,
    subject: str | None = None,
) -> Iterator[FactMatch]:
    when = When.DATE if predicate in _DATE_PREDICATES else When.STATE
    for text in _values(predicate, value) if predicate else ():
        yield FactMatch(predicate or "", text, confidence, mode, subject, when=when)


def _of_speaker(noun: Phrase, value: Phrase, mode: Mode) -> Iterator[FactMatch]:
    favorite_kind = _favorite_kind(noun)
    if favorite_kind is not None:
        yield from _favorite(noun, favorite_kind, value, mode)
        return
    predicate = KNOWN.get(" ".join(noun.low))
    if predicate in _CONTACTS and not _is_contact(value):
        predicate = None  # "my phone is a Pixel 8" is no number
    if predicate:
        yield from _facts(predicate, value, CLEAR, mode)
    elif _is_day(value) and noun.low[-1] in OCCASIONS:
        day = value.until(ENDS | words("and but so i with")).cut(value.word(0) in {"on", "in"})
        day_text = day.with_times()
        yield FactMatch("happened_on", day_text, LIKELY, mode, f"'s {noun}", when=When.DAY)
    elif _is_detail(noun, value):
        yield FactMatch("detail_" + "_".join(noun.low), _value(value), LIKELY, mode)


_CONTACTS = {"phone", "email"}


def _is_contact(value: Phrase) -> bool:
    if value.word(0) in {"a", "an"}:
        return False
    return any("@" in word or word[0].isdigit() for word in value.low[:2])


def _values(predicate: str, value: Phrase) -> Iterator[str]:
    """The value of an attribute: "my … is *Porto*"."""
    while value.word(0) in _APPROXIMATE:
        value = value.cut(1)
    if predicate in _PLACE_PREDICATES:
        text = place_name(value)
    elif predicate in _DATE_PREDICATES:
        text = value.until(ENDS | words("and but so i with")).with_times() if _is_day(value) else ""
    elif predicate == "name" and not value.capital(0) and len(value) > 2:
        return
    elif predicate in _NAME_PREDICATES - {"name"} and not value.capital(0):
        return
    else:
        is_thing = predicate in _THING_PREDICATES or predicate == "budget"
        text = thing(value) if is_thing else _value(value)
    if text:
        yield text


_NO_KIND_WORDS = words(
    "favorite favourite fave fav all-time of time the all go-to absolute current"
)
_FAVORITE_WORDS = words("favorite favourite fave fav go-to")


def _favorite_kind(noun: Phrase) -> str | None:
    """The kind of thing in "(my all-time) favorite book", or None if it is no favorite."""
    at = 1 if noun.word(0) in {"all-time", "absolute", "current", "new"} else 0
    if noun.word(at) not in _FAVORITE_WORDS and noun.low[:2] != ["least", "favorite"]:
        return None
    return "_".join(word for word in noun.low if word.isalnum() and word not in _NO_KIND_WORDS)


def _favorite(noun: Phrase, kind: str, value: Phrase, mode: Mode) -> Iterator[FactMatch]:
    text = thing(value, ENDS - {",", ":", "-"}).split(" and I ")[0].strip()
    if not kind or not text or value.word(0) in _NO_FAVORITES:
        return
    if noun.word(0) != "least":
        yield FactMatch(f"favorite_{kind}", text, CLEAR if len(kind) < 30 else LIKELY, mode)


_NO_FAVORITES = words("when how that what to seeing")


def _reversed(phrase: Phrase) -> Iterator[FactMatch]:
    """Match "hiking is my favorite hobby", "home is Lisbon"."""
    low = phrase.low
    if low[:2] == ["home", "is"] and (place := place_name(phrase.cut(2))):
        yield FactMatch("lives_in", place, LIKELY)
    elif not _FAVORITE_WORDS.isdisjoint(low[2:10]):
        verb = next((at for at in range(1, min(7, len(low))) if low[at] in {"is", "are"}), 0)
        if verb and low[verb + 1 : verb + 2] in (["my"], ["our"]) and low[0] not in PRONOUNS:
            noun = phrase.cut(verb + 2).until(ENDS | words("and of to for in"))
            kind, text = _favorite_kind(noun), trimmed(phrase.cut(0, verb))
            if kind and text and noun.word(0) != "least":
                yield FactMatch(f"favorite_{kind}", text, LIKELY)


OCCASIONS = word_list("occasions")


def _is_day(value: Phrase) -> bool:
    """A day in words: "May 4", "the 3rd of May", "on Friday"."""
    if any(value.is_time(at) for at in range(min(len(value), 4))):
        return True
    return any(
        word in DAYS or word in MONTHS or word == "tomorrow" or _DAY.fullmatch(word) is not None
        for word in value.low[:4]
    )


_DAY = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)|\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,4})?"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)


def _is_detail(noun: Phrase, value: Phrase) -> bool:
    """A noun of one to four words and a short value: a name, a number."""
    if not 0 < len(noun) <= 4 or value.word(0) in _JUDGING or not value:
        return False
    if any(not word.replace("-", "").isalnum() for word in noun.low) or noun.word(0) in _TOPICS:
        return False
    if any(word in BE or word in _TOPICS or word in ANIMALS for word in noun.low):
        return False
    if relation_at(Phrase(noun.source, noun.first - 1, noun.last), 0) is not None:
        return False
    return (
        value.capital(0)
        or any(character.isdigit() for character in value.word(0))
        or value.word(0)[0] == "$"
    )


def _value(value: Phrase) -> str:
    cut = value.until(ENDS - {":", "-", "/"} | words("and but so i with &"))
    return trimmed(cut) or str(cut.cut(0, 6))


def mentioned(phrase: Phrase) -> Iterator[FactMatch]:
    """Match "my favorite BBQ sauce, Sweet Baby Ray's, …"."""
    after = phrase.cut(phrase.find("my", "favorite") + 2)
    comma = after.find(",")
    if len(after) < len(phrase) - 1 and 0 < comma < 5 and after.capital(comma + 1):
        name = after.cut(comma + 1).until({","}).cut(0, 5)
        yield FactMatch(f"favorite_{'_'.join(after.low[:comma])}", str(name), LIKELY)
