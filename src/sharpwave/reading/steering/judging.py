"""Whether a clause is meant for good or for this once, and of which type it is.

A message that gives a task means its manner for that task; one that only steers means it for good.
"""

from dataclasses import dataclass

from sharpwave.reading.steering import answers, wording
from sharpwave.reading.steering.frames import Form, Instruction
from sharpwave.reading.steering.lexicon import MANNER, SPEAKING, STYLE_NOUNS
from sharpwave.reading.steering.manner import (
    is_bearing,
    is_generic,
    is_manner,
    is_of_others,
    is_of_style,
    is_pronoun,
    says_every,
)
from sharpwave.reading.steering.marks import Marked, Reach
from sharpwave.reading.steering.sentences import Word
from sharpwave.types.steering import Signal, SteeringType

MARKED, CORRECTING, PLAIN = 0.9, 0.85, 0.75
"""How sure a signal is: said to be for good, said against an answer, neither."""
_LONG = 80
"""Words of a message from which on only "from now on" and the like are believed."""
_BARE = 20
"""Words of a message in which "the team uses…" is the user's own."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause of the message, and what was found in it."""

    marked: Marked
    told: Instruction | None = None
    remedy: tuple[Word, ...] = ()
    fact: tuple[Word, ...] = ()
    bound: tuple[Word, ...] = ()

    @property
    def steers(self) -> bool:
        """Something was found."""
        return bool(self.told or self.remedy or self.fact or self.bound)


@dataclass(frozen=True, slots=True)
class Setting:
    """What the whole message is like."""

    length: int
    persona: bool
    """It gives the assistant a part to play."""
    pure: bool
    """It does nothing but steer, inform and react."""
    answer: str | None
    """What the assistant had said before it."""


def judged(piece: Piece, setting: Setting, corrects: bool) -> Signal | None:
    """The signal, if the clause is meant for good."""
    found = piece.marked
    if found.once and not found.standing:
        return None
    if setting.persona or (setting.length > _LONG and not (found.standing or found.informs)):
        return None
    if piece.told is not None:
        return _instruction(piece.told, found, setting, corrects)
    if piece.remedy:
        return _remedy(piece, setting)
    return _statement(piece, setting)


def _instruction(
    told: Instruction, found: Marked, setting: Setting, corrects: bool
) -> Signal | None:
    if not _is_for_good(told, found, setting, corrects):
        return None
    corrects = corrects or answers.did(told, setting.answer)
    sure = MARKED if told.always or found.standing else CORRECTING if corrects else PLAIN
    return _signal(_type(told, found, corrects), wording.rule(told.words), sure, found)


def _remedy(piece: Piece, setting: Setting) -> Signal | None:
    if not (setting.pure or piece.marked.standing) or answers.belies(piece.remedy, setting.answer):
        return None
    return _signal(SteeringType.STYLE, wording.rule(piece.remedy), CORRECTING, piece.marked)


def _statement(piece: Piece, setting: Setting) -> Signal | None:
    found = piece.marked
    if piece.bound:
        return _signal(SteeringType.PREFERENCE, wording.statement(piece.bound), PLAIN, found)
    if not piece.fact:
        return None
    if found.rest.low[0] == "the" and not found.informs and setting.length > _BARE:
        return None
    return _signal(SteeringType.KNOWLEDGE, wording.statement(piece.fact), PLAIN, found)


def _signal(type_: SteeringType, rule: str | None, sure: float, found: Marked) -> Signal | None:
    return None if rule is None else Signal(type_, rule, sure, found.reach.value)


def _is_for_good(told: Instruction, found: Marked, setting: Setting, corrects: bool) -> bool:
    if not told.rest:
        return told.always or told.negated
    if is_of_others(told) or is_pronoun(told) or (told.verb == "be" and not is_bearing(told)):
        return False
    if found.rest.asks and told.form is not Form.REQUEST:
        return False
    if told.adverb in {"always", "never"} or told.prefers:
        return True
    if found.standing:
        return told.verb in MANNER or (setting.length <= _LONG and told.form is not Form.REQUEST)
    return setting.pure and _is_of_its_own(told, found, corrects)


def _is_of_its_own(told: Instruction, found: Marked, corrects: bool) -> bool:
    """Nobody says how long it is to hold: it is for good if it is about how, not about what."""
    if told.when or told.reminds or is_bearing(told):
        return True
    placed = found.reach is not Reach.GLOBAL
    if told.inclusive:
        return placed
    if not is_manner(told, corrects):
        return False
    if told.form is Form.REQUEST:
        return is_generic(told) and ("instead" in told.low or not STYLE_NOUNS.isdisjoint(told.low))
    if corrects or told.negated:
        return True
    if placed or says_every(told):
        return told.verb not in SPEAKING or is_generic(told)
    return is_generic(told)


def _type(told: Instruction, found: Marked, corrects: bool) -> SteeringType:
    if is_bearing(told):
        return SteeringType.STYLE
    if corrects:
        return SteeringType.CORRECTION
    if told.always or found.standing or told.prefers or says_every(told):
        return SteeringType.PREFERENCE
    if told.negated or told.form is Form.COMPLAINT:
        return SteeringType.CORRECTION
    return SteeringType.STYLE if is_of_style(told) else SteeringType.PREFERENCE
