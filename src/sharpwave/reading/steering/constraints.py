"""What the user will and will not have: "I avoid dairy", "I only fly economy", "I prefer not to…".

Bounds on whatever is suggested, so they are steering; a mere taste ("I like jazz") is a fact. Said
in the third person: "The user avoids dairy".
"""

from collections.abc import Callable, Sequence

from sharpwave.reading.steering.lexicon import words
from sharpwave.reading.steering.sentences import Sentence, Word, word
from sharpwave.reading.steering.verbs import third

_HOW = words(
    """strongly strictly generally usually always really firmly absolutely typically normally also
    definitely completely personally try to tend do"""
)
_OWN = {"my": "their", "me": "them", "i": "they", "mine": "theirs", "myself": "themselves"}
_HABITS = words(
    """use eat drink consume buy wear watch read dine drive purchase adopt fly stay listen shop play
    enjoy tolerate attend own cook order book travel"""
)
_FEELINGS = words(
    """aversion dislike distaste preference fear phobia allergy intolerance hatred loathing
    objection sensitivity"""
)
_STANCES = words("against opposed allergic sensitive intolerant averse uncomfortable")
_JUDGED = words(
    """unengaging demotivating childish distracting overwhelming stressful annoying tedious
    uncomfortable frustrating off-putting unappealing"""
)
_DIETS = words("diet regimen lifestyle restrictions practice practices")
_PASSING = words("yesterday today tonight tomorrow now yet anymore currently lately recently")
_MOST = 40


def constraint(sentence: Sentence) -> list[Word] | None:
    """What a sentence rules out or insists on, of the user; None if nothing."""
    said, low = sentence.words, sentence.low
    if sentence.asks or not 3 <= len(low) <= _MOST or low[0] != "i" or _PASSING & set(low):
        return None
    at = 1
    while at < len(low) - 1 and low[at] in _HOW and tuple(low[at : at + 2]) != ("do", "not"):
        at += 1
    if {"it", "them", "us", "you"} & set(low[at + 1 : at + 4]):
        return None
    found = any(form(low[at:]) for form in _FORMS)
    return _of_the_user(said[1:]) if found else None


def _avoids(low: Sequence[str]) -> bool:
    """As in "I avoid…", "I refuse to…", "I despise…", "I can't stand…"."""
    if low[0] in {"avoid", "dislike", "despise", "detest", "loathe"}:
        return True
    if low[0] in {"refuse", "decline"}:
        return low[1:2] == ("to",)
    if low[:2] == ("can", "not"):
        return low[2:3] in (("stand",), ("tolerate",), ("eat",), ("consume",), ("drink",))
    return False


def _prefers_not(low: Sequence[str]) -> bool:
    """As in "I prefer not to…"."""
    return low[:3] == ("prefer", "not", "to")


def _has(low: Sequence[str]) -> bool:
    """As in "I have a strong aversion to…", "I have no interest in…"."""
    if low[0] != "have" or len(low) < 4:
        return False
    if tuple(low[1:4]) == ("no", "interest", "in"):
        return True
    if low[1] not in {"a", "an"}:
        return False
    return bool((_FEELINGS | _DIETS) & set(low[2:7]))


def _only(low: Sequence[str]) -> bool:
    """As in "I only eat halal", "I will only use…", "I exclusively drive…", "I don't wear fur"."""
    at = 1 if low[0] == "will" else 0
    if low[at : at + 1] in (("only",), ("exclusively",)):
        return low[at + 1] in _HABITS | {"want", "consider"} and len(low) > at + 2
    return low[:2] == ("do", "not") and len(low) > 3 and low[2] in _HABITS


def _is_against(low: Sequence[str]) -> bool:
    """As in "I'm strongly against…", "I am allergic to…"."""
    return "not" not in low[1:3] and low[0] == "am" and bool(_STANCES & set(low[1:4]))


def _keeps_to(low: Sequence[str]) -> bool:
    """As in "I follow a strict diet", "I adhere to…", "I thrive in…", "I believe in … should"."""
    if low[0] in {"follow", "adhere", "eat", "keep", "stick"}:
        return low[0] == "adhere" or bool(_DIETS & set(low))
    if low[0] == "believe":
        return "should" in low or (low[1:2] == ("in",) and low[2].endswith("ing"))
    return low[:2] == ("thrive", "in") or (low[0] == "find" and bool(_JUDGED & set(low)))


_FORMS: tuple[Callable[[Sequence[str]], bool], ...] = (
    _avoids,
    _prefers_not,
    _has,
    _only,
    _is_against,
    _keeps_to,
)


_AUXILIARIES = {"am": "is", "have": "has", "do": "does", "can": "can", "will": "will"}
_ALSO = _HABITS | words("prefer avoid find like love need believe consider refuse dislike")
_BARE = words("would can will cannot could should")


def _of_the_user(said: Sequence[Word]) -> list[Word]:
    """The rest of the sentence with the user as its subject."""
    made = [word("the"), word("user")]
    agreed = False
    for place, one in enumerate(said):
        form = _OWN.get(one.low, one.text)
        if agreed and one.low in _ALSO and said[place - 1].low in {"and", "but", "only"}:
            form = third(one.low)
        if not agreed and one.low not in _HOW - {"do", "try", "tend"} | {"only", "exclusively"}:
            plain = one.low in _BARE
            form = one.text if plain else _AUXILIARIES.get(one.low) or third(one.low)
            agreed = True
        made.append(Word(one.low, form, one.apart))
    return made
