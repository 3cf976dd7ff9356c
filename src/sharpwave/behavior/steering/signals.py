"""Phase 1 of reflection: what a message asks for good, without a model [BEH-02…05].

    sentences    the message            -> sentences, without what is quoted
    marks        each sentence          -> how it opens, how long and where it holds
    frames       what is left           -> told to do something, or complaining, or informing
    here         all of it together     -> meant for good or for this once, and of which type
    wording      what is meant for good -> the rule

A message that gives a task means its manner for that task; one that only steers means it for good.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sharpwave.behavior.steering import complaints, constraints, frames, knowledge, marks, wording
from sharpwave.behavior.steering.frames import Form, Instruction
from sharpwave.behavior.steering.lexicon import (
    BEARINGS,
    COMPARATIVE,
    DEFINITE,
    GIVING,
    INDEFINITE,
    LANGUAGES,
    MANNER,
    OUTPUT,
    PLACING,
    PRONOUNS,
    SPEAKING,
    STYLE_NOUNS,
    words,
)
from sharpwave.behavior.steering.marks import Marked
from sharpwave.behavior.steering.sentences import Sentence, Word, sentences, word
from sharpwave.behavior.steering.verbs import KNOWN
from sharpwave.types.behavior.steering import Signal, SteeringType

MARKED, CORRECTING, PLAIN = 0.9, 0.85, 0.75
"""How sure a signal is: said to be for good, said against an answer, neither."""

_LONG = 80
"""Words of a message from which on only "from now on" and the like are believed."""
_BARE = 20
"""Words of a message in which "the team uses…" is the user's own."""
_SHORT = 6
"""Words of a sentence that is a mere reaction, as in "that's not what I wanted"."""
_PERSONAS = (("act", "as"), ("you", "are", "a"), ("you", "are", "an"), ("pretend",), ("imagine",))
_SAYING = words("said says say told asked wrote writes")
_OWN_WORDS = words("i you not to unless as when if")
_EVERY = words("every everywhere throughout")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A clause of the message, and what was found in it."""

    marked: Marked
    told: Instruction | None = None
    remedy: tuple[Word, ...] = ()
    fact: tuple[Word, ...] = ()
    bound: tuple[Word, ...] = ()

    @property
    def steers(self) -> bool:
        return bool(self.told or self.remedy or self.fact or self.bound)


def signals(message: str, previous: str | None = None) -> list[Signal]:
    """What the user's words ask for good; `previous` is the answer they may be about."""
    said = [one for one in sentences(message) if one.words]
    pieces = [piece for one in said for piece in _pieces(one)]
    if not any(piece.steers for piece in pieces):
        return []
    length = sum(len(one.words) for one in said)
    setting = _Setting(length, _is_persona(said), _is_pure(pieces), previous is not None)
    found: list[Signal] = []
    last: Instruction | None = None
    corrects = False
    for piece in _merged(pieces):
        corrects = corrects or piece.marked.corrects
        told = piece.told and _resolved(piece.told, last)
        signal = _judged(replace(piece, told=told), setting, corrects)
        if signal and signal.rule not in {one.rule for one in found}:
            found.append(signal)
        last = told or last
    return found


_CUES = words(
    """always never prefer instead actually wrong avoid stop rather should must shorter longer concise
    style tone format don't dont no nope our we team convention default formal please you your keep
    use"""
)


def may_steer(message: str) -> bool:
    """A quick look: could it steer, though the rules may not see how."""
    return any(not _CUES.isdisjoint(one.low) for one in sentences(message))


@dataclass(frozen=True, slots=True)
class _Setting:
    """What the whole message is like."""

    length: int
    persona: bool
    pure: bool
    """It does nothing but steer, inform and react."""
    answers: bool
    """There was an answer before it."""


# --- taking the message apart ---------------------------------------------------------------------


def _pieces(sentence: Sentence) -> Iterator[_Piece]:
    """The clauses of a sentence that can steer, each with what surrounds it."""
    if _is_reported(sentence):
        return
    whole = marks.marked(sentence)
    if not whole.rest.words:
        yield _Piece(whole)
        return
    for part in _split(whole.rest):
        each = marks.marked(whole.rest.of(part))
        yield _read(
            replace(
                whole,
                rest=each.rest,
                corrects=whole.corrects or each.corrects,
                informs=whole.informs or each.informs,
                standing=whole.standing or each.standing,
                once=whole.once or each.once,
                reach=max(whole.reach, each.reach, key=_REACHES.index),
            )
        )


_REACHES = (marks.Reach.GLOBAL, marks.Reach.PROJECT, marks.Reach.FILE)


def _split(rest: Sentence) -> list[tuple[Word, ...]]:
    """Cut at commas after which the assistant is told something else."""
    said = rest.words
    if rest.low[0] in {"be", "keep", "can", "could"}:
        for at, one in enumerate(said[2:-2], start=2):
            if one.low == "and" and said[at + 1].low in KNOWN - {"be"}:
                return [said[:at], said[at + 1 :]]
    if "," not in rest.low or rest.low[0] in {"when", "whenever", "if"}:
        return [said]
    if complaints.remedy(said):
        comma = _first_comma(said)
        return [said] if rest.low[0] == "i" else [said[:comma], said[comma + 1 :]]
    parts, begin = [], 0
    for at, one in enumerate(said):
        if one.low == "," and at + 1 < len(said) and _opens_clause(said[at + 1 :]):
            parts.append(said[begin:at])
            begin = at + 1
    return [part for part in (*parts, said[begin:]) if part]


def _first_comma(said: Sequence[Word]) -> int:
    return next((at for at, one in enumerate(said) if one.low == ","), len(said))


def _opens_clause(said: Sequence[Word]) -> bool:
    low = said[0].low
    if low in {"and", "but", "so", "please"} and len(said) > 1:
        return _opens_clause(said[1:])
    if low in {"i", "you", "we", "our"}:
        return True
    found = frames.instruction(said)
    return found is not None and len(said) > 2


def _read(found: Marked) -> _Piece:
    said = found.rest.words
    if not said or _is_hypothetical(found.rest.low):
        return _Piece(found)
    if remedy := complaints.remedy(said):
        return _Piece(found, remedy=tuple(remedy[0]))
    if fact := knowledge.known(found.rest, found.informs):
        return _Piece(found, fact=tuple(fact))
    if told := frames.instruction(said):
        return _Piece(found, told=told)
    return _Piece(found, bound=tuple(constraints.constraint(found.rest) or ()))


def _is_reported(sentence: Sentence) -> bool:
    """Somebody else's words, as in "…, my mom said" or "he told me to"."""
    low = sentence.low
    for at, one in enumerate(low):
        if one in _SAYING and at and low[at - 1] not in _OWN_WORDS:
            return True
    return False


def _is_hypothetical(low: Sequence[str]) -> bool:
    return low[0] in {"if", "suppose", "imagine", "unless"} and low[1:2] != ("you",)


def _is_persona(said: Sequence[Sentence]) -> bool:
    """A part that the assistant is to play in this conversation."""
    for one in said:
        low = one.low
        for phrase in _PERSONAS:
            size = len(phrase)
            if any(low[at : at + size] == phrase for at in range(min(8, len(low)))):
                return True
    return False


def _is_pure(pieces: Sequence[_Piece]) -> bool:
    """No clause gives a task, asks something or tells a story."""
    return all(_is_steering_or_reaction(piece) for piece in pieces)


def _is_steering_or_reaction(piece: _Piece) -> bool:
    low = piece.marked.rest.low
    if piece.remedy or piece.fact or piece.bound:
        return True
    if piece.told is not None and piece.told.rest:
        return piece.marked.standing or piece.told.always or not _is_task(piece.told)
    return len(low) <= _SHORT and not piece.marked.rest.asks


def _is_task(told: Instruction) -> bool:
    """Something to be made now: "write a poem", "give me three ideas", "fix the bug"."""
    if told.negated or told.reminds or told.prefers or told.adverb:
        return False
    if told.verb in SPEAKING:
        return not _is_generic(told)
    return not _is_manner(told, corrects=True)


def _merged(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Two halves of one rule made one: "don't add X everywhere. Only add them to Y"."""
    made: list[_Piece] = []
    for piece in pieces:
        before = made[-1].told if made else None
        told = piece.told
        if before and told and before.negated and told.adverb == "only":
            if told.verb == before.verb and _is_pronoun(told):
                object_, rest = _halves(before)
                said = (*object_, *told.rest[1:], *([_COMMA, word("not"), *rest] if rest else []))
                joined = replace(piece.marked, corrects=True)
                made[-1] = _Piece(joined, replace(told, rest=said))
                continue
        made.append(piece)
    return made


_COMMA = Word(",", ",", apart=False)
_CLOSING = words("everywhere anywhere always in on to at for with when")


def _halves(told: Instruction) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """The object, and where or when: "type hints" and "everywhere"."""
    for at, one in enumerate(told.rest):
        if one.low in _CLOSING:
            return told.rest[:at], told.rest[at:]
    return told.rest, ()


def _is_pronoun(told: Instruction) -> bool:
    return bool(told.rest) and told.rest[0].low in PRONOUNS


def _resolved(told: Instruction, last: Instruction | None) -> Instruction:
    """Put the thing itself in the place of "them", if the clause before named it."""
    if last is None or not _is_pronoun(told) or not last.rest or told.rest[0].low != "them":
        return told
    object_, _ = _halves(last)
    return replace(told, rest=(*object_, *told.rest[1:]))


# --- judging --------------------------------------------------------------------------------------


def _judged(piece: _Piece, setting: _Setting, corrects: bool) -> Signal | None:
    """The signal, if the clause is meant for good."""
    found = piece.marked
    if found.once and not found.standing:
        return None
    if setting.persona or (setting.length > _LONG and not (found.standing or found.informs)):
        return None
    if piece.fact:
        if found.rest.low[0] == "the" and not found.informs and setting.length > _BARE:
            return None
        return _signal(SteeringType.KNOWLEDGE, wording.statement(piece.fact), PLAIN, found)
    if piece.bound:
        return _signal(SteeringType.PREFERENCE, wording.statement(piece.bound), PLAIN, found)
    if piece.remedy and (setting.pure or found.standing):
        return _signal(SteeringType.STYLE, wording.rule(piece.remedy), CORRECTING, found)
    told = piece.told
    if told is None or piece.remedy or not _is_for_good(told, found, setting, corrects):
        return None
    type_ = _type(told, found, corrects)
    sure = MARKED if told.always or found.standing else CORRECTING if corrects else PLAIN
    return _signal(type_, wording.rule(told.words), sure, found)


def _signal(
    type_: SteeringType, rule: str | None, sure: float, found: Marked
) -> Signal | None:
    return None if rule is None else Signal(type_, rule, sure, found.reach.value)


def _is_for_good(told: Instruction, found: Marked, setting: _Setting, corrects: bool) -> bool:
    if not told.rest:
        return told.always or told.negated
    if _is_of_others(told) or _is_pronoun(told):
        return False
    if found.rest.asks and told.form is not Form.REQUEST:
        return False
    if told.verb == "be" and not _is_bearing(told):
        return False
    if told.adverb in {"always", "never"} or told.prefers:
        return True
    if found.standing:
        return told.verb in MANNER or setting.length <= _LONG and told.form is not Form.REQUEST
    if not setting.pure:
        return False
    if told.when or told.reminds or _is_bearing(told):
        return True
    if told.inclusive:
        return found.reach is not marks.Reach.GLOBAL
    if not _is_manner(told, corrects):
        return False
    low = {one.low for one in told.rest}
    if told.form is Form.REQUEST:
        return _is_generic(told) and ("instead" in low or bool(STYLE_NOUNS & low))
    if corrects or told.negated:
        return True
    if found.reach is not marks.Reach.GLOBAL or _says_every(told):
        return told.verb not in SPEAKING or _is_generic(told)
    return _is_generic(told)


def _is_manner(told: Instruction, corrects: bool) -> bool:
    """About how to answer, rather than what to."""
    low = [one.low for one in told.rest]
    if told.verb in {"keep", "get", "cut", "drop", "leave"}:
        return bool(OUTPUT & set(low)) or low[:1] == ["it"]
    if told.verb in MANNER or told.negated or "instead" in low or _says_every(told):
        return True
    if told.verb in PLACING:
        return corrects
    of_answers = any(
        one in {"your", "things", "everything"} and (one != "your" or OUTPUT & set(low[at:]))
        for at, one in enumerate(low)
    )
    return told.verb in GIVING | {"make"} and (of_answers or (corrects and "not" in low))


_OTHERS = words("yourself your up going us him her them his their you")


def _is_of_others(told: Instruction) -> bool:
    """Good advice to a friend, as in "keep your head up", "always be yourself"."""
    low = [one.low for one in told.rest]
    if low[0] == "your":
        return not OUTPUT & set(low[1:4])
    return low[0] in _OTHERS


def _says_every(told: Instruction) -> bool:
    if told.negated:
        return False
    return bool(_EVERY & {one.low for one in told.rest})


def _is_bearing(told: Instruction) -> bool:
    """As in "be more concise", "get to the point"."""
    low = [one.low for one in told.rest]
    if told.verb != "be":
        return told.verb == "get" and low[:3] == ["to", "the", "point"]
    at = next((place for place, one in enumerate(low[:4]) if one in BEARINGS), None)
    return at is not None and (at + 1 == len(low) or low[at + 1] in _AFTER_BEARING)


_AFTER_BEARING = words("with in when about and but or than to for , please on")


_BOUND = words("the about this that these those following more of")
"""What ties a manner to the thing at hand: "explain in detail about…"."""


_SHAPING = words("keep skip cut drop omit leave")
"""Of the parts that every answer has: "skip the introduction"."""
_BRIEFLY = 3
"""Words of a manner that is named and no more: "in JSON", "like a friend"."""


def _is_generic(told: Instruction) -> bool:
    """Of a kind of thing rather than a thing: "single quotes", not "the second quote"."""
    low = [one.low for one in told.rest if one.low not in {"only", "just"}] or [""]
    first = low[0]
    if told.verb in _SHAPING and (STYLE_NOUNS - _CONTENT) & set(low[:3]):
        return True
    if told.verb in {"call", "address"}:
        return first == "me" and len(low) > 1
    if low[:2] == ["to", "me"]:
        low, first = low[2:], (low[2:] or [""])[0]
    if first == "my" and told.verb == "use":
        return True
    if first in {"", "me", "to", "my", "out", "on", "about", "of", "why", "how", "what"}:
        return False
    if told.verb in SPEAKING and (
        first not in {"in", "as", "like", "things", "everything"} or _BOUND & set(low[1:])
    ):
        return False
    if told.verb in SPEAKING and len(low) <= _BRIEFLY:
        return True
    if first in {"in", "as", "with", "like", "under", "at"}:
        return bool((LANGUAGES | OUTPUT | {"plain", "simple", "if"}) & set(low[1:5]))
    if low[1:2] in (["of"], ["about"]) or "how" in low:
        return False
    if first in DEFINITE:
        return False
    if first in INDEFINITE:
        return bool(STYLE_NOUNS & set(low[1:5]))
    return not first.isdigit()


_CONTENT = words("code number numbers example examples word words list lists style")
"""What an answer holds rather than how it is."""


def _type(told: Instruction, found: Marked, corrects: bool) -> SteeringType:
    low = {one.low for one in told.rest}
    if _is_bearing(told):
        return SteeringType.STYLE
    if corrects:
        return SteeringType.CORRECTION
    if told.always or found.standing or told.prefers or _says_every(told):
        return SteeringType.PREFERENCE
    if told.negated or told.form is Form.COMPLAINT:
        return SteeringType.CORRECTION
    if (STYLE_NOUNS - _CONTENT) & low or COMPARATIVE & low or BEARINGS & low:
        return SteeringType.STYLE
    return SteeringType.PREFERENCE
