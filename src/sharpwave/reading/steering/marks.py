"""What surrounds an instruction (opening, duration, scope), and what it is about.

"Actually, from now on use tabs for this project, please" opens a correction, is standing, holds for
the project, and says "use tabs".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sharpwave.reading.steering.frames import Instruction
from sharpwave.reading.steering.vocabulary import (
    BEARINGS,
    COMPARATIVE,
    DEFINITE,
    FILES,
    GIVING,
    INDEFINITE,
    LANGUAGES,
    MANNER,
    OUTPUT,
    PLACES,
    PLACING,
    PRONOUNS,
    SPEAKING,
    STYLE_NOUNS,
    Sentence,
    Word,
    word_list,
    words,
)


class Reach(StrEnum):
    """Where an instruction holds, as far as its own words say."""

    GLOBAL = "global"
    PROJECT = "project"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class MarkedClause:
    """A sentence without what surrounds it, and what that was."""

    rest: Sentence
    corrects: bool = False
    """It opens with no, actually, that's wrong."""
    informs: bool = False
    """It opens with for context, FYI."""
    standing: bool = False
    """From now on, by default, every time."""
    once: bool = False
    """This time, for now, in this email."""
    reach: Reach = Reach.GLOBAL


_Phrases = Mapping[str, Sequence[tuple[str, ...]]]
"""By their first word, the longest first."""


def _phrases(text: str) -> _Phrases:
    phrases: dict[str, list[tuple[str, ...]]] = {}
    listed = (tuple(phrase.split()) for phrase in text.split(","))
    for phrase in sorted(listed, key=len, reverse=True):
        phrases.setdefault(phrase[0], []).append(phrase)
    return phrases


_LEADS = words(
    """please ok okay hey hi hello thanks well also and but so hmm sorry kindly yes yeah yep great
    good right cool perfect oh ah um again look listen alright then plus nice , : - ! . ( )"""
)
_LEAD_PHRASES = _phrases("thank you, by the way, one more thing, next time, one thing")
_CORRECTS = words("no nope nah actually wait wrong incorrect oops")
_CORRECT_PHRASES = _phrases(
    """that is wrong, this is wrong, that is not right, that is incorrect,
    that is not what i asked for, that is not what i asked, that is not what i meant,
    that is not what i wanted, not quite, not like that, i meant, i said, i told you,
    on second thought"""
)
_INFORMS = words("fyi btw context background")
_INFORM_PHRASES = _phrases(
    """for context, for reference, for the record, for your information, for background,
    as background, note that, just so you know, so you know, just to clarify, as a heads up,
    heads up, keep in mind that, keep in mind, bear in mind that, bear in mind, remember that"""
)
_STANDING = _phrases(
    """from now on, from here on out, from here on, from this point on, from today on,
    going forward, moving forward, in future, in the future, for the future, by default,
    as a rule, as a general rule, as a standing rule, every time, each time, every single time,
    at all times, in all cases, all the time, across the board, next time,
    until i say otherwise, unless i say otherwise"""
)
_ONCE = _phrases(
    """this time, just this once, this once, just once, only once, for now, right now, for today,
    just for today, for the moment, for the time being, in this case, in this one, for this one,
    in the next, for the next"""
)
_THINGS_OF_NOW = word_list("things_at_hand")
_NOW_BEFORE = words("in for on with to")
_HERE = words("here below above attached now")
_TODAY = words("following today tonight tomorrow")
_PLACE_BEFORE = words("in for on across within throughout")
_PLACE_OWNERS = words("this our the my")


def marked(sentence: Sentence) -> MarkedClause:
    """The sentence taken out of its surroundings."""
    marked = _opened(MarkedClause(sentence))
    marked = _placed(_held(marked))
    return _closed(_opened(marked))


def _closed(marked: MarkedClause) -> MarkedClause:
    """Take off courtesies at the end."""
    said = marked.rest.words
    end = len(said)
    while end and said[end - 1].low in _COURTESIES:
        end -= 1
    return replace(marked, rest=marked.rest.of(said[:end])) if end < len(said) else marked


_COURTESIES = words(", please thanks ok okay")


_LEAD_WORDS = 5
"""Words within which "I told you yesterday:" ends."""


def _opened(marked: MarkedClause) -> MarkedClause:
    """Take off what a sentence opens with, one word or phrase after another."""
    while marked.rest.words:
        low = marked.rest.low
        if size := _starts(low, _CORRECT_PHRASES):
            colon = low.index(":") + 1 if ":" in low[size : size + _LEAD_WORDS] else size
            marked = replace(_cut(marked, 0, colon), corrects=True)
        elif size := _starts(low, _INFORM_PHRASES):
            marked = replace(_cut(marked, 0, size), informs=True)
        elif size := _starts(low, _LEAD_PHRASES):
            standing = marked.standing or low[:2] == ("next", "time")
            marked = replace(_cut(marked, 0, size), standing=standing)
        elif low[0] in _CORRECTS and not _is_no_noun(low):
            marked = replace(_cut(marked, 0, 1), corrects=True)
        elif low[0] in _INFORMS and low[1:2] in ((",",), (":",)):
            marked = replace(_cut(marked, 0, 2), informs=True)
        elif low[0] in _LEADS:
            marked = _cut(marked, 0, 1)
        else:
            break
    return marked


def _is_no_noun(low: Sequence[str]) -> bool:
    """As in "no emojis", "no more jargon": what is not wanted, rather than an answer."""
    return low[0] == "no" and len(low) > 1 and low[1] not in {",", ".", "!", "do", "use", "please"}


def _held(marked: MarkedClause) -> MarkedClause:
    """How long it is to hold; said at the beginning or end, as what surrounds a sentence is."""
    at, low = 0, marked.rest.low
    while at < len(low):
        if size := _starts(low, _STANDING, at):
            if not at or at + size == len(low) or low[at + size] == ",":
                marked = replace(_cut(marked, at, size), standing=True)
                low = marked.rest.low
                continue
        if size := _starts(low, _ONCE, at):
            marked = replace(_cut(marked, at, size), once=True)
            low = marked.rest.low
            continue
        at += 1
    return replace(marked, once=marked.once or _is_of_now(low))


def _is_of_now(low: Sequence[str]) -> bool:
    if low and (low[-1] in _HERE or not _TODAY.isdisjoint(low)):
        return True
    return any(
        low[at] in _NOW_BEFORE and low[at + 1] == "this" and low[at + 2] in _THINGS_OF_NOW
        for at in range(len(low) - 2)
    )


def _placed(marked: MarkedClause) -> MarkedClause:
    """Where it is to hold."""
    low = marked.rest.low
    for at in range(len(low) - 2):
        if low[at] in _PLACE_BEFORE and low[at + 1] in _PLACE_OWNERS:
            size = 3 if low[at + 2] in PLACES | FILES else 4
            noun = low[at + size - 1] if at + size <= len(low) else ""
            if noun in PLACES | FILES and (low[at + 1] != "the" or at == 0 or noun in PLACES):
                reach = Reach.PROJECT if noun in PLACES else Reach.FILE
                return replace(_cut(marked, at, size), reach=reach)
    return marked


def _starts(low: Sequence[str], phrases: _Phrases, at: int = 0) -> int:
    """How many words of a phrase stand at a place; 0 if none does."""
    for phrase in phrases.get(low[at], ()):
        if tuple(low[at : at + len(phrase)]) == phrase:
            return len(phrase)
    return 0


def _cut(marked: MarkedClause, at: int, size: int) -> MarkedClause:
    """Take words out, with the commas that set them off."""
    before: list[Word] = list(marked.rest.words[:at])
    after: list[Word] = list(marked.rest.words[at + size :])
    if before and before[-1].low == "," and (not after or after[0].low == ","):
        before.pop()
    while after and not before and after[0].low == ",":
        after.pop(0)
    return replace(marked, rest=marked.rest.of(before + after))


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


def is_task(instruction: Instruction) -> bool:
    """Something to be made now: "write a poem", "give me three ideas", "fix the bug"."""
    if instruction.negated or instruction.reminds or instruction.prefers or instruction.adverb:
        return False
    if instruction.verb in SPEAKING:
        return not is_generic(instruction)
    return not is_manner(instruction, corrects=True)


def is_manner(instruction: Instruction, corrects: bool) -> bool:
    """About how to answer, rather than what to."""
    low = instruction.low
    if instruction.verb in {"keep", "get", "cut", "drop", "leave"}:
        return bool(OUTPUT & set(low)) or low[:1] == ("it",)
    if (
        instruction.verb in MANNER
        or instruction.negated
        or "instead" in low
        or says_every(instruction)
    ):
        return True
    if instruction.verb in PLACING:
        return corrects
    of_answers = any(
        one in {"your", "things", "everything"} and (one != "your" or OUTPUT & set(low[at:]))
        for at, one in enumerate(low)
    )
    return instruction.verb in GIVING | {"make"} and (of_answers or (corrects and "not" in low))


def is_of_others(instruction: Instruction) -> bool:
    """Good advice to a friend, as in "keep your head up", "always be yourself"."""
    if instruction.low[0] == "your":
        return not OUTPUT & set(instruction.low[1:4])
    return instruction.low[0] in _OTHERS


def is_pronoun(instruction: Instruction) -> bool:
    """Its object is only pointed at."""
    return bool(instruction.rest) and instruction.low[0] in PRONOUNS


def says_every(instruction: Instruction) -> bool:
    """As in "with every answer"."""
    return not instruction.negated and not _EVERY.isdisjoint(instruction.low)


def is_bearing(instruction: Instruction) -> bool:
    """As in "be more concise", "get to the point"."""
    low = instruction.low
    if instruction.verb != "be":
        return instruction.verb == "get" and low[:3] == ("to", "the", "point")
    at = next((place for place, one in enumerate(low[:4]) if one in BEARINGS), None)
    return at is not None and (at + 1 == len(low) or low[at + 1] in _AFTER_BEARING)


def is_of_style(instruction: Instruction) -> bool:
    """About length, form or tone."""
    low = set(instruction.low)
    return bool((STYLE_NOUNS - _CONTENT) & low or COMPARATIVE & low or BEARINGS & low)


def is_generic(instruction: Instruction) -> bool:
    """Of a kind of thing rather than a thing: "single quotes", not "the second quote"."""
    low = [one for one in instruction.low if one not in {"only", "just"}]
    if low[:2] == ["to", "me"]:
        low = low[2:]
    if not low:
        return False
    if instruction.verb in _SHAPING and (STYLE_NOUNS - _CONTENT) & set(low[:3]):
        return True
    if instruction.verb in {"call", "address"}:
        return low[0] == "me" and len(low) > 1
    if low[0] == "my" and instruction.verb == "use":
        return True
    if low[0] in _NO_KIND:
        return False
    return _is_way(low) if instruction.verb in SPEAKING else _is_kind(low)


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
