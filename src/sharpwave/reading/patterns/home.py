"""Where a person lives or has been, what they own, and where a thing is kept."""

from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    ANIMALS,
    MINE,
    NUMBERS,
    RELATIONS,
    STOP,
    word_list,
    words,
)
from sharpwave.reading.grammar.objects import ENDS, name_of, place_name, thing, trimmed
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    CLEAR,
    DONE,
    LASTING,
    LIKELY,
    FactMatch,
    Rules,
    When,
    mode_of,
    state_mode,
    verb_rule,
)
from sharpwave.types.statements import Mode

_HERE = words("in at near outside around within")


def _live(said: Predication) -> Iterator[FactMatch]:
    """As in "I live in Porto", "I used to live in Porto", "I live with my sister"."""
    if said.tense is Tense.FUTURE:
        return
    rest = said.rest
    mode = state_mode(said)
    here = _first(rest, _HERE)
    if 0 <= here <= (6 if "with" in rest.low[:here] else 2):
        if where := place_name(rest.cut(here + 1)):
            yield FactMatch("lives_in", where, mode=mode)
    with_ = _first(rest, {"with"})
    companion = thing(rest.cut(with_ + 1), _WITH_ENDS) if 0 <= with_ <= 8 else ""
    if not _NUMERALS.issuperset(companion.lower().split()):
        yield FactMatch("lives_with", companion, LIKELY if with_ else CLEAR, mode)


_NUMERALS = NUMBERS | words("hundred thousand")
_WITH_ENDS = words("in at near , and but because so since for on by") | {"(", "-"}


def _move(said: Predication) -> Iterator[FactMatch]:
    """As in "I moved to Porto from Lisbon"; "I'm moving to Porto" is a plan."""
    rest = said.rest
    to = _first(rest, {"to"})
    out = _first(rest, {"from"})
    where = place_name(rest.cut(to + 1)) if 0 <= to <= 3 else ""
    before = place_name(rest.cut(out + 1)) if 0 <= out <= 8 else ""
    if not where or said.negated or said.modal not in {"", "might", "may"}:
        return
    if said.tense in DONE:
        yield FactMatch("lives_in", where, instead_of=before or None)
    elif said.tense is not Tense.PRESENT:
        yield FactMatch("plans_to", f"move to {where}", when=When.PLAN)


def _be(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm from Porto", "I'm in Rome", "I've been to Japan", "I'm based in Oslo"."""
    rest, first = said.rest, said.rest.word(0)
    if first == "from" and (where := place_name(rest.cut(1))):
        yield FactMatch("comes_from", where, mode=mode_of(said))
    elif first in {"based", "located"} and (where := place_name(rest.cut(2))):
        yield FactMatch("lives_in", where, mode=state_mode(said))
    elif said.form == "been" and first == "to" and (where := place_name(rest.cut(1))):
        yield FactMatch("has_been_to", where, mode=mode_of(said), when=When.EVENT)
    elif said.tense is Tense.PRESENT and said.first_person:
        rest = rest.cut(1) if first == "back" else rest
        zone = not {"time", "timezone"}.isdisjoint(rest.low[:5])
        if rest.word(0) == "in" and not zone and (where := place_name(rest.cut(1))):
            yield FactMatch("staying_in", where, LIKELY, mode_of(said))


def _first(phrase: Phrase, stops: frozenset[str] | set[str]) -> int:
    return next((place for place, word in enumerate(phrase.low) if word in stops), -1)


def _named_place(phrase: Phrase) -> str:
    return place_name(phrase) if phrase.capital(0) else ""


LOCATION_RULES: Rules = {
    "live": _live,
    "reside": _live,
    "move": _move,
    "relocate": _move,
    "be": _be,
    "come": verb_rule("comes_from", "from", get=place_name),
    "grow": verb_rule("grew_up_in", "up in", get=place_name),
    "stay": verb_rule("staying_in", "in", "at", get=place_name, tenses={Tense.GOING_ON}),
    "visit": verb_rule("has_been_to", get=_named_place, sure=LIKELY, tenses=DONE, when=When.EVENT),
}


GOODS = word_list("goods")
_NOT_THINGS = word_list("not_goods")


def _have(said: Predication) -> Iterator[FactMatch]:
    """As in "I have a red bike", "I own a 1960s watch"."""
    if said.tense in {Tense.FUTURE, Tense.PERFECT, Tense.LATELY}:
        return
    rest = said.rest
    what = thing(rest, _OWN_ENDS)
    model = (
        said.verb == "own" and rest.word(0) in {"a", "an"} and rest.capital(len(what.split()) - 1)
    )
    if what and (model or _is_good(rest.until(_OWN_ENDS))):
        yield FactMatch("owns", what, CLEAR if said.verb == "own" else 0.85, state_mode(said))


_OWN_ENDS = ENDS | words("and to for that")


def _is_good(phrase: Phrase) -> bool:
    """Something that can be owned: a word of the list, or a product's name."""
    if phrase.word(0) not in {"a", "an", "the", "my", "our", "two", "three", "no", "some"} and not (
        phrase.word(0)[:1].isdigit()
    ):
        return phrase.capital(0) and len(phrase) > 1 and any(w in GOODS for w in phrase.low)
    head = phrase.until(words("with from in on at of that i my by"))
    if any(word in _NOT_THINGS for word in head.low):
        return False
    if any(word in GOODS or (word[-1:] == "s" and word[:-1] in GOODS) for word in head.low):
        return True
    return len(head) > 2 and any(word in _DESCRIBED for word in head.low)


_DESCRIBED = words(
    "vintage antique spare signed rare second-hand handmade brand-new leather wooden"
)


def _buy(said: Predication) -> Iterator[FactMatch]:
    """As in "I bought a new laptop", "I just got an Air Fryer": now it is theirs."""
    if said.tense not in DONE or said.negated or said.ended:
        return
    rest = said.rest
    named = rest.until(_OWN_ENDS | words("from at on with i"))
    bought = said.verb != "get" and rest.word(0) in {"a", "an", "my", "our", "the", "some", "two"}
    is_product = rest.word(0) in {"a", "an", "my", "the"} and any(
        rest.capital(at) for at in range(1, len(named))
    )
    if _is_good(named) or (is_product and said.verb != "get") or (bought and len(named) > 2):
        if what := thing(named):
            sure = CLEAR if _is_good(named) or is_product else LIKELY
            yield FactMatch("owns", what, sure, when=When.EVENT)


def _sell(said: Predication) -> Iterator[FactMatch]:
    """As in "I sold my car", "I got rid of the sofa", "I lost my passport"."""
    if said.tense not in DONE or said.negated:
        return
    rest = said.rest
    if said.verb == "get":
        rest = rest.cut(2) if rest.starts("rid", "of") else rest.cut(len(rest))
    elif said.verb == "give":
        rest = rest.cut(1) if rest.word(0) == "away" else rest.cut(len(rest))
    if rest.word(0) in {"my", "our", "the"}:
        named = rest.until(_OWN_ENDS | words("on at last"))
        what = thing(named)
        if what and (said.verb in {"sell", "get", "give"} or _is_good(named)):
            yield FactMatch("owns", what, CLEAR if said.verb == "sell" else LIKELY, Mode.ENDED)


def _drive(said: Predication) -> Iterator[FactMatch]:
    rest = said.rest
    if rest.word(0) in {"a", "an", "my"} and said.tense is Tense.PRESENT:
        named = rest.until(_OWN_ENDS | words("from in on"))
        if any(named.capital(at) for at in range(1, len(named))) or _is_good(named):
            yield FactMatch("drives", thing(named), mode=mode_of(said))


def _use(said: Predication) -> Iterator[FactMatch]:
    """As in "I use Linux", "I've been using a lavender shampoo"."""
    rest = said.rest
    if said.tense not in LASTING or rest.word(0) == "to":
        return
    named = rest.until(_USE_ENDS, 1)
    what = thing(named)
    if said.tense in {Tense.GOING_ON, Tense.LATELY} and not rest.capital(0):
        mine = rest.word(0) in MINE and any(
            named.capital(at) and named.word(at) != "i" for at in range(1, len(named))
        )
        what = what if mine else ""
    if what and rest.word(0) not in {"it", "this", "that", "your", "the", "these", "those", "them"}:
        sure = CLEAR if rest.capital(0) else LIKELY
        yield FactMatch("uses", what, sure, mode_of(said))


_USE_ENDS = ENDS | words("to for as and on in at instead these more a every non-stop daily")


def _switch(said: Predication) -> Iterator[FactMatch]:
    """As in "I switched from Android to Fairphone", "I switched to Linux"."""
    rest = said.rest
    to = rest.find("to")
    old = name_of(rest.cut(1, to)) if rest.word(0) == "from" else ""
    named = name_of(rest.cut(to + 1))
    if named and (old or to == 0) and said.tense in DONE and not said.negated:
        yield FactMatch("uses", named, LIKELY, instead_of=old or None)


def things_mentioned(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "…with my new Instant Pot": what is called "my new …", or "my" and a product's name."""
    for place, word in enumerate(phrase.low):
        if word not in MINE:
            continue
        at = place + 1
        new = phrase.word(at) in {"new", "brand-new"}
        at += new
        size = 0
        while (phrase.capital(at + size) and size < 5) or phrase.word(at + size).isdigit():
            size += 1
        good = phrase.word(at + size) in GOODS and phrase.word(at + size) not in STOP
        if (size >= 1 and good) or (new and good) or (new and size >= 2):
            end = at + size + good
            name = name_of(phrase.cut(at), 6) if size and not good else str(phrase.cut(at, end))
            if name and phrase.word(end) != "'s":
                article = "" if name.endswith("s") and not name.endswith("ss") else "a "
                yield FactMatch("owns", f"{article}{'new ' if new else ''}{name}", LIKELY)


POSSESSION_RULES: Rules = {
    "have": _have,
    "own": _have,
    "buy": _buy,
    "purchase": _buy,
    "order": _buy,
    "get": lambda said: (*_buy(said), *_sell(said)),
    "acquire": _buy,
    "sell": _sell,
    "give": _sell,
    "donate": _sell,
    "lose": _sell,
    "drive": _drive,
    "use": _use,
    "collect": verb_rule("collects", tenses=LASTING),
    "switch": _switch,
}


_KEPT = GOODS | word_list("kept_things")
_HOLDING = word_list("holders")
_BEFORE_PLACES = words(
    """in on under above below behind beside inside near at over beneath underneath between by
    next"""
)
_LYING = words("parked located stored kept hidden hanging hung sitting lying stuck tucked placed")
_STANDING = words("hangs hang sits sit lies stands lives stays")
_ENDS = ENDS | words("and i now right today for that with as to")


def where_it_lies(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "my key is under the mat", "the painting hangs above my bed"."""
    if phrase.word(0) not in MINE and phrase.word(0) != "the":
        return
    for at in range(2, min(7, len(phrase))):
        word = phrase.word(at)
        if word in {"is", "are"} or word in _STANDING:
            after = at + 1
            while phrase.word(after) in ADVERBS or phrase.word(after) in _LYING:
                after += 1
            where = _place(phrase.cut(after)) if phrase.word(after) in _BEFORE_PLACES else ""
            if where and _is_kept(phrase.cut(0, at), where):
                yield FactMatch("located_in", where, LIKELY, subject=_named(phrase.cut(0, at)))
            return


def _keep(said: Predication) -> Iterator[FactMatch]:
    """As in "I keep my passport in the safe", "I put my old sneakers under the bed"."""
    if said.tense is Tense.FUTURE or said.negated or not said.first_person:
        return
    lasting = said.tense in {Tense.PRESENT, Tense.LATELY}
    if said.verb in _MOVING and lasting:
        return
    rest = said.rest
    if rest.word(0) not in MINE and rest.word(0) != "the":
        return
    stops = _MOVED_TO if said.verb == "move" else _BEFORE_PLACES
    at = next((at for at in range(2, min(len(rest), 9)) if rest.word(at) in stops), 0)
    where = _place(rest.cut(at + (rest.word(at) == "to"))) if at else ""
    thing = rest.cut(0, at)
    if where and _is_kept(thing.until({"by", "of", "from"}), where):
        mode = Mode.ENDED if said.ended else Mode.HOLDS
        yield FactMatch("located_in", where, LIKELY, mode, _named(thing))


_MOVING = words("put leave hang move park hide place")
_MOVED_TO = words("to above under behind over below beside")


def _place(phrase: Phrase) -> str:
    """The place with its preposition, save for "in" and "at", which the sentence says."""
    first = phrase.word(0)
    size = 2 if phrase.starts("next", "to") else 1 if first in _BEFORE_PLACES else 0
    where = phrase.cut(size).until(_ENDS).cut(0, 8)
    known = where.word(0) in {"the", "a", "an", "our"} | MINE or where.capital(0)
    if not known or (where.capital(0) and where.word(0) == "i"):
        return ""
    kept_at = trimmed(where)
    if not kept_at or where.low[-1] in _NOWHERE:
        return ""
    return kept_at if first in {"in", "at"} or not size else f"{phrase.cut(0, size)} {kept_at}"


_NOWHERE = words("way moment list mind market time top shop internet cloud process middle end")


def _is_kept(thing: Phrase, where: str) -> bool:
    """A thing one keeps somewhere; any thing if the place is one to keep things in."""
    noun = thing.low[-1] if thing else ""
    if not 1 < len(thing) <= 7 or not all(word not in _NO_THINGS for word in thing.low):
        return False
    if noun in _KEPT or (noun.endswith("s") and noun[:-1] in _KEPT):
        return True
    held = any(word in _HOLDING for word in where.lower().split()[-2:])
    return held and thing.word(0) in MINE and noun.isalpha() and noun not in _ALIVE


_NO_THINGS = words("of who that which i problem issue question other")
_ALIVE = RELATIONS.keys() | ANIMALS.keys() | words("kids family hand hands head feet life heart")


def _named(thing: Phrase) -> str:
    if thing.word(0) in MINE:
        return f"'s {thing.cut(1)}"
    return f"the {thing.cut(1)}"


PLACE_RULES: Rules = dict.fromkeys(("keep", "store", *sorted(_MOVING)), _keep)
