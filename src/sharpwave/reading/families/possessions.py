"""What somebody owns, bought, sold, drives or uses."""

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
from sharpwave.reading.grammar.lexicon import MINE, STOP, words
from sharpwave.reading.grammar.objects import ENDS, name_of, thing
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.types.statements import Mode

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


def _have(said: Predication) -> Iterator[Found]:
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
        yield Found("owns", what, CLEAR if said.verb == "own" else 0.85, state_mode(said))


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


def _buy(said: Predication) -> Iterator[Found]:
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
            yield Found("owns", what, sure, when=When.EVENT)


def _sell(said: Predication) -> Iterator[Found]:
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
            yield Found("owns", what, CLEAR if said.verb == "sell" else LIKELY, Mode.ENDED)


def _drive(said: Predication) -> Iterator[Found]:
    rest = said.rest
    if rest.word(0) in {"a", "an", "my"} and said.tense is Tense.PRESENT and is_certain(said):
        named = rest.until(_OWN_ENDS | words("from in on"))
        if any(named.capital(at) for at in range(1, len(named))) or _is_good(named):
            yield Found("drives", thing(named), mode=mode_of(said))


def _use(said: Predication) -> Iterator[Found]:
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
        yield Found("uses", what, sure, mode_of(said))


_USE_ENDS = ENDS | words("to for as and on in at instead these more a every non-stop daily")


def _switch(said: Predication) -> Iterator[Found]:
    """As in "I switched from Android to iPhone", "I switched to Linux"."""
    rest = said.rest
    if said.tense not in {Tense.PAST, Tense.PERFECT} or said.negated:
        return
    to = rest.find("to")
    old = name_of(rest.cut(1, to)) if rest.word(0) == "from" else ""
    named = name_of(rest.cut(to + 1)) or _product(rest.cut(to + 1))
    if named and (old or to == 0):
        yield Found("uses", named, LIKELY, instead_of=old or None)


def _product(phrase: Phrase) -> str:
    """A product whose name begins small, as `iPhone` does."""
    word = phrase.cut(0, 1)
    return str(word) if word and str(word) != str(word).lower() else ""


def _collect(said: Predication) -> Iterator[Found]:
    if said.tense in {Tense.PRESENT, Tense.LATELY, Tense.GOING_ON} and is_certain(said):
        if (what := thing(said.rest)) and said.rest.word(0) not in {"my", "the", "some"}:
            yield Found("collects", what, mode=mode_of(said))


def mentioned(phrase: Phrase) -> Iterator[Found]:
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
                yield Found("owns", f"{article}{'new ' if new else ''}{name}", LIKELY)


RULES: Rules = {
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
