"""Who a person is (name, age, origin, faith), and relatives, friends, partners and pets."""

import re
from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import (
    ANIMALS,
    DAYS,
    FAITHS,
    MINE,
    MONTHS,
    NATIONALITIES,
    NEGATIVE,
    NUMBERS,
    RELATIONS,
    words,
)
from sharpwave.reading.grammar.objects import (
    BREEDS,
    ENDS,
    name_of,
    relation_at,
    thing,
    trimmed,
)
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    CLEAR,
    LIKELY,
    FactMatch,
    Rules,
    When,
    is_certain,
    mode_of,
    state_mode,
)
from sharpwave.types.records import USER
from sharpwave.types.statements import Mode

STATUSES = words("married single divorced engaged widowed separated unmarried")
GENDERS = words(
    "transgender trans nonbinary non-binary bisexual gay lesbian queer asexual straight"
)
_YEARS = re.compile(r"(\d{1,3}|[a-z]+(?:-[a-z]+)?)[ -]years?[ -]old\b")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FEET = re.compile(r"[4-7]'\d{1,2}")
_NUMBER = re.compile(r"(?:1[0-9]|[2-9][0-9])\b")
_TALL = re.compile(
    r"(\d[\d.,' \"]{0,8}(?:cm|m|feet|ft|foot|inches|in)?[\d \"]{0,6}(?:inches|in)?) tall"
)
_NO_NAMES = NATIONALITIES | FAITHS | DAYS | MONTHS | STATUSES | GENDERS | words(
    """in at on so not very from sorry happy glad sure fine ok okay good back home here there done
    ready busy free late early new mexican lgbtq lgbt adhd autistic team"""
)  # fmt: skip


def _identity_be(said: Predication) -> Iterator[FactMatch]:
    rest, low = said.rest, said.rest.low
    if not low or not is_certain(said):
        return
    yield from _age(said)
    yield from _group(said)
    if low[0] == "born":
        yield from _born(said)
    if said.first_person and not said.plural and not said.negated and said.tense is Tense.PRESENT:
        name = name_of(rest, most=3)
        size = len(name.split())
        alone = len(low) == size or rest.word(size) in {",", "and", "from"}
        named = rest.capital(0) and name[:1].isalpha()
        if named and alone and low[0] not in _NO_NAMES and not name.isupper():
            yield FactMatch("name", name, CLEAR if size < 3 else LIKELY)


def _age(said: Predication) -> Iterator[FactMatch]:
    low = said.rest.low
    text = " ".join(low[:5])
    if match := _YEARS.match(text):
        yield FactMatch("age", match[1], mode=state_mode(said))
    elif said.tense is Tense.PRESENT and _is_age(said):
        if len(low) == 1 or low[1] in {"and", ",", "now", "today", "but"}:
            yield FactMatch("age", low[0], LIKELY, mode_of(said))
    elif _FEET.fullmatch(low[0]):
        yield FactMatch("height", low[0], mode=mode_of(said))
    elif match := _TALL.match(text):
        yield FactMatch("height", match[1].strip(), mode=mode_of(said))


def _is_age(said: Predication) -> bool:
    """As in "I am 34", "Ana is 8", and of a person in words: "Ana is eight"."""
    first = said.rest.low[0]
    if said.first_person:
        return _NUMBER.fullmatch(first) is not None
    named = said.who[:1].isupper() or said.who.startswith(f"{USER}'s ")
    return first.isdigit() or (first in NUMBERS and named)


def _group(said: Predication) -> Iterator[FactMatch]:
    """As in "I am (half) Irish", "I'm a Buddhist", "I am married"."""
    low = said.rest.low
    place = 0
    while place < len(low) and low[place] in _BEFORE_GROUPS:
        place += 1
    word = low[place] if place < len(low) else ""
    after = low[place + 1] if place + 1 < len(low) else ""
    ends = after in {"", ",", "and", "but", "now", "by", "so", "too", "to", "with", "for", "from"}
    if word in NATIONALITIES and (ends or after in {"citizen", "guy", "woman", "man"}):
        if said.first_person or said.who:
            yield FactMatch("nationality", word.capitalize(), mode=state_mode(said))
            for other in low[place + 1 : place + 4] if after in {"and", ","} else ():
                if other in NATIONALITIES:
                    yield FactMatch("nationality", other.capitalize(), mode=state_mode(said))
    elif word in FAITHS and ends:
        yield FactMatch("religion", word, mode=state_mode(said))
    elif word in STATUSES and ends and not _is_to_a_thing(said.rest.cut(place + 1)):
        yield FactMatch("marital_status", word, mode=state_mode(said))
    elif word in GENDERS and (ends or after in {"woman", "man", "person", "guy"}):
        kind = f"{word} {after}" if after in {"woman", "man", "person"} else word
        yield FactMatch("gender", kind, LIKELY if word == "straight" else CLEAR, state_mode(said))


def _is_to_a_thing(after: Phrase) -> bool:
    """As in "married to my job"."""
    mine = after.word(0) == "to" and after.word(1) in MINE
    return mine and relation_at(after, 1) is None


_BEFORE_GROUPS = words(
    "a an half originally very happily practicing practising devout staunch proud newly recently"
)


def _born(said: Predication) -> Iterator[FactMatch]:
    from_ = said.rest.cut(1)
    if from_.word(0) in {"in", "on"}:
        where = name_of(from_.cut(1))
        if where and where.lower() not in MONTHS and not where[0].isdigit():
            yield FactMatch("born_in", where, mode=mode_of(said))
        elif from_.word(0) == "in" and _YEAR.fullmatch(from_.word(1)):
            yield FactMatch("detail_birth_year", from_.word(1), mode=mode_of(said), when=When.DATE)
        elif from_.word(0) == "on" and (date := from_.cut(1).until(ENDS).with_times()):
            yield FactMatch("birthday", date, mode=mode_of(said), when=When.DATE)


def _turn(said: Predication) -> Iterator[FactMatch]:
    """As in "I just turned thirty"."""
    if said.tense in {Tense.PAST, Tense.PERFECT} and said.rest:
        word = said.rest.word(0)
        small = not said.first_person and word in NUMBERS
        if (word.isdigit() and int(word[:3]) < 120) or word in _TENS or small:
            yield FactMatch("age", word)


_TENS = words("thirty forty fifty sixty seventy eighty ninety eighteen nineteen twenty twenty-one")


def _go(said: Predication) -> Iterator[FactMatch]:
    """As in "I go by Ann"."""
    if said.rest.word(0) == "by" and said.rest.capital(1):
        yield FactMatch("called", name_of(said.rest.cut(1), 2), mode=state_mode(said))


def _weigh(said: Predication) -> Iterator[FactMatch]:
    if said.rest.word(0)[:1].isdigit():
        yield FactMatch("weight", str(said.rest.cut(0, 2)), mode=state_mode(said))


def _married(said: Predication) -> Iterator[FactMatch]:
    """As in "we got married", "she got engaged", "I got divorced"."""
    word = said.rest.word(0)
    if word in {"married", "engaged", "divorced", "separated"} and is_certain(said):
        if said.tense in {Tense.GOING_ON, Tense.FUTURE} and word in {"married", "engaged"}:
            what = trimmed(said.rest.until(ENDS))
            yield FactMatch("plans_to", f"get {what}", LIKELY, mode_of(said), when=When.PLAN)
        elif said.tense is not Tense.FUTURE:
            yield FactMatch("marital_status", word, mode=mode_of(said))


def called(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "you can call me Max", "everyone calls me Bea"."""
    for place, word in enumerate(phrase.low[:6]):
        if word in {"call", "calls"} and phrase.word(place + 1) == "me":
            if phrase.capital(place + 2) and phrase.word(place + 2) not in _NO_NAMES:
                is_denied = not NEGATIVE.isdisjoint(phrase.low[:place])
                mode = Mode.DENIED if is_denied else Mode.HOLDS
                yield FactMatch("called", name_of(phrase.cut(place + 2), 2), LIKELY, mode)
            return


IDENTITY_RULES: Rules = {
    "be": _identity_be,
    "turn": _turn,
    "go": _go,
    "weigh": _weigh,
    "get": _married,
}


_NUMBERS = words("one two three four five six seven eight nine ten no 1 2 3 4 5 6 7 8 9 10")
_CHILDREN = words("kids children sons daughters boys girls grandchildren kid child")
_SIBLINGS = words("siblings brothers sisters brother sister")
_PARTNERS = words("wife husband partner girlfriend boyfriend fiance fiancé fiancée fiancee spouse")


def _have(said: Predication) -> Iterator[FactMatch]:
    """As in "I have two kids", "I have a dog named Max", "we have a daughter, Ana"."""
    if not is_certain(said) or said.tense in {Tense.FUTURE, Tense.PERFECT}:
        return
    rest, low = said.rest, said.rest.low
    number = next((word for word in low[:2] if word in _NUMBERS), "")
    kin = next((at for at, word in enumerate(low[:6]) if _is_kin(word)), -1)
    if (
        kin < 0
        or low[kin - 1] == "hot"
        or (low[0] not in {"a", "an", "no", "any", "the", "my", "our"} and not number)
    ):
        return
    if kin > 1 and any(
        word in {"with", "of", "for", "to", "from", "on", ","} for word in low[:kin]
    ):
        return
    word = low[kin]
    mode = state_mode(said)
    if word in _CHILDREN | _SIBLINGS and number and word.endswith(("s", "ren")):
        predicate = "children" if word in _CHILDREN else "siblings"
        yield FactMatch(predicate, str(rest.cut(0, kin + 1)), mode=mode)
        yield from _names(rest, kin, _one(word), mode)
    elif _one(word) in ANIMALS or _one(word) in RELATIONS:
        yield from _one_or_named(said, kin, number, mode)


def _one_or_named(said: Predication, kin: int, number: str, mode: Mode) -> Iterator[FactMatch]:
    rest = said.rest
    word = _one(rest.word(kin))
    named = list(_names(rest, kin, word, mode))
    if named:
        yield from named
        return
    if rest.word(kin + 1) in {"who", "that", "'s", "in", "-"} and word not in ANIMALS:
        if rest.word(kin + 1) != "in":
            return
    if rest.word(kin + 1) in _OF_KIN:
        return
    relation = "pet" if word in ANIMALS else RELATIONS[word]
    if relation in {"client", "customer", "patient", "student", "tenant"}:
        return
    if relation in {"friend", "colleague", "teacher", "boss"} and not number:
        return
    if rest.word(0) in {"any", "no"}:
        if relation == "child":
            yield FactMatch("children", str(rest.cut(1, kin + 1)), mode=Mode.DENIED)
        else:
            yield FactMatch(relation, f"a {word}", mode=Mode.DENIED)
        return
    if rest.word(0) != "the":  # "I have the kids" says nothing new of them
        yield FactMatch(relation, str(rest.cut(0, kin + 1)), LIKELY, mode)


_OF_KIN = words("appointment visit checkup meeting conference shower food bed toy party class")


def _names(rest: Phrase, kin: int, word: str, mode: Mode) -> Iterator[FactMatch]:
    """The names that follow: "named Max", ", Luna and Milo", ": Ana"."""
    at = kin + 1
    if rest.word(at) in {"named", "called", ",", ":", "-"}:
        at += 1
        if rest.word(at) in {"named", "called"}:
            at += 1
    relation = "pet" if word in ANIMALS else RELATIONS.get(word)
    while relation and rest.capital(at) and rest.word(at).isalpha():
        name = name_of(rest.cut(at), 2)
        if not name:
            return
        yield FactMatch(relation, name, CLEAR, mode)
        if relation == "pet" and ANIMALS[word] != "pet":
            yield FactMatch("is_a", f"a {ANIMALS[word]}", CLEAR, subject=name)
        if word in BREEDS and kin and (breed := str(rest.cut(1, kin + 1))):
            yield FactMatch("breed", breed, LIKELY, subject=name)
        at += len(name.split())
        if rest.word(at) == ",":
            at += 1
        if rest.word(at) in {"and", "&"}:
            at += 1


def _is_kin(word: str) -> bool:
    one = _one(word)
    return one in RELATIONS or one in ANIMALS or word in _CHILDREN


def _one(word: str) -> str:
    if word in {"children", "boys", "girls"}:
        return {"children": "child", "boys": "son", "girls": "daughter"}[word]
    if word in {"puppies", "bunnies", "kitties"}:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _adopt(said: Predication) -> Iterator[FactMatch]:
    """As in "We adopted a puppy named Max"."""
    if said.tense in {Tense.PAST, Tense.PERFECT} and not said.negated:
        low = said.rest.low
        kin = next((at for at, word in enumerate(low[:6]) if _one(word) in ANIMALS), -1)
        if kin < 0 or not any(
            word in {"a", "an", "another", "two", "my", "our"} for word in low[:2]
        ):
            return
        if any(word in {"of", "for", "with", "from"} for word in low[:kin]):
            return
        named = list(_names(said.rest, kin, _one(low[kin]), Mode.HOLDS))
        if named:
            yield from named
        elif said.rest.word(kin + 1) not in {"food", "bed", "toy", "house", "collar", "tank"}:
            yield FactMatch("pet", str(said.rest.cut(0, kin + 1)), LIKELY)


def _be(said: Predication) -> Iterator[FactMatch]:
    """As in "Anna is my sister", "Max is our dog"."""
    rest = said.rest
    if not is_certain(said):
        return
    if said.first_person:
        yield from _parent(said)
    elif said.who.endswith("'s pet") and any(word in BREEDS for word in rest.low[1:4]):
        if rest.word(0) in {"a", "an"} and (breed := thing(rest.cut(1))):
            yield FactMatch("breed", breed, LIKELY, state_mode(said))
    elif rest.word(0) in MINE:
        related = relation_at(rest, 0)
        if related and not related.name and said.who[:1].isupper():
            yield FactMatch(related.relation, said.who, LIKELY, state_mode(said), subject="")
            if related.animal and related.animal != "pet":
                yield FactMatch("is_a", f"a {related.animal}")


_PARENTS = words("mom mum mother dad father parent")


def _parent(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm a mother of two", "I'm married to Ana", "I'm engaged to Ana"."""
    rest = said.rest
    kin = next((at for at, word in enumerate(rest.low[:5]) if word in _PARENTS), -1)
    if rest.word(0) in {"a", "an", "the"} and kin > 0 and rest.word(kin + 1) in {"of", "to"}:
        if what := thing(rest.cut(kin + 2), ENDS | words("and living from in")):
            yield FactMatch("children", what, LIKELY, state_mode(said))
    elif rest.starts("an", "only", "child"):
        yield FactMatch("siblings", "siblings", LIKELY, Mode.DENIED)
    elif rest.word(1) == "to" and rest.word(0) in {"married", "engaged"} and rest.capital(2):
        relation = "spouse" if rest.word(0) == "married" else "fiance"
        if name := name_of(rest.cut(2), 2):
            yield FactMatch(relation, name, LIKELY, state_mode(said))


def _partner(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm dating Tom", "I married Tom", "I broke up with my girlfriend"."""
    rest = said.rest
    if not is_certain(said) or said.tense is Tense.FUTURE:
        return
    if said.verb == "break" or said.verb == "split":
        if rest.word(0) == "up" and not said.negated:
            if said.first_person:
                yield from _parted(rest.cut(1))
        return
    if said.verb == "divorce" and said.tense in {Tense.PAST, Tense.PERFECT}:
        yield FactMatch("marital_status", "married", mode=Mode.ENDED)
        return
    relation = "partner" if said.verb in {"date", "see"} else "spouse"
    name = name_of(rest, 2)
    going = said.tense in {Tense.GOING_ON, Tense.LATELY}
    if said.verb == "see" and not name and going and "named" in rest.low[:4]:
        name = name_of(rest.cut(rest.find("named") + 1), 2)
        named = bool(name)
    else:
        named = bool(name) and rest.capital(0) and said.verb != "see"
    if named and (going or relation == "spouse"):
        yield FactMatch(relation, name, LIKELY, mode_of(said))


def _parted(rest: Phrase) -> Iterator[FactMatch]:
    if not rest or rest.word(0) in {"and", ","}:
        yield FactMatch("partner", "a partner", LIKELY, Mode.ENDED)
    if rest.word(0) != "with":
        return
    after = rest.cut(1)
    related = relation_at(after, 0) if after.word(0) in MINE else None
    if related and related.relation in {RELATIONS[word] for word in _PARTNERS}:
        yield FactMatch(related.relation, related.name or f"a {related.word}", mode=Mode.ENDED)
    elif name := name_of(after, 2):
        yield FactMatch("partner", name, mode=Mode.ENDED)


def _pass_away(said: Predication) -> Iterator[FactMatch]:
    """As in "My dog Max died": he was the speaker's, and is no more."""
    gone = said.verb == "die" or (said.verb == "pass" and said.rest.word(0) == "away")
    if gone and not said.first_person and said.tense in {Tense.PAST, Tense.PERFECT}:
        yield FactMatch("did", "passed away", LIKELY)
        if said.who.endswith("'s pet"):
            yield FactMatch("pet", "a pet", LIKELY, Mode.ENDED, subject="")


def _get(said: Predication) -> Iterator[FactMatch]:
    yield from _adopt(said)
    if said.rest.word(0) == "divorced" and said.tense in {Tense.PAST, Tense.PERFECT}:
        yield FactMatch("marital_status", "married", mode=Mode.ENDED)


FAMILY_RULES: Rules = {
    "have": _have,
    "adopt": _adopt,
    "get": _get,
    "be": _be,
    "date": _partner,
    "see": _partner,
    "marry": _partner,
    "break": _partner,
    "split": _partner,
    "divorce": _partner,
    "die": _pass_away,
    "pass": _pass_away,
}
