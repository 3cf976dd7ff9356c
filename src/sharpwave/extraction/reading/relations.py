"""Words for the people and animals somebody has: "my sister Anna", "our dog, Max"."""

from typing import NamedTuple

from sharpwave.extraction.reading.lexicon import words
from sharpwave.extraction.reading.phrases import Phrase

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
    female = True if word in _SHE else False if word in _HE else None
    return Related(relation, word, name, end, female, animal, several)


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
    end = begin
    while end - begin < 2 and phrase.capital(end) and _may_name(phrase, end):
        end += 1
    if end == begin:
        return None, at
    after = phrase.word(end)
    if comma and after not in {",", ""} and end < len(phrase):
        return None, at
    name = str(phrase.cut(begin, end))
    return name, end + (comma and after == ",")


def _may_name(phrase: Phrase, place: int) -> bool:
    word = phrase.word(place)
    return word.isalpha() and len(word) > 1 and word not in _NEVER_NAMES
