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
_CONDITION_ENDINGS = ("ic", "ac", "ive")
_PREFIX_LETTERS = 5
_DRUGS = word_list("drugs")
_FOOD_ENDS = ENDS - {","} | words("anymore at in on for due")


def _be(predication: Predication) -> Iterator[FactMatch]:
    """Match "I'm allergic to nuts", "I'm vegan", "I'm diabetic", "I'm on insulin"."""
    rest = predication.rest
    if predication.tense is Tense.FUTURE:
        return
    while rest.word(0) in _DEGREES:
        rest = rest.cut(1)
    first, mode = rest.word(0), state_mode(predication)
    if first == "allergic" and rest.word(1) == "to":
        for object_text in listed(rest.cut(2).until(_FOOD_ENDS)):
            yield FactMatch("allergic_to", object_text, mode=mode)
    elif "intolerant" in rest.low[:2]:
        object_text = first if first != "intolerant" else thing(rest.cut(2))
        yield FactMatch("intolerant_to", object_text, mode=mode)
    elif first == "diagnosed" and rest.word(1) == "with":
        yield FactMatch("has_condition", thing(rest.cut(2)), mode=mode_of(predication))
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
        is_diet = any(word in DIETS for word in rest.low[1:5])
        if object_text := thing(rest.cut(1)):
            kind = _without_article(object_text).removesuffix(" diet")
            yield FactMatch("diet" if is_diet else "takes", kind, LIKELY, mode)


_AFTER_DIET = frozenset(
    {"", ",", "and", "now", "so", "but", "for", "since", "again", "because", "by"}
)


def _condition_of(adjective: str) -> str | None:
    """The name of the condition behind an adjective, or None.

    >>> [_condition_of(word) for word in ("diabetic", "coeliac", "deaf", "sarcastic")]
    ['diabetes', 'coeliac disease', 'deafness', None]
    """
    if adjective in {"deaf", "blind"}:
        return f"{adjective}ness"
    if not adjective.endswith(_CONDITION_ENDINGS):
        return None
    if adjective in CONDITIONS:
        return f"{adjective} disease"
    prefix = adjective[:_PREFIX_LETTERS]
    return next(
        (condition for condition in sorted(CONDITIONS) if condition.startswith(prefix)), None
    )


def _without_article(object_text: str) -> str:
    parts = object_text.split()
    return " ".join(parts[1:]) if parts[0].lower() in {"a", "an", "the"} else object_text


def _follow(predication: Predication) -> Iterator[FactMatch]:
    """Match "I follow a keto diet", "I eat halal"."""
    low = predication.rest.low[:5]
    diet = next((word for word in low if word in DIETS), "")
    if diet and predication.tense in LASTING | {Tense.PERFECT}:
        if (predication.verb == "eat" and low[0] != diet) or predication.negated:
            return
        yield FactMatch("diet", diet, LIKELY, mode_of(predication))


def _have(predication: Predication) -> Iterator[FactMatch]:
    """Match "I have asthma", "I have a peanut allergy", "I was diagnosed with…"."""
    if predication.tense is Tense.FUTURE or not predication.rest:
        return
    condition = predication.rest.until(ENDS | words("and that so for from"))
    mode = state_mode(predication)
    low = condition.low[:6]
    if low[1:3] == ["budget", "of"]:
        yield FactMatch("budget", trimmed(condition.cut(3)), LIKELY, mode)
        return
    if "allergy" in low or "intolerance" in low:
        position = next(at for at, word in enumerate(low) if word in {"allergy", "intolerance"})
        kind = "allergic_to" if low[position] == "allergy" else "intolerant_to"
        if condition.word(position + 1) == "to" and (
            object_text := thing(condition.cut(position + 2))
        ):
            yield FactMatch(kind, object_text, mode=mode)
        elif position and low[position - 1] not in {"a", "an", "bad", "severe", "food", "mild"}:
            yield FactMatch(kind, low[position - 1], mode=mode)
    elif any(word in CONDITIONS for word in low) and predication.tense is not Tense.PERFECT:
        if object_text := thing(condition):
            yield FactMatch("has_condition", _without_article(object_text), mode=mode)


def _eat(predication: Predication) -> Iterator[FactMatch]:
    """Match "I don't eat meat", "I stopped eating gluten", "I can't eat nuts"."""
    lasting = (
        predication.tense in LASTING
        or predication.ended
        or (predication.modal == "can" and predication.negated)
    )
    if not lasting or predication.rest.word(0) in _NOT_FOODS:
        return
    names = ("does_not_eat", "eats") if predication.verb == "eat" else ("does_not_drink", "drinks")
    if predication.negated or predication.ended:
        for object_text in listed(predication.rest.until(_FOOD_ENDS)):
            yield FactMatch(names[0], object_text)
    elif (
        "start" in predication.adverbs
        or "again" in predication.rest.low
        or "only" in predication.adverbs
    ):
        for object_text in listed(predication.rest):
            yield FactMatch(names[1], object_text, LIKELY)


_NOT_FOODS = words("out well a the my it that this too enough")


def _avoid(predication: Predication) -> Iterator[FactMatch]:
    """Match "I avoid gluten", "I quit drinking coffee"."""
    if predication.negated or (predication.verb == "quit" and not predication.ended):
        return
    for object_text in listed(predication.rest):
        item_words = object_text.lower().split()
        if not _FOODS.isdisjoint(item_words):
            is_drink = not _DRINKS.isdisjoint(item_words)
            yield FactMatch("does_not_drink" if is_drink else "does_not_eat", object_text, LIKELY)


_DRINKS = words("alcohol coffee soda caffeine beer wine")
_FOODS = _DRINKS | word_list("foods")


def _smoke(predication: Predication) -> Iterator[FactMatch]:
    if len(predication.rest) <= 3 and predication.tense is not Tense.FUTURE:
        yield FactMatch("smokes", "tobacco", LIKELY, state_mode(predication))


def _take(predication: Predication) -> Iterator[FactMatch]:
    low = predication.rest.low
    is_drug = not _DRUGS.isdisjoint(low[:6]) or "mg" in low[:5]
    if is_drug and low[0] not in _OTHER_PEOPLE and predication.tense in LASTING | {Tense.PERFECT}:
        first_drug, *more_drugs = listed(
            predication.rest.until(words("for at in every twice once daily"))
        ) or [""]
        names = [drug for drug in more_drugs if len(drug.split()) <= _DRUG_WORDS]
        for object_text in (first_drug, *names):
            yield FactMatch("takes", object_text, mode=mode_of(predication))


_DRUG_WORDS = 2
"""Maximum words of a further drug: "metformin and vitamin D"; not "metformin and go to bed"."""
_OTHER_PEOPLE = words("me us him her them you")  # "she took me off Metformin"


HEALTH_RULES: Rules = {
    "be": _be,
    "have": _have,
    "suffer": verb_rule("has_condition", "from", mode=state_mode),
    "get": verb_rule("has_condition", "diagnosed with"),
    "eat": lambda predication: (*_eat(predication), *_follow(predication)),
    "follow": _follow,
    "drink": _eat,
    "avoid": _avoid,
    "quit": _avoid,
    "smoke": _smoke,
    "take": _take,
}
