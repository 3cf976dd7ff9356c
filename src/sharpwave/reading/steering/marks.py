"""Separate an instruction from its marks (opening, duration, scope), and classify its topic.

"Actually, from now on use tabs for this project, please" opens a correction, is standing, applies
to the project, and says "use tabs".
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
    """Where an instruction applies, as far as its wording says."""

    GLOBAL = "global"
    PROJECT = "project"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class MarkedClause:
    """A sentence without its marks, and the marks found."""

    rest: Sentence
    corrects: bool = False
    """True if it opens with "no", "actually", "that's wrong"."""
    informs: bool = False
    """True if it opens with "for context", "FYI"."""
    standing: bool = False
    """Marked with "from now on", "by default", "every time"."""
    once: bool = False
    """Marked with "this time", "for now", "in this email"."""
    reach: Reach = Reach.GLOBAL


_PhraseTable = Mapping[str, Sequence[tuple[str, ...]]]
"""Phrases by their first word, the longest first."""


def _phrase_table(text: str) -> _PhraseTable:
    phrases: dict[str, list[tuple[str, ...]]] = {}
    all_phrases = (tuple(phrase.split()) for phrase in text.split(","))
    for phrase in sorted(all_phrases, key=len, reverse=True):
        phrases.setdefault(phrase[0], []).append(phrase)
    return phrases


_LEADS = words(
    """please ok okay hey hi hello thanks well also and but so hmm sorry kindly yes yeah yep great
    good right cool perfect oh ah um again look listen alright then plus nice , : - ! . ( )"""
)
_LEAD_PHRASES = _phrase_table("thank you, by the way, one more thing, next time, one thing")
_CORRECTS = words("no nope nah actually wait wrong incorrect oops")
_CORRECT_PHRASES = _phrase_table(
    """that is wrong, this is wrong, that is not right, that is incorrect,
    that is not what i asked for, that is not what i asked, that is not what i meant,
    that is not what i wanted, not quite, not like that, i meant, i said, i told you,
    on second thought"""
)
_INFORMS = words("fyi btw context background")
_INFORM_PHRASES = _phrase_table(
    """for context, for reference, for the record, for your information, for background,
    as background, note that, just so you know, so you know, just to clarify, as a heads up,
    heads up, keep in mind that, keep in mind, bear in mind that, bear in mind, remember that"""
)
_STANDING = _phrase_table(
    """from now on, from here on out, from here on, from this point on, from today on,
    going forward, moving forward, in future, in the future, for the future, by default,
    as a rule, as a general rule, as a standing rule, every time, each time, every single time,
    at all times, in all cases, all the time, across the board, next time,
    until i say otherwise, unless i say otherwise"""
)
_ONCE = _phrase_table(
    """this time, just this once, this once, just once, only once, for now, right now, for today,
    just for today, for the moment, for the time being, in this case, in this one, for this one,
    in the next, for the next"""
)
_CURRENT_THINGS = word_list("things_at_hand")
_BEFORE_THIS = words("in for on with to")
_POINTERS = words("here below above attached now")
_NEAR_DAYS = words("following today tonight tomorrow")
_BEFORE_PLACE = words("in for on across within throughout")
_PLACE_OWNERS = words("this our the my")


def without_marks(sentence: Sentence) -> MarkedClause:
    """Separate a sentence from its marks."""
    clause = _strip_opening(MarkedClause(sentence))
    clause = _strip_place(_strip_duration(clause))
    return _strip_courtesies(_strip_opening(clause))


def _strip_courtesies(clause: MarkedClause) -> MarkedClause:
    """Remove courtesies at the end."""
    clause_words = clause.rest.words
    end = len(clause_words)
    while end and clause_words[end - 1].low in _COURTESIES:
        end -= 1
    return (
        replace(clause, rest=clause.rest.of(clause_words[:end]))
        if end < len(clause_words)
        else clause
    )


_COURTESIES = words(", please thanks ok okay")


_MAX_LEAD_WORDS = 5
"""Maximum words until the colon in "I told you yesterday:"."""


def _strip_opening(clause: MarkedClause) -> MarkedClause:
    """Remove the words and phrases that open a sentence, and note their meaning."""
    while clause.rest.words:
        low = clause.rest.low
        if size := _phrase_length(low, _CORRECT_PHRASES):
            colon = low.index(":") + 1 if ":" in low[size : size + _MAX_LEAD_WORDS] else size
            clause = replace(_cut(clause, 0, colon), corrects=True)
        elif size := _phrase_length(low, _INFORM_PHRASES):
            clause = replace(_cut(clause, 0, size), informs=True)
        elif size := _phrase_length(low, _LEAD_PHRASES):
            standing = clause.standing or low[:2] == ("next", "time")
            clause = replace(_cut(clause, 0, size), standing=standing)
        elif low[0] in _CORRECTS and not _is_no_noun(low):
            clause = replace(_cut(clause, 0, 1), corrects=True)
        elif low[0] in _INFORMS and low[1:2] in ((",",), (":",)):
            clause = replace(_cut(clause, 0, 2), informs=True)
        elif low[0] in _LEADS:
            clause = _cut(clause, 0, 1)
        else:
            break
    return clause


def _is_no_noun(low: Sequence[str]) -> bool:
    """Match "no emojis", "no more jargon": something unwanted, rather than the answer "no"."""
    return low[0] == "no" and len(low) > 1 and low[1] not in {",", ".", "!", "do", "use", "please"}


def _strip_duration(clause: MarkedClause) -> MarkedClause:
    """Remove and note the duration; a standing one only at the beginning or end, or by a comma."""
    at, low = 0, clause.rest.low
    while at < len(low):
        if size := _phrase_length(low, _STANDING, at):
            if not at or at + size == len(low) or low[at + size] == ",":
                clause = replace(_cut(clause, at, size), standing=True)
                low = clause.rest.low
                continue
        if size := _phrase_length(low, _ONCE, at):
            clause = replace(_cut(clause, at, size), once=True)
            low = clause.rest.low
            continue
        at += 1
    return replace(clause, once=clause.once or _is_of_now(low))


def _is_of_now(low: Sequence[str]) -> bool:
    if low and (low[-1] in _POINTERS or not _NEAR_DAYS.isdisjoint(low)):
        return True
    return any(
        low[at] in _BEFORE_THIS and low[at + 1] == "this" and low[at + 2] in _CURRENT_THINGS
        for at in range(len(low) - 2)
    )


def _strip_place(clause: MarkedClause) -> MarkedClause:
    """Remove and note the place where it applies."""
    low = clause.rest.low
    for at in range(len(low) - 2):
        if low[at] in _BEFORE_PLACE and low[at + 1] in _PLACE_OWNERS:
            size = 3 if low[at + 2] in PLACES | FILES else 4
            noun = low[at + size - 1] if at + size <= len(low) else ""
            if noun in PLACES | FILES and (low[at + 1] != "the" or at == 0 or noun in PLACES):
                reach = Reach.PROJECT if noun in PLACES else Reach.FILE
                return replace(_cut(clause, at, size), reach=reach)
    return clause


def _phrase_length(low: Sequence[str], phrases: _PhraseTable, at: int = 0) -> int:
    """Number of words of the longest phrase at an index; 0 if there is none."""
    for phrase in phrases.get(low[at], ()):
        if tuple(low[at : at + len(phrase)]) == phrase:
            return len(phrase)
    return 0


def _cut(clause: MarkedClause, at: int, size: int) -> MarkedClause:
    """Remove words, with the commas that set them off."""
    before: list[Word] = list(clause.rest.words[:at])
    after: list[Word] = list(clause.rest.words[at + size :])
    if before and before[-1].low == "," and (not after or after[0].low == ","):
        before.pop()
    while after and not before and after[0].low == ",":
        after.pop(0)
    return replace(clause, rest=clause.rest.of(before + after))


_EVERY = words("every everywhere throughout")
_NOT_OF_ANSWERS = words("yourself your up going us him her them his their you")
_AFTER_BEARING = words("with in when about and but or than to for , please on")
_TASK_WORDS = words("the about this that these those following more of")
"""Words that tie a manner to the current task: "explain in detail about…"."""
_SHAPING_VERBS = words("keep skip cut drop omit leave")
"""Verbs for the parts that every answer has: "skip the introduction"."""
_MAX_MANNER_WORDS = 3
"""Maximum words of a bare manner: "in JSON", "like a friend"."""
_CONTENT_NOUNS = words("code number numbers example examples word words list lists style")
"""Nouns for the content of an answer rather than its form."""
_BEFORE_SPECIFICS = words("me to my out on about of why how what")
"""Words before the specifics of the current task."""
_MANNER_WORDS = words("in as like things everything")
_MANNER_PREPOSITIONS = words("in as with like under at")


def is_task(instruction: Instruction) -> bool:
    """A task for now: "write a poem", "give me three ideas", "fix the bug"."""
    if instruction.negated or instruction.reminds or instruction.prefers or instruction.adverb:
        return False
    if instruction.verb in SPEAKING:
        return not is_generic(instruction)
    return not is_manner(instruction, corrects=True)


def is_manner(instruction: Instruction, corrects: bool) -> bool:
    """About how to answer, rather than about what."""
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
    is_about_answers = any(
        word in {"your", "things", "everything"} and (word != "your" or OUTPUT & set(low[at:]))
        for at, word in enumerate(low)
    )
    return instruction.verb in GIVING | {"make"} and (
        is_about_answers or (corrects and "not" in low)
    )


def is_advice(instruction: Instruction) -> bool:
    """General advice to people: "keep your head up", "always be yourself"."""
    if instruction.low[0] == "your":
        return not OUTPUT & set(instruction.low[1:4])
    return instruction.low[0] in _NOT_OF_ANSWERS


def is_pronoun(instruction: Instruction) -> bool:
    """True if its object is a pronoun."""
    return bool(instruction.rest) and instruction.low[0] in PRONOUNS


def says_every(instruction: Instruction) -> bool:
    """Match "with every answer"."""
    return not instruction.negated and not _EVERY.isdisjoint(instruction.low)


def is_bearing(instruction: Instruction) -> bool:
    """Match "be more concise", "get to the point"."""
    low = instruction.low
    if instruction.verb != "be":
        return instruction.verb == "get" and low[:3] == ("to", "the", "point")
    at = next((index for index, word in enumerate(low[:4]) if word in BEARINGS), None)
    return at is not None and (at + 1 == len(low) or low[at + 1] in _AFTER_BEARING)


def is_of_style(instruction: Instruction) -> bool:
    """About length, form or tone."""
    low = set(instruction.low)
    return bool((STYLE_NOUNS - _CONTENT_NOUNS) & low or COMPARATIVE & low or BEARINGS & low)


def is_generic(instruction: Instruction) -> bool:
    """About a kind of thing rather than one thing: "single quotes", not "the second quote"."""
    low = [word for word in instruction.low if word not in {"only", "just"}]
    if low[:2] == ["to", "me"]:
        low = low[2:]
    if not low:
        return False
    if instruction.verb in _SHAPING_VERBS and (STYLE_NOUNS - _CONTENT_NOUNS) & set(low[:3]):
        return True
    if instruction.verb in {"call", "address"}:
        return low[0] == "me" and len(low) > 1
    if low[0] == "my" and instruction.verb == "use":
        return True
    if low[0] in _BEFORE_SPECIFICS:
        return False
    return _is_way(low) if instruction.verb in SPEAKING else _is_kind(low)


def _is_way(low: Sequence[str]) -> bool:
    """A way to speak without a topic: "in plain English"."""
    if low[0] not in _MANNER_WORDS or not _TASK_WORDS.isdisjoint(low[1:]):
        return False
    return len(low) <= _MAX_MANNER_WORDS or low[0] not in _MANNER_PREPOSITIONS or _names_way(low)


def _is_kind(low: Sequence[str]) -> bool:
    first = low[0]
    if first in _MANNER_PREPOSITIONS:
        return _names_way(low)
    if low[1:2] in (["of"], ["about"]) or "how" in low or first in DEFINITE:
        return False
    if first in INDEFINITE:
        return bool(STYLE_NOUNS & set(low[1:5]))
    return not first.isdigit()


def _names_way(low: Sequence[str]) -> bool:
    return bool((LANGUAGES | OUTPUT | {"plain", "simple", "if"}) & set(low[1:5]))
