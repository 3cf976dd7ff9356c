"""Where a thing is kept: "my key is under the mat", "I keep my passport in the safe"."""

from collections.abc import Iterator

from sharpwave.reading.families.possessions import GOODS
from sharpwave.reading.found import LIKELY, Found, Rules, is_certain
from sharpwave.reading.grammar.lexicon import ADVERBS, MINE, words
from sharpwave.reading.grammar.objects import ENDS, trimmed
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.types.statements import Mode

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


def lies(phrase: Phrase) -> Iterator[Found]:
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
                yield Found("located_in", where, LIKELY, subject=_named(phrase.cut(0, at)))
            return


def _keep(said: Predication) -> Iterator[Found]:
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
        yield Found("located_in", where, LIKELY, mode, _named(thing))


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
    told = trimmed(where)
    if not told or where.low[-1] in _NOWHERE:
        return ""
    return told if first in {"in", "at"} or not size else f"{phrase.cut(0, size)} {told}"


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


RULES: Rules = dict.fromkeys(("keep", "store", *sorted(_MOVING)), _keep)
