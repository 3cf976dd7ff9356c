"""Words for the people and animals somebody has: "my sister Anna", "our dog, Max"."""

from typing import NamedTuple

from sharpwave.reading.grammar.lexicon import FAITHS, NATIONALITIES, words
from sharpwave.reading.grammar.phrases import Phrase

_FEMALE = "mother sister daughter wife girlfriend grandmother aunt niece stepmother"
_MALE = "father brother son husband boyfriend grandfather uncle nephew stepfather"

RELATIONS: dict[str, str] = {
    word: word
    for word in (
        f"""{_FEMALE} {_MALE} parent sibling twin child spouse partner cousin friend roommate
        neighbor colleague boss teacher mentor coach doctor therapist ex grandchild"""
    ).split()
} | {
    "mom": "mother", "mum": "mother", "mommy": "mother", "mama": "mother", "ma": "mother",
    "dad": "father", "daddy": "father", "papa": "father", "pa": "father",
    "sis": "sister", "bro": "brother", "kid": "child", "baby": "child", "toddler": "child",
    "grandma": "grandmother", "granny": "grandmother", "nana": "grandmother", "gran": "grandmother",
    "grandpa": "grandfather", "granddad": "grandfather", "grandson": "grandchild",
    "granddaughter": "grandchild", "fiance": "fiance", "fiancé": "fiance", "fiancee": "fiance",
    "fiancée": "fiance", "hubby": "husband", "gf": "girlfriend", "bf": "boyfriend",
    "flatmate": "roommate", "housemate": "roommate", "neighbour": "neighbor",
    "coworker": "colleague", "co-worker": "colleague", "teammate": "colleague",
    "manager": "boss", "supervisor": "boss", "professor": "teacher", "instructor": "teacher",
    "buddy": "friend", "bestie": "best_friend", "pal": "friend", "mate": "friend",
    "stepmom": "stepmother", "stepdad": "stepfather", "physician": "doctor", "trainer": "coach",
    "mother-in-law": "in_law", "father-in-law": "in_law", "sister-in-law": "in_law",
    "brother-in-law": "in_law", "advisor": "mentor", "dentist": "doctor", "ex-wife": "ex",
    "ex-husband": "ex", "stepson": "child", "stepdaughter": "child",
}  # fmt: skip

ANIMALS: dict[str, str] = {
    word: word
    for word in """dog cat rabbit bunny hamster parrot turtle tortoise snake lizard horse pony bird
    fish goldfish gecko ferret budgie cockatiel canary chicken goat pig guinea-pig""".split()
} | {
    "puppy": "dog", "pup": "dog", "doggo": "dog", "kitten": "cat", "kitty": "cat",
    "retriever": "dog", "labrador": "dog", "poodle": "dog", "shepherd": "dog", "corgi": "dog",
    "beagle": "dog", "terrier": "dog", "collie": "dog", "husky": "dog", "dachshund": "dog",
    "bulldog": "dog", "chihuahua": "dog", "siamese": "cat", "tabby": "cat", "pet": "pet",
}  # fmt: skip

BREEDS = words(
    """retriever labrador poodle shepherd corgi beagle terrier collie husky dachshund bulldog
    chihuahua siamese spaniel pug rottweiler doberman ragdoll labradoodle"""
)
_SHE = words(_FEMALE) | words("mom mum mommy mama sis grandma granny nana gran gf granddaughter")
_HE = words(_MALE) | words("dad daddy papa bro grandpa granddad grandson bf hubby")
_DESCRIBING = words(
    """older younger little big elder eldest oldest youngest twin best good close old dear new
    former late ex own beloved lovely sweet current first second middle dearest amazing closest
    long-time longtime childhood dear adorable cute rescue"""
)
_NEVER_NAMES = words(
    """i and is was has the a an in on at to for with who which that says said will would i'm he
    she it they we my your but so or because monday tuesday wednesday thursday friday saturday
    sunday january february march april may june july august september october november december
    day thanks yes no god lol christmas halloween thanksgiving easter lego tv"""
)


class Related(NamedTuple):
    """Somebody the speaker has, found in a phrase: from which word up to which."""

    relation: str
    word: str
    name: str | None
    end: int
    female: bool | None
    animal: str | None = None
    several: bool = False
    """Said of more than one: "my friends Mark and Sarah"."""
    stated: str = ""
    """The verb, if the name is what the clause states: "my boss *is* called Tom"."""


def relation_at(phrase: Phrase, place: int) -> Related | None:
    """Read "my (older) sister (Anna)" at `place`, where "my" stands."""
    at = place + 1
    best = False
    while phrase.word(at) in _DESCRIBING:
        best = best or phrase.word(at) == "best"
        at += 1
    word = phrase.word(at)
    animal = None
    if phrase.word(at + 1) in ANIMALS and word not in RELATIONS:
        at += 1  # "my golden retriever", "my black cat"
        word = phrase.word(at)
    elif phrase.word(at + 1) in {"in"} and phrase.word(at + 2) == "law":
        at, word = at + 2, f"{word}-in-law"
    several = _one(word) in RELATIONS or _one(word) in ANIMALS
    word = _one(word) if several else word
    if word in ANIMALS:
        relation, animal = "pet", ANIMALS[word]
    elif word in RELATIONS:
        relation = RELATIONS[word]
    else:
        return None
    if best and relation == "friend":
        relation = "best_friend"
    name, end = _name_after(phrase, at + 1)
    stated = ""
    if name is None:
        name, end, stated = _name_stated(phrase, at + 1)
    if name is None and place == 2 and phrase.source.low[phrase.first + end :][:1] == [","]:
        name = _name_before(phrase)
        end += name is not None
    return Related(relation, word, name, end, gender_of(word), animal, several, stated)


def gender_of(word: str) -> bool | None:
    """True if a word is for women, False if for men, None for both and for animals."""
    return True if word in _SHE else False if word in _HE else None


def _one(word: str) -> str:
    """As in `friends`: `friend`; "" for what is not a plural."""
    if word == "children":
        return "child"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else ""


def _name_after(phrase: Phrase, at: int) -> tuple[str | None, int]:
    """A name right after the relation, or between commas."""
    comma = phrase.word(at) == ","
    begin = at + comma
    if phrase.word(begin) in {"named", "called"}:
        begin += 1
        comma = False
    end = name_end(phrase, begin)
    if end == begin:
        return None, at
    after = phrase.word(end)
    if comma and after not in {",", ""} and end < len(phrase):
        return None, at
    name = str(phrase.cut(begin, end))
    return name, end + (comma and after == ",")


_AFTER_NAMES = frozenset({"", ",", "and", "&", "but", "now", "who", "(", "-", "not"})


def _name_stated(phrase: Phrase, at: int) -> tuple[str | None, int, str]:
    """The name in "(my boss) is called Tom", "('s) name is Tom", "is Tom"."""
    place = at
    if phrase.word(place) in {"'s", "'", "\u2019"} and phrase.word(place + 1) in {"name", "names"}:
        place += 2
    verb = phrase.word(place)
    if verb not in {"is", "are", "was", "were"}:
        return None, at, ""
    named = place > at
    begin = place + 1
    while phrase.word(begin) in {"called", "named", "actually", "now", "also", "spelled"}:
        named = True
        begin += 1
    end = name_at(phrase, begin, named)
    return (str(phrase.cut(begin, end)), end, verb) if end > begin else (None, at, "")


def name_at(phrase: Phrase, begin: int, named: bool) -> int:
    """Where a name ends with which something is stated; `begin` if it is none.

    If the words before say that a name follows it may be written small.
    """
    end = name_end(phrase, begin)
    if end == begin and named and _is_small_name(phrase, begin):
        end = begin + 1
    kind = phrase.word(begin)
    plain = kind in NATIONALITIES or kind in FAITHS or kind in _NO_NAMES
    return begin if plain or phrase.word(end) not in _AFTER_NAMES else end


_NO_NAMES = words("adhd lgbtq gay covid tv ok in german-speaking")


def _is_small_name(phrase: Phrase, place: int) -> bool:
    """A name by somebody who writes without capitals: "my dog is called rex"."""
    small = not phrase.source.tokens[0].capital
    return small and _may_name(phrase, place) and place + 1 == len(phrase)


def _name_before(phrase: Phrase) -> str | None:
    """The name in "Bruno, my dog, …", at the beginning of what is said."""
    if phrase.word(1) != "," or not phrase.capital(0):
        return None
    return str(phrase.cut(0, 1)) if _may_name(phrase, 0) and phrase.word(0) not in _CALLS else None


_CALLS = words(
    """hey hi hello well sorry wow today yesterday also actually so ok okay sure please
    instead however anyway honestly luckily unfortunately apparently besides finally then now"""
)
_TITLES = words("mr mrs ms dr prof")


def name_end(phrase: Phrase, begin: int) -> int:
    """Where the name of a person that begins there ends: "Dr. Ana Souza"; `begin` if none does."""
    start = begin
    if phrase.word(begin) in _TITLES and phrase.capital(begin):
        start += 1 + (phrase.word(begin + 1) == ".")
    end = start
    while end - start < 2 and phrase.capital(end) and _may_name(phrase, end):
        end += 1
    return end if end > start else begin


def _may_name(phrase: Phrase, place: int) -> bool:
    word = phrase.word(place)
    return word.isalpha() and len(word) > 1 and word not in _NEVER_NAMES
