"""Which rules read which verb. A rule sees only the clauses whose verb it waits for."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from sharpwave.reading import places
from sharpwave.reading.families import (
    education,
    events,
    family,
    feelings,
    health,
    identity,
    location,
    plans,
    possessions,
    preferences,
    schedule,
    skills,
    work,
)
from sharpwave.reading.found import Found, Rule
from sharpwave.reading.grammar.lexicon import is_past, lemma
from sharpwave.reading.grammar.predications import Predication, Tense, with_verb_in
from sharpwave.types.statements import Mode

_FAMILIES = {
    "identity": identity.RULES,
    "location": location.RULES,
    "work": work.RULES,
    "education": education.RULES,
    "family": family.RULES,
    "possessions": possessions.RULES,
    "places": places.RULES,
    "preferences": preferences.RULES,
    "health": health.RULES,
    "skills": skills.RULES,
    "schedule": schedule.RULES,
    "plans": plans.RULES,
    "feelings": feelings.RULES,
}


def _by_verb() -> dict[str, list[tuple[str, Rule]]]:
    table: dict[str, list[tuple[str, Rule]]] = {}
    for name, rules in _FAMILIES.items():
        for verb, rule in rules.items():
            table.setdefault(verb, []).append((name, rule))
    return table


_BY_VERB = _by_verb()


def found_in(said: Predication) -> Iterator[tuple[str, Found, Predication]]:
    """What a clause says: family, fact, and the verb that says it; verbs after "and" too."""
    other = _not_but(said)
    if other is not None:
        yield from _set_right(said, other)
        return
    first, second = _parted(said)
    yield from _found(first)
    if second is not None:
        yield from _found(second)


def _not_but(said: Predication) -> Predication | None:
    """What is so in "I am not a doctor but a nurse"; None if there is no such "but"."""
    place = said.rest.find("but") if said.negated else -1
    if place < 1 or said.rest.word(place + 1) in _NEW_CLAUSES:
        return None
    return replace(said, negated=False, rest=said.rest.cut(place + 1))


_NEW_CLAUSES = frozenset("i we it he she they you my our not that this there so when if".split())


def _set_right(said: Predication, other: Predication) -> Iterator[tuple[str, Found, Predication]]:
    """Both halves; what only makes room for the other is told as set right."""
    denied = list(_found(said))
    for family_name, found, verb in list(_found(other)):
        wrong = next((one for _, one, _ in denied if one.predicate == found.predicate), None)
        if wrong is not None and wrong.mode is Mode.DENIED:
            denied = [row for row in denied if row[1] is not wrong]
            found = found._replace(instead_of=wrong.object)
        yield family_name, found, verb
    yield from denied


def _found(said: Predication) -> Iterator[tuple[str, Found, Predication]]:
    any_found = False
    for family_name, rule in _BY_VERB.get(said.verb, ()):
        for found in rule(said):
            if found.object:
                any_found = any_found or (said.verb, found.predicate) not in _BESIDE
                yield family_name, found, said
    more = chain(
        (("schedule", found) for found in schedule.routine(said)),
        (("events", found) for found in events.counts(said)),
        (("events", found) for found in events.reached(said)),
        (("events", found) for found in events.status(said)),
        (("plans", found) for found in plans.future(said)),
    )
    for family_name, found in more:
        any_found = True
        yield family_name, found, said
    if not any_found:
        for found in events.event(said):
            yield "events", found, said


_BESIDE = {
    ("take", "learning"),
    ("take", "studies"),
    ("do", "practices"),
    ("use", "uses"),
}
"""What does not tell all of what somebody did or is doing."""
_ONLY_FIRST = frozenset(
    """spend see put hang hide park place store keep switch expect follow care code program
    receive pursue drop freelance brush rather use do""".split()
)
_PRESENT_PAIRS = frozenset("live work have own play speak study hate prefer drive teach".split())


def _parted(said: Predication) -> tuple[Predication, Predication | None]:
    """Two verbs with one subject: "live in Porto and work at Anchor"."""
    low = said.rest.low
    for place in range(1, len(low) - 2):
        if low[place] != "and":
            continue
        after = place + 1
        while after < len(low) - 1 and low[after] in {"also", "now", "then", "currently"}:
            after += 1
        if _is_second_verb(said, low[after]):
            second = with_verb_in(said, after)
            whole = said.whole.cut(0, place + 1)
            return replace(said, rest=said.rest.cut(0, place), whole=whole), second
    return said, None


def _is_second_verb(said: Predication, word: str) -> bool:
    if said.tense is Tense.PRESENT:
        return lemma(word) in _PRESENT_PAIRS or word in {"am", "is"}
    if said.tense is Tense.PAST:
        return is_past(word) and lemma(word) in _BY_VERB and lemma(word) not in _ONLY_FIRST
    return False
