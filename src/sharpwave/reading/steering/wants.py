"""What answers should have or be like: "I need more detail in your answers", "answers in German".

Only where every word is about answers as such: "more detail about the war" is asked for once.
"""

from collections.abc import Sequence

from sharpwave.reading.steering.lexicon import (
    BEARINGS,
    COMPARATIVE,
    LANGUAGES,
    OUTPUT,
    STYLE_NOUNS,
    words,
)
from sharpwave.reading.steering.sentences import Word, word

_WANTS = words("want need like prefer")
_MORE = words("more less fewer")
_GIVES = words("give show provide send write")
_HOLDING = (("need",), ("needs",), ("should", "have"), ("should", "contain"), ("could", "use"))
_ANSWERS = words("answers replies responses explanations summaries")
_SHAPES = words("in as with without")
_SMALL = words("a bit lot little much and or your points full plain simple context depth no form")
_OF_ANSWERS = _MORE | _SHAPES | _SMALL | COMPARATIVE | BEARINGS | OUTPUT | LANGUAGES
_ONCE = words("example examples code number numbers word words list lists details context")
"""More of these is asked for once, unless it is said of "your answers"."""
_KINDS = STYLE_NOUNS | words("context depth")


def wanted(said: Sequence[Word]) -> list[Word]:
    """The rule in a wish for answers of some kind; nothing if it is none."""
    low = [one.low for one in said]
    if at := _after_answers(low):
        what, of = said[at:], [word("in"), *said[1:2]]
    else:
        what, of = said[_after_lead(low) :], []
    asked = [one.low for one in what]
    if len(asked) == len(said) or not _is_of_answers(asked, bool(of)):
        return []
    verb = "use" if asked[0] in {"less", "fewer"} else "give"
    return [word(verb), *what, *of]


def _after_lead(low: Sequence[str]) -> int:
    """Where what is wanted begins: after "I would like", "give me"; 0 if nothing opens so."""
    if low[0] == "i":
        at = 2 if low[1:2] == ["would"] else 1
        return at + 1 if low[at : at + 1] and low[at] in _WANTS else 0
    if low[0] in _GIVES:
        return 1 + (low[1:2] == ["me"])
    return 0


def _after_answers(low: Sequence[str]) -> int:
    """Where what they lack begins, after "your answers need"; 0 if nothing opens so."""
    if low[0] != "your" or low[1:2] == [] or low[1] not in _ANSWERS:
        return 0
    return next((2 + len(one) for one in _HOLDING if tuple(low[2 : 2 + len(one)]) == one), 0)


def _is_of_answers(asked: Sequence[str], held: bool) -> bool:
    """Whether it is a kind of answer that is wanted, and nothing that is at hand."""
    if len(asked) < 2 or not _OF_ANSWERS.issuperset(asked) or asked[0] in _SHAPES:
        return False
    named = {one for at, one in enumerate(asked) if at and one in _KINDS}
    of_answers = held or "your" in asked or not _ANSWERS.isdisjoint(asked)
    if asked[0] in _MORE:
        return bool(named) and (of_answers or bool(named - _ONCE))
    return of_answers and (asked[0] in COMPARATIVE | BEARINGS or not _SHAPES.isdisjoint(asked))
