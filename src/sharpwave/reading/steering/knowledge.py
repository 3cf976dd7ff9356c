"""How things are done where the user works: "we deploy with Terraform", "our fiscal year starts…".

Only what a team has and does as a rule, in the present; a family's trip is a fact like another.
"""

from collections.abc import Sequence

from sharpwave.reading.steering.lexicon import PLACES, TEAM_VERBS, WORK, words
from sharpwave.reading.steering.sentences import Sentence, Word, word
from sharpwave.reading.steering.verbs import base_of_gerund, third

_SUBJECTS = words("we our")
_THINGS = PLACES | words("api app team company codebase backend frontend pipeline database client")
_OFTEN = words("always never usually generally all currently also mostly only typically normally")
_PRESENT = words("is are has have")
_PASSING = words(
    """was were had did will would going just yesterday tomorrow today tonight last next ago been
    trying thinking planning looking having getting being working struggling soon already might
    could should may hope hoping want wants need needs love loves"""
)
_MOST = 40


def known(sentence: Sentence, informs: bool) -> list[Word] | None:
    """What a sentence tells about how things are done, in the third person; None if nothing."""
    said, low = sentence.words, sentence.low
    if sentence.asks or not 3 <= len(low) <= _MOST or _PASSING & set(low[:14]):
        return None
    if low[0] == "we":
        return _we(said, low, informs)
    if low[0] == "our":
        return _our(said, low, informs)
    if low[0] in {"this", "the"} and (informs or low[0] == "this" or low[1] in _THINGS):
        return _thing(said, low, informs)
    return None


def _we(said: Sequence[Word], low: Sequence[str], informs: bool) -> list[Word] | None:
    at = 1
    while at < len(low) and low[at] in _OFTEN | {"are"}:
        at += 1
    if at + 1 >= len(low):
        return None
    verb = base_of_gerund(low[at]) if "are" in low[1:at] else low[at]
    if verb not in TEAM_VERBS or not (informs or _is_of_work(said[at + 1 :])):
        return None
    often = [one for one in said[1:at] if one.low != "are"]
    return [*often, word(third(verb)), *map(_unowned, said[at + 1 :])]


def _unowned(one: Word) -> Word:
    return Word("the", "the", one.apart) if one.low == "our" else one


def _our(said: Sequence[Word], low: Sequence[str], informs: bool) -> list[Word] | None:
    verb = _verb(low)
    if verb is None or not (informs or any(one in WORK for one in low[1:verb])):
        return None
    if _is_feeling(low, verb):
        return None
    return [said[1], *map(_unowned, said[2:])]


_FEELINGS = words(
    """awesome amazing great wonderful fantastic good bad best worst proud happy small limited tight
    open nice perfect incredible strong like so really very pretty too excited"""
)


def _is_feeling(low: Sequence[str], verb: int) -> bool:
    """As in "our team is awesome", "our team has seen much": no way of doing things."""
    after = low[verb + 1]
    if low[verb] in {"has", "have"}:
        return after.endswith(("ed", "en")) or after == "always"
    return low[verb] in _PRESENT and after in _FEELINGS


def _thing(said: Sequence[Word], low: Sequence[str], informs: bool) -> list[Word] | None:
    verb = _verb(low)
    if verb is None or low[verb - 1] not in _THINGS:
        return None
    plain = low[verb] in _PRESENT
    if plain and not informs:
        return None  # "this project is great" is a feeling
    return list(said) if informs or _is_of_work(said[verb + 1 :]) else None


def _verb(low: Sequence[str]) -> int | None:
    """Where the verb stands, within the first words after the subject."""
    for at in range(2, min(len(low) - 1, 8)):
        one = low[at]
        if one in _PRESENT or (one.endswith("s") and _base(one)) or one in _PLURAL_VERBS:
            return at
    return None


_PLURAL_VERBS = words("use follow run meet ship start close go live require expect include")
_VERBS = TEAM_VERBS | words(
    """start end begin meet return capitalize capitalise expect include contain accept consist
    live depend allow need prefer cover span forbid mandate enforce define specify set sit go"""
)
_BASES = {third(base): base for base in _VERBS}


def _base(one: str) -> str | None:
    return _BASES.get(one)


def _is_of_work(said: Sequence[Word]) -> bool:
    """True if some word is of work, a product's name, or written as only software is."""
    return any(
        one.low in WORK
        or (one.text[:1].isupper() and one.low not in {"i"})
        or any(mark in one.text for mark in "_/{}\\")
        or (any(sign.isdigit() for sign in one.text) and any(sign.isalpha() for sign in one.text))
        for one in said
    )
