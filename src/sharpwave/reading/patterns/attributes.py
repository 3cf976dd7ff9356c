"""What "my … is …" says: name, birthday, favorites, and details of the speaker's own naming."""

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
    listed,
    name_end,
    place_name,
    relation_at,
    thing,
    trimmed,
)
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.home import GOODS
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
    "hobby": "likes", "hobbies": "likes", "main hobby": "likes", "passion": "likes",
    "favorites": "likes", "native tongue": "native_language",
}  # fmt: skip
_PLACES = {"comes_from", "lives_in"}
_NAMED = {"works_at", "studies_at", "name", "called"}
_DATES = {"birthday", "anniversary"}
_LISTS = {"likes"}
_PLAIN = words("goal works_as")
_BEFORE = ADVERBS | words("not called named spelled")
_ABOUT = words("around about roughly approximately on in at")
_IS = words("is was are used")
_OLD = words("old previous former maiden original")
_JUDGING = word_list("judging_words")
_TOPICS = words(
    """question questions problem issue concern point idea thought thoughts plan understanding
    guess answer opinion main other only character avatar hero protagonist persona family friends
    kids heart life day week work mind"""
)


def attribute(phrase: Phrase) -> Iterator[FactMatch]:
    """Read "my favorite color is green", "my dog's name is Max" where "my" begins the phrase."""
    if phrase.word(0) not in MINE:
        yield from _the_other_way_round(phrase)
        return
    verb = next((at for at, word in enumerate(phrase.low[:9]) if word in _IS), -1)
    if verb < 2 or (phrase.word(verb) == "used" and phrase.word(verb + 2) != "be"):
        return
    value = phrase.cut(verb + (3 if phrase.word(verb) == "used" else 1))
    negated = value.word(0) == "not"
    past = phrase.word(verb) in {"was", "used"}
    while value.word(0) in _BEFORE:
        value = value.cut(1)
    noun = phrase.cut(1, verb)
    while noun and noun.low[-1] in ADVERBS:
        noun = noun.cut(0, len(noun) - 1)
    old = noun.word(0) in _OLD
    if noun.word(0) in _OLD | {"new", "current", "own", "personal"} and len(noun) > 1:
        if noun.low[:2] != ["personal", "best"]:
            noun = noun.cut(1)
    mode = Mode.DENIED if negated else Mode.ENDED if old or past else Mode.HOLDS
    if "'s" in noun.low:
        yield from _of_relative(phrase, verb, value)
    elif noun and value:
        yield from _of_the_speaker(noun, value, mode)


def _of_relative(phrase: Phrase, verb: int, value: Phrase) -> Iterator[FactMatch]:
    """As in "my sister's birthday is…", "my dog's birthday is…"."""
    related = relation_at(phrase, 0)
    mark = phrase.find("'s")
    predicate = KNOWN.get(" ".join(phrase.low[mark + 1 : verb]))
    if related is not None and related.end == mark and predicate != "name":
        who = related.name or f"'s {related.relation.replace('_', ' ')}"
        yield from _stated(predicate, value, LIKELY, subject=who)


def of_a_name(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "Ana's birthday is May 4": what only people have.

    For those who write down what to remember; in a chat it may be anybody's: "Messi's birthday".
    """
    mark = name_end(phrase, 0)
    verb = next((at for at in range(mark + 2, mark + 5) if phrase.word(at) in {"is", "are"}), 0)
    predicate = KNOWN.get(" ".join(phrase.low[mark + 1 : verb]))
    if mark and phrase.word(mark) == "'s" and predicate in _OF_PEOPLE:
        who = phrase.cut(0, mark).with_times()
        yield from _stated(predicate, phrase.cut(verb + 1), LIKELY, subject=who)


_OF_PEOPLE = words("birthday email phone pronouns works_as age nationality timezone")


def _stated(
    predicate: str | None,
    value: Phrase,
    sure: float,
    mode: Mode = Mode.HOLDS,
    subject: str | None = None,
) -> Iterator[FactMatch]:
    when = When.DATE if predicate in _DATES else When.STATE
    for said in _values(predicate, value) if predicate else ():
        yield FactMatch(predicate or "", said, sure, mode, subject, when=when)


def _of_the_speaker(noun: Phrase, value: Phrase, mode: Mode) -> Iterator[FactMatch]:
    liked = _favored(noun)
    if liked is not None:
        yield from _favorite(noun, liked, value, mode)
        return
    predicate = KNOWN.get(" ".join(noun.low))
    if predicate in _CONTACTS and not _is_contact(value):
        predicate = None  # "my phone is a Pixel 8" is no number
    if predicate:
        yield from _stated(predicate, value, CLEAR, mode)
    elif _is_model(noun, value):
        yield FactMatch("owns", thing(value, ENDS | {"and", "with"}), LIKELY, mode)
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
    """The value of something that has a name: "my … is *Porto*"."""
    while value.word(0) in _ABOUT:
        value = value.cut(1)
    if predicate in _PLACES:
        said = place_name(value)
    elif predicate in _DATES:
        said = value.until(ENDS | words("and but so i with")).with_times() if _is_day(value) else ""
    elif predicate in _LISTS:
        yield from listed(value)
        return
    elif predicate == "name" and not value.capital(0) and len(value) > 2:
        return
    elif predicate in _NAMED - {"name"} and not value.capital(0):
        return
    else:
        plain = predicate in _PLAIN or predicate == "budget"
        said = thing(value) if plain else _value(value)
    if said:
        yield said


_FAVORITE = words("favorite favourite fave fav all-time of time the all go-to absolute current")
_LIKED = words("favorite favourite fave fav go-to")


def _favored(noun: Phrase) -> str | None:
    """The kind of thing in "(my all-time) favorite book", or None if it is no favorite."""
    at = 1 if noun.word(0) in {"all-time", "absolute", "current", "new"} else 0
    if noun.word(at) not in _LIKED and noun.low[:2] != ["least", "favorite"]:
        return None
    return "_".join(word for word in noun.low if word.isalnum() and word not in _FAVORITE)


def _favorite(noun: Phrase, kind: str, value: Phrase, mode: Mode) -> Iterator[FactMatch]:
    said = thing(value, ENDS - {",", ":", "-"}).split(" and I ")[0].strip()
    if not kind or not said or value.word(0) in _NO_FAVORITES:
        return
    if noun.word(0) == "least":
        yield FactMatch("dislikes", said, LIKELY, mode)
    else:
        yield FactMatch(f"favorite_{kind}", said, CLEAR if len(kind) < 30 else LIKELY, mode)


_NO_FAVORITES = words("when how that what to seeing")


def _the_other_way_round(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "hiking is my favorite hobby", "one of my hobbies is chess", "home is Lisbon"."""
    low = phrase.low
    if low[:2] == ["home", "is"] and (where := place_name(phrase.cut(2))):
        yield FactMatch("lives_in", where, LIKELY)
    elif low[:2] == ["one", "of"] and phrase.word(2) in MINE:
        verb = next((at for at in range(3, min(8, len(low))) if low[at] == "is"), 0)
        noun = phrase.cut(3, verb)
        if verb and (_favored(noun) is not None or KNOWN.get(" ".join(noun.low)) == "likes"):
            if (said := thing(phrase.cut(verb + 1))) and low[verb + 1] not in _NO_FAVORITES:
                yield FactMatch("likes", said, LIKELY)
    elif not _LIKED.isdisjoint(low[2:10]):
        verb = next((at for at in range(1, min(7, len(low))) if low[at] in {"is", "are"}), 0)
        if verb and low[verb + 1 : verb + 2] in (["my"], ["our"]) and low[0] not in PRONOUNS:
            noun = phrase.cut(verb + 2).until(ENDS | words("and of to for in"))
            kind, said = _favored(noun), trimmed(phrase.cut(0, verb))
            if kind and said and noun.word(0) != "least":
                yield FactMatch(f"favorite_{kind}", said, LIKELY)


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


def _is_model(noun: Phrase, value: Phrase) -> bool:
    """As in "my car is a blue Mazda 3": a thing of the speaker's, and its make."""
    if not 0 < len(noun) <= 3 or noun.low[-1] not in GOODS or value.word(0) not in {"a", "an"}:
        return False
    named = value.until(ENDS | {"and", "with"})
    return any(named.capital(at) or named.word(at).isdigit() for at in range(1, len(named)))


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
    return value.capital(0) or any(ch.isdigit() for ch in value.word(0)) or value.word(0)[0] == "$"


def _value(value: Phrase) -> str:
    cut = value.until(ENDS - {":", "-", "/"} | words("and but so i with &"))
    return trimmed(cut) or str(cut.cut(0, 6))


def mentioned(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "my favorite BBQ sauce, Sweet Baby Ray's, …"."""
    after = phrase.cut(phrase.find("my", "favorite") + 2)
    comma = after.find(",")
    if len(after) < len(phrase) - 1 and 0 < comma < 5 and after.capital(comma + 1):
        named = after.cut(comma + 1).until({","}).cut(0, 5)
        yield FactMatch(f"favorite_{'_'.join(after.low[:comma])}", str(named), LIKELY)
