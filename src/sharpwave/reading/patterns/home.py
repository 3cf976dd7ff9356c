"""Where a person lives or has been, what they own, and where a thing is kept."""

from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import ADVERBS, MINE, STOP, words
from sharpwave.reading.grammar.objects import ENDS, name_of, place_name, thing, trimmed
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    CLEAR,
    LIKELY,
    FactMatch,
    Rules,
    When,
    is_certain,
    mode_of,
    state_mode,
)
from sharpwave.types.statements import Mode

_HERE = words("in at near outside around within")


def _live(said: Predication) -> Iterator[FactMatch]:
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
            yield FactMatch("lives_in", where, mode=mode)
        elif after.word(0) in {"a", "an", "the", "my"} and _is_home(after):
            yield FactMatch("home", thing(after), LIKELY, mode)
            if inside := _inside(after):
                yield FactMatch("lives_in", inside, LIKELY, mode)
    if rest.word(0) == "alone":
        yield FactMatch("lives_with", "nobody", LIKELY, mode)
    with_ = _first(rest, {"with"})
    if 0 <= with_ <= 8 and (companion := thing(rest.cut(with_ + 1), _WITH_ENDS)):
        yield FactMatch("lives_with", companion, LIKELY if with_ else CLEAR, mode)


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


def _move(said: Predication) -> Iterator[FactMatch]:
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
            yield FactMatch("lives_in", where, instead_of=before or None)
        elif before:
            yield FactMatch("lives_in", before, mode=Mode.ENDED)
        elif 0 <= to <= 3 and _is_home(rest.cut(to + 1)) and (town := _inside(rest.cut(to + 1))):
            yield FactMatch("lives_in", town, LIKELY)
    elif where and said.tense is not Tense.PRESENT:
        yield FactMatch("plans_to", f"move to {where}", when=When.PLAN)


def _be(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm from Porto", "I'm in Rome", "I've been to Japan", "I'm based in Oslo"."""
    rest = said.rest
    if not is_certain(said) or not rest:
        return
    first = rest.word(0)
    if first == "originally":
        rest = rest.cut(1)
        first = rest.word(0)
    if first == "from" and (where := place_name(rest.cut(1))):
        yield FactMatch("comes_from", where, mode=mode_of(said))
    elif first in {"based", "located"} and (where := place_name(rest.cut(2))):
        yield FactMatch("lives_in", where, mode=state_mode(said))
    elif said.form == "been" and first == "to" and (where := place_name(rest.cut(1))):
        yield FactMatch("has_been_to", where, mode=mode_of(said), when=When.EVENT)
    elif first in {"raised", "brought"} and "in" in rest.low[1:3]:
        yield FactMatch("grew_up_in", place_name(rest.cut(rest.find("in") + 1)), mode=mode_of(said))
    else:
        yield from _stands(said, rest)


def _stands(said: Predication, rest: Phrase) -> Iterator[FactMatch]:
    """As in "I'm in Rome", "I'm back in Rome", "I'm in the Pacific time zone"."""
    first = rest.word(0)
    if first in {"in", "on"} and (zone := _zone(rest)):
        yield FactMatch("timezone", zone, mode=mode_of(said))
    elif first in {"in", "back"} and said.tense is Tense.PRESENT and said.first_person:
        at = 1 if first == "in" else 2
        where = place_name(rest.cut(at)) if rest.word(at - 1) == "in" else ""
        if where:
            yield FactMatch("staying_in", where, LIKELY, mode_of(said))


def _zone(rest: Phrase) -> str:
    """The zone in "in the Pacific time zone", "on Eastern time"."""
    for at, word in enumerate(rest.low[:6]):
        if word in {"time", "timezone"} and at > 1 and rest.capital(at - 1):
            return str(rest.cut(2 if rest.word(1) == "the" else 1, at))
    return ""


def _come(said: Predication) -> Iterator[FactMatch]:
    if said.rest.word(0) == "from" and said.tense in {Tense.PRESENT, Tense.PAST}:
        if where := place_name(said.rest.cut(1)):
            yield FactMatch("comes_from", where, mode=mode_of(said))


def _grow(said: Predication) -> Iterator[FactMatch]:
    if said.rest.starts("up", "in") and (where := place_name(said.rest.cut(2))):
        yield FactMatch("grew_up_in", where, mode=mode_of(said))


def _stay(said: Predication) -> Iterator[FactMatch]:
    here = said.rest.word(0) in {"in", "at"}
    if here and said.tense is Tense.GOING_ON and (where := place_name(said.rest.cut(1))):
        yield FactMatch("staying_in", where, mode=mode_of(said))


def _visit(said: Predication) -> Iterator[FactMatch]:
    """As in "I visited Japan" has been there; the event itself is for another family."""
    if said.tense in {Tense.PAST, Tense.PERFECT} and said.rest.capital(0):
        if where := place_name(said.rest):
            yield FactMatch("has_been_to", where, LIKELY, mode_of(said), when=When.EVENT)


def _relocate(said: Predication) -> Iterator[FactMatch]:
    yield from _move(said)


def _first(phrase: Phrase, stops: frozenset[str] | set[str]) -> int:
    for place, word in enumerate(phrase.low):
        if word in stops:
            return place
    return -1


LOCATION_RULES: Rules = {
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


GOODS = words(
    """car bike bicycle motorcycle truck van scooter boat phone smartphone iphone laptop computer
    pc tablet ipad camera lens watch smartwatch guitar piano violin keyboard drums bass ukulele
    flute trumpet cello house apartment condo flat cabin home garden tv television console
    playstation xbox printer desk chair sofa couch bed table lamp bookshelf mattress fridge oven
    grill blender mixer microwave dishwasher vacuum tent kayak surfboard skateboard snowboard skis
    backpack jacket coat dress suit shoes boots sneakers ring necklace bracelet earrings headphones
    speaker microphone drone telescope tripod collection subscription membership account license
    passport visa piano treadmill rug painting vase chandelier armchair air-fryer fryer pot
    screwdriver knife pan tank aquarium fireplace balcony backyard pool website blog channel
    podcast playlist playlists plants plant sewing-machine machine helmet mug tattoo wheelchair
    glasses kindle e-reader trailer rv property land insurance"""
)
_NOT_THINGS = words(
    """question questions idea ideas problem problems issue issues time fun feeling chance plan
    plans look meeting appointment trouble doubt thought thoughts experience opportunity access
    lot feel point reason hope faith moment day week night weekend trip blast ball crush cold
    headache baby kids need needs interest concern concerns interview call exam test deadline party
    dinner lunch breakfast sense way choice option options advice tips tip news help recipe recipes
    recommendation recommendations suggestion suggestions conversation talk budget goal goals
    understanding list favorite preference memory memories story stories job good great hard tough
    amazing wonderful nice degree"""
)


def _have(said: Predication) -> Iterator[FactMatch]:
    """As in "I have a red bike", "I own a 1960s watch"."""
    if not is_certain(said) or said.tense in {Tense.FUTURE, Tense.PERFECT, Tense.LATELY}:
        return
    rest = said.rest
    if rest.word(0) == "to" or not rest:
        return
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
    if said.tense not in {Tense.PAST, Tense.PERFECT} or said.negated or said.ended:
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
    if said.tense not in {Tense.PAST, Tense.PERFECT} or said.negated:
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
    if rest.word(0) in {"a", "an", "my"} and said.tense is Tense.PRESENT and is_certain(said):
        named = rest.until(_OWN_ENDS | words("from in on"))
        if any(named.capital(at) for at in range(1, len(named))) or _is_good(named):
            yield FactMatch("drives", thing(named), mode=mode_of(said))


def _use(said: Predication) -> Iterator[FactMatch]:
    """As in "I use Linux", "I've been using a lavender shampoo"."""
    rest = said.rest
    if not is_certain(said) or said.tense in {Tense.FUTURE, Tense.PAST} or rest.word(0) == "to":
        return
    if said.tense is Tense.PERFECT:
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
    """As in "I switched from Android to iPhone", "I switched to Linux"."""
    rest = said.rest
    if said.tense not in {Tense.PAST, Tense.PERFECT} or said.negated:
        return
    to = rest.find("to")
    old = name_of(rest.cut(1, to)) if rest.word(0) == "from" else ""
    named = name_of(rest.cut(to + 1)) or _product(rest.cut(to + 1))
    if named and (old or to == 0):
        yield FactMatch("uses", named, LIKELY, instead_of=old or None)


def _product(phrase: Phrase) -> str:
    """A product whose name begins small, as `iPhone` does."""
    word = phrase.cut(0, 1)
    return str(word) if word and str(word) != str(word).lower() else ""


def _collect(said: Predication) -> Iterator[FactMatch]:
    if said.tense in {Tense.PRESENT, Tense.LATELY, Tense.GOING_ON} and is_certain(said):
        if (what := thing(said.rest)) and said.rest.word(0) not in {"my", "the", "some"}:
            yield FactMatch("collects", what, mode=mode_of(said))


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
            while phrase.word(end) in GOODS:
                end += 1
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
    "collect": _collect,
    "switch": _switch,
}


_KEPT = (
    GOODS
    - words(
        """account subscription membership license website blog channel podcast playlist playlists
        insurance tattoo property land balcony backyard home house apartment condo flat cabin pool
        garden visa"""
    )
) | words(
    """key keys wallet purse charger remote umbrella tools tool toolbox suitcase luggage poster
    picture photo photos documents document papers certificate books book notebook diary medicine
    pills jewelry sunglasses paintings print mirror clock vacuum ladder drill hammer decorations
    clothes hat gloves scarf shoes keyring bag binoculars bins trophy medal collection records
    vinyls letters cash money safe cable cables adapter battery batteries flashlight candles
    screwdriver mug mugs dishes spices recipe manual receipt receipts warranty card cards"""
)
_HOLDING = words(
    """drawer mat safe garage shelf closet bag box cupboard basement attic cabinet wardrobe desk bed
    sofa couch rack pocket fridge freezer pantry trunk shed hallway fireplace wall locker nightstand
    backpack kitchen bedroom garden driveway basket hook door glovebox folder table stairs"""
)
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
    if not is_certain(said) or said.tense is Tense.FUTURE or said.negated or not said.first_person:
        return
    lasting = said.tense in {Tense.PRESENT, Tense.LATELY}
    if said.verb in _MOVING and lasting:
        return
    rest = said.rest
    if rest.word(0) not in MINE and rest.word(0) != "the":
        return
    stops = {"to"} if said.verb == "move" else _BEFORE_PLACES
    at = next((at for at in range(2, min(len(rest), 9)) if rest.word(at) in stops), 0)
    if not at and said.verb == "move":
        at = next((at for at in range(2, min(9, len(rest))) if rest.word(at) in _ABOVE), 0)
    where = _place(rest.cut(at + 1 if rest.word(at) == "to" else at)) if at else ""
    thing = rest.cut(0, at)
    if where and _is_kept(thing.until({"by", "of", "from"}), where):
        mode = Mode.ENDED if said.ended else Mode.HOLDS
        yield FactMatch("located_in", where, LIKELY, mode, _named(thing))


_MOVING = words("put leave hang move park hide place")
_ABOVE = words("above under behind over below beside")


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


_NOWHERE = words(
    """way moment list mind market phone time top fritz shop verge internet cloud same process
    middle house back end beginning works future past budget range"""
)


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
_ALIVE = words(
    """dog cat kids kid son daughter wife husband mom dad sister brother friend friends baby family
    hand hands head feet life heart focus goal plan eye eyes leg arm work job name time cats dogs
    one ones kitten puppy bird birds fish parents partner room"""
)


def _named(thing: Phrase) -> str:
    if thing.word(0) in MINE:
        return f"'s {thing.cut(1)}"
    return f"the {thing.cut(1)}"


PLACE_RULES: Rules = dict.fromkeys(("keep", "store", *sorted(_MOVING)), _keep)
