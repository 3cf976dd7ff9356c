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
)
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    CLEAR,
    DONE,
    LIKELY,
    ONGOING,
    FactMatch,
    Rules,
    When,
    mode_of,
    state_mode,
    verb_rule,
)
from sharpwave.types.records import USER
from sharpwave.types.statements import Mode

STATUSES = words("married single divorced engaged widowed separated unmarried")
_YEARS = re.compile(r"(\d{1,3}|[a-z]+(?:-[a-z]+)?)[ -]years?[ -]old\b")
_NUMBER = re.compile(r"(?:1[0-9]|[2-9][0-9])\b")
_TALL = re.compile(
    r"(\d[\d.,' \"]{0,8}(?:cm|m|feet|ft|foot|inches|in)?[\d \"]{0,6}(?:inches|in)?) tall"
)
_NO_NAMES = NATIONALITIES | FAITHS | DAYS | MONTHS | STATUSES | words(
    """in at on so not very from sorry happy glad sure fine ok okay good back home here there done
    ready busy free late early new lgbtq lgbt adhd autistic team trans gay lesbian"""
)  # fmt: skip


def _identity_be(said: Predication) -> Iterator[FactMatch]:
    rest, low = said.rest, said.rest.low
    if not low:
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
        more = low[place + 1 : place + 4] if after in {"and", ","} else ()
        for one in (word, *(other for other in more if other in NATIONALITIES)):
            yield FactMatch("nationality", one.capitalize(), mode=state_mode(said))
    elif word in FAITHS and ends:
        yield FactMatch("religion", word, mode=state_mode(said))
    elif word in STATUSES and ends and not _is_to_a_thing(said.rest.cut(place + 1)):
        yield FactMatch("marital_status", word, mode=state_mode(said))


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
        elif from_.word(0) == "on" and (date := from_.cut(1).until(ENDS).with_times()):
            yield FactMatch("birthday", date, mode=mode_of(said), when=When.DATE)


def _turn(said: Predication) -> Iterator[FactMatch]:
    """As in "I just turned thirty"."""
    if said.tense in DONE and said.rest:
        word = said.rest.word(0)
        small = not said.first_person and word in NUMBERS
        if said.rest.word(1) in {"degrees", "pages"}:
            return
        years = word.isdecimal() and len(word) <= len(str(_OLDEST)) and int(word) < _OLDEST
        if years or word in _TENS or small:
            yield FactMatch("age", word)


_OLDEST = 120
_TENS = words("thirty forty fifty sixty seventy eighty ninety eighteen nineteen twenty twenty-one")


def _name(phrase: Phrase) -> str:
    return name_of(phrase, 2) if phrase.capital(0) else ""


def _weight(phrase: Phrase) -> str:
    return str(phrase.cut(0, 2)) if phrase.word(0)[:1].isdigit() else ""


def _married(said: Predication) -> Iterator[FactMatch]:
    """As in "we got married", "she got engaged", "I got divorced"."""
    word = said.rest.word(0)
    if word in {"married", "engaged", "divorced", "separated"} and said.tense in DONE:
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
    "go": verb_rule("called", "by", get=_name, mode=state_mode),
    "weigh": verb_rule("weight", get=_weight, mode=state_mode),
    "get": _married,
}


_NUMBERS = words("one two three four five six seven eight nine ten no 1 2 3 4 5 6 7 8 9 10")
_CHILDREN = words("kids children sons daughters boys girls grandchildren kid child")
_SIBLINGS = words("siblings brothers sisters brother sister")


def _have(said: Predication) -> Iterator[FactMatch]:
    """As in "I have two kids", "I have a dog named Max", "we have a daughter, Ana"."""
    if said.tense in {Tense.FUTURE, Tense.PERFECT}:
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
    if kin > 1 and not _BOUND.isdisjoint(low[:kin]):
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
    relation = "pet" if word in ANIMALS else RELATIONS[word]
    described = rest.word(kin + 1) in {"who", "that", "'s", "-"} and word not in ANIMALS
    one_of_many = relation in _OF_MANY or (relation in _OF_SOME and not number)
    if described or one_of_many or rest.word(kin + 1) in _OF_KIN:
        return
    if rest.word(0) in {"any", "no"}:
        named_so = relation != "child"
        none = f"a {word}" if named_so else str(rest.cut(1, kin + 1))
        yield FactMatch(relation if named_so else "children", none, mode=Mode.DENIED)
    elif rest.word(0) != "the":  # "I have the kids" says nothing new of them
        yield FactMatch(relation, str(rest.cut(0, kin + 1)), LIKELY, mode)


_OF_KIN = words("appointment visit checkup shower food bed toy party class house collar tank")
_OF_MANY = words("client customer patient student tenant")
_OF_SOME = words("friend colleague teacher boss")


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
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _adopt(said: Predication) -> Iterator[FactMatch]:
    """As in "We adopted a puppy named Max"."""
    low = said.rest.low
    kin = next((at for at, word in enumerate(low[:6]) if _one(word) in ANIMALS), -1)
    if kin < 0 or said.tense not in DONE or said.negated or _GOT.isdisjoint(low[:2]):
        return
    if named := list(_names(said.rest, kin, _one(low[kin]), Mode.HOLDS)):
        yield from named
    elif said.rest.word(kin + 1) not in _OF_KIN and _BOUND.isdisjoint(low[:kin]):
        yield FactMatch("pet", str(said.rest.cut(0, kin + 1)), LIKELY)


_GOT = words("a an another two my our")
_BOUND = words("of for with from to on ,")


def _be(said: Predication) -> Iterator[FactMatch]:
    """As in "Anna is my sister", "Max is our dog"."""
    rest = said.rest
    if said.first_person:
        yield from _married_to(said)
    elif said.who.endswith("'s pet") and any(word in BREEDS for word in rest.low[1:4]):
        if rest.word(0) in {"a", "an"} and (breed := thing(rest.cut(1))):
            yield FactMatch("breed", breed, LIKELY, state_mode(said))
    elif rest.word(0) in MINE and said.who[:1].isupper():
        related = relation_at(rest, 0)
        if related and not related.name and rest.word(related.end) != "'s":
            yield FactMatch(related.relation, said.who, LIKELY, state_mode(said), subject="")
            if related.animal and related.animal != "pet":
                yield FactMatch("is_a", f"a {related.animal}")


def _married_to(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm married to Ana", "I'm engaged to Ana"."""
    rest = said.rest
    relation = {"married": "spouse", "engaged": "fiance"}.get(rest.word(0))
    if relation and rest.word(1) == "to" and (name := name_of(rest.cut(2), 2)):
        yield FactMatch(relation, name, LIKELY, state_mode(said))


def _see(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm seeing a guy named Tom"."""
    at = said.rest.find("named")
    if 0 < at < 4 and said.tense in ONGOING and (name := name_of(said.rest.cut(at + 1), 2)):
        yield FactMatch("partner", name, LIKELY, mode_of(said))


def _part(said: Predication) -> Iterator[FactMatch]:
    """As in "we broke up", "I broke up with Tom", "I split up with my girlfriend"."""
    rest = said.rest
    if rest.word(0) != "up" or said.tense not in DONE or said.negated or not said.first_person:
        return
    related = relation_at(rest, 2) if rest.word(1) == "with" and rest.word(2) in MINE else None
    if related is not None:
        person = related.name or f"a {related.word}"
        yield FactMatch(related.relation, person, mode=Mode.ENDED)
    elif rest.word(1) in {"", "and", ",", "with"}:
        yield FactMatch("partner", name_of(rest.cut(2), 2) or "a partner", LIKELY, Mode.ENDED)


def _pass_away(said: Predication) -> Iterator[FactMatch]:
    """As in "my grandfather died"."""
    gone = said.verb == "die" or (said.verb == "pass" and said.rest.word(0) == "away")
    if gone and not said.first_person and said.tense in DONE:
        yield FactMatch("did", "passed away", LIKELY)


def _get(said: Predication) -> Iterator[FactMatch]:
    yield from _adopt(said)
    if said.rest.word(0) == "divorced" and said.tense in DONE:
        yield FactMatch("marital_status", "married", mode=Mode.ENDED)


FAMILY_RULES: Rules = {
    "have": _have,
    "adopt": _adopt,
    "get": _get,
    "be": _be,
    "date": verb_rule("partner", get=_name, sure=LIKELY, tenses=ONGOING),
    "marry": verb_rule("spouse", get=_name, sure=LIKELY),
    "see": _see,
    "break": _part,
    "split": _part,
    "die": _pass_away,
    "pass": _pass_away,
}
