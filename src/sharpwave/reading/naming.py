"""A name told right after somebody or some animal: "I have a dog. Her name is Pixel".

Only if the pronoun can mean one of those spoken of just before, and no other.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sharpwave.reading.found import CLEAR, LIKELY, Found
from sharpwave.reading.grammar.clauses import Clause
from sharpwave.reading.grammar.lexicon import ADVERBS, BE, FIRST, MINE, lemma, words
from sharpwave.reading.grammar.openers import without_openers
from sharpwave.reading.grammar.phrases import Phrase, Source
from sharpwave.reading.grammar.relations import (
    ANIMALS,
    BREEDS,
    RELATIONS,
    gender_of,
    name_at,
    relation_at,
)
from sharpwave.reading.grammar.roles import Role
from sharpwave.reading.grammar.subjects import may_be_verb
from sharpwave.types.statements import Mode


class Told(NamedTuple):
    """A name that a clause gives to "her", "him" or "it"."""

    name: str
    female: bool | None
    """None for "it"."""
    was: bool = False
    """As in "his name was Carl"."""


class Introduced(NamedTuple):
    """Whom a name may be for: who has them, as what, by which word, and where that was said."""

    owner: str | None
    """None for the speaker."""
    relation: str
    word: str
    clause: Clause
    mine: bool
    """Called "my …", so that they are known already."""
    had: bool = False


_FEMALE = {"her": True, "she": True, "his": False, "him": False, "he": False}
_PRONOUNS = words("her his its she he it")
_OPENING = _PRONOUNS | FIRST
_DOUBTS = words("think guess believe suppose maybe perhaps probably or forget remember")


def told(phrase: Phrase) -> Told | None:
    """The name in "her name is Pixel", "he's called Bo", "we named it Tom"."""
    low = phrase.low
    if len(low) < 4 or low[0] not in _OPENING:
        return None
    was = False
    if low[0] in FIRST:
        at = low[:5].index("named") if "named" in low[:3] else 0
        pronoun, begin = phrase.word(at + 1), at + 2
        if not at or pronoun not in {"her", "him", "it"}:
            return None
    elif low[2 if low[1] == "name" else 1] in {"is", "was"}:
        possessive = low[0] in {"her", "his", "its"}
        if possessive != (low[1] == "name") or not (possessive or low[2] in {"called", "named"}):
            return None
        pronoun, begin, was = low[0], 3, "was" in low[1:3]
    else:
        return None
    end = name_at(phrase, begin, named=True)
    place = phrase.first + end
    if end == begin or not _DOUBTS.isdisjoint(phrase.source.low[place : place + 4]):
        return None
    return Told(str(phrase.cut(begin, end)), _FEMALE.get(pronoun), was)


def before(every: Sequence[Clause], place: int) -> list[Clause]:
    """What stands right before a clause: its sentence so far, or else the sentence before."""
    now = every[place].sentence
    near = [one for one in every[:place] if one.sentence >= now - 1]
    return [one for one in near if one.sentence == now] or near


def meant(
    told: Told, before: Sequence[Clause], facts: Sequence[Found], source: Source
) -> Introduced | None:
    """The only one in the clauses before whom the name can be for."""
    if not before or not _is_alone(told, before, source):
        return None
    several = [
        one
        for clause in before
        if clause.role is Role.SAID and not clause.hedged
        for one in _introduced(clause, facts, source)
        if _fits(told, one.word) and _is_of_now(told, one)
    ]
    return several[0] if len(several) == 1 else None


def named(told: Told, one: Introduced) -> Iterator[Found]:
    """What is known with the name."""
    sure = CLEAR if one.owner is None else LIKELY
    mode = Mode.ENDED if told.was else Mode.HOLDS
    yield Found(one.relation, told.name, sure, mode, subject=one.owner)
    if (animal := ANIMALS.get(one.word, "pet")) != "pet":
        yield Found("is_a", f"a {animal}", sure, subject=told.name)
    if one.word in BREEDS:
        yield Found("breed", one.word, LIKELY, subject=told.name)


def _is_of_now(told: Told, one: Introduced) -> bool:
    """Whether the tense of the name is that of having them: nobody had a dog whose name *is*."""
    if one.mine:
        return True
    if one.had and one.relation != "child":
        return told.was
    return not told.was


def _fits(told: Told, word: str) -> bool:
    """Whether a word for somebody goes with the pronoun."""
    if told.female is None:
        return word in ANIMALS
    return gender_of(word) is not (not told.female)


_WOMEN = words("woman girl lady actress waitress queen boat ship yacht car she her")
_MEN = words("man boy guy gentleman dude king he him his")
_ANYBODY = words(
    """person someone somebody stranger guest visitor tourist owner customer client patient student
    pupil classmate candidate applicant employee intern assistant recruiter investor founder ceo
    director president mayor minister politician judge lawyer officer soldier cop detective priest
    pastor nurse surgeon psychologist psychiatrist counselor pharmacist vet breeder groomer walker
    sitter babysitter nanny maid cleaner gardener farmer plumber electrician mechanic carpenter
    builder driver pilot cook chef waiter barista bartender cashier clerk secretary receptionist
    librarian seller dealer agent realtor landlord landlady tutor accountant engineer developer
    designer architect scientist researcher singer musician dancer artist painter photographer
    model comedian actor player athlete champion author writer poet journalist reporter
    celebrity character hero heroine crush fan"""
)


def _is_alone(told: Told, before: Sequence[Clause], source: Source) -> bool:
    """Whether only one without a name was spoken of who goes with the pronoun."""
    count = 0
    first, last = before[0].first, before[-1].last
    places = range(first, last)
    for place in places:
        word = source.low[place]
        after = source.low[place + 1] if place + 1 < last else ""
        if word in ANIMALS or word in RELATIONS:
            compound = after in ANIMALS or after in RELATIONS or after in _WOMEN | _MEN
            is_named = place + 1 < last and source.tokens[place + 1].capital and after.isalpha()
            count += _fits(told, word) and not compound and not is_named
        elif told.female is not None and (word in _ANYBODY or word in _others(told.female)):
            count += not _is_described(source.low[max(first, place - 3) : place])
    if told.female is None:
        return count == 1 and _ends_with_it(source.low[first:last])
    return count == 1


def _is_described(low: Sequence[str]) -> bool:
    """Whether what follows tells of somebody named before: "my wife is a", "a baby"."""
    before = low[-1] if low else ""
    return before in RELATIONS or (before in {"a", "an"} and not BE.isdisjoint(low))


def _others(female: bool) -> frozenset[str]:
    return _WOMEN if female else _MEN


def _ends_with_it(low: Sequence[str]) -> bool:
    """Whether no other thing follows the animal, which "it" could mean as well."""
    at = next((place for place, word in enumerate(low) if word in ANIMALS), len(low) - 1)
    while at + 1 < len(low) and low[at + 1] in ANIMALS:
        at += 1
    return at + 1 == len(low) or low[at + 1] in _AFTER_IT


_AFTER_IT = words("today yesterday last this recently from") | ADVERBS


def _introduced(clause: Clause, facts: Sequence[Found], source: Source) -> Iterator[Introduced]:
    phrase = without_openers(clause, source)
    if one := _gotten(clause, phrase):
        yield one
    for place, word in enumerate(phrase.low):
        if word in MINE and (related := relation_at(phrase, place)) and not related.name:
            after = phrase.word(related.end)
            if not related.several and (after in _AFTER_KIN or may_be_verb(after)):
                yield Introduced(None, related.relation, related.word, clause, mine=True)
    for fact in facts:
        word = fact.object.split()[-1]
        theirs = fact.subject and phrase.word(0) not in FIRST and is_one(fact)
        relation = "pet" if word in ANIMALS else RELATIONS.get(word)
        if theirs and fact.mode is Mode.HOLDS and fact.predicate == relation:
            yield Introduced(fact.subject, relation, word, clause, mine=False)


def is_one(fact: Found) -> bool:
    """Whether a fact speaks of one without a name: "a dog"."""
    return fact.object.partition(" ")[0] in _ONE


_ONE = words("a an another one")
_GETTING = words("have own get adopt buy rescue foster welcome")
_AFTER_KIN = words("in at from with and who , to on for") | {""}
_AFTER_ONE = _AFTER_KIN | words("girl boy today yesterday last this recently back when") | ADVERBS
_LONGEST = 4


def _gotten(clause: Clause, phrase: Phrase) -> Introduced | None:
    """Whom the speaker has or got: "I have a sister", "we finally adopted a golden retriever"."""
    low = phrase.low
    if not low or low[0] not in FIRST:
        return None
    at = 1
    while phrase.word(at) in ADVERBS:
        at += 1
    if phrase.word(at) == "have" and lemma(phrase.word(at + 1)) in _GETTING:
        at += 1
    verb, article = phrase.word(at), at + 1
    if lemma(verb) not in _GETTING or phrase.word(article) not in _ONE:
        return None
    for place in range(article + 1, min(article + 1 + _LONGEST, len(low))):
        word = low[place]
        is_last = phrase.word(place + 1) in _AFTER_ONE or phrase.is_time(place + 1)
        if word in ANIMALS or word in RELATIONS:
            if not is_last:
                continue
            relation = "pet" if word in ANIMALS else RELATIONS[word]
            return Introduced(None, relation, word, clause, mine=False, had=verb == "had")
        if not word.replace("-", "").isalpha() or word in _AFTER_KIN:
            return None
    return None
