"""What "my … is …" says: name, birthday, favorites, and details of the speaker's own naming."""

from collections.abc import Iterator

from sharpwave.extraction.found import CLEAR, LIKELY, Found, When
from sharpwave.extraction.reading.lexicon import ADVERBS, BE, MINE, words
from sharpwave.extraction.reading.objects import ENDS, place_name, thing, trimmed
from sharpwave.extraction.reading.phrases import Phrase
from sharpwave.extraction.reading.relations import ANIMALS, relation_at
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
    "biggest dream": "goal", "big dream": "goal",
}  # fmt: skip
_IS = words("is was are used")
_OLD = words("old previous former maiden original")
_JUDGING = words(
    """so very really great good amazing awesome nice doing going getting not been pretty hard tough
    just too more also being a an the what that to my over fine okay ok better worse bad still
    always similar about all in on at for super such quite sort kind feeling looking now
    important interesting unique crazy insane killing acting starting having kinda only
    definitely already currently almost full dead happy sad tired excited proud back here there
    broken leaking dying running ready due gone"""
)
_TOPICS = words(
    """question questions problem issue concern point idea thought thoughts plan understanding
    guess answer opinion main other only family friends kids heart life day week work mind"""
)


def attribute(phrase: Phrase) -> Iterator[Found]:
    """Read "my favorite color is green", "my dog's name is Max" where "my" begins the phrase."""
    if phrase.word(0) not in MINE:
        return
    verb = next((at for at, word in enumerate(phrase.low[:9]) if word in _IS), -1)
    if verb < 2 or (phrase.word(verb) == "used" and phrase.word(verb + 2) != "be"):
        return
    value = phrase.cut(verb + (3 if phrase.word(verb) == "used" else 1))
    negated = value.word(0) == "not"
    past = phrase.word(verb) in {"was", "used"}
    while value.word(0) in ADVERBS | {"not", "called", "named"}:
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
        yield from _of_somebody(phrase, verb, value)
    elif value:
        yield from _of_the_speaker(noun, value, mode)


def _of_somebody(phrase: Phrase, verb: int, value: Phrase) -> Iterator[Found]:
    """As in "my sister's name is Anna", "my dog's birthday is…"."""
    related = relation_at(phrase, 0)
    mark = phrase.find("'s")
    if related is None or related.end != mark:
        return
    what = " ".join(phrase.low[mark + 1 : verb])
    said = _value(value)
    if what == "name" and said and value.capital(0):
        yield Found(related.relation, said)
        if related.animal and related.animal != "pet":
            yield Found("is_a", f"a {related.animal}", subject=said)
    elif what in KNOWN and said:
        who = related.name or f"'s {related.relation}"
        yield Found(KNOWN[what], said, LIKELY, subject=who)


def _of_the_speaker(noun: Phrase, value: Phrase, mode: Mode) -> Iterator[Found]:
    name = " ".join(noun.low)
    if noun.word(0) in {"favorite", "favourite", "fave", "fav"} or noun.low[:2] == [
        "all-time",
        "favorite",
    ]:
        kind = "_".join(word for word in noun.low if word.isalnum() and word not in _FAVORITE)
        said = thing(value, ENDS - {",", ":", "-"}) if value else ""
        said = _first_sentence(said)
        if kind and said and value.word(0) not in {"when", "how", "that", "what", "to", "seeing"}:
            yield Found(f"favorite_{kind}", said, CLEAR if len(kind) < 30 else LIKELY, mode)
        return
    predicate = KNOWN.get(name)
    if predicate == "name" and not value.capital(0) and len(value) > 2:
        return
    if predicate:
        said = _value(value) if predicate not in {"goal", "works_as", "budget"} else thing(value)
        if predicate == "comes_from":
            said = place_name(value)
        if said:
            yield Found(predicate, said, CLEAR, mode, when=When.STATE)
    elif _is_detail(noun, value):
        yield Found("detail_" + "_".join(noun.low), _value(value), LIKELY, mode)


_FAVORITE = words("favorite favourite fave fav all-time of time the all")


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


def _first_sentence(said: str) -> str:
    return said.split(" and I ")[0].strip()


def mentioned(phrase: Phrase) -> Iterator[Found]:
    """As in "my favorite BBQ sauce, Sweet Baby Ray's," and "my favorite author Jane Austen"."""
    for place, word in enumerate(phrase.low):
        if word in {"favorite", "favourite"} and place and phrase.word(place - 1) in MINE:
            size = 1
            while size < 5 and phrase.word(place + size).isalnum() and (
                not phrase.capital(place + size) or size == 1
            ):  # fmt: skip
                size += 1
            comma = phrase.word(place + size) == ","
            after = phrase.cut(place + size + comma)
            if comma and after.capital(0):
                value = str(after.until({","}).cut(0, 5))
                kind = "_".join(phrase.low[place + 1 : place + size])
                if kind and value:
                    yield Found(f"favorite_{kind}", value, LIKELY)
