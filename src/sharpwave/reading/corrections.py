"""What sets something right: "Porto, not Lisbon", "actually it's Porto", "but now it's Porto"."""

from collections.abc import Sequence

from sharpwave.knowledge.predicates import Objects, normal_object, predicate
from sharpwave.reading.found import CLEAR, LIKELY, Found
from sharpwave.reading.grammar.lexicon import ADVERBS, words
from sharpwave.reading.grammar.objects import ENDS, thing
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.types.statements import Mode

_LEADS = words("no actually sorry oops wait well nope correction but and now so yes , - then")
_PLACES = words("in at to from as by")


def instead_of(rest: Phrase) -> str | None:
    """What is named as wrong after the right thing: "…in Porto, not (in) Lisbon"."""
    for at, word in enumerate(rest.low):
        if word == "not" and at and rest.word(at - 1) in {",", "and", "-"}:
            after = rest.cut(at + 1)
            after = after.cut(1) if after.word(0) in _PLACES else after
            return thing(after) or None
        if word in {"instead", "rather"} and rest.word(at + 1) in {"of", "than"}:
            return thing(rest.cut(at + 2)) or None
    return None


def may_correct(phrase: Phrase, known: Sequence[Found]) -> bool:
    """A quick look: short, and with a word that corrections have, or after a denial."""
    if len(phrase) > 16:
        return False
    if not _SIGNS.isdisjoint(phrase.low):
        return True
    return bool(known) and known[-1].mode is Mode.DENIED and phrase.word(0) in {"it", "that"}


_SIGNS = words("now not meant mean actually sorry oops correction no nope")


def corrected(phrase: Phrase, known: Sequence[Found]) -> Found | None:
    """A new object for what was said before: `known`, the nearest last.

    "it's Porto", "not Lisbon but Porto", "I meant Porto", "now in Porto".
    """
    now = "now" in phrase.low[:4] or "now" in phrase.low[-1:]
    actually = not _CORRECTING.isdisjoint(phrase.low[:3])
    denied = known[-1].mode is Mode.DENIED
    at = 0
    while phrase.word(at) in _LEADS or phrase.word(at) in ADVERBS:
        at += 1
    phrase = phrase.cut(at)
    meant = phrase.low[:2] in (["i", "meant"], ["i", "mean"])
    it_is = phrase.low[:2] in (["it", "is"], ["that", "is"], ["it", "was"])
    i_am = now and known[-1].mode is Mode.ENDED and phrase.low[:2] in (["i", "am"], ["we", "are"])
    rest = phrase.cut(2) if meant or it_is or i_am else phrase
    while rest.word(0) in _BEFORE_VALUES:
        rest = rest.cut(1)
    old = ""
    if rest.word(0) == "not":
        place = rest.find("but")
        old = thing(rest.cut(1, place if place > 0 else None))
        rest = rest.cut(place + 1 if place > 0 else len(rest))
        rest = rest.cut(1) if rest.word(0) in _PLACES else rest
    old = old or instead_of(rest) or ""
    named = rest.until(ENDS | {"and", "now", "not"})
    new = thing(named) or (str(named) if named.word(0)[:1].isdigit() else "")
    if not new or len(rest) > 8 or not _BEING.isdisjoint(named.low):
        return None
    if not (meant or (it_is and (actually or now or old or denied)) or now or old):
        if not (actually and _is_alike(named, known)):
            return None
    return _for(known, new, old, now)


_CORRECTING = words("actually no sorry oops correction nope wait")
_BEING = words("is are was were")
"""With one of these it is a sentence of its own, not a value: "my boss is now Sara"."""
_BEFORE_VALUES = words("now actually really to say in at called spelled")


def _is_alike(new: Phrase, known: Sequence[Found]) -> bool:
    """A bare value of the kind just named: "I'm 34. Actually 35.", "…Lisbon. Sorry, Porto."."""
    fitting = [one for one in known if not predicate(one.predicate).many]
    old = fitting[-1].object if fitting else ""
    if not old or len(new) > 3:
        return False
    if old[0].isdigit():
        return new.word(0)[0].isdigit()
    return old[0].isupper() and all(new.capital(at) for at in range(len(new)))


def _for(known: Sequence[Found], new: str, old: str, now: bool) -> Found | None:
    """The same predicate with the new object, if it is plain which one is meant."""
    if old:
        same = [one for one in known if normal_object(one.predicate, old) in _normal(one)]
        fitting = same[-1:]
    else:
        fitting = [one for one in known if not predicate(one.predicate).many][-1:]
    if not fitting:
        return None
    was = fitting[0]
    if predicate(was.predicate).object is Objects.ENTITY and not new[:1].isupper():
        return None
    sure = CLEAR if old or (now and was.mode is Mode.ENDED) else LIKELY
    return Found(was.predicate, new, sure, subject=was.subject, instead_of=old or was.object)


def _normal(one: Found) -> set[str]:
    return {normal_object(one.predicate, one.object)}
