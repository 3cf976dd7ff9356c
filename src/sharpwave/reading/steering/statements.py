"""Statements that steer: complaints, and the practices of the user's team.

complaint    too long; less jargon, please                -> a rule of style
knowledge    we deploy with Terraform                     -> only regular practices of a team

A constraint of the user ("I avoid dairy") is a fact.
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
"""Requests for more of these are for one answer."""
_NOUN_BEARINGS = words("hedging hedges")
_SUBJECTS = words("it this that you they these those")
_BE = words("is are was were being been be sounds sound seems seem feels feel reads read get gets")
_DEGREES = words("way far much a bit little still just simply also always again quite really")
_AMOUNTS = {"much": "less", "many": "fewer"}
_ONLY = words("just only")
_THING_WORDS = 5
"""Maximum words of a wanted or unwanted thing."""


def remedy(clause: Sequence[Word]) -> list[Word] | None:
    """The rule that would remedy a complaint; None if there is no complaint."""
    low = [token.low for token in clause]
    found = _too_much(clause, low) or _more_or_less(clause, low)
    return found or _only_that(clause, low) or _none_of(clause, low) or _keep_it(clause, low)


def _subject_ends(low: Sequence[str]) -> int | None:
    """Index of the complaint about the answer: after "your answers are" or "that's", or 0."""
    at = 0
    if low[:1] and low[0] in _SUBJECTS:
        at = 1
    elif low[:1] == ["your"] or low[:2] == ["the", "last"]:
        nouns = [index for index, noun in enumerate(low[:5]) if noun in OUTPUT]
        if not nouns:
            return None
        at = nouns[-1] + 1
    if at and (at >= len(low) or low[at] not in _BE):
        return None
    while at < len(low) and low[at] in _BE | _DEGREES:
        at += 1
    return at


def _too_much(clause: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """Match "too verbose", "your answers are way too long", "too much jargon"."""
    at = _subject_ends(low)
    if at is None or low[at : at + 1] != ["too"] or len(low) < at + 2:
        return None
    quality = low[at + 1]
    if quality in _AMOUNTS and any(
        noun in STYLE_NOUNS | _NOUN_BEARINGS for noun in low[at + 2 : at + 5]
    ):
        return [word("use"), word(_AMOUNTS[quality]), *_until_mark(clause[at + 2 :])]
    tail = low[at + 2 :]
    if tail and tail[0] not in {"and", "for", "again", ",", "with", "in"}:
        return None
    if quality in _REMEDIES:
        return [word("be"), *map(word, _REMEDIES[quality].split())]
    return [word("be"), word("less"), word(quality)] if quality in BEARINGS else None


def _more_or_less(clause: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """Match "more detail, please", "less jargon", without a verb."""
    at = 1 if low[:1] == ["a"] else 0
    while low[at : at + 1] and low[at] in {"bit", "little", "lot"}:
        at += 1
    if low[at : at + 1] and low[at] in {"more", "less", "fewer"} and 2 <= len(low) - at <= 4:
        noun, lead = low[at + 1], low[at]
        if noun in BEARINGS:
            return [word("be"), word(lead), clause[at + 1]]
        if any(following in STYLE_NOUNS - _CONTENT for following in low[at + 1 :]):
            verb = "give" if lead == "more" else "use"
            return [word(verb), *_until_mark(clause[at:])]
    return None


def _only_that(clause: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """Match "I don't need the explanation, just the code", "just the code please"."""
    unwanted: list[Word] = []
    at = 0
    if low[:3] == ["i", "do", "not"] and low[3:4] and low[3] in {"need", "want"}:
        end = low.index(",") if "," in low else len(low)
        unwanted = list(clause[4:end])
        at = min(end + 1, len(low))
        if len(unwanted) > _THING_WORDS or not OUTPUT & {token.low for token in unwanted}:
            return None
        if unwanted[0].low in {"to", "you", "any"}:
            return None
    while at < len(low) and low[at] in {"i", "please", "need", "want", "so"}:
        at += 1
    if at < len(low) and low[at] in _ONLY:
        while at < len(low) and low[at] in _ONLY | {"need", "want", "give", "me"}:
            at += 1
        wanted = list(_until_mark(clause[at:]))
        if not wanted or wanted[-1].low not in STYLE_NOUNS or len(wanted) > _THING_WORDS:
            return None
        if wanted[0].low in KNOWN:
            return None  # "just get to the point": a verb, read as an imperative
        without = [word("without"), *unwanted] if unwanted else []
        return [word("provide"), word("only"), *wanted, *without]
    if unwanted and at >= len(low):
        return [word("leave"), word("out"), *unwanted]
    return None


def _keep_it(clause: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """Match "keep it short"."""
    if low[:1] == ["keep"] and len(low) <= _THING_WORDS and low[1:2] and low[1] in {"it", "things"}:
        if low[-1] in BEARINGS - COMPARATIVE:
            return [word("keep"), word("answers"), *clause[2:]]
    return None


def _none_of(clause: Sequence[Word], low: Sequence[str]) -> list[Word] | None:
    """Match "no emojis please", "no more jargon", "no more than three lines per answer"."""
    if low[-1:] == ["please"]:
        low = low[:-1]
    if low[:1] != ["no"] or len(low) < 2:
        return None
    if low[1:3] == ["more", "than"] and len(low) <= _THING_WORDS + 3 and not OUTPUT.isdisjoint(low):
        return [word("write"), *_until_mark(clause)]
    if low[1] == MASKED and len(low) == 2:
        return [word("do"), word("not"), word("say"), clause[1]]
    at = 2 if low[1] == "more" else 1
    if at < len(low) <= at + 3 and low[-1] in OUTPUT:
        return [word("do"), word("not"), word("use"), *_until_mark(clause[at:])]
    return None


def _until_mark(clause: Sequence[Word]) -> Sequence[Word]:
    for index, part in enumerate(clause):
        if part.low in {",", "please", "(", ":"}:
            return clause[:index]
    return clause


_MAX_WORDS = 40


_TEAM_THINGS = PLACES | words(
    "api app team company codebase backend frontend pipeline database client"
)
_FREQUENCY = words(
    "always never usually generally all currently also mostly only typically normally"
)
_PRESENT = words("is are has have")
_PASSING_STATES = words(
    """was were had did will would going just yesterday tomorrow today tonight last next ago been
    trying thinking planning looking having getting being working struggling soon already might
    could should may hope hoping want wants need needs love loves"""
)


def practice(sentence: Sentence, informs: bool) -> list[Word] | None:
    """The practice that a sentence states, in the third person; None if it states none."""
    clause, low = sentence.words, sentence.low
    if sentence.asks or not 3 <= len(low) <= _MAX_WORDS or _PASSING_STATES & set(low[:14]):
        return None
    if low[0] == "we":
        return _of_we(clause, low, informs)
    if low[0] == "our":
        return _of_our(clause, low, informs)
    if low[0] in {"this", "the"} and (informs or low[0] == "this" or low[1] in _TEAM_THINGS):
        return _of_thing(clause, low, informs)
    return None


def _of_we(clause: Sequence[Word], low: Sequence[str], informs: bool) -> list[Word] | None:
    at = 1
    while at < len(low) and low[at] in _FREQUENCY | {"are"}:
        at += 1
    if at + 1 >= len(low):
        return None
    verb = base_of_gerund(low[at]) if "are" in low[1:at] else low[at]
    if verb not in TEAM_VERBS or not (informs or _is_of_work(clause[at + 1 :])):
        return None
    adverbs = [adverb for adverb in clause[1:at] if adverb.low != "are"]
    return [*adverbs, word(third(verb)), *map(_without_our, clause[at + 1 :])]


def _without_our(noun: Word) -> Word:
    return Word("the", "the", noun.space_before) if noun.low == "our" else noun


def _of_our(clause: Sequence[Word], low: Sequence[str], informs: bool) -> list[Word] | None:
    verb = _verb(low)
    if verb is None or not (informs or any(noun in WORK for noun in low[1:verb])):
        return None
    if _is_feeling(low, verb):
        return None
    return [clause[1], *map(_without_our, clause[2:])]


_TEAM_FEELINGS = words(
    """awesome amazing great wonderful fantastic good bad best worst proud happy small limited tight
    open nice perfect incredible strong like so really very pretty too excited"""
)


def _is_feeling(low: Sequence[str], verb: int) -> bool:
    """Match "our team is awesome", "our team has seen much", which state no practice."""
    after = low[verb + 1]
    if low[verb] in {"has", "have"}:
        return after.endswith(("ed", "en")) or after == "always"
    return low[verb] in _PRESENT and after in _TEAM_FEELINGS


def _of_thing(clause: Sequence[Word], low: Sequence[str], informs: bool) -> list[Word] | None:
    verb = _verb(low)
    if verb is None or low[verb - 1] not in _TEAM_THINGS:
        return None
    is_state = low[verb] in _PRESENT
    if is_state and not informs:
        return None  # "this project is great" is a feeling
    return list(clause) if informs or _is_of_work(clause[verb + 1 :]) else None


def _verb(low: Sequence[str]) -> int | None:
    """Index of the verb, within the first words after the subject."""
    for at in range(2, min(len(low) - 1, 8)):
        candidate = low[at]
        if candidate in _PRESENT or candidate in _THIRD_PERSON or candidate in _PLURAL_VERBS:
            return at
    return None


_PLURAL_VERBS = words("use follow run meet ship start close go live require expect include")
_VERBS = TEAM_VERBS | words(
    """start end begin meet return capitalize capitalise expect include contain accept consist
    live depend allow need prefer cover span forbid mandate enforce define specify set sit go"""
)
_THIRD_PERSON = frozenset(map(third, _VERBS))


def _is_of_work(clause: Sequence[Word]) -> bool:
    """True if a word is about work, a product name, or spelled as in software."""
    return any(
        word.low in WORK
        or (word.text[:1].isupper() and word.low not in {"i"})
        or any(mark in word.text for mark in "_/{}\\")
        or (
            any(character.isdigit() for character in word.text)
            and any(character.isalpha() for character in word.text)
        )
        for word in clause
    )
