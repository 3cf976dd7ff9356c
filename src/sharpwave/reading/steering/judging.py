"""Judge whether a clause is a standing instruction or for this answer only; its type and wording.

In a message with a task, manner applies to that task; a message that only steers is standing. The
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
    is_advice,
    is_bearing,
    is_generic,
    is_manner,
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

_TERSE_WORDS = 15
"""Answers of at most this many words are never "too long"."""
_LENGTHY_WORDS = 400
"""Answers of at least this many words are never "too short"."""
_FEATURE_PATTERNS = {
    "emoji": re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]"),
    "bullet": re.compile(r"^\s*[-*•] ", re.MULTILINE),
    "heading": re.compile(r"^#{1,6} ", re.MULTILINE),
    "table": re.compile(r"^\|.+\|", re.MULTILINE),
    "apologize": re.compile(r"\b(?:sorry|apolog\w+)\b", re.IGNORECASE),
    "apologise": re.compile(r"\b(?:sorry|apolog\w+)\b", re.IGNORECASE),
    "exclamation": re.compile(r"!"),
}
_REJECTED = re.compile(r"\b(?:not|instead of|rather than) (.+)$")
_FUNCTION_WORDS = words("the a an any so many much use using do and or of to in it")


def contradicts(remedy: Sequence[Word], answer: str | None) -> bool:
    """True if the answer contradicts the complaint behind a remedy, e.g. "too long"."""
    if answer is None:
        return False
    low, length = {word.low for word in remedy}, len(answer.split())
    return ("concise" in low and length <= _TERSE_WORDS) or (
        "detailed" in low and length >= _LENGTHY_WORDS
    )


def did_unwanted(instruction: Instruction, answer: str | None) -> bool:
    """True if the answer did what the user does not want: then the instruction is a correction."""
    if answer is None or instruction.always:
        return False
    text = " ".join(instruction.low)
    unwanted = text if instruction.negated else ""
    if not unwanted and (rejected := _REJECTED.search(text)):
        unwanted = rejected[1]
    if not unwanted:
        return False
    for feature, pattern in _FEATURE_PATTERNS.items():
        if (feature in unwanted or feature == instruction.verb) and pattern.search(answer):
            return True
    content_words = [
        word for word in unwanted.split() if word not in _FUNCTION_WORDS and word.isalpha()
    ]
    answer_text = answer.casefold()
    return any(word.removesuffix("ing").removesuffix("s") in answer_text for word in content_words)


MAX_WORDS = 40
_WHEN = words("before after when whenever while if unless until without once")
_FILLERS = words("please ok okay thanks right instead too now")
_ENDING = words(", . ! : - and but so because or")
_PERSONS = {"me": "the user", "my": "the user's", "mine": "the user's", "i": "the user"}
_POSSESSIVE = words("your ur")


def rule(clause: Sequence[Word]) -> str | None:
    """The clause as the text of a rule; None if nothing is left or it is too long."""
    rule_words = _without_fillers(list(clause))
    return _sentence(_without_fillers(_with_contrast(_in_third_person(_with_gerunds(rule_words)))))


def statement(clause: Sequence[Word]) -> str | None:
    """The text of a statement about the user or their practices, which is no instruction."""
    return _sentence(_without_fillers(list(clause)))


def _sentence(rule_words: Sequence[Word]) -> str | None:
    if not rule_words or len(rule_words) > MAX_WORDS:
        return None
    text = text_of([rule_words[0], *map(_uncapitalised, rule_words[1:])])
    return text[:1].upper() + text[1:]


_UNCAPITALISED = DEFINITE | INDEFINITE | words("when whenever if less fewer your all no")


def _uncapitalised(word: Word) -> Word:
    """Put a function word that no longer begins a sentence into lower case."""
    return Word(word.low, word.low, word.space_before) if word.low in _UNCAPITALISED else word


def _without_fillers(clause: list[Word]) -> list[Word]:
    while clause and (clause[-1].low in _FILLERS | _ENDING or _ends_for_me(clause)):
        clause = clause[:-2] if _ends_for_me(clause) else clause[:-1]
    while clause and clause[0].low in {",", "please", "just", "simply", "-", ":", "kindly"}:
        clause = clause[1:]
    return clause


def _ends_for_me(clause: Sequence[Word]) -> bool:
    return len(clause) > 2 and (clause[-2].low, clause[-1].low) in {("for", "me"), ("for", "us")}


def _with_gerunds(clause: list[Word]) -> list[Word]:
    """Replace "you" and a verb: before you commit -> before committing."""
    result: list[Word] = []
    at = 0
    while at < len(clause):
        low = clause[at].low
        next_words = [token.low for token in clause[at + 1 : at + 3]]
        if (
            low in _WHEN
            and next_words[:1] == ["you"]
            and len(next_words) == 2
            and next_words[1] in KNOWN
        ):
            when = word("when") if low in {"if", "whenever"} else clause[at]
            result += [when, word(gerund(next_words[1]))]
            at += 3
            continue
        result.append(clause[at])
        at += 1
    return result


def _in_third_person(clause: list[Word]) -> list[Word]:
    """Put the user into the third person, and drop "your" before the assistant's output."""
    result: list[Word] = []
    for index in range(len(clause)):
        token, next_words = clause[index], clause[index + 1 : index + 4]
        if token.low in _POSSESSIVE and any(follower.low in OUTPUT for follower in next_words):
            continue
        person = _PERSONS.get(token.low)
        if person is None:
            result.append(token)
        else:
            result.append(Word(person, person, token.space_before))
            if token.low == "i" and next_words:
                clause = [*clause[: index + 1], _with_user(next_words[0]), *clause[index + 2 :]]
    return result


_IRREGULAR_FORMS = {"am": "is", "do": "does", "have": "has"}
_STATE_VERBS = words("know say need want like prefer mean understand")


def _with_user(verb: Word) -> Word:
    """The form of a verb that agrees with "the user" instead of "I"."""
    form = _IRREGULAR_FORMS.get(verb.low) or (
        third(verb.low) if verb.low in KNOWN | _STATE_VERBS else verb.text
    )
    return Word(form, form, verb.space_before)


def _with_contrast(clause: list[Word]) -> list[Word]:
    """Replace "not" by "instead of" in "tabs not spaces", "tabs, not spaces"."""
    for index, token in enumerate(clause):
        if token.low != "not" or not index or index + 1 == len(clause):
            continue
        before, after = clause[index - 1], clause[index + 1].low
        if before.low in {"do", "does", "did", "is", "are", "should", "can", "will", "must"}:
            continue
        if after in _NO_CONTRAST:
            continue
        if any(follower.low == "than" for follower in clause[index + 1 : index + 4]):
            continue  # a limit: "not more than five"
        head = clause[: index - 1] if before.low == "," else clause[:index]
        return [*head, word("instead"), word("of"), *clause[index + 1 :]]
    return clause


_NO_CONTRAST = words("to only just in on at everywhere always too be even necessarily")


MARKED, CORRECTING, PLAIN = 0.9, 0.85, 0.75
"""Confidence of a signal: marked as standing, correcting an answer, neither."""
_LONG_MESSAGE = 80
"""Maximum words of a message in which an instruction without "from now on" can be standing."""
_SHORT_MESSAGE = 20
"""Maximum words of a message in which "the team uses…" is about the user's own team."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause of the message with the instruction, remedy or fact found in it."""

    marked: MarkedClause
    instruction: Instruction | None = None
    remedy: tuple[Word, ...] = ()
    fact: tuple[Word, ...] = ()

    @property
    def steers(self) -> bool:
        """True if any was found."""
        return bool(self.instruction or self.remedy or self.fact)


@dataclass(frozen=True, slots=True)
class SteeringSetting:
    """Properties of the whole message."""

    length: int
    has_persona: bool
    """True if it gives the assistant a role to play."""
    is_pure: bool
    """True if it only steers, informs and reacts."""
    answer: str | None
    """The assistant's answer before it."""


def to_signal(piece: Piece, setting: SteeringSetting, corrects: bool) -> Signal | None:
    """The signal, if the clause is a standing instruction."""
    marked = piece.marked
    if marked.once and not marked.standing:
        return None
    if setting.has_persona or (
        setting.length > _LONG_MESSAGE and not (marked.standing or marked.informs)
    ):
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
    corrects = corrects or did_unwanted(instruction, setting.answer)
    confidence = (
        MARKED if instruction.always or marked.standing else CORRECTING if corrects else PLAIN
    )
    return _signal(
        _type(instruction, marked, corrects), rule(instruction.words), confidence, marked
    )


def _remedy(piece: Piece, setting: SteeringSetting) -> Signal | None:
    if not (setting.is_pure or piece.marked.standing) or contradicts(piece.remedy, setting.answer):
        return None
    return _signal(SteeringType.STYLE, rule(piece.remedy), CORRECTING, piece.marked)


def _statement(piece: Piece, setting: SteeringSetting) -> Signal | None:
    marked = piece.marked
    if not piece.fact:
        return None
    if marked.rest.low[0] == "the" and not marked.informs and setting.length > _SHORT_MESSAGE:
        return None
    return _signal(SteeringType.KNOWLEDGE, statement(piece.fact), PLAIN, marked)


def _signal(
    type_: SteeringType, rule: str | None, confidence: float, marked: MarkedClause
) -> Signal | None:
    return None if rule is None else Signal(type_, rule, confidence, marked.reach.value)


def _is_standing(
    instruction: Instruction, marked: MarkedClause, setting: SteeringSetting, corrects: bool
) -> bool:
    if not instruction.rest:  # "never apologize"; "never tell" lacks what is not to be told
        return instruction.verb in MANNER and (instruction.always or instruction.negated)
    if instruction.verb == "remind" and not instruction.adverb:
        return False  # a task, also every Monday
    if (
        is_advice(instruction)
        or is_pronoun(instruction)
        or (instruction.verb == "be" and not is_bearing(instruction))
    ):
        return False
    if marked.rest.asks and not instruction.requested:
        return False
    if instruction.adverb in {"always", "never"} or instruction.prefers:
        return True
    if marked.standing:
        is_short = setting.length <= _LONG_MESSAGE
        return instruction.verb in MANNER or (is_short and not instruction.requested)
    return setting.is_pure and _is_standing_by_content(instruction, marked, corrects)


def _is_standing_by_content(instruction: Instruction, marked: MarkedClause, corrects: bool) -> bool:
    """Without a stated duration: standing if it is about manner, not about content."""
    if instruction.when or is_bearing(instruction):
        return True
    has_scope = marked.reach is not Reach.GLOBAL
    if instruction.inclusive:
        return has_scope
    if not is_manner(instruction, corrects):
        return False
    if instruction.requested:
        return is_generic(instruction) and (
            "instead" in instruction.low or not STYLE_NOUNS.isdisjoint(instruction.low)
        )
    if corrects or instruction.negated:
        return True
    if has_scope or says_every(instruction):
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
