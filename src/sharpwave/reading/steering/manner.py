"""What an instruction is about: how to answer or what to, a kind of thing or the thing at hand."""

from collections.abc import Sequence

from sharpwave.reading.steering.frames import Instruction
from sharpwave.reading.steering.lexicon import (
    BEARINGS,
    COMPARATIVE,
    DEFINITE,
    GIVING,
    INDEFINITE,
    LANGUAGES,
    MANNER,
    OUTPUT,
    PLACING,
    PRONOUNS,
    SPEAKING,
    STYLE_NOUNS,
    words,
)

_EVERY = words("every everywhere throughout")
_OTHERS = words("yourself your up going us him her them his their you")
_AFTER_BEARING = words("with in when about and but or than to for , please on")
_BOUND = words("the about this that these those following more of")
"""What ties a manner to the thing at hand: "explain in detail about…"."""
_SHAPING = words("keep skip cut drop omit leave")
"""Of the parts that every answer has: "skip the introduction"."""
_BRIEFLY = 3
"""Words of a manner that is named and no more: "in JSON", "like a friend"."""
_CONTENT = words("code number numbers example examples word words list lists style")
"""What an answer holds rather than how it is."""
_NO_KIND = words("me to my out on about of why how what")
"""After these comes the thing at hand."""
_HOW = words("in as like things everything")
_BY = words("in as with like under at")


def is_task(told: Instruction) -> bool:
    """Something to be made now: "write a poem", "give me three ideas", "fix the bug"."""
    if told.negated or told.reminds or told.prefers or told.adverb:
        return False
    if told.verb in SPEAKING:
        return not is_generic(told)
    return not is_manner(told, corrects=True)


def is_manner(told: Instruction, corrects: bool) -> bool:
    """About how to answer, rather than what to."""
    low = told.low
    if told.verb in {"keep", "get", "cut", "drop", "leave"}:
        return bool(OUTPUT & set(low)) or low[:1] == ("it",)
    if told.verb in MANNER or told.negated or "instead" in low or says_every(told):
        return True
    if told.verb in PLACING:
        return corrects
    of_answers = any(
        one in {"your", "things", "everything"} and (one != "your" or OUTPUT & set(low[at:]))
        for at, one in enumerate(low)
    )
    return told.verb in GIVING | {"make"} and (of_answers or (corrects and "not" in low))


def is_of_others(told: Instruction) -> bool:
    """Good advice to a friend, as in "keep your head up", "always be yourself"."""
    if told.low[0] == "your":
        return not OUTPUT & set(told.low[1:4])
    return told.low[0] in _OTHERS


def is_pronoun(told: Instruction) -> bool:
    """Its object is only pointed at."""
    return bool(told.rest) and told.low[0] in PRONOUNS


def says_every(told: Instruction) -> bool:
    """As in "with every answer"."""
    return not told.negated and not _EVERY.isdisjoint(told.low)


def is_bearing(told: Instruction) -> bool:
    """As in "be more concise", "get to the point"."""
    low = told.low
    if told.verb != "be":
        return told.verb == "get" and low[:3] == ("to", "the", "point")
    at = next((place for place, one in enumerate(low[:4]) if one in BEARINGS), None)
    return at is not None and (at + 1 == len(low) or low[at + 1] in _AFTER_BEARING)


def is_of_style(told: Instruction) -> bool:
    """About length, form or tone."""
    low = set(told.low)
    return bool((STYLE_NOUNS - _CONTENT) & low or COMPARATIVE & low or BEARINGS & low)


def is_generic(told: Instruction) -> bool:
    """Of a kind of thing rather than a thing: "single quotes", not "the second quote"."""
    low = [one for one in told.low if one not in {"only", "just"}]
    if low[:2] == ["to", "me"]:
        low = low[2:]
    if not low:
        return False
    if told.verb in _SHAPING and (STYLE_NOUNS - _CONTENT) & set(low[:3]):
        return True
    if told.verb in {"call", "address"}:
        return low[0] == "me" and len(low) > 1
    if low[0] == "my" and told.verb == "use":
        return True
    if low[0] in _NO_KIND:
        return False
    return _is_way(low) if told.verb in SPEAKING else _is_kind(low)


def _is_way(low: Sequence[str]) -> bool:
    """A way to speak, and nothing that is spoken of: "in plain English"."""
    if low[0] not in _HOW or not _BOUND.isdisjoint(low[1:]):
        return False
    return len(low) <= _BRIEFLY or low[0] not in _BY or _names_way(low)


def _is_kind(low: Sequence[str]) -> bool:
    first = low[0]
    if first in _BY:
        return _names_way(low)
    if low[1:2] in (["of"], ["about"]) or "how" in low or first in DEFINITE:
        return False
    if first in INDEFINITE:
        return bool(STYLE_NOUNS & set(low[1:5]))
    return not first.isdigit()


def _names_way(low: Sequence[str]) -> bool:
    return bool((LANGUAGES | OUTPUT | {"plain", "simple", "if"}) & set(low[1:5]))
