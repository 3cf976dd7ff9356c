"""Places where a person lives, comes from or has been."""

from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import (
    NUMBERS,
    words,
)
from sharpwave.reading.grammar.objects import place_name, thing
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    CLEAR,
    DONE,
    LIKELY,
    FactMatch,
    Rules,
    When,
    mode_of,
    state_mode,
    verb_rule,
)

_PLACE_PREPOSITIONS = words("in at near outside around within")


def _live(predication: Predication) -> Iterator[FactMatch]:
    """Match "I live in Porto", "I used to live in Porto", "I live with my sister"."""
    if predication.tense is Tense.FUTURE:
        return
    rest = predication.rest
    mode = state_mode(predication)
    preposition = _find_first(rest, _PLACE_PREPOSITIONS)
    if 0 <= preposition <= (6 if "with" in rest.low[:preposition] else 2):
        if place := place_name(rest.cut(preposition + 1)):
            yield FactMatch("lives_in", place, mode=mode)
    with_position = _find_first(rest, {"with"})
    companion = thing(rest.cut(with_position + 1), _WITH_ENDS) if 0 <= with_position <= 8 else ""
    if not _NUMERALS.issuperset(companion.lower().split()):
        yield FactMatch("lives_with", companion, LIKELY if with_position else CLEAR, mode)


_NUMERALS = NUMBERS | words("hundred thousand")
_WITH_ENDS = words("in at near , and but because so since for on by") | {"(", "-"}


def _move(predication: Predication) -> Iterator[FactMatch]:
    """Match "I moved to Porto from Lisbon"; "I'm moving to Porto" is only a plan."""
    rest = predication.rest
    to_position = _find_first(rest, {"to"})
    from_position = _find_first(rest, {"from"})
    place = place_name(rest.cut(to_position + 1)) if 0 <= to_position <= 3 else ""
    former_place = place_name(rest.cut(from_position + 1)) if 0 <= from_position <= 8 else ""
    if not place or predication.negated or predication.modal not in {"", "might", "may"}:
        return
    if predication.tense in DONE:
        yield FactMatch("lives_in", place, instead_of=former_place or None)


def _be(predication: Predication) -> Iterator[FactMatch]:
    """Match "I'm from Porto", "I'm in Rome", "I've been to Japan", "I'm based in Oslo"."""
    rest, first = predication.rest, predication.rest.word(0)
    if first == "from" and (place := place_name(rest.cut(1))):
        yield FactMatch("comes_from", place, mode=mode_of(predication))
    elif first in {"based", "located"} and (place := place_name(rest.cut(2))):
        yield FactMatch("lives_in", place, mode=state_mode(predication))
    elif predication.form == "been" and first == "to" and (place := place_name(rest.cut(1))):
        yield FactMatch("has_been_to", place, mode=mode_of(predication), when=When.EVENT)
    elif predication.tense is Tense.PRESENT and predication.first_person:
        rest = rest.cut(1) if first == "back" else rest
        is_time_zone = not {"time", "timezone"}.isdisjoint(rest.low[:5])
        if rest.word(0) == "in" and not is_time_zone and (place := place_name(rest.cut(1))):
            yield FactMatch("staying_in", place, LIKELY, mode_of(predication))


def _find_first(phrase: Phrase, stops: frozenset[str] | set[str]) -> int:
    return next((position for position, word in enumerate(phrase.low) if word in stops), -1)


def _named_place(phrase: Phrase) -> str:
    return place_name(phrase) if phrase.capital(0) else ""


LOCATION_RULES: Rules = {
    "live": _live,
    "reside": _live,
    "move": _move,
    "relocate": _move,
    "be": _be,
    "come": verb_rule("comes_from", "from", object_of=place_name),
    "grow": verb_rule("grew_up_in", "up in", object_of=place_name),
    "stay": verb_rule("staying_in", "in", "at", object_of=place_name, tenses={Tense.GOING_ON}),
    "visit": verb_rule(
        "has_been_to", object_of=_named_place, confidence=LIKELY, tenses=DONE, when=When.EVENT
    ),
}
