"""What is wrong with the answer, and so how it should be: "too long", "less jargon, please".

Each yields a rule in the imperative, always one of style.
"""

from collections.abc import Sequence

from sharpwave.reading.steering.lexicon import BEARINGS, COMPARATIVE, OUTPUT, STYLE_NOUNS, words
from sharpwave.reading.steering.sentences import Word, word
from sharpwave.reading.steering.verbs import KNOWN

_REMEDIES = {
    "long": "more concise",
    "lengthy": "more concise",
    "verbose": "more concise",
    "wordy": "more concise",
    "chatty": "more concise",
    "detailed": "less detailed",
    "short": "more detailed",
    "brief": "more detailed",
    "terse": "more detailed",
    "vague": "more specific",
    "generic": "more specific",
    "complicated": "simpler",
    "complex": "simpler",
    "dense": "simpler",
    "dry": "more lively",
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


def remedy(said: Sequence[Word]) -> list[list[Word]]:
    """The rules that would mend what is complained about; none if nothing is."""
    low = [one.low for one in said]
    found = _too(said, low) or _not_enough(said, low) or _more_or_less(said, low)
    found = found or _only_that(said, low) or _none_of(said, low) or _kept(said, low)
    return [found] if found else []


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


def _not_enough(said: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """As in "not enough detail", "this isn't specific enough"."""
    at = _subject_ends(low)
    if at is None or low[at : at + 1] != ["not"]:
        return None
    rest = low[at + 1 :]
    if rest[:1] == ["enough"] and len(rest) > 1 and rest[1] in STYLE_NOUNS:
        return [word("give"), word("more"), *_until_mark(said[at + 2 :])]
    if len(rest) > 1 and rest[1] == "enough" and rest[0] in BEARINGS:
        return [word("be"), word("more"), said[at + 1]]
    return None


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
            return None  # "just get to the point": a verb, and told as such
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
    """As in "no emojis please", "no more jargon"."""
    if low[-1:] == ["please"]:
        low = low[:-1]
    if low[:1] != ["no"] or len(low) < 2:
        return None
    at = 2 if low[1] == "more" else 1
    if at < len(low) <= at + 3 and low[-1] in OUTPUT:
        return [word("do"), word("not"), word("use"), *_until_mark(said[at:])]
    return None


def _until_mark(said: Sequence[Word]) -> Sequence[Word]:
    for place, one in enumerate(said):
        if one.low in {",", "please", "(", ":"}:
            return said[:place]
    return said
