"""Statements that steer: complaints, constraints of the user, and how the user's team works.

complaint    too long; less jargon, please                -> a rule of style
constraint   I avoid dairy; I only fly economy            -> The user avoids dairy
knowledge    we deploy with Terraform                     -> only what a team does as a rule

A constraint bounds whatever is suggested; a mere taste ("I like jazz") is a fact.
"""

from collections.abc import Callable, Sequence

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


_CONSTRAINT_MANNER = words(
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
_NOTHING = words("not no nothing none longer")
_DIETS = words("diet regimen lifestyle restrictions practice practices")
_PASSING = words("yesterday today tonight tomorrow now yet anymore currently lately recently")
_MOST = 40


def constraint(sentence: Sentence) -> list[Word] | None:
    """What a sentence rules out or insists on, of the user; None if nothing."""
    said, low = sentence.words, sentence.low
    if sentence.asks or not 3 <= len(low) <= _MOST or low[0] != "i" or _PASSING & set(low):
        return None
    at = 1
    while (
        at < len(low) - 1
        and low[at] in _CONSTRAINT_MANNER
        and tuple(low[at : at + 2]) != ("do", "not")
    ):
        at += 1
    if {"it", "them", "us", "you"} & set(low[at + 1 : at + 4]):
        return None
    is_constraint = any(form(low[at:]) for form in _FORMS)
    return _of_the_user(said[1:]) if is_constraint else None


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
        return len(low) > at + 2 and low[at + 1] in _HABITS | {"want", "consider"}
    return low[:2] == ("do", "not") and len(low) > 3 and low[2] in _HABITS


def _is_against(low: Sequence[str]) -> bool:
    """As in "I'm strongly against…", "I am allergic to…"."""
    return low[0] == "am" and bool(_STANCES & set(low[1:4])) and not _NOTHING & set(low[1:5])


def _keeps_to(low: Sequence[str]) -> bool:
    """As in "I follow a strict diet", "I adhere to…", "I thrive in…", "I believe in … should"."""
    if low[0] in {"follow", "adhere", "eat", "keep", "stick"}:
        return low[0] == "adhere" or bool(_DIETS & set(low))
    if low[0] == "believe":
        deed = low[2] if low[1:2] == ("in",) and len(low) > 2 else ""
        return "should" in low or deed.endswith("ing")
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
        if not agreed and one.low not in _CONSTRAINT_MANNER - {"do", "try", "tend"} | {
            "only",
            "exclusively",
        }:
            plain = one.low in _BARE
            form = one.text if plain else _AUXILIARIES.get(one.low) or third(one.low)
            agreed = True
        made.append(Word(one.low, form, one.apart))
    return made


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
