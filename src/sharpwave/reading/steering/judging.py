"""Whether a clause is a standing instruction or for this answer only, its type, and its wording.

A message that gives a task means its manner for that task; one that only steers is standing. The
stored rule is the instruction in normal form, never the message:

don't add them, not everywhere      -> Do not ...
use tabs not spaces                 -> Use tabs instead of spaces
show me the diff before you commit  -> Show the user the diff before committing
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sharpwave.reading.steering.frames import Instruction
from sharpwave.reading.steering.marks import (
    MarkedClause,
    Reach,
    is_bearing,
    is_generic,
    is_manner,
    is_of_others,
    is_of_style,
    is_pronoun,
    says_every,
)
from sharpwave.reading.steering.vocabulary import (
    DEFINITE,
    INDEFINITE,
    KNOWN,
    MANNER,
    OUTPUT,
    SPEAKING,
    STYLE_NOUNS,
    Word,
    gerund,
    text_of,
    third,
    word,
    words,
)
from sharpwave.types.steering import Signal, SteeringType

_TERSE = 15
"""Answers of at most this many words are never "too long"."""
_LENGTHY = 400
"""Answers of at least this many words are never "too short"."""
_SIGNS = {
    "emoji": re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]"),
    "bullet": re.compile(r"^\s*[-*•] ", re.MULTILINE),
    "heading": re.compile(r"^#{1,6} ", re.MULTILINE),
    "table": re.compile(r"^\|.+\|", re.MULTILINE),
    "apologize": re.compile(r"\b(?:sorry|apolog\w+)\b", re.IGNORECASE),
    "apologise": re.compile(r"\b(?:sorry|apolog\w+)\b", re.IGNORECASE),
    "exclamation": re.compile(r"!"),
}
_REJECTED = re.compile(r"\b(?:not|instead of|rather than) (.+)$")
_EMPTY = words("the a an any so many much use using do and or of to in it")


def belies(remedy: Sequence[Word], answer: str | None) -> bool:
    """True if the answer cannot be what is complained about."""
    if answer is None:
        return False
    low, size = {one.low for one in remedy}, len(answer.split())
    return ("concise" in low and size <= _TERSE) or ("detailed" in low and size >= _LENGTHY)


def did(instruction: Instruction, answer: str | None) -> bool:
    """True if the answer did what the user does not want: then it is a correction."""
    if answer is None or instruction.always:
        return False
    text = " ".join(instruction.low)
    unwanted = text if instruction.negated else ""
    if not unwanted and (rejected := _REJECTED.search(text)):
        unwanted = rejected[1]
    if not unwanted:
        return False
    for name, sign in _SIGNS.items():
        if (name in unwanted or name == instruction.verb) and sign.search(answer):
            return True
    said = [one for one in unwanted.split() if one not in _EMPTY and one.isalpha()]
    shown = answer.casefold()
    return any(one.removesuffix("ing").removesuffix("s") in shown for one in said)


MOST_WORDS = 40
_WHEN = words("before after when whenever while if unless until without once")
_FILLERS = words("please ok okay thanks right instead too now")
_ENDING = words(", . ! : - and but so because or")
_PERSONS = {"me": "the user", "my": "the user's", "mine": "the user's", "i": "the user"}
_POSSESSIVE = words("your ur")


def rule(said: Sequence[Word]) -> str | None:
    """The words as a rule; None if they are none by themselves."""
    made = _without_fillers(list(said))
    return _sentence(_without_fillers(_contrasted(_impersonal(_with_gerunds(made)))))


def statement(said: Sequence[Word]) -> str | None:
    """A statement about the user or how things are done, which is no instruction."""
    return _sentence(_without_fillers(list(said)))


def _sentence(made: Sequence[Word]) -> str | None:
    if not made or len(made) > MOST_WORDS:
        return None
    text = text_of([made[0], *map(_inside, made[1:])])
    return text[:1].upper() + text[1:]


_INSIDE = DEFINITE | INDEFINITE | words("when whenever if less fewer your all no")


def _inside(one: Word) -> Word:
    """A small word that began a sentence and does no longer."""
    return Word(one.low, one.low, one.apart) if one.low in _INSIDE else one


def _without_fillers(said: list[Word]) -> list[Word]:
    while said and (said[-1].low in _FILLERS | _ENDING or _ends_for_me(said)):
        said = said[:-2] if _ends_for_me(said) else said[:-1]
    while said and said[0].low in {",", "please", "just", "simply", "-", ":", "kindly"}:
        said = said[1:]
    return said


def _ends_for_me(said: Sequence[Word]) -> bool:
    return len(said) > 2 and (said[-2].low, said[-1].low) in {("for", "me"), ("for", "us")}


def _with_gerunds(said: list[Word]) -> list[Word]:
    """The addressee needs no "you": before you commit -> before committing."""
    made: list[Word] = []
    at = 0
    while at < len(said):
        low = said[at].low
        follows = [one.low for one in said[at + 1 : at + 3]]
        if low in _WHEN and follows[:1] == ["you"] and len(follows) == 2 and follows[1] in KNOWN:
            when = word("when") if low in {"if", "whenever"} else said[at]
            made += [when, word(gerund(follows[1]))]
            at += 3
            continue
        made.append(said[at])
        at += 1
    return made


def _impersonal(said: list[Word]) -> list[Word]:
    """The user is named in the third person; what is the assistant's needs no owner."""
    made: list[Word] = []
    for place in range(len(said)):
        one, after = said[place], said[place + 1 : place + 4]
        if one.low in _POSSESSIVE and any(each.low in OUTPUT for each in after):
            continue
        person = _PERSONS.get(one.low)
        if person is None:
            made.append(one)
        else:
            made.append(Word(person, person, one.apart))
            if one.low == "i" and after:
                said = [*said[: place + 1], _with_user(after[0]), *said[place + 2 :]]
    return made


_ODD = {"am": "is", "do": "does", "have": "has"}
_STATES = words("know say need want like prefer mean understand")


def _with_user(verb: Word) -> Word:
    """The verb that agrees with "the user" instead of "I"."""
    form = _ODD.get(verb.low) or (third(verb.low) if verb.low in KNOWN | _STATES else verb.text)
    return Word(form, form, verb.apart)


def _contrasted(said: list[Word]) -> list[Word]:
    """As in "tabs not spaces", "tabs, not spaces": the one instead of the other."""
    for place, one in enumerate(said):
        if one.low != "not" or not place or place + 1 == len(said):
            continue
        before, after = said[place - 1], said[place + 1].low
        if before.low in {"do", "does", "did", "is", "are", "should", "can", "will", "must"}:
            continue
        if after in _NO_CONTRAST:
            continue
        if any(each.low == "than" for each in said[place + 1 : place + 4]):
            continue  # a limit: "not more than five"
        head = said[: place - 1] if before.low == "," else said[:place]
        return [*head, word("instead"), word("of"), *said[place + 1 :]]
    return said


_NO_CONTRAST = words("to only just in on at everywhere always too be even necessarily")


MARKED, CORRECTING, PLAIN = 0.9, 0.85, 0.75
"""Confidence of a signal: marked as standing, said against an answer, neither."""
_LONG = 80
"""Words of a message from which on only "from now on" and the like are believed."""
_BARE = 20
"""Words of a message in which "the team uses…" is the user's own."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause of the message, and what was found in it."""

    marked: MarkedClause
    instruction: Instruction | None = None
    remedy: tuple[Word, ...] = ()
    fact: tuple[Word, ...] = ()

    @property
    def steers(self) -> bool:
        """Something was found."""
        return bool(self.instruction or self.remedy or self.fact)


@dataclass(frozen=True, slots=True)
class SteeringSetting:
    """What the whole message is like."""

    length: int
    persona: bool
    """It gives the assistant a part to play."""
    pure: bool
    """It does nothing but steer, inform and react."""
    answer: str | None
    """What the assistant had said before it."""


def judged(piece: Piece, setting: SteeringSetting, corrects: bool) -> Signal | None:
    """The signal, if the clause is a standing instruction."""
    marked = piece.marked
    if marked.once and not marked.standing:
        return None
    if setting.persona or (setting.length > _LONG and not (marked.standing or marked.informs)):
        return None
    if piece.instruction is not None:
        return _instruction(piece.instruction, marked, setting, corrects)
    if piece.remedy:
        return _remedy(piece, setting)
    return _statement(piece, setting)


def _instruction(
    instruction: Instruction, marked: MarkedClause, setting: SteeringSetting, corrects: bool
) -> Signal | None:
    if not _is_standing(instruction, marked, setting, corrects):
        return None
    corrects = corrects or did(instruction, setting.answer)
    sure = MARKED if instruction.always or marked.standing else CORRECTING if corrects else PLAIN
    return _signal(_type(instruction, marked, corrects), rule(instruction.words), sure, marked)


def _remedy(piece: Piece, setting: SteeringSetting) -> Signal | None:
    if not (setting.pure or piece.marked.standing) or belies(piece.remedy, setting.answer):
        return None
    return _signal(SteeringType.STYLE, rule(piece.remedy), CORRECTING, piece.marked)


def _statement(piece: Piece, setting: SteeringSetting) -> Signal | None:
    marked = piece.marked
    if not piece.fact:
        return None
    if marked.rest.low[0] == "the" and not marked.informs and setting.length > _BARE:
        return None
    return _signal(SteeringType.KNOWLEDGE, statement(piece.fact), PLAIN, marked)


def _signal(
    type_: SteeringType, rule: str | None, sure: float, marked: MarkedClause
) -> Signal | None:
    return None if rule is None else Signal(type_, rule, sure, marked.reach.value)


def _is_standing(
    instruction: Instruction, marked: MarkedClause, setting: SteeringSetting, corrects: bool
) -> bool:
    if not instruction.rest:  # "never apologize"; "never tell" lacks what is not to be told
        return instruction.verb in MANNER and (instruction.always or instruction.negated)
    if instruction.verb == "remind" and not instruction.adverb:
        return False  # a task, also every Monday
    if (
        is_of_others(instruction)
        or is_pronoun(instruction)
        or (instruction.verb == "be" and not is_bearing(instruction))
    ):
        return False
    if marked.rest.asks and not instruction.requested:
        return False
    if instruction.adverb in {"always", "never"} or instruction.prefers:
        return True
    if marked.standing:
        short = setting.length <= _LONG
        return instruction.verb in MANNER or (short and not instruction.requested)
    return setting.pure and _is_of_its_own(instruction, marked, corrects)


def _is_of_its_own(instruction: Instruction, marked: MarkedClause, corrects: bool) -> bool:
    """Without a stated duration: standing if it is about how, not about what."""
    if instruction.when or is_bearing(instruction):
        return True
    placed = marked.reach is not Reach.GLOBAL
    if instruction.inclusive:
        return placed
    if not is_manner(instruction, corrects):
        return False
    if instruction.requested:
        return is_generic(instruction) and (
            "instead" in instruction.low or not STYLE_NOUNS.isdisjoint(instruction.low)
        )
    if corrects or instruction.negated:
        return True
    if placed or says_every(instruction):
        return instruction.verb not in SPEAKING or is_generic(instruction)
    return is_generic(instruction)


def _type(instruction: Instruction, marked: MarkedClause, corrects: bool) -> SteeringType:
    if is_bearing(instruction):
        return SteeringType.STYLE
    if corrects:
        return SteeringType.CORRECTION
    if instruction.always or marked.standing or instruction.prefers or says_every(instruction):
        return SteeringType.PREFERENCE
    if instruction.negated:
        return SteeringType.CORRECTION
    return SteeringType.STYLE if is_of_style(instruction) else SteeringType.PREFERENCE
