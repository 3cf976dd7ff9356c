"""The object of a verb (a thing, a list, a place, a name), and relatives and pets.

What follows a verb is cut to its object; "my sister Anna" and "our dog, Max" name relations.
"""

import re
from typing import NamedTuple

from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    ANIMALS,
    BE,
    DAYS,
    DEICTIC_TIMES,
    FAITHS,
    FEMALE_KIN,
    MALE_KIN,
    MONTHS,
    NATIONALITIES,
    PRONOUNS,
    RELATIONS,
    STOP,
    is_common,
    is_ing,
    word_list,
    words,
)
from sharpwave.reading.grammar.tokens import MASKED, Phrase
from sharpwave.types.records import USER
from sharpwave.types.statements import Spoken

MARKS = frozenset({",", ";", ":", "(", ")", "-", "!", MASKED, "\u2013", "\u2014", "/", "*"})
ENDS = MARKS | words(
    """because cause since when while which who whose where so but although though if until unless
    after before whenever whereas wherever cuz"""
)
"""Words that a thing's name does not go past."""
MOVES = words("to for with at on from by in as than")
_LAST = (
    DEICTIC_TIMES
    | (ADVERBS - words("well"))
    | words("and or the a an of in on at to for with lol haha though right not")
)
_LONGEST = 20


def thing(phrase: Phrase, stops: frozenset[str] = ENDS) -> str:
    """The thing that is named, up to the end of its own words; "" if it is a mere pronoun.

    "a bike that I love because…" is `a bike that I love`.
    """
    if phrase.word(0) in {"and", "or", "something", "anything", "someone", "it", "them", "you"}:
        return ""
    return trimmed(_untimed(clipped(phrase.until(stops))))


_UNITS = DAYS | words(
    """night week month year weekend weeks days months years day morning summer ago weekends
    mon tue tues wed thu thurs fri sat sun"""
)
_BEFORE_UNITS = words(
    "about around over last this next past few couple of a two three four five several other"
)


def _untimed(phrase: Phrase) -> Phrase:
    """Without "last week", "a few days ago" at the end, if it was not resolved before."""
    last = len(phrase)
    while last and phrase.word(last - 1) in DEICTIC_TIMES:
        last -= 1
    if last and all(word in _UNITS or word in _BEFORE_UNITS for word in phrase.low[:last]):
        return phrase.cut(0, 0)
    if last < 3 or phrase.word(last - 1) not in _UNITS:
        return phrase.cut(0, last)
    kept = last - 1
    while kept > 1 and (phrase.word(kept - 1) in _BEFORE_UNITS or phrase.word(kept - 1).isdigit()):
        kept -= 1
    return phrase.cut(0, kept if kept < last - 1 else last)


def trimmed(phrase: Phrase) -> str:
    """Without adverbs at either end; "" if nothing with a meaning of its own is left."""
    first, last = 0, min(len(phrase), _LONGEST)
    while last > first and (phrase.word(last - 1) in _LAST or phrase.is_time(last - 1)):
        last -= 1
    while first < last and (phrase.word(first) in ADVERBS or phrase.is_time(first)):
        first += 1
    kept = phrase.cut(first, last)
    return str(kept) if means_something(kept) else ""


def clipped(phrase: Phrase) -> Phrase:
    """Up to where another verb of the same subject begins: "a trip and want to see…"."""
    for place, word in enumerate(phrase.low):
        after = phrase.word(place + 1)
        if (word == "and" and after in _NEXT_VERBS) or (word == "it" and after in BE):
            return phrase.cut(0, place)
        if word == "and" and not BE.isdisjoint(phrase.low[place + 2 : place + 5]):
            return phrase.cut(0, place)  # "…and the people are nice"
    return phrase


_NEXT_VERBS = words(
    "i we want wanted was am need needed would is will it my have had could wondering looking going"
)


def means_something(phrase: Phrase) -> bool:
    """True if some word says more than "it", "that thing" or "a lot"."""
    return any(word not in STOP and (word[0].isalnum() or word[0] == "$") for word in phrase.low)


_MOST_ITEMS = 5


def listed(phrase: Phrase) -> list[str]:
    """The things of a list: `hiking, painting and jazz` is three; of one thing, that one."""
    phrase = phrase.until(ENDS - {","})
    if phrase.word(0) in {"to", "that"}:
        return [found] if (found := trimmed(phrase.until(ENDS))) else []
    parts = _parts(phrase)
    joined = any(word in {"and", "or", "&"} for word in phrase.low)
    if len(parts) > 1 and not (_is_list(parts) and (joined or len(parts) > 2)):
        parts = [phrase.until(MARKS)]
    items = [trimmed(part) for part in parts[:_MOST_ITEMS]]
    return [item for item in items if item]


def _parts(phrase: Phrase) -> list[Phrase]:
    """Cut at commas and at "and", but not inside "a trip with Ann and Bob"."""
    parts: list[Phrase] = []
    begin, joined = 0, False
    for place, word in enumerate([*phrase.low, ","]):
        if word in _BINDING:
            joined = True
        if word == "," or (word in {"and", "or", "&"} and not joined):
            if place > begin:
                parts.append(phrase.cut(begin, place))
            begin, joined = place + 1, False
    return [part.cut(1) if part.word(0) in {"and", "or"} else part for part in parts]


_BINDING = words("with between of for from on about in at by like that who both")


def _is_list(parts: list[Phrase]) -> bool:
    """A list has items of a few words each and no sentence among them."""
    if len(parts) == 2 and not _is_pair(*parts):
        return False
    if any(word in BE for part in parts for word in part.low):
        return False
    return not any(
        len(part) > 8 or part.word(0) in PRONOUNS or part.word(0) in {"not", "especially", "since"}
        for part in parts
    )


def _is_pair(one: Phrase, other: Phrase) -> bool:
    """As in "tea and coffee", "reading and cooking for friends"; not "old books and films"."""
    if other.word(0) in {"their", "his", "her", "its", "my"} or not one or not other:
        return False
    if one.word(0) == "the" != other.word(0):
        return False
    if len(one) == 1 and len(other) > 1 and other.low[-1][-1] == "s" != one.low[-1][-1]:
        return False  # "action and horror films" are films of both kinds
    both = is_ing(one.word(0)), is_ing(other.word(0))
    return all(both) or (not any(both) and len(one) <= len(other) and len(one) <= 2)


_IN_PLACES = words("of de la le los las del the upon sur am and von da do")
_NO_PLACE = MONTHS | words(
    """a an my our your his her their this that the one bed love fear peace hope fact general
    person school college university high middle town city house home apartment flat dorm work
    business therapy touch case order time debt trouble pain charge front half two three here
    there public private tune shape spirit detail mind it them him me us you tears fashion spring
    summer autumn fall winter finance marketing tech sales healthcare education"""
)


def place_name(phrase: Phrase) -> str:
    """The place that a phrase begins with, such as `Porto, Portugal`; "" if it names none."""
    size = 1 if phrase.word(0) == "the" else 0
    start = size
    while size < min(len(phrase), start + 7) and not phrase.is_time(size):
        word = phrase.word(size)
        if phrase.capital(size) and word[0].isalpha():
            size += 1
        elif (
            word == ","
            and phrase.capital(size + 1)
            and size > start
            and not phrase.is_time(size + 1)
        ):
            size += 1
        elif word in _IN_PLACES and phrase.capital(size + 1) and size > start and word != "and":
            size += 1
        else:
            break
    if size > start:
        name = str(phrase.cut(0, size))
        low = phrase.word(start)
        plain = name.lower() in _NO_PLACE or low == "i" or low.removesuffix("s") in DAYS
        return "" if plain else name
    return _small_place(phrase)


def _small_place(phrase: Phrase) -> str:
    """A place written without capitals: "i live in porto"."""
    tokens = phrase.source.tokens
    if tokens and any(token.capital for token in tokens[:1]):
        return ""
    kept = phrase.until(ENDS | words("with and near for at by on as now")).low
    while kept and kept[-1] in _LAST:
        kept.pop()
    if not 0 < len(kept) <= 2 or any(word in _NO_PLACE or word in STOP for word in kept):
        return ""
    return str(phrase.cut(0, len(kept))) if kept[0].isalpha() else ""


def name_of(phrase: Phrase, most: int = 4) -> str:
    """The name that a phrase begins with: words with capitals, or a title in quotes."""
    size = 1 if phrase.word(0) == "the" and phrase.capital(1) else 0
    start = size
    while size < min(len(phrase), start + most) and not phrase.is_time(size):
        word = phrase.word(size)
        if (phrase.capital(size) or (size > start and word.isdigit())) and word not in {"i"}:
            size += 1
        elif size > start and _goes_on(phrase, size):
            size += 1
        else:
            break
    return str(phrase.cut(0, size)) if size > start else ""


def _goes_on(phrase: Phrase, place: int) -> bool:
    """As in "Bank *of* England", "St*.* Mary", "Mary*'s* Hospital"."""
    word = phrase.word(place)
    if word == "." and phrase.word(place - 1) not in {"st", "dr", "mr", "mrs"}:
        return False
    return word in {"&", "of", "the", ".", "'s"} and phrase.capital(place + 1)


_SELF = re.compile(
    r"(?<![\w-])(?:I am|I'm|I was|I've|I have|I|me|my|mine|myself|we are|we're|we|us|our|ours"
    r"|ourselves|you|your|yours|yourself)(?![\w-])",
    re.IGNORECASE,
)
_RETOLD = {
    "i am": "they are", "i'm": "they are", "i was": "they were", "i've": "they have",
    "i have": "they have", "i": "they", "me": "them", "my": "their", "mine": "theirs",
    "myself": "themselves", "we are": "they are", "we're": "they are", "we": "they", "us": "them",
    "our": "their", "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip


def retold(text: str, spoken: Spoken) -> str:
    """The speaker's words in the third person: "my kids" are "their kids"."""
    if not _SELF.search(text):
        return text
    other = spoken.listener

    def third_person(match: re.Match[str]) -> str:
        low = match[0].lower()
        if match[0] == "US":
            return match[0]
        if low.startswith("you"):
            if other is None or other == USER:
                return match[0]
            return {"you": other, "yourself": other}.get(low, f"{other}'s")
        return _RETOLD[low]

    return _SELF.sub(third_person, text)


BREEDS = word_list("breeds")
_SHE = words(FEMALE_KIN) | words("mom mum mommy mama sis grandma granny nana gran gf granddaughter")
_HE = words(MALE_KIN) | words("dad daddy papa bro grandpa granddad grandson bf hubby")
_DESCRIBING = words(
    """older younger little big elder eldest oldest youngest twin best good close old dear new
    former late ex own beloved lovely sweet current first second middle dearest amazing closest
    long-time longtime childhood dear adorable cute rescue"""
)
_NEVER_NAMES = DAYS | MONTHS | words(
    """i and is was has the a an in on at to for with who which that says said will would i'm he
    she it they we my your but so or because day thanks yes no god lol christmas halloween
    thanksgiving easter lego tv"""
)  # fmt: skip


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
    while phrase.word(at) in _DESCRIBING and not _is_noun(phrase, at):
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
    if several and relation == "twin":
        relation = "child"
    name, end = _name_after(phrase, at + 1)
    if name is None and place == 2 and phrase.source.low[phrase.first + end :][:1] == [","]:
        name = _name_before(phrase)
        end += name is not None
    return Related(relation, word, name, end, gender_of(word), animal, several)


def _is_noun(phrase: Phrase, at: int) -> bool:
    """True for the "ex" of "my ex Paul", which describes nobody else."""
    after = phrase.word(at + 1)
    return phrase.word(at) in RELATIONS and after not in RELATIONS and after not in _DESCRIBING


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


def name_stated(phrase: Phrase, at: int) -> tuple[str | None, int, str]:
    """The name in "(my boss) is called Tom", "('s) name is Tom", "is Tom"; its end; the verb."""
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
    """A name written without capitals: "my dog is called rex"."""
    small = not phrase.source.tokens[0].capital
    return small and _may_name(phrase, place) and place + 1 == len(phrase)


def _name_before(phrase: Phrase) -> str | None:
    """The name in "Bruno, my dog, …", at the beginning of what is said."""
    if phrase.word(1) != "," or not phrase.capital(0):
        return None
    plain = not _may_name(phrase, 0) or phrase.word(0) in _CALLS or is_common(phrase.word(0))
    return None if plain else str(phrase.cut(0, 1))


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
