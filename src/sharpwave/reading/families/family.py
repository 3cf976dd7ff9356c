"""Relatives, friends, partners and pets: who they are, and that somebody has them."""

from collections.abc import Iterator

from sharpwave.reading.aliases import calls
from sharpwave.reading.found import CLEAR, LIKELY, Found, Rules, is_certain, mode_of, state_mode
from sharpwave.reading.grammar.lexicon import MINE, words
from sharpwave.reading.grammar.objects import ENDS, name_of, thing
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.relations import (
    ANIMALS,
    BREEDS,
    RELATIONS,
    Related,
    name_end,
    relation_at,
)
from sharpwave.types.statements import Mode

_NUMBERS = words("one two three four five six seven eight nine ten no 1 2 3 4 5 6 7 8 9 10")
_CHILDREN = words("kids children sons daughters boys girls grandchildren kid child")
_SIBLINGS = words("siblings brothers sisters brother sister")
_PARTNERS = words("wife husband partner girlfriend boyfriend fiance fiancé fiancée fiancee spouse")


def mentioned(phrase: Phrase, speaker: str) -> Iterator[tuple[Related, list[Found]]]:
    """Everybody called "my …" with a name: "I told my sister Anna about our dog Max"."""
    for place, word in enumerate(phrase.low):
        if word not in MINE or calls(phrase, place):
            continue
        if (related := relation_at(phrase, place)) and related.name:
            mode = Mode.ENDED if related.stated in {"was", "were"} else Mode.HOLDS
            found = []
            for name in _listed_names(phrase, related):
                found.append(Found(related.relation, name, CLEAR, mode, subject=speaker))
                if related.animal and related.animal != "pet":
                    found.append(Found("is_a", f"a {related.animal}", subject=name))
            yield related, found


def _listed_names(phrase: Phrase, related: Related) -> Iterator[str]:
    """The name, and those that follow for several: "my kids are Leo, Mia and Zoe"."""
    assert related.name is not None
    yield related.name
    end = related.end
    while related.several and phrase.word(end) in {"and", "&", ","}:
        begin = end + 1 + (phrase.word(end) == "," and phrase.word(end + 1) == "and")
        end = name_end(phrase, begin)
        if end == begin:
            return
        yield str(phrase.cut(begin, end))


def _have(said: Predication) -> Iterator[Found]:
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
        yield Found(predicate, str(rest.cut(0, kin + 1)), mode=mode)
        yield from _names(rest, kin, _one(word), mode)
    elif _one(word) in ANIMALS or _one(word) in RELATIONS:
        yield from _one_or_named(said, kin, number, mode)


def _one_or_named(said: Predication, kin: int, number: str, mode: Mode) -> Iterator[Found]:
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
    if relation in {"friend", "colleague", "teacher", "boss"} and not number:
        return
    if rest.word(0) in {"any", "no"}:
        if relation == "child":
            yield Found("children", str(rest.cut(1, kin + 1)), mode=Mode.DENIED)
        else:
            yield Found(relation, f"a {word}", mode=Mode.DENIED)
        return
    yield Found(relation, str(rest.cut(0, kin + 1)), LIKELY, mode)


_OF_KIN = words("appointment visit checkup meeting conference shower food bed toy party class")


def _names(rest: Phrase, kin: int, word: str, mode: Mode) -> Iterator[Found]:
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
        yield Found(relation, name, CLEAR, mode)
        if relation == "pet" and ANIMALS[word] != "pet":
            yield Found("is_a", f"a {ANIMALS[word]}", CLEAR, subject=name)
        if word in BREEDS and kin and (breed := str(rest.cut(1, kin + 1))):
            yield Found("breed", breed, LIKELY, subject=name)
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


def _adopt(said: Predication) -> Iterator[Found]:
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
            yield Found("pet", str(said.rest.cut(0, kin + 1)), LIKELY)


def _be(said: Predication) -> Iterator[Found]:
    """As in "Anna is my sister", "Max is our dog"."""
    rest = said.rest
    if not is_certain(said):
        return
    if said.first_person:
        yield from _parent(said)
    elif said.who.endswith("'s pet") and any(word in BREEDS for word in rest.low[1:4]):
        if rest.word(0) in {"a", "an"} and (breed := thing(rest.cut(1))):
            yield Found("breed", breed, LIKELY, state_mode(said))
    elif rest.word(0) in MINE:
        related = relation_at(rest, 0)
        if related and not related.name and said.who[:1].isupper():
            yield Found(related.relation, said.who, LIKELY, state_mode(said), subject="")
            if related.animal and related.animal != "pet":
                yield Found("is_a", f"a {related.animal}")


_PARENTS = words("mom mum mother dad father parent")


def _parent(said: Predication) -> Iterator[Found]:
    """As in "I'm a mother of two", "I'm married to Ana", "I'm engaged to Ana"."""
    rest = said.rest
    kin = next((at for at, word in enumerate(rest.low[:5]) if word in _PARENTS), -1)
    if rest.word(0) in {"a", "an", "the"} and kin > 0 and rest.word(kin + 1) in {"of", "to"}:
        if what := thing(rest.cut(kin + 2), ENDS | words("and living from in")):
            yield Found("children", what, LIKELY, state_mode(said))
    elif rest.starts("an", "only", "child"):
        yield Found("siblings", "siblings", LIKELY, Mode.DENIED)
    elif rest.word(1) == "to" and rest.word(0) in {"married", "engaged"} and rest.capital(2):
        relation = "spouse" if rest.word(0) == "married" else "fiance"
        if name := name_of(rest.cut(2), 2):
            yield Found(relation, name, LIKELY, state_mode(said))


def _partner(said: Predication) -> Iterator[Found]:
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
        yield Found("marital_status", "married", mode=Mode.ENDED)
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
        yield Found(relation, name, LIKELY, mode_of(said))


def _parted(rest: Phrase) -> Iterator[Found]:
    if not rest or rest.word(0) in {"and", ","}:
        yield Found("partner", "a partner", LIKELY, Mode.ENDED)
    if rest.word(0) != "with":
        return
    after = rest.cut(1)
    related = relation_at(after, 0) if after.word(0) in MINE else None
    if related and related.relation in {RELATIONS[word] for word in _PARTNERS}:
        yield Found(related.relation, related.name or f"a {related.word}", mode=Mode.ENDED)
    elif name := name_of(after, 2):
        yield Found("partner", name, mode=Mode.ENDED)


def _pass_away(said: Predication) -> Iterator[Found]:
    """As in "My dog Max died": he was the speaker's, and is no more."""
    gone = said.verb == "die" or (said.verb == "pass" and said.rest.word(0) == "away")
    if gone and not said.first_person and said.tense in {Tense.PAST, Tense.PERFECT}:
        yield Found("did", "passed away", LIKELY)
        if said.who.endswith("'s pet"):
            yield Found("pet", "a pet", LIKELY, Mode.ENDED, subject="")


def _get(said: Predication) -> Iterator[Found]:
    yield from _adopt(said)
    if said.rest.word(0) == "divorced" and said.tense in {Tense.PAST, Tense.PERFECT}:
        yield Found("marital_status", "married", mode=Mode.ENDED)


RULES: Rules = {
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
