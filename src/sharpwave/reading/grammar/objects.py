"""Find the object of a verb (a thing, a list, a place, a name), and relatives and pets.

The words after a verb are cut to its object; "my sister Anna" and "our dog, Max" name relations.
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
"""Words that end the name of a thing."""
_TRAILING_WORDS = (
    DEICTIC_TIMES
    | (ADVERBS - words("well"))
    | words("and or the a an of in on at to for with lol haha though right not")
)
_MAX_WORDS = 20


def thing(phrase: Phrase, stops: frozenset[str] = ENDS) -> str:
    """The thing that a phrase begins with, up to the end of its name; "" for a mere pronoun.

    "a bike that I love because…" is `a bike that I love`.
    """
    if phrase.word(0) in {"and", "or", "something", "anything", "someone", "it", "them", "you"}:
        return ""
    return trimmed(_without_time(clipped(phrase.until(stops))))


_TIME_UNITS = DAYS | words(
    """night week month year weekend weeks days months years day morning summer ago weekends
    mon tue tues wed thu thurs fri sat sun"""
)
_BEFORE_TIME_UNITS = words(
    "about around over last this next past few couple of a two three four five several other"
)


def _without_time(phrase: Phrase) -> Phrase:
    """The phrase without an unresolved time at the end: "last week", "a few days ago"."""
    last = len(phrase)
    while last and phrase.word(last - 1) in DEICTIC_TIMES:
        last -= 1
    if last and all(
        word in _TIME_UNITS or word in _BEFORE_TIME_UNITS for word in phrase.low[:last]
    ):
        return phrase.cut(0, 0)
    if last < 3 or phrase.word(last - 1) not in _TIME_UNITS:
        return phrase.cut(0, last)
    kept = last - 1
    while kept > 1 and (
        phrase.word(kept - 1) in _BEFORE_TIME_UNITS or phrase.word(kept - 1).isdigit()
    ):
        kept -= 1
    return phrase.cut(0, kept if kept < last - 1 else last)


def trimmed(phrase: Phrase) -> str:
    """The phrase without adverbs at either end; "" if no content word is left."""
    first, last = 0, min(len(phrase), _MAX_WORDS)
    while last > first and (phrase.word(last - 1) in _TRAILING_WORDS or phrase.is_time(last - 1)):
        last -= 1
    while first < last and (phrase.word(first) in ADVERBS or phrase.is_time(first)):
        first += 1
    kept = phrase.cut(first, last)
    return str(kept) if means_something(kept) else ""


def clipped(phrase: Phrase) -> Phrase:
    """The phrase up to another verb of the same subject: "a trip and want to see…"."""
    for position, word in enumerate(phrase.low):
        after = phrase.word(position + 1)
        if (word == "and" and after in _NEXT_VERBS) or (word == "it" and after in BE):
            return phrase.cut(0, position)
        if word == "and" and not BE.isdisjoint(phrase.low[position + 2 : position + 5]):
            return phrase.cut(0, position)  # "…and the people are nice"
    return phrase


_NEXT_VERBS = words(
    "i we want wanted was am need needed would is will it my have had could wondering looking going"
)


def means_something(phrase: Phrase) -> bool:
    """True if the phrase has a content word, unlike "it", "that thing" or "a lot"."""
    return any(word not in STOP and (word[0].isalnum() or word[0] == "$") for word in phrase.low)


_MAX_ITEMS = 5


def listed(phrase: Phrase) -> list[str]:
    """The things of a list: `hiking, painting and jazz` is three; a single thing is one."""
    phrase = phrase.until(ENDS - {","})
    if phrase.word(0) in {"to", "that"}:
        return [found] if (found := trimmed(phrase.until(ENDS))) else []
    parts = _parts(phrase)
    joined = any(word in {"and", "or", "&"} for word in phrase.low)
    if len(parts) > 1 and not (_is_list(parts) and (joined or len(parts) > 2)):
        parts = [phrase.until(MARKS)]
    items = [trimmed(part) for part in parts[:_MAX_ITEMS]]
    return [item for item in items if item]


def _parts(phrase: Phrase) -> list[Phrase]:
    """Cut at commas and at "and", but not inside "a trip with Ann and Bob"."""
    parts: list[Phrase] = []
    begin, is_bound = 0, False
    for position, word in enumerate([*phrase.low, ","]):
        if word in _BINDING_WORDS:
            is_bound = True
        if word == "," or (word in {"and", "or", "&"} and not is_bound):
            if position > begin:
                parts.append(phrase.cut(begin, position))
            begin, is_bound = position + 1, False
    return [part.cut(1) if part.word(0) in {"and", "or"} else part for part in parts]


_BINDING_WORDS = words("with between of for from on about in at by like that who both")


def _is_list(parts: list[Phrase]) -> bool:
    """True if all items have a few words and none is a sentence."""
    if len(parts) == 2 and not _is_pair(*parts):
        return False
    if any(word in BE for part in parts for word in part.low):
        return False
    return not any(
        len(part) > 8 or part.word(0) in PRONOUNS or part.word(0) in {"not", "especially", "since"}
        for part in parts
    )


def _is_pair(first: Phrase, second: Phrase) -> bool:
    """Match "tea and coffee", "reading and cooking for friends"; not "old books and films"."""
    if second.word(0) in {"their", "his", "her", "its", "my"} or not first or not second:
        return False
    if first.word(0) == "the" != second.word(0):
        return False
    if len(first) == 1 and len(second) > 1 and second.low[-1][-1] == "s" != first.low[-1][-1]:
        return False  # "action and horror films" are films of both kinds
    are_gerunds = is_ing(first.word(0)), is_ing(second.word(0))
    return all(are_gerunds) or (
        not any(are_gerunds) and len(first) <= len(second) and len(first) <= 2
    )


_PLACE_NAME_WORDS = words("of de la le los las del the upon sur am and von da do")
_NOT_PLACES = MONTHS | words(
    """a an my our your his her their this that the one bed love fear peace hope fact general
    person school college university high middle town city house home apartment flat dorm work
    business therapy touch case order time debt trouble pain charge front half two three here
    there public private tune shape spirit detail mind it them him me us you tears fashion spring
    summer autumn fall winter finance marketing tech sales healthcare education"""
)


def place_name(phrase: Phrase) -> str:
    """The place that a phrase begins with, such as `Porto, Portugal`; "" if there is none."""
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
        elif (
            word in _PLACE_NAME_WORDS
            and phrase.capital(size + 1)
            and size > start
            and word != "and"
        ):
            size += 1
        else:
            break
    if size > start:
        name = str(phrase.cut(0, size))
        low = phrase.word(start)
        is_no_place = name.lower() in _NOT_PLACES or low == "i" or low.removesuffix("s") in DAYS
        return "" if is_no_place else name
    return _lower_case_place(phrase)


def _lower_case_place(phrase: Phrase) -> str:
    """A place in lower case: "i live in porto"."""
    tokens = phrase.source.tokens
    if tokens and any(token.capital for token in tokens[:1]):
        return ""
    kept = phrase.until(ENDS | words("with and near for at by on as now")).low
    while kept and kept[-1] in _TRAILING_WORDS:
        kept.pop()
    if not 0 < len(kept) <= 2 or any(word in _NOT_PLACES or word in STOP for word in kept):
        return ""
    return str(phrase.cut(0, len(kept))) if kept[0].isalpha() else ""


def name_of(phrase: Phrase, max_words: int = 4) -> str:
    """The name that a phrase begins with: words with capitals, or a title in quotes."""
    size = 1 if phrase.word(0) == "the" and phrase.capital(1) else 0
    start = size
    while size < min(len(phrase), start + max_words) and not phrase.is_time(size):
        word = phrase.word(size)
        if (phrase.capital(size) or (size > start and word.isdigit())) and word not in {"i"}:
            size += 1
        elif size > start and _continues_name(phrase, size):
            size += 1
        else:
            break
    return str(phrase.cut(0, size)) if size > start else ""


def _continues_name(phrase: Phrase, position: int) -> bool:
    """Match "Bank *of* England", "St*.* Mary", "Mary*'s* Hospital"."""
    word = phrase.word(position)
    if word == "." and phrase.word(position - 1) not in {"st", "dr", "mr", "mrs"}:
        return False
    return word in {"&", "of", "the", ".", "'s"} and phrase.capital(position + 1)


_SELF = re.compile(
    r"(?<![\w-])(?:I am|I'm|I was|I've|I have|I|me|my|mine|myself|we are|we're|we|us|our|ours"
    r"|ourselves|you|your|yours|yourself)(?![\w-])",
    re.IGNORECASE,
)
_THIRD_PERSON = {
    "i am": "they are", "i'm": "they are", "i was": "they were", "i've": "they have",
    "i have": "they have", "i": "they", "me": "them", "my": "their", "mine": "theirs",
    "myself": "themselves", "we are": "they are", "we're": "they are", "we": "they", "us": "them",
    "our": "their", "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip


def in_third_person(text: str, spoken: Spoken) -> str:
    """The speaker's words in the third person: "my kids" becomes "their kids"."""
    if not _SELF.search(text):
        return text
    listener = spoken.listener

    def third_person(match: re.Match[str]) -> str:
        low = match[0].lower()
        if match[0] == "US":
            return match[0]
        if low.startswith("you"):
            if listener is None or listener == USER:
                return match[0]
            return {"you": listener, "yourself": listener}.get(low, f"{listener}'s")
        return _THIRD_PERSON[low]

    return _SELF.sub(third_person, text)


BREEDS = word_list("breeds")
_FEMALE_WORDS = words(FEMALE_KIN) | words(
    "mom mum mommy mama sis grandma granny nana gran gf granddaughter"
)
_MALE_WORDS = words(MALE_KIN) | words("dad daddy papa bro grandpa granddad grandson bf hubby")
_ADJECTIVES = words(
    """older younger little big elder eldest oldest youngest twin best good close old dear new
    former late ex own beloved lovely sweet current first second middle dearest amazing closest
    long-time longtime childhood dear adorable cute rescue"""
)
_NEVER_NAMES = DAYS | MONTHS | words(
    """i and is was has the a an in on at to for with who which that says said will would i'm he
    she it they we my your but so or because day thanks yes no god lol christmas halloween
    thanksgiving easter lego tv"""
)  # fmt: skip


class Relative(NamedTuple):
    """A relative or pet of the speaker, found in a phrase that ends at `end`."""

    relation: str
    word: str
    name: str | None
    end: int
    female: bool | None
    animal: str | None = None
    several: bool = False
    """More than one person: "my friends Mark and Sarah"."""


def relation_at(phrase: Phrase, my_position: int) -> Relative | None:
    """Read "my (older) sister (Anna)" with "my" at `my_position`."""
    position = my_position + 1
    best = False
    while phrase.word(position) in _ADJECTIVES and not _is_noun(phrase, position):
        best = best or phrase.word(position) == "best"
        position += 1
    word = phrase.word(position)
    animal = None
    if phrase.word(position + 1) in ANIMALS and word not in RELATIONS:
        position += 1  # "my golden retriever", "my black cat"
        word = phrase.word(position)
    elif phrase.word(position + 1) in {"in"} and phrase.word(position + 2) == "law":
        position, word = position + 2, f"{word}-in-law"
    several = _singular(word) in RELATIONS or _singular(word) in ANIMALS
    word = _singular(word) if several else word
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
    name, end = _name_after(phrase, position + 1)
    if name is None and my_position == 2 and phrase.source.low[phrase.first + end :][:1] == [","]:
        name = _name_before(phrase)
        end += name is not None
    return Relative(relation, word, name, end, gender_of(word), animal, several)


def _is_noun(phrase: Phrase, position: int) -> bool:
    """True for "ex" in "my ex Paul", where it is a noun."""
    after = phrase.word(position + 1)
    return (
        phrase.word(position) in RELATIONS and after not in RELATIONS and after not in _ADJECTIVES
    )


def gender_of(word: str) -> bool | None:
    """True if a word is for women, False if for men, None for both and for animals."""
    return True if word in _FEMALE_WORDS else False if word in _MALE_WORDS else None


def _singular(word: str) -> str:
    """The singular of a noun: `friend` for `friends`; "" if it is no plural."""
    if word == "children":
        return "child"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else ""


def _name_after(phrase: Phrase, position: int) -> tuple[str | None, int]:
    """The name right after the relation, or between commas; and where it ends."""
    comma = phrase.word(position) == ","
    begin = position + comma
    if phrase.word(begin) in {"named", "called"}:
        begin += 1
        comma = False
    end = name_end(phrase, begin)
    if end == begin:
        return None, position
    after = phrase.word(end)
    if comma and after not in {",", ""} and end < len(phrase):
        return None, position
    name = str(phrase.cut(begin, end))
    return name, end + (comma and after == ",")


_AFTER_NAMES = frozenset({"", ",", "and", "&", "but", "now", "who", "(", "-", "not"})


def name_stated(phrase: Phrase, start: int) -> tuple[str | None, int, str]:
    """The name in "(my boss) is called Tom", "('s) name is Tom", "is Tom", its end and the verb."""
    at = start
    if phrase.word(at) in {"'s", "'", "\u2019"} and phrase.word(at + 1) in {"name", "names"}:
        at += 2
    verb = phrase.word(at)
    if verb not in {"is", "are", "was", "were"}:
        return None, start, ""
    named = at > start
    begin = at + 1
    while phrase.word(begin) in {"called", "named", "actually", "now", "also", "spelled"}:
        named = True
        begin += 1
    end = name_at(phrase, begin, named)
    return (str(phrase.cut(begin, end)), end, verb) if end > begin else (None, start, "")


def name_at(phrase: Phrase, begin: int, named: bool) -> int:
    """End of a stated name that begins at `begin`; `begin` if there is none.

    After words that announce a name (`named`) it may be in lower case.
    """
    end = name_end(phrase, begin)
    if end == begin and named and _is_lower_case_name(phrase, begin):
        end = begin + 1
    kind = phrase.word(begin)
    is_no_name = kind in NATIONALITIES or kind in FAITHS or kind in _NO_NAMES
    return begin if is_no_name or phrase.word(end) not in _AFTER_NAMES else end


_NO_NAMES = words("adhd lgbtq gay covid tv ok in german-speaking")


def _is_lower_case_name(phrase: Phrase, position: int) -> bool:
    """A name in lower case: "my dog is called rex"."""
    is_lower_case = not phrase.source.tokens[0].capital
    return is_lower_case and _may_name(phrase, position) and position + 1 == len(phrase)


def _name_before(phrase: Phrase) -> str | None:
    """The name at the beginning of "Bruno, my dog, …"."""
    if phrase.word(1) != "," or not phrase.capital(0):
        return None
    is_no_name = (
        not _may_name(phrase, 0) or phrase.word(0) in _OPENING_WORDS or is_common(phrase.word(0))
    )
    return None if is_no_name else str(phrase.cut(0, 1))


_OPENING_WORDS = words(
    """hey hi hello well sorry wow today yesterday also actually so ok okay sure please
    instead however anyway honestly luckily unfortunately apparently besides finally then now"""
)
_TITLES = words("mr mrs ms dr prof")


def name_end(phrase: Phrase, begin: int) -> int:
    """End of a person's name that begins at `begin`: "Dr. Ana Souza"; `begin` if there is none."""
    start = begin
    if phrase.word(begin) in _TITLES and phrase.capital(begin):
        start += 1 + (phrase.word(begin + 1) == ".")
    end = start
    while end - start < 2 and phrase.capital(end) and _may_name(phrase, end):
        end += 1
    return end if end > start else begin


def _may_name(phrase: Phrase, position: int) -> bool:
    word = phrase.word(position)
    return word.isalpha() and len(word) > 1 and word not in _NEVER_NAMES
