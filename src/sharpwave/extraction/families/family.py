"""Relatives, friends, partners and pets: who they are, and that somebody has them."""

from collections.abc import Iterator

from sharpwave.extraction.found import CLEAR, LIKELY, Found, Rules, is_certain, mode_of, state_mode
from sharpwave.extraction.reading.lexicon import MINE, words
from sharpwave.extraction.reading.objects import name_of
from sharpwave.extraction.reading.phrases import Phrase
from sharpwave.extraction.reading.predications import Predication, Tense
from sharpwave.extraction.reading.relations import ANIMALS, RELATIONS, Related, relation_at
from sharpwave.types.statements import Mode

_NUMBERS = words("one two three four five six seven eight nine ten no 1 2 3 4 5 6 7 8 9 10")
_CHILDREN = words("kids children sons daughters boys girls grandchildren kid child")
_SIBLINGS = words("siblings brothers sisters brother sister")
_PARTNERS = words("wife husband partner girlfriend boyfriend fiance fiancé fiancée fiancee spouse")


def mentioned(phrase: Phrase, speaker: str) -> Iterator[tuple[Related, list[Found]]]:
    """Everybody called "my …" with a name: "I told my sister Anna about our dog Max"."""
    for place, word in enumerate(phrase.low):
        if word in MINE and (related := relation_at(phrase, place)) and related.name:
            found = [Found(related.relation, related.name, CLEAR, subject=speaker)]
            if related.animal and related.animal != "pet":
                found.append(Found("is_a", f"a {related.animal}", subject=related.name))
            if related.several and phrase.word(related.end) in {"and", "&"}:
                if other := name_of(phrase.cut(related.end + 1), 2):
                    found.append(Found(related.relation, other, CLEAR, subject=speaker))
            yield related, found


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
    if rest.word(0) in MINE and not said.first_person and is_certain(said):
        related = relation_at(rest, 0)
        if related and not related.name and said.who[:1].isupper():
            yield Found(related.relation, said.who, LIKELY, state_mode(said), subject="")
            if related.animal and related.animal != "pet":
                yield Found("is_a", f"a {related.animal}")


def _partner(said: Predication) -> Iterator[Found]:
    """As in "I'm dating Tom", "I married Tom", "I broke up with my girlfriend"."""
    rest = said.rest
    if not is_certain(said) or said.tense is Tense.FUTURE:
        return
    if said.verb == "break" or said.verb == "split":
        if rest.word(0) == "up" and not said.negated:
            yield from _parted(rest.cut(1))
        return
    if said.verb == "divorce" and said.tense in {Tense.PAST, Tense.PERFECT}:
        yield Found("marital_status", "married", mode=Mode.ENDED)
        return
    relation = "partner" if said.verb in {"date", "see"} else "spouse"
    name = name_of(rest, 2)
    if name and rest.capital(0) and (said.verb != "see" or said.tense is Tense.LATELY):
        going = said.tense in {Tense.GOING_ON, Tense.LATELY} or relation == "spouse"
        if going and said.verb != "see":
            yield Found(relation, name, LIKELY, mode_of(said))


def _parted(rest: Phrase) -> Iterator[Found]:
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
    "marry": _partner,
    "break": _partner,
    "split": _partner,
    "divorce": _partner,
    "die": _pass_away,
    "pass": _pass_away,
}
