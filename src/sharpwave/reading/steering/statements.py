"""Statements that steer: complaints, and how the user's team works.

complaint    too long; less jargon, please                -> a rule of style
knowledge    we deploy with Terraform                     -> only what a team does as a rule

What bounds the user ("I avoid dairy") is a fact.
"""

from collections.abc import Sequence

from sharpwave.reading.grammar.tokens import MASKED
from sharpwave.reading.steering.vocabulary import (
    BEARINGS,
    COMPARATIVE,
    KNOWN,
    OUTPUT,
    PLACES,
    STYLE_NOUNS,
    TEAM_VERBS,
    WORK,
    Sentence,
    Word,
    base_of_gerund,
    third,
    word,
    words,
)

_REMEDIES = {
    complaint: remedy
    for remedy, complaints in (
        ("more concise", "long lengthy verbose wordy chatty"),
        ("less detailed", "detailed"),
        ("more detailed", "short brief terse"),
        ("more specific", "vague generic"),
        ("simpler", "complicated complex dense"),
        ("more lively", "dry"),
    )
    for complaint in complaints.split()
}
_CONTENT = words("example examples code number numbers word words answer answers list lists")
"""More of these is asked for once."""
_NOUN_BEARINGS = words("hedging hedges")
_SUBJECTS = words("it this that you they these those")
_BE = words("is are was were being been be sounds sound seems seem feels feel reads read get gets")
_HOW = words("way far much a bit little still just simply also always again quite really")
_AMOUNTS = {"much": "less", "many": "fewer"}
_ONLY = words("just only")
_FEW = 5
"""Words of a thing that is wanted, or not."""


def remedy(said: Sequence[Word]) -> list[Word] | None:
    """The rule that would remedy a complaint; None if nothing is complained about."""
    low = [one.low for one in said]
    found = _too(said, low) or _more_or_less(said, low)
    return found or _only_that(said, low) or _none_of(said, low) or _kept(said, low)


def _subject_ends(low: Sequence[str]) -> int | None:
    """Where what is said of the answer begins: after "your answers are", "that's", or at once."""
    at = 0
    if low[:1] and low[0] in _SUBJECTS:
        at = 1
    elif low[:1] == ["your"] or low[:2] == ["the", "last"]:
        nouns = [place for place, one in enumerate(low[:5]) if one in OUTPUT]
        if not nouns:
            return None
        at = nouns[-1] + 1
    if at and (at >= len(low) or low[at] not in _BE):
        return None
    while at < len(low) and low[at] in _BE | _HOW:
        at += 1
    return at


def _too(said: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """As in "too verbose", "your answers are way too long", "too much jargon"."""
    at = _subject_ends(low)
    if at is None or low[at : at + 1] != ["too"] or len(low) < at + 2:
        return None
    what = low[at + 1]
    if what in _AMOUNTS and any(
        one in STYLE_NOUNS | _NOUN_BEARINGS for one in low[at + 2 : at + 5]
    ):
        return [word("use"), word(_AMOUNTS[what]), *_until_mark(said[at + 2 :])]
    tail = low[at + 2 :]
    if tail and tail[0] not in {"and", "for", "again", ",", "with", "in"}:
        return None
    if what in _REMEDIES:
        return [word("be"), *map(word, _REMEDIES[what].split())]
    return [word("be"), word("less"), word(what)] if what in BEARINGS else None


def _more_or_less(said: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """As in "more detail, please", "less jargon": no verb at all."""
    at = 1 if low[:1] == ["a"] else 0
    while low[at : at + 1] and low[at] in {"bit", "little", "lot"}:
        at += 1
    if low[at : at + 1] and low[at] in {"more", "less", "fewer"} and 2 <= len(low) - at <= 4:
        noun, lead = low[at + 1], low[at]
        if noun in BEARINGS:
            return [word("be"), word(lead), said[at + 1]]
        if any(one in STYLE_NOUNS - _CONTENT for one in low[at + 1 :]):
            verb = "give" if lead == "more" else "use"
            return [word(verb), *_until_mark(said[at:])]
    return None


def _only_that(said: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """As in "I don't need the explanation, just the code", "just the code please"."""
    unwanted: list[Word] = []
    at = 0
    if low[:3] == ["i", "do", "not"] and low[3:4] and low[3] in {"need", "want"}:
        end = low.index(",") if "," in low else len(low)
        unwanted = list(said[4:end])
        at = min(end + 1, len(low))
        if len(unwanted) > _FEW or not OUTPUT & {one.low for one in unwanted}:
            return None
        if unwanted[0].low in {"to", "you", "any"}:
            return None
    while at < len(low) and low[at] in {"i", "please", "need", "want", "so"}:
        at += 1
    if at < len(low) and low[at] in _ONLY:
        while at < len(low) and low[at] in _ONLY | {"need", "want", "give", "me"}:
            at += 1
        wanted = list(_until_mark(said[at:]))
        if not wanted or wanted[-1].low not in STYLE_NOUNS or len(wanted) > _FEW:
            return None
        if wanted[0].low in KNOWN:
            return None  # "just get to the point": a verb, read as an imperative
        without = [word("without"), *unwanted] if unwanted else []
        return [word("provide"), word("only"), *wanted, *without]
    if unwanted and at >= len(low):
        return [word("leave"), word("out"), *unwanted]
    return None


def _kept(said: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """As in "keep it short": what answers are to be like."""
    if low[:1] == ["keep"] and len(low) <= _FEW and low[1:2] and low[1] in {"it", "things"}:
        if low[-1] in BEARINGS - COMPARATIVE:
            return [word("keep"), word("answers"), *said[2:]]
    return None


def _none_of(said: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """As in "no emojis please", "no more jargon", "no more than three lines per answer"."""
    if low[-1:] == ["please"]:
        low = low[:-1]
    if low[:1] != ["no"] or len(low) < 2:
        return None
    if low[1:3] == ["more", "than"] and len(low) <= _FEW + 3 and not OUTPUT.isdisjoint(low):
        return [word("write"), *_until_mark(said)]
    if low[1] == MASKED and len(low) == 2:
        return [word("do"), word("not"), word("say"), said[1]]
    at = 2 if low[1] == "more" else 1
    if at < len(low) <= at + 3 and low[-1] in OUTPUT:
        return [word("do"), word("not"), word("use"), *_until_mark(said[at:])]
    return None


def _until_mark(said: Sequence[Word]) -> Sequence[Word]:
    for place, one in enumerate(said):
        if one.low in {",", "please", "(", ":"}:
            return said[:place]
    return said


_MOST = 40


_THINGS = PLACES | words("api app team company codebase backend frontend pipeline database client")
_OFTEN = words("always never usually generally all currently also mostly only typically normally")
_PRESENT = words("is are has have")
_PASSING_STATES = words(
    """was were had did will would going just yesterday tomorrow today tonight last next ago been
    trying thinking planning looking having getting being working struggling soon already might
    could should may hope hoping want wants need needs love loves"""
)


def known(sentence: Sentence, informs: bool) -> list[Word] | None:
    """How things are done according to a sentence, in the third person; None if nothing."""
    said, low = sentence.words, sentence.low
    if sentence.asks or not 3 <= len(low) <= _MOST or _PASSING_STATES & set(low[:14]):
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


_TEAM_FEELINGS = words(
    """awesome amazing great wonderful fantastic good bad best worst proud happy small limited tight
    open nice perfect incredible strong like so really very pretty too excited"""
)


def _is_feeling(low: Sequence[str], verb: int) -> bool:
    """As in "our team is awesome", "our team has seen much": no way of doing things."""
    after = low[verb + 1]
    if low[verb] in {"has", "have"}:
        return after.endswith(("ed", "en")) or after == "always"
    return low[verb] in _PRESENT and after in _TEAM_FEELINGS


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
        if one in _PRESENT or one in _THIRD_PERSON or one in _PLURAL_VERBS:
            return at
    return None


_PLURAL_VERBS = words("use follow run meet ship start close go live require expect include")
_VERBS = TEAM_VERBS | words(
    """start end begin meet return capitalize capitalise expect include contain accept consist
    live depend allow need prefer cover span forbid mandate enforce define specify set sit go"""
)
_THIRD_PERSON = frozenset(map(third, _VERBS))


def _is_of_work(said: Sequence[Word]) -> bool:
    """True if some word is of work, a product's name, or written as only software is."""
    return any(
        one.low in WORK
        or (one.text[:1].isupper() and one.low not in {"i"})
        or any(mark in one.text for mark in "_/{}\\")
        or (any(sign.isdigit() for sign in one.text) and any(sign.isalpha() for sign in one.text))
        for one in said
    )
