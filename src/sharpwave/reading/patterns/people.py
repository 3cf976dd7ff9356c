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


def _identity_be(predication: Predication) -> Iterator[FactMatch]:
    rest, low = predication.rest, predication.rest.low
    if not low:
        return
    yield from _age(predication)
    yield from _group(predication)
    if low[0] == "born":
        yield from _born(predication)
    if (
        predication.first_person
        and not predication.plural
        and not predication.negated
        and predication.tense is Tense.PRESENT
    ):
        name = name_of(rest, max_words=3)
        size = len(name.split())
        is_alone = len(low) == size or rest.word(size) in {",", "and", "from"}
        is_name = rest.capital(0) and name[:1].isalpha()
        if is_name and is_alone and low[0] not in _NO_NAMES and not name.isupper():
            yield FactMatch("name", name, CLEAR if size < 3 else LIKELY)


def _age(predication: Predication) -> Iterator[FactMatch]:
    low = predication.rest.low
    text = " ".join(low[:5])
    if match := _YEARS.match(text):
        yield FactMatch("age", match[1], mode=state_mode(predication))
    elif predication.tense is Tense.PRESENT and _is_age(predication):
        if len(low) == 1 or low[1] in {"and", ",", "now", "today", "but"}:
            yield FactMatch("age", low[0], LIKELY, mode_of(predication))
    elif match := _TALL.match(text):
        yield FactMatch("height", match[1].strip(), mode=mode_of(predication))


def _is_age(predication: Predication) -> bool:
    """Match "I am 34", "Ana is 8", and for a named person also "Ana is eight"."""
    first = predication.rest.low[0]
    if predication.first_person:
        return _NUMBER.fullmatch(first) is not None
    is_named = predication.subject[:1].isupper() or predication.subject.startswith(f"{USER}'s ")
    return first.isdigit() or (first in NUMBERS and is_named)


def _group(predication: Predication) -> Iterator[FactMatch]:
    """Match "I am (half) Irish", "I'm a Buddhist", "I am married"."""
    low = predication.rest.low
    position = 0
    while position < len(low) and low[position] in _BEFORE_GROUPS:
        position += 1
    word = low[position] if position < len(low) else ""
    after = low[position + 1] if position + 1 < len(low) else ""
    is_end = after in {"", ",", "and", "but", "now", "by", "so", "too", "to", "with", "for", "from"}
    if word in NATIONALITIES and (is_end or after in {"citizen", "guy", "woman", "man"}):
        more = low[position + 1 : position + 4] if after in {"and", ","} else ()
        for nationality in (word, *(item for item in more if item in NATIONALITIES)):
            yield FactMatch("nationality", nationality.capitalize(), mode=state_mode(predication))
    elif word in FAITHS and is_end:
        yield FactMatch("religion", word, mode=state_mode(predication))
    elif word in STATUSES and is_end and not _is_not_to_person(predication.rest.cut(position + 1)):
        yield FactMatch("marital_status", word, mode=state_mode(predication))


def _is_not_to_person(after: Phrase) -> bool:
    """Match "married to my job"."""
    is_own = after.word(0) == "to" and after.word(1) in MINE
    return is_own and relation_at(after, 1) is None


_BEFORE_GROUPS = words(
    "a an half originally very happily practicing practising devout staunch proud newly recently"
)


def _born(predication: Predication) -> Iterator[FactMatch]:
    detail = predication.rest.cut(1)
    if detail.word(0) in {"in", "on"}:
        place = name_of(detail.cut(1))
        if place and place.lower() not in MONTHS and not place[0].isdigit():
            yield FactMatch("born_in", place, mode=mode_of(predication))
        elif detail.word(0) == "on" and (date := detail.cut(1).until(ENDS).with_times()):
            yield FactMatch("birthday", date, mode=mode_of(predication), when=When.DATE)


def _turn(predication: Predication) -> Iterator[FactMatch]:
    """Match "I just turned thirty"."""
    if predication.tense in DONE and predication.rest:
        word = predication.rest.word(0)
        is_small_number = not predication.first_person and word in NUMBERS
        if predication.rest.word(1) in {"degrees", "pages"}:
            return
        is_age = word.isdecimal() and len(word) <= len(str(_MAX_AGE)) and int(word) < _MAX_AGE
        if is_age or word in _TENS or is_small_number:
            yield FactMatch("age", word)


_MAX_AGE = 120
_TENS = words("thirty forty fifty sixty seventy eighty ninety eighteen nineteen twenty twenty-one")


def _name(phrase: Phrase) -> str:
    return name_of(phrase, 2) if phrase.capital(0) else ""


def _weight(phrase: Phrase) -> str:
    return str(phrase.cut(0, 2)) if phrase.word(0)[:1].isdigit() else ""


def _marital_change(predication: Predication) -> Iterator[FactMatch]:
    """Match "we got married", "she got engaged", "I got divorced"."""
    word = predication.rest.word(0)
    if word in {"married", "engaged", "divorced", "separated"} and predication.tense in DONE:
        yield FactMatch("marital_status", word, mode=mode_of(predication))


def called(phrase: Phrase) -> Iterator[FactMatch]:
    """Match "you can call me Max", "everyone calls me Bea"."""
    for position, word in enumerate(phrase.low[:6]):
        if word in {"call", "calls"} and phrase.word(position + 1) == "me":
            if phrase.capital(position + 2) and phrase.word(position + 2) not in _NO_NAMES:
                is_denied = not NEGATIVE.isdisjoint(phrase.low[:position])
                mode = Mode.DENIED if is_denied else Mode.HOLDS
                yield FactMatch("called", name_of(phrase.cut(position + 2), 2), LIKELY, mode)
            return


IDENTITY_RULES: Rules = {
    "be": _identity_be,
    "turn": _turn,
    "go": verb_rule("called", "by", object_of=_name, mode=state_mode),
    "weigh": verb_rule("weight", object_of=_weight, mode=state_mode),
    "get": _marital_change,
}


_NUMBERS = words("one two three four five six seven eight nine ten no 1 2 3 4 5 6 7 8 9 10")
_CHILDREN = words("kids children sons daughters boys girls grandchildren kid child")
_SIBLINGS = words("siblings brothers sisters brother sister")


def _have(predication: Predication) -> Iterator[FactMatch]:
    """Match "I have two kids", "I have a dog named Max", "we have a daughter, Ana"."""
    if predication.tense in {Tense.FUTURE, Tense.PERFECT}:
        return
    rest, low = predication.rest, predication.rest.low
    number = next((word for word in low[:2] if word in _NUMBERS), "")
    position = next((at for at, word in enumerate(low[:6]) if _is_kin(word)), -1)
    if (
        position < 0
        or low[position - 1] == "hot"
        or (low[0] not in {"a", "an", "no", "any", "the", "my", "our"} and not number)
    ):
        return
    if position > 1 and not _BINDING_WORDS.isdisjoint(low[:position]):
        return
    word = low[position]
    mode = state_mode(predication)
    if word in _CHILDREN | _SIBLINGS and number and word.endswith(("s", "ren")):
        predicate = "children" if word in _CHILDREN else "siblings"
        yield FactMatch(predicate, str(rest.cut(0, position + 1)), mode=mode)
        yield from _named_relatives(rest, position, _singular(word), mode)
    elif _singular(word) in ANIMALS or _singular(word) in RELATIONS:
        yield from _single_relative(predication, position, number, mode)


def _single_relative(
    predication: Predication, position: int, number: str, mode: Mode
) -> Iterator[FactMatch]:
    rest = predication.rest
    word = _singular(rest.word(position))
    named_relatives = list(_named_relatives(rest, position, word, mode))
    if named_relatives:
        yield from named_relatives
        return
    relation = "pet" if word in ANIMALS else RELATIONS[word]
    described = rest.word(position + 1) in {"who", "that", "'s", "-"} and word not in ANIMALS
    one_of_many = relation in _PROFESSIONAL_RELATIONS or (
        relation in _LOOSE_RELATIONS and not number
    )
    if described or one_of_many or rest.word(position + 1) in _NOT_KIN:
        return
    if rest.word(0) in {"any", "no"}:
        is_relation = relation != "child"
        object_text = f"a {word}" if is_relation else str(rest.cut(1, position + 1))
        yield FactMatch(relation if is_relation else "children", object_text, mode=Mode.DENIED)
    elif rest.word(0) != "the":  # "I have the kids" says nothing new of them
        yield FactMatch(relation, str(rest.cut(0, position + 1)), LIKELY, mode)


_NOT_KIN = words("appointment visit checkup shower food bed toy party class house collar tank")
_PROFESSIONAL_RELATIONS = words("client customer patient student tenant")
_LOOSE_RELATIONS = words("friend colleague teacher boss")


def _named_relatives(rest: Phrase, kin_position: int, word: str, mode: Mode) -> Iterator[FactMatch]:
    """The names that follow: "named Max", ", Luna and Milo", ": Ana"."""
    at = kin_position + 1
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
        if word in BREEDS and kin_position and (breed := str(rest.cut(1, kin_position + 1))):
            yield FactMatch("breed", breed, LIKELY, subject=name)
        at += len(name.split())
        if rest.word(at) == ",":
            at += 1
        if rest.word(at) in {"and", "&"}:
            at += 1


def _is_kin(word: str) -> bool:
    singular = _singular(word)
    return singular in RELATIONS or singular in ANIMALS or word in _CHILDREN


def _singular(word: str) -> str:
    if word in {"children", "boys", "girls"}:
        return {"children": "child", "boys": "son", "girls": "daughter"}[word]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _adopt(predication: Predication) -> Iterator[FactMatch]:
    """Match "We adopted a puppy named Max"."""
    low = predication.rest.low
    position = next((at for at, word in enumerate(low[:6]) if _singular(word) in ANIMALS), -1)
    if (
        position < 0
        or predication.tense not in DONE
        or predication.negated
        or _INDEFINITE_OR_OWN.isdisjoint(low[:2])
    ):
        return
    if relatives := list(
        _named_relatives(predication.rest, position, _singular(low[position]), Mode.HOLDS)
    ):
        yield from relatives
    elif predication.rest.word(position + 1) not in _NOT_KIN and _BINDING_WORDS.isdisjoint(
        low[:position]
    ):
        yield FactMatch("pet", str(predication.rest.cut(0, position + 1)), LIKELY)


_INDEFINITE_OR_OWN = words("a an another two my our")
_BINDING_WORDS = words("of for with from to on ,")


def _be(predication: Predication) -> Iterator[FactMatch]:
    """Match "Anna is my sister", "Max is our dog"."""
    rest = predication.rest
    if predication.first_person:
        yield from _married_to(predication)
    elif predication.subject.endswith("'s pet") and any(word in BREEDS for word in rest.low[1:4]):
        if rest.word(0) in {"a", "an"} and (breed := thing(rest.cut(1))):
            yield FactMatch("breed", breed, LIKELY, state_mode(predication))
    elif rest.word(0) in MINE and predication.subject[:1].isupper():
        relative = relation_at(rest, 0)
        if relative and not relative.name and rest.word(relative.end) != "'s":
            yield FactMatch(
                relative.relation, predication.subject, LIKELY, state_mode(predication), subject=""
            )
            if relative.animal and relative.animal != "pet":
                yield FactMatch("is_a", f"a {relative.animal}")


def _married_to(predication: Predication) -> Iterator[FactMatch]:
    """Match "I'm married to Ana", "I'm engaged to Ana"."""
    rest = predication.rest
    relation = {"married": "spouse", "engaged": "fiance"}.get(rest.word(0))
    if relation and rest.word(1) == "to" and (name := name_of(rest.cut(2), 2)):
        yield FactMatch(relation, name, LIKELY, state_mode(predication))


def _see(predication: Predication) -> Iterator[FactMatch]:
    """Match "I'm seeing a guy named Tom"."""
    at = predication.rest.find("named")
    if (
        0 < at < 4
        and predication.tense in ONGOING
        and (name := name_of(predication.rest.cut(at + 1), 2))
    ):
        yield FactMatch("partner", name, LIKELY, mode_of(predication))


def _separation(predication: Predication) -> Iterator[FactMatch]:
    """Match "we broke up", "I broke up with Tom", "I split up with my girlfriend"."""
    rest = predication.rest
    if (
        rest.word(0) != "up"
        or predication.tense not in DONE
        or predication.negated
        or not predication.first_person
    ):
        return
    relative = relation_at(rest, 2) if rest.word(1) == "with" and rest.word(2) in MINE else None
    if relative is not None:
        person = relative.name or f"a {relative.word}"
        yield FactMatch(relative.relation, person, mode=Mode.ENDED)
    elif rest.word(1) in {"", "and", ",", "with"}:
        yield FactMatch("partner", name_of(rest.cut(2), 2) or "a partner", LIKELY, Mode.ENDED)


def _death(predication: Predication) -> Iterator[FactMatch]:
    """Match "my grandfather died"."""
    has_died = predication.verb == "die" or (
        predication.verb == "pass" and predication.rest.word(0) == "away"
    )
    if has_died and not predication.first_person and predication.tense in DONE:
        yield FactMatch("did", "passed away", LIKELY)


def _get(predication: Predication) -> Iterator[FactMatch]:
    yield from _adopt(predication)
    if predication.rest.word(0) == "divorced" and predication.tense in DONE:
        yield FactMatch("marital_status", "married", mode=Mode.ENDED)


FAMILY_RULES: Rules = {
    "have": _have,
    "adopt": _adopt,
    "get": _get,
    "be": _be,
    "date": verb_rule("partner", object_of=_name, confidence=LIKELY, tenses=ONGOING),
    "marry": verb_rule("spouse", object_of=_name, confidence=LIKELY),
    "see": _see,
    "break": _separation,
    "split": _separation,
    "die": _death,
    "pass": _death,
}
