"""Health: diet, illness, medication, limits."""

from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import word_list, words
from sharpwave.reading.grammar.objects import ENDS, listed, thing, trimmed
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    LASTING,
    LIKELY,
    FactMatch,
    Rules,
    mode_of,
    state_mode,
    verb_rule,
)
from sharpwave.types.statements import Mode

DIETS = words(
    """vegetarian vegan pescatarian flexitarian omnivore gluten-free dairy-free keto paleo halal
    kosher teetotal sober lactose-free plant-based low-carb"""
)
CONDITIONS = word_list("conditions")
_OF_CONDITIONS = ("ic", "ac", "ive")
_SAME_LETTERS = 5
_DRUGS = word_list("drugs")
_FOODS_ENDS = ENDS - {","} | words("anymore at in on for due")


def _be(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm allergic to nuts", "I'm vegan", "I'm diabetic", "I'm on insulin"."""
    rest = said.rest
    if said.tense is Tense.FUTURE:
        return
    while rest.word(0) in _DEGREES:
        rest = rest.cut(1)
    first, mode = rest.word(0), state_mode(said)
    if first == "allergic" and rest.word(1) == "to":
        for what in listed(rest.cut(2).until(_FOODS_ENDS)):
            yield FactMatch("allergic_to", what, mode=mode)
    elif "intolerant" in rest.low[:2]:
        what = first if first != "intolerant" else thing(rest.cut(2))
        yield FactMatch("intolerant_to", what, mode=mode)
    elif first == "diagnosed" and rest.word(1) == "with":
        yield FactMatch("has_condition", thing(rest.cut(2)), mode=mode_of(said))
    else:
        yield from _condition(rest, mode)


_DEGREES = words("a an severely really very mildly strict slightly")


def _condition(rest: Phrase, mode: Mode) -> Iterator[FactMatch]:
    first = rest.word(0)
    if first in DIETS and rest.word(1) in _AFTER_DIET:
        yield FactMatch("diet", first, mode=mode)
    elif rest.word(1) in _AFTER_DIET and (name := _condition_of(first)):
        yield FactMatch("has_condition", name, mode=mode)
    elif first == "pregnant" or "pregnant" in rest.low[2:3]:
        yield FactMatch("is_pregnant", "pregnant", mode=mode)
    elif first == "on" and any(word in _DRUGS or word in DIETS for word in rest.low[1:5]):
        diet = any(word in DIETS for word in rest.low[1:5])
        if what := thing(rest.cut(1)):
            kind = _plain_health(what).removesuffix(" diet")
            yield FactMatch("diet" if diet else "takes", kind, LIKELY, mode)


_AFTER_DIET = frozenset(
    {"", ",", "and", "now", "so", "but", "for", "since", "again", "because", "by"}
)


def _condition_of(adjective: str) -> str | None:
    """The name of what makes a person so.

    >>> [_condition_of(one) for one in ("diabetic", "coeliac", "deaf", "sarcastic")]
    ['diabetes', 'coeliac disease', 'deafness', None]
    """
    if adjective in {"deaf", "blind"}:
        return f"{adjective}ness"
    if not adjective.endswith(_OF_CONDITIONS):
        return None
    if adjective in CONDITIONS:
        return f"{adjective} disease"
    begins = adjective[:_SAME_LETTERS]
    return next((one for one in sorted(CONDITIONS) if one.startswith(begins)), None)


def _plain_health(what: str) -> str:
    parts = what.split()
    return " ".join(parts[1:]) if parts[0].lower() in {"a", "an", "the"} else what


def _follow(said: Predication) -> Iterator[FactMatch]:
    """As in "I follow a keto diet", "I eat halal"."""
    low = said.rest.low[:5]
    diet = next((word for word in low if word in DIETS), "")
    if diet and said.tense in LASTING | {Tense.PERFECT}:
        if (said.verb == "eat" and low[0] != diet) or said.negated:
            return
        yield FactMatch("diet", diet, LIKELY, mode_of(said))


def _have(said: Predication) -> Iterator[FactMatch]:
    """As in "I have asthma", "I have a peanut allergy", "I was diagnosed with…"."""
    if said.tense is Tense.FUTURE or not said.rest:
        return
    named = said.rest.until(ENDS | words("and that so for from"))
    mode = state_mode(said)
    low = named.low[:6]
    if low[1:3] == ["budget", "of"]:
        yield FactMatch("budget", trimmed(named.cut(3)), LIKELY, mode)
        return
    if "allergy" in low or "intolerance" in low:
        place = next(at for at, word in enumerate(low) if word in {"allergy", "intolerance"})
        kind = "allergic_to" if low[place] == "allergy" else "intolerant_to"
        if named.word(place + 1) == "to" and (what := thing(named.cut(place + 2))):
            yield FactMatch(kind, what, mode=mode)
        elif place and low[place - 1] not in {"a", "an", "bad", "severe", "food", "mild"}:
            yield FactMatch(kind, low[place - 1], mode=mode)
    elif any(word in CONDITIONS for word in low) and said.tense is not Tense.PERFECT:
        if what := thing(named):
            yield FactMatch("has_condition", _plain_health(what), mode=mode)


def _eat(said: Predication) -> Iterator[FactMatch]:
    """As in "I don't eat meat", "I stopped eating gluten", "I can't eat nuts"."""
    lasting = said.tense in LASTING or said.ended or (said.modal == "can" and said.negated)
    if not lasting or said.rest.word(0) in _NOT_FOODS:
        return
    names = ("does_not_eat", "eats") if said.verb == "eat" else ("does_not_drink", "drinks")
    if said.negated or said.ended:
        for what in listed(said.rest.until(_FOODS_ENDS)):
            yield FactMatch(names[0], what)
    elif "start" in said.adverbs or "again" in said.rest.low or "only" in said.adverbs:
        for what in listed(said.rest):
            yield FactMatch(names[1], what, LIKELY)


_NOT_FOODS = words("out well a the my it that this too enough")


def _avoid(said: Predication) -> Iterator[FactMatch]:
    """As in "I avoid gluten", "I quit drinking coffee"."""
    if said.negated or (said.verb == "quit" and not said.ended):
        return
    for what in listed(said.rest):
        named = what.lower().split()
        if not _FOODS.isdisjoint(named):
            drink = not _DRINKS.isdisjoint(named)
            yield FactMatch("does_not_drink" if drink else "does_not_eat", what, LIKELY)


_DRINKS = words("alcohol coffee soda caffeine beer wine")
_FOODS = _DRINKS | word_list("foods")


def _smoke(said: Predication) -> Iterator[FactMatch]:
    if len(said.rest) <= 3 and said.tense is not Tense.FUTURE:
        yield FactMatch("smokes", "tobacco", LIKELY, state_mode(said))


def _take(said: Predication) -> Iterator[FactMatch]:
    low = said.rest.low
    drug = not _DRUGS.isdisjoint(low[:6]) or "mg" in low[:5]
    if drug and low[0] not in _OTHERS and said.tense in LASTING | {Tense.PERFECT}:
        first, *others = listed(said.rest.until(words("for at in every twice once daily"))) or [""]
        names = [other for other in others if len(other.split()) <= _DRUG_WORDS]
        for what in (first, *names):
            yield FactMatch("takes", what, mode=mode_of(said))


_DRUG_WORDS = 2
"""Words of a further drug, as in "metformin and vitamin D"; not "metformin and go to bed"."""
_OTHERS = words("me us him her them you")  # "she took me off Metformin"


HEALTH_RULES: Rules = {
    "be": _be,
    "have": _have,
    "suffer": verb_rule("has_condition", "from", mode=state_mode),
    "get": verb_rule("has_condition", "diagnosed with"),
    "eat": lambda said: (*_eat(said), *_follow(said)),
    "follow": _follow,
    "drink": _eat,
    "avoid": _avoid,
    "quit": _avoid,
    "smoke": _smoke,
    "take": _take,
}
