"""Where somebody lives, comes from, stays or has been."""

from collections.abc import Iterator

from sharpwave.reading.found import (
    CLEAR,
    LIKELY,
    Found,
    Rules,
    When,
    is_certain,
    mode_of,
    state_mode,
)
from sharpwave.reading.grammar.lexicon import words
from sharpwave.reading.grammar.objects import place_name, thing
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.types.statements import Mode

_HERE = words("in at near outside around within")


def _live(said: Predication) -> Iterator[Found]:
    """As in "I live in Porto", "I used to live in a small flat", "I live with my sister"."""
    if not is_certain(said) or said.tense is Tense.FUTURE:
        return
    rest = said.rest
    mode = state_mode(said)
    here = _first(rest, _HERE)
    if 0 <= here <= (6 if "with" in rest.low[:here] else 2):
        after = rest.cut(here + 1)
        where = place_name(after)
        if where:
            yield Found("lives_in", where, mode=mode)
        elif after.word(0) in {"a", "an", "the", "my"} and _is_home(after):
            yield Found("home", thing(after), LIKELY, mode)
            if inside := _inside(after):
                yield Found("lives_in", inside, LIKELY, mode)
    if rest.word(0) == "alone":
        yield Found("lives_with", "nobody", LIKELY, mode)
    with_ = _first(rest, {"with"})
    if 0 <= with_ <= 8 and (whom := thing(rest.cut(with_ + 1), _WITH_ENDS)):
        yield Found("lives_with", whom, LIKELY if with_ else CLEAR, mode)


_WITH_ENDS = words("in at near , and but because so since for on by") | {"(", "-"}
_HOMES = words(
    """apartment flat house town city village suburb suburbs condo studio dorm neighborhood farm
    area countryside home building loft cottage duplex county bedroom"""
)


def _is_home(phrase: Phrase) -> bool:
    return any(word in _HOMES for word in phrase.low[:7])


def _inside(home: Phrase) -> str:
    """The place in "a small flat in Leeds"."""
    at = _first(home.cut(0, 8), {"in"})
    return place_name(home.cut(at + 1)) if at > 0 else ""


def _move(said: Predication) -> Iterator[Found]:
    """As in "I moved to Porto from Lisbon"; "I'm moving to Porto" is a plan."""
    rest = said.rest
    to = _first(rest, {"to"})
    out = _first(rest, {"from"})
    where = place_name(rest.cut(to + 1)) if 0 <= to <= 3 else ""
    before = place_name(rest.cut(out + 1)) if 0 <= out <= 8 else ""
    if rest.starts("out", "of"):
        before = place_name(rest.cut(2))
    if said.negated or (not is_certain(said) and said.modal not in {"might", "may"}):
        return
    if said.tense in {Tense.PAST, Tense.PERFECT}:
        if where:
            yield Found("lives_in", where, instead_of=before or None)
        elif before:
            yield Found("lives_in", before, mode=Mode.ENDED)
        elif 0 <= to <= 3 and _is_home(rest.cut(to + 1)) and (town := _inside(rest.cut(to + 1))):
            yield Found("lives_in", town, LIKELY)
    elif where and said.tense is not Tense.PRESENT:
        yield Found("plans_to", f"move to {where}", when=When.PLAN)


def _be(said: Predication) -> Iterator[Found]:
    """As in "I'm from Porto", "I'm in Rome", "I've been to Japan", "I'm based in Oslo"."""
    rest = said.rest
    if not is_certain(said) or not rest:
        return
    first = rest.word(0)
    if first == "originally":
        rest = rest.cut(1)
        first = rest.word(0)
    if first == "from" and (where := place_name(rest.cut(1))):
        yield Found("comes_from", where, mode=mode_of(said))
    elif first in {"based", "located"} and (where := place_name(rest.cut(2))):
        yield Found("lives_in", where, mode=state_mode(said))
    elif said.form == "been" and first == "to" and (where := place_name(rest.cut(1))):
        yield Found("has_been_to", where, mode=mode_of(said), when=When.EVENT)
    elif first in {"raised", "brought"} and "in" in rest.low[1:3]:
        yield Found("grew_up_in", place_name(rest.cut(rest.find("in") + 1)), mode=mode_of(said))
    else:
        yield from _stands(said, rest)


def _stands(said: Predication, rest: Phrase) -> Iterator[Found]:
    """As in "I'm in Rome", "I'm back in Rome", "I'm in the Pacific time zone"."""
    first = rest.word(0)
    if first in {"in", "on"} and (zone := _zone(rest)):
        yield Found("timezone", zone, mode=mode_of(said))
    elif first in {"in", "back"} and said.tense is Tense.PRESENT and said.first_person:
        at = 1 if first == "in" else 2
        where = place_name(rest.cut(at)) if rest.word(at - 1) == "in" else ""
        if where:
            yield Found("staying_in", where, LIKELY, mode_of(said))


def _zone(rest: Phrase) -> str:
    """The zone in "in the Pacific time zone", "on Eastern time"."""
    for at, word in enumerate(rest.low[:6]):
        if word in {"time", "timezone"} and at > 1 and rest.capital(at - 1):
            return str(rest.cut(2 if rest.word(1) == "the" else 1, at))
    return ""


def _come(said: Predication) -> Iterator[Found]:
    if said.rest.word(0) == "from" and said.tense in {Tense.PRESENT, Tense.PAST}:
        if where := place_name(said.rest.cut(1)):
            yield Found("comes_from", where, mode=mode_of(said))


def _grow(said: Predication) -> Iterator[Found]:
    if said.rest.starts("up", "in") and (where := place_name(said.rest.cut(2))):
        yield Found("grew_up_in", where, mode=mode_of(said))


def _stay(said: Predication) -> Iterator[Found]:
    here = said.rest.word(0) in {"in", "at"}
    if here and said.tense is Tense.GOING_ON and (where := place_name(said.rest.cut(1))):
        yield Found("staying_in", where, mode=mode_of(said))


def _visit(said: Predication) -> Iterator[Found]:
    """As in "I visited Japan" has been there; the event itself is for another family."""
    if said.tense in {Tense.PAST, Tense.PERFECT} and said.rest.capital(0):
        if where := place_name(said.rest):
            yield Found("has_been_to", where, LIKELY, mode_of(said), when=When.EVENT)


def _relocate(said: Predication) -> Iterator[Found]:
    yield from _move(said)


def _first(phrase: Phrase, stops: frozenset[str] | set[str]) -> int:
    for place, word in enumerate(phrase.low):
        if word in stops:
            return place
    return -1


RULES: Rules = {
    "live": _live,
    "reside": _live,
    "move": _move,
    "relocate": _relocate,
    "be": _be,
    "come": _come,
    "grow": _grow,
    "stay": _stay,
    "visit": _visit,
}
